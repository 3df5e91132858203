"""The arena in a real browser: a stored match is looked at and replayed, and another is started."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from ponderosa import match
from tests.web.browser import PATIENCE, serving, wait_for


def marks(page: Any) -> int:
    count: int = page.locator(".picture .mark").count()
    return count


def new_page(browser: Any) -> Any:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    return context.new_page()


@pytest.mark.slow
def test_a_stored_match_is_looked_at_and_its_games_are_replayed(browser: Any, tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    match("tictactoe", "mcts:iterations=50", "random", games=4, openings="random:1", out=store, concurrency=1)
    with serving(tmp_path, "--arena", str(store)) as address:
        page = new_page(browser)
        page.goto(f"{address}/")
        page.get_by_role("link", name="Arena").click()
        page.locator("table.saved tr", has_text="4 of 4").get_by_role("link").click()
        page.get_by_text("Elo difference").wait_for()
        wait_for(lambda: page.locator("svg.figure").count() == 2)
        page.locator(".games-list tr").nth(1).get_by_role("link", name="replay").click()
        wait_for(lambda: page.locator(".picture .cell").count() == 9)
        wait_for(lambda: marks(page) == 0)
        page.keyboard.press("ArrowRight")
        wait_for(lambda: marks(page) == 1)
        page.get_by_label("Last position").click()
        wait_for(lambda: 1 < page.locator(".movelist button").count() == marks(page))
        page.locator(".status", has_text="finished").wait_for()
        page.locator(".movelist button").nth(1).click()
        wait_for(lambda: marks(page) == 2)
        for path in ("/arena/game?id=x", "/arena/game?id=99", "/arena/event?id=99", "/arena/event"):
            answer = page.goto(f"{address}{path}")
            assert answer.status == 404 and page.title() == "Nothing is here · Ponderosa"
            page.get_by_text(f"There is no page at {path}.").wait_for()
        assert page.goto(f"{address}/arena/game?id=<script>&token=mine").status == 404
        page.get_by_text("There is no page at /arena/game?id=%3Cscript%3E.").wait_for()
        page.context.close()


@pytest.mark.slow
def test_a_match_is_started_and_seen_to_its_end(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--arena", str(tmp_path / "new.db"), "--max-games", "50") as address:
        page = new_page(browser)
        page.goto(f"{address}/arena")
        page.get_by_text("There is no match in").wait_for()
        page.get_by_label("Game", exact=True).click()
        page.get_by_role("option", name=re.compile("^Tic-tac-toe")).click()
        page.get_by_label("first agent").fill("engine:cmd=sh")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("runs other programs").wait_for()
        page.get_by_label("first agent").fill("random")
        page.get_by_label("second agent").fill("random:seed=3")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("Elo difference").wait_for()
        wait_for(lambda: "1 to 20 of 20" in page.locator(".panel").last.inner_text())
        page.get_by_role("link", name="Arena").click()
        page.locator("table.saved tr", has_text="20 of 20").get_by_text("finished", exact=True).wait_for()
        page.context.close()


SLEEPER = """
import os, pathlib, time

class Sleeper:
    def __init__(self, game):
        pass

    def step(self, state):
        pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
        time.sleep(600)
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_when_the_server_ends_its_match_ends_too(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "sleeper.py"
    file.write_text(SLEEPER)
    agent = f"{file}:Sleeper"
    with serving(tmp_path, "--arena", str(tmp_path / "new.db"), "--agent", agent) as address:
        page = new_page(browser)
        page.goto(f"{address}/arena")
        page.get_by_label("first agent").fill(agent)
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Stop").wait_for()
        process = int(wait_for(lambda: (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text()))
        assert alive(process)
        page.context.close()
    wait_for(lambda: not alive(process))
