"""The server as visitors meet it: limits, closed tabs, tokens, origins, restarts."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from ponderosa import __version__
from tests.web.browser import PATIENCE, fetch, serving, wait_for
from tests.web.browsers.test_play_in_browser import moves, stones, wait_for_status


def status(address: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(fetch(f"{address}/api/status"))
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_closed_tab_stops_its_search_and_frees_its_memory(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--max-seconds", "60") as address:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{address}/analysis?game=connect4&a=mcts:seconds=60")
        wait_for(lambda: status(address)["searches"] == 1 and status(address)["open_games"] == 1)
        wait_for(lambda: "iterations" in page.locator(".effort").first.inner_text())
        context.close()
        wait_for(lambda: status(address)["searches"] == 0 and status(address)["open_games"] == 0)
        wait_for(lambda: status(address)["kept_nodes"] == 0)


@pytest.mark.slow
def test_a_full_house_and_a_restart(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--max-sessions", "1") as address:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{address}/?game=tictactoe&players=person|person")
        wait_for_status(page, "X to move")
        page.locator('.legal[data-move="b2"]').click()
        wait_for(lambda: moves(page) == ["b2"])
        second = context.new_page()
        second.goto(f"{address}/?game=gomoku")
        second.get_by_text("1 games are open, which is as many as this server takes").wait_for()
        second.close()
        page.goto(f"{address}/?game=connect4&players=person|person")  # the old game makes room for the new one
        wait_for(lambda: page.locator(".cell").count() == 42)
        context.close()
    with serving(tmp_path) as address:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{address}/saved")
        page.locator("table.saved tr", has_text="unfinished").get_by_text("continue").click()
        wait_for(lambda: moves(page) == ["b2"])
        context.close()


@pytest.mark.slow
def test_the_token_opens_the_page_and_then_leaves_the_address(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--token", "geheim") as address:
        with pytest.raises(urllib.error.HTTPError) as refused:
            fetch(address)
        assert refused.value.code == 401
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{address}/?token=geheim")
        wait_for(lambda: "geheim" not in page.evaluate("location.href"))
        page.goto(f"{address}/?game=connect4&token=geheim")  # an address as they were before
        wait_for_status(page, "your turn")
        page.keyboard.press("4")
        wait_for(lambda: stones(page) == 2)
        wait_for(lambda: "geheim" not in page.evaluate("location.href"))
        page.goto(f"{address}/saved")
        page.get_by_role("heading", name="Saved games", level=2).wait_for()
        context.close()


def test_sockets_of_other_sites_are_refused(address: str) -> None:
    asked = f"{address}/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(asked, headers=headers), timeout=600)
        assert refused.value.code == 403


def test_the_description_of_the_api_has_the_version_of_the_package(address: str) -> None:
    assert json.loads(fetch(f"{address}/api/openapi.json"))["info"]["version"] == __version__


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_whoever_comes_first_sees_what_is_compiled_and_how_far_it_is(browser: Any, tmp_path: Path) -> None:
    empty = {"NUMBA_DISABLE_JIT": "0", "PONDEROSA_CACHE_DIR": str(tmp_path / "cache")}
    heard: list[str] = []
    with serving(tmp_path / "data", environment=empty) as address:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
        page.goto(f"{address}/play?game=connect4&players=level:easy|person")
        wait_for_status(page, "Yellow your turn")
        page.close()
    said = "".join(heard)
    assert "Compiling Connect Four, once" in said and "waits: compiling, once" in said and "progress" in said
