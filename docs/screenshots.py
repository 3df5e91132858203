"""The pictures of the page in docs/images, made with a real browser. Start at main.

python docs/screenshots.py
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.web.browser import ARGUMENTS, PATIENCE, chromium, serving  # noqa: E402

IMAGES = ROOT / "docs" / "images"
GAME = "game=connect4&moves=4+4+3+5+3+3+5+4&players=person|level:medium"


def wait_for_answer(page: Any, place: int = 0) -> None:
    """Wait until a search has ended."""
    page.locator(".effort", has_text="ended by").nth(place).wait_for()


def play(page: Any) -> None:
    """A game against the machine."""
    page.locator(".status", has_text="your turn").wait_for()


def overlay(page: Any) -> None:
    """What the search thinks, on the board."""
    play(page)
    page.get_by_text("Show on the board").click()
    wait_for_answer(page)
    page.locator("table.moves tr[data-row]").first.wait_for()


def analysis(page: Any) -> None:
    """Two agents side by side."""
    wait_for_answer(page)
    wait_for_answer(page, 1)


def tree(page: Any) -> None:
    """The search tree, two levels unfolded."""
    wait_for_answer(page)
    page.locator(".tree .fold").nth(1).click()
    page.locator(".tree .fold").nth(2).click()
    page.wait_for_timeout(500)
    page.locator("section[aria-label='Tree']").scroll_into_view_if_needed()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")


def review(page: Any) -> None:
    """A finished game with its curve and worst moves."""
    page.locator(".status", has_text="to move").wait_for()
    page.locator('.legal[data-move="6"]').first.click()
    page.locator(".mistakes", has_text="Worst moves").wait_for()


def gallery(page: Any) -> None:
    """All games, with their pictures."""
    page.wait_for_function("document.querySelectorAll('.exhibit .shows > *').length > 19")


def watching(page: Any) -> None:
    """A search that has gone on for a while, beside exact results."""
    page.locator(".effort", has_text="solved").wait_for()
    page.locator(".effort", has_text="00,000 iterations").wait_for()


VIEWS: list[tuple[str, str, Callable[[Any], None], dict[str, Any]]] = [
    ("play", f"/play?{GAME}", play, {}),
    ("overlay", f"/play?{GAME}", overlay, {}),
    ("gomoku", "/play?game=gomoku&moves=h8+h9+i9+g7+j10+g10+j8+j9&players=person|level:hard", overlay, {}),
    ("analysis", "/analysis?game=connect4&moves=4+4+3&a=mcts:seconds=1&b=mcts:iterations=5000,c=0.7", analysis, {}),
    ("tree", "/analysis?game=tictactoe&moves=b2&a=mcts:iterations=5000", tree, {}),
    (
        "review",
        "/play?game=connect4&moves=6+7+5+3+6+4+5+4+6+6+5+5+3+4+4+4+2+6+3+1+5+2&players=person|person",
        review,
        {},
    ),
    ("dark", f"/play?{GAME}", overlay, {"dark": True}),
    ("front", "/", gallery, {}),
    ("watch", "/connect4/44443325576", watching, {}),
    ("phone", f"/play?{GAME}", overlay, {"width": 390, "height": 844}),
]


def main(names: list[str]) -> None:
    """Make all pictures, or those that are named."""
    IMAGES.mkdir(exist_ok=True)
    with serving(Path(tempfile.mkdtemp())) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for name, path, prepare, looks in VIEWS:
            if names and name not in names:
                continue
            size = {"width": looks.get("width", 1440), "height": looks.get("height", 900)}
            scheme = "dark" if looks.get("dark") else "light"
            page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(address + path)
            prepare(page)
            page.mouse.move(2, size["height"] - 2)
            page.wait_for_timeout(600)
            page.screenshot(path=IMAGES / f"{name}.png")
            print(f"{name}: {(IMAGES / f'{name}.png').stat().st_size // 1024} kB")
            page.context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
