"""The arena in a real browser: a stored match is looked at and replayed, and another is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ponderosa import match
from tests.web.browser import PATIENCE, serving, wait_for


def marks(page: Any) -> int:
    count: int = page.locator(".picture .mark").count()
    return count


def new_page(browser: Any) -> Any:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def test_a_stored_match_is_looked_at_and_its_games_are_replayed(browser: Any, tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    match("tictactoe", "mcts:iterations=50", "random", games=4, openings="random:1", out=store, concurrency=1)
    with serving(tmp_path, "--arena", str(store)) as address:
        page = new_page(browser)
        page.goto(f"{address}/")
        page.get_by_role("link", name="Arena").click()
        page.locator("table.saved tr", has_text="4 of 4").get_by_role("link").click()
        page.get_by_text("Elo difference").wait_for()
        assert page.locator("svg.figure").count() == 2
        page.locator(".games-list tr").nth(1).get_by_role("link", name="replay").click()
        wait_for(lambda: page.locator(".picture .cell").count() == 9)
        assert marks(page) == 0
        page.keyboard.press("ArrowRight")
        wait_for(lambda: marks(page) == 1)
        page.get_by_label("Last position").click()
        plies = page.locator(".movelist button").count()
        wait_for(lambda: marks(page) == plies)
        page.locator(".status", has_text="finished").wait_for()
        page.locator(".movelist button").nth(1).click()
        wait_for(lambda: marks(page) == 2)
        page.goto(f"{address}/arena/game?id=<script>")
        page.get_by_text("there is no game 0").wait_for()
        page.context.close()


def test_a_match_is_started_and_seen_to_its_end(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--arena", str(tmp_path / "new.db"), "--max-games", "50") as address:
        page = new_page(browser)
        page.goto(f"{address}/arena")
        page.get_by_text("There is no match in").wait_for()
        page.get_by_label("Game", exact=True).click()
        page.get_by_role("option", name="tictactoe").click()
        page.get_by_label("first agent").fill("engine:cmd=sh")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("runs other programs").wait_for()
        page.get_by_label("first agent").fill("random")
        page.get_by_label("second agent").fill("random:seed=3")
        page.get_by_role("button", name="Start").click()
        page.get_by_text("Elo difference").wait_for()
        wait_for(lambda: "1 to 20 of 20" in page.locator(".panel").last.inner_text(), 60)
        page.get_by_role("link", name="Arena").click()
        page.locator("table.saved tr", has_text="20 of 20").get_by_text("finished", exact=True).wait_for()
        page.context.close()


def test_the_server_ends_while_a_match_runs(browser: Any, tmp_path: Path) -> None:
    with serving(tmp_path, "--arena", str(tmp_path / "new.db")) as address:
        page = new_page(browser)
        page.goto(f"{address}/arena")
        page.get_by_label("iterations a move").fill("100000")
        page.get_by_label("games, at most").fill("1000")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Stop").wait_for()
        page.context.close()
