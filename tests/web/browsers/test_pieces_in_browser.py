"""Moving pieces in a real browser: from, to, by clicks, by touch, by keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import wait_for
from tests.web.browsers.test_play_in_browser import TWO_PEOPLE, moves, wait_for_status
from tests.web.conftest import WALKERS, OpenPage

ADDRESS = f"/?game={WALKERS}:Walkers&{TWO_PEOPLE}"


def cell(page: Any, name: str) -> Any:
    return page.locator(f'.cell[aria-label*="{name}:"]')


@pytest.mark.slow
def test_a_piece_is_moved_by_two_clicks_and_dropped_by_one_elsewhere(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    wait_for_status(page, "White to move")
    cell(page, "b2").click()
    wait_for(lambda: page.locator(".aim").count() == 1 and page.locator(".held").count() == 1)
    cell(page, "d4").click()
    wait_for(lambda: page.locator(".aim").count() == 0 and page.locator(".held").count() == 0)
    cell(page, "a1").click()
    wait_for(lambda: page.locator(".held[aria-label*='a1']").count() == 1)
    cell(page, "b2").click()  # another piece takes its place
    wait_for(lambda: page.locator(".held[aria-label*='b2']").count() == 1)
    cell(page, "b3").click()
    wait_for(lambda: moves(page) == ["b2"])
    page.locator("button.action", has_text="pass").click()
    wait_for(lambda: moves(page) == ["b2", "pass"])
    cell(page, "b3").click()
    wait_for(lambda: page.locator(".aim").count() == 1)
    cell(page, "b4").click()
    page.get_by_role("dialog", name="which move").locator("button", has_text="knight").click()
    wait_for_status(page, "White wins")
    wait_for(lambda: moves(page)[-1] == "b3knight")


@pytest.mark.slow
def test_a_piece_is_moved_by_keys(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    wait_for_status(page, "White to move")
    page.locator(".cell[tabindex='0']").focus()
    page.keyboard.press("Enter")
    wait_for(lambda: page.locator(".held[aria-label*='b2']").count() == 1)
    page.keyboard.press("Escape")
    wait_for(lambda: page.locator(".held").count() == 0)
    wait_for(lambda: "b2" in page.evaluate("document.activeElement.getAttribute('aria-label')"))
    page.keyboard.press("Enter")
    wait_for(lambda: page.locator(".aim").count() == 1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    wait_for(lambda: moves(page) == ["b2"])


@pytest.mark.slow
def test_a_piece_is_moved_by_touch_on_a_phone(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        page.goto(address + ADDRESS)
        wait_for_status(page, "White to move")
        cell(page, "d1").tap()
        wait_for(lambda: page.locator(".aim").count() == 1)
        cell(page, "d2").tap()
        wait_for(lambda: moves(page) == ["d1"])
    finally:
        context.close()
