"""The Learning view in a real browser: a run is followed, and what every network says of its game compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ponderosa.learning.showing import NOW
from tests.learning.folders import NOW_TOLD, run_folder
from tests.web.browser import serving, wait_for
from tests.web.browsers.test_arena_in_browser import new_page

pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')


@pytest.mark.slow
def test_a_run_is_followed_and_its_game_gone_through_network_by_network(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    with serving(tmp_path, "--learn", str(folder), environment={"NUMBA_DISABLE_JIT": "1"}) as address:
        page = new_page(browser)
        page.goto(f"{address}/learning")
        page.get_by_text("There is no run in").wait_for()
        path = run_folder(folder / "first")
        page.get_by_role("link", name="first").click()
        status, about = page.locator(".status"), page.locator("section[aria-label='Learning']")
        wait_for(lambda: "X wins" in status.inner_text())  # it plays the newest game by itself
        wait_for(lambda: "30 s learned, 1,200 games" in about.inner_text())
        page.get_by_label("First position").click()
        wait_for(lambda: "X to move" in status.inner_text() and "the network says" in status.inner_text())
        wait_for(lambda: page.locator(".picture .thought").count() == 9)
        assert not page.locator(".q-checkbox[aria-checked=true]").count()
        page.keyboard.press("ArrowRight")
        wait_for(lambda: "O to move" in status.inner_text() and page.locator(".picture .thought").count() == 8)
        for _ in range(2):
            page.locator(".q-slider [tabindex]").first.press("ArrowLeft")
        page.get_by_text("before it had learned").wait_for()
        wait_for(lambda: "O to move" in status.inner_text())
        assert page.locator(".charts figure").count() == 4
        told = NOW_TOLD | {"seconds": 90.0, "games": 4321}
        (path / NOW).write_text(json.dumps(told))
        wait_for(lambda: "1.5 min learned, 4,321 games" in about.inner_text())
        page.get_by_label("minutes more").fill("1e9")
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("minutes must be a number from").wait_for()
        page.goto(f"{address}/learning?run=<script>")
        page.get_by_text("run of learning '<script>'").wait_for()
        page.context.close()
