"""What people with screen readers, keyboards or weak eyes meet: axe-core finds nothing serious, views have names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import wait_for
from tests.web.browsers.test_play_in_browser import wait_for_status
from tests.web.conftest import OpenPage

WON = "/play?game=tictactoe&moves=b2+a1+c1+c2&players=person|person"
VIEWS = [
    "/", "/play?game=connect4&moves=4+4+3&players=person|person", "/play?game=kuhn_poker", "/play?game=2048",
    "/play?game=chess&players=person|person", "/analysis?game=tictactoe&moves=b2&a=mcts:iterations=20", "/saved",
    "/arena", "/lab", "/learning", "/nowhere", "/connect4/444", "/chess/e4-e5", "/kuhn_poker",
]  # fmt: skip
"""Every view, and boards of several kinds. The API's own page is drawn by Swagger UI."""


def serious(page: Any, within: str | None = None) -> list[str]:
    """What axe-core complains of, but trifles, on the whole page or within a part of it."""
    from axe_playwright_python.sync_playwright import Axe

    rules = {
        "color-contrast": {"enabled": within is None}
    }  # in dialogs, axe takes what is behind them for their ground
    found = Axe().run(page, within, {"resultTypes": ["violations"], "rules": rules}).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]} {node['failureSummary'][-160:]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def settled(page: Any) -> None:
    page.locator("h1").first.wait_for(state="attached")
    wait_for(lambda: "Preparing" not in page.locator("body").inner_text())
    page.wait_for_load_state("networkidle")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_has_a_serious_fault(open_page: OpenPage, view: str, dark: bool) -> None:
    page = open_page(view, dark=dark)
    settled(page)
    assert serious(page) == []
    assert page.locator("html").get_attribute("lang") == "en-US"
    assert page.locator("main, [role=main]").count() == 1 and page.locator("h1").count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_dialogs_and_the_end_of_a_game_have_no_serious_fault(open_page: OpenPage, dark: bool) -> None:
    page = open_page(WON, dark=dark)
    wait_for_status(page, "X to move")
    page.get_by_role("switch", name="Show on the board").click()
    page.locator("table.moves tr.best").wait_for()
    assert serious(page) == []
    page.locator('.legal[data-move="a3"]').click()
    wait_for_status(page, "X wins.")
    wait_for(lambda: "Worst moves" in page.locator(".mistakes").inner_text())
    assert serious(page) == []
    for button, name in (("New game", "New game"), ("Download the game", "Download the game")):
        page.get_by_role("button", name=button).click()
        dialog = page.get_by_role("dialog", name=name)
        dialog.wait_for()
        wait_for(lambda: page.evaluate("document.getAnimations().length") == 0)  # it has faded in
        wait_for(lambda: page.locator(".q-dialog [class*=-active]").count() == 0)
        assert serious(page, ".q-dialog") == []
        page.keyboard.press("Escape")
        dialog.wait_for(state="hidden")
