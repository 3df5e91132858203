"""The lab's reports in a real browser: listed, read with their figures, and harmless."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, About, Claim, Findings, write_report
from ponderosa.lab.reports.tables import Table
from tests.web.browser import fetch, serving, wait_for
from tests.web.browsers.test_arena_in_browser import new_page

pytest.importorskip("matplotlib")
pytest.importorskip("polars")

NASTY = "<script>window.hacked = 1</script>"


def written(folder: Path) -> None:
    series = [Series("mcts", [1, 10, 100], [20, 50, 80], [10, 40, 70], [30, 60, 90])]
    chart = Chart("score", "Score by iterations", Axis("iterations", log=True), Axis("score", "%"), series)
    about = About("mine", f"Mine {NASTY}", "Does it help?", "They say so.", "quick", 0, "0.1", "ponderosa lab run mine")
    claims = [Claim("It helps.", "It does.", AGREES)]
    table = Table.of("scores", "Scores", [{"iterations": 1, "score (%)": 20.0}])
    page = write_report(folder / "mine-quick", about, Findings("It helps.", claims, [table], [chart]))
    page.write_text(page.read_text().replace("</body>", f"{NASTY}<img src=/icon onerror=top.hacked=1></body>"))


@pytest.mark.slow
def test_reports_are_listed_and_read_with_their_figures(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    with serving(tmp_path, "--lab", str(folder)) as address:
        page = new_page(browser)
        page.goto(f"{address}/")
        page.get_by_role("link", name="Lab").click()
        page.get_by_text("There is no report in").wait_for()
        written(folder)
        page.get_by_role("link", name="Mine").click()
        report = page.frame_locator("iframe.report")
        report.get_by_role("heading", name="What the original found").wait_for()
        report.get_by_text("They say so.").wait_for()
        report.get_by_text("Agrees.", exact=True).wait_for()
        picture = report.get_by_role("img", name="Score by iterations")
        wait_for(lambda: picture.evaluate("image => image.complete && image.naturalWidth > 300"))
        wait_for(lambda: page.evaluate("window.hacked === undefined"))
        page.goto(f"{address}/lab?report=<script>")
        page.get_by_text("There is no report <script>").wait_for()
        assert "What was asked" in fetch(f"{address}/lab/page/mine-quick")
        page.context.close()
