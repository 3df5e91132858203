"""The reports in docs/experiments: whole, linked, and of experiments that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ponderosa.lab.experiment_names import EXPERIMENTS
from ponderosa.lab.reports.report import Claim, Findings
from tests.lab.test_experiment import PARTS

DOCS = Path(__file__).parents[2] / "docs"
REPORTS = sorted(path.parent.name for path in DOCS.glob("experiments/*/report.md"))
PROMISED = {
    "exploration-constant",
    "rollouts",
    "iterations",
    "thinking-time",
    "board-size",
    "learning-tictactoe",
    "bandits",
}


def test_the_promised_reports_are_there():
    assert set(REPORTS) >= PROMISED
    assert set(REPORTS) <= set(EXPERIMENTS)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_all_parts_and_whatever_it_links_to(name):
    folder = DOCS / "experiments" / name
    text = (folder / "report.md").read_text()
    assert all(f"## {part}" in text for part in PARTS)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert any(link.endswith(".svg") for link in links)
    assert all((folder / link).is_file() for link in links)
    said = json.loads((folder / "report.json").read_text())
    assert said["name"] == name and said["scale"] in ("quick", "full")
    verdict = Findings("", [Claim(**claim) for claim in said["claims"]]).verdict
    assert said["verdict"] == verdict and f"**{verdict.capitalize()}.**" in text


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_listed(name):
    assert f"(experiments/{name}/report.md)" in (DOCS / "experiments.md").read_text()
