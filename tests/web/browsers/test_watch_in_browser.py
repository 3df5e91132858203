"""A search is watched in a browser. Start at test_an_address_opens_board_scores_and_tree_and_is_shared."""

from __future__ import annotations

import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import fetch, wait_for
from tests.web.browsers.test_play_in_browser import moves
from tests.web.conftest import OpenPage


def taken(page: Any, button: str) -> bytes:
    """What a button downloads."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_bytes()


def test_an_address_opens_board_scores_and_tree_and_is_shared(open_page: OpenPage) -> None:
    page = open_page("/tictactoe/b2-a1")
    wait_for(lambda: moves(page) == ["b2", "a1"])
    wait_for(lambda: page.locator(".thought").count() and page.locator(".tree .node").count() > 5)
    assert page.locator("table.scores tbody tr").count() == 7
    assert page.locator(".rules summary").inner_text() == "Tic-tac-toe"
    page.locator('.legal[data-move="c3"]').click()
    wait_for(lambda: page.evaluate("location.pathname") == "/tictactoe/b2,a1,c3")
    assert str(page.locator("[data-copy]").get_attribute("data-copy")) == "/tictactoe/b2,a1,c3"
    wait_for(lambda: page.locator(".effort").inner_text().startswith(("5 ", "10 ", "20 ", "50 ")))
    page.get_by_role("button", name="Stop now").click()
    for button in ("Picture (SVG)", "Animation (SVG)"):
        xml.etree.ElementTree.fromstring(taken(page, button).decode())
    assert taken(page, "Picture (PNG)").startswith(b"\x89PNG")
    page.go_back()
    wait_for(lambda: moves(page) == ["b2", "a1"])


@pytest.mark.slow
def test_a_wrong_address_is_told_in_a_sentence(open_page: OpenPage, address: str) -> None:
    page = open_page("/connect4/4449")
    wait_for(lambda: "Move 4 of the address: '9' is not a legal action here" in page.locator(".message").inner_text())
    assert moves(page) == ["4", "4", "4"]
    page.goto(f"{address}/connect4/44?rows=99")
    wait_for(lambda: "rows" in page.locator(".message").inner_text())
    page.get_by_role("link", name="Go to the games").wait_for()
    assert "<title>" in fetch(f"{address}/nim/2")
