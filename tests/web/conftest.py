"""A server and a browser, one of each a test process. Start at open_page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.plain_python import compiled, in_plain_python  # noqa: F401
from tests.web.browser import ARGUMENTS, PATIENCE, chromium, serving

if find_spec("nicegui") is None:  # the extra `web` is not installed
    collect_ignore_glob = ["test_*.py"]

NIM = '''
from ponderosa import Game, rule

class Nim(Game):
    """Take stones; whoever takes the <b>last</b> one wins."""

    def __init__(self, stones: int = 5):
        self.stones = stones

    def setup(self, s):
        s.stones, s.player = self.stones, 0

    def action_to_string(self, s, a):
        return f"take {a} <i>now</i>"

    def draw(self, s):
        return f"<script>window.hacked = 1</script>{s.stones} stones"

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        return [take for take in (1, 2, 3) if take <= s.stones]

    @rule
    def apply_action(s, a):
        s.stones -= a
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.stones == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)
'''


WALKERS = Path(__file__).parents[1] / "pictures" / "movers.py"
"""A game of pieces, in a file."""


def require_browser() -> None:
    """Skip on a machine without chromium or Playwright; where tests must run, fail."""
    missing = []
    if chromium() is None:
        missing.append("chromium")
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        missing.append("playwright")
    if missing and (os.environ.get("PONDEROSA_REQUIRE_BROWSER") or os.environ.get("CI")):
        pytest.fail(f"browser tests must run here, and there is no {' and no '.join(missing)}")
    if missing:
        pytest.skip(f"there is no {' and no '.join(missing)} on this machine")


@pytest.fixture(scope="session")
def nim_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of one's own in a file, without a board, and with texts that must be escaped."""
    file = tmp_path_factory.mktemp("own") / "nim.py"
    file.write_text(NIM)
    return file


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory, nim_file: Path) -> Iterator[str]:
    """The address of a running server, which searches without the compiler."""
    saved, plainly = tmp_path_factory.mktemp("saved"), {"NUMBA_DISABLE_JIT": "1"}
    own = f"{nim_file}:Nim", f"{WALKERS}:Walkers"
    with serving(saved, "--max-seconds", "5", *own, environment=plainly) as found:
        yield found


@pytest.fixture(scope="session")
def compiled_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server as users run it, for what a search must prove in time."""
    with serving(
        tmp_path_factory.mktemp("saved"), "--max-seconds", "5", environment={"NUMBA_DISABLE_JIT": "0"}
    ) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running browser."""
    require_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield found
        found.close()


OpenPage = Callable[..., Any]


def _text_of(answer: Any) -> str:
    """What a page itself says; its scripts and styles are the same for everybody."""
    return answer.url + (str(answer.text()) if answer.request.resource_type == "document" else "")


@pytest.fixture
def open_page(browser: Any, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Opens an address of the server in a new tab; no page may report an error in its console."""
    contexts, complaints = [], []
    address = request.getfixturevalue("compiled_address" if "compiled" in request.fixturenames else "address")

    def open_one(
        path: str = "/", width: int = 1440, height: int = 900, dark: bool = False, heard: list[str] | None = None
    ) -> Any:
        """`heard` gets all that the server sends to the tab."""
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: print(f"{path}: {said.text}"))  # told when a test fails
        if heard is not None:
            page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
            page.on("response", lambda answer: heard.append(_text_of(answer)))
        page.goto(address + path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []
