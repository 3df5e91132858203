"""The reports in a folder: listed, and nothing else is ever opened."""

from __future__ import annotations

import os

import pytest

from ponderosa import PonderosaError
from ponderosa.lab.reports.library import page_of, reports
from ponderosa.lab.reports.report import About, Findings, write_report

pytest.importorskip("matplotlib")
pytest.importorskip("polars")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.html").write_text("secret")
    for number, name in enumerate(("old", "new")):
        about = About(name, f"The {name} one", "Which?", "", "quick", 0, "0.1", "ponderosa lab run")
        page = write_report(tmp_path / "reports" / name, about, Findings(f"Found {name}."))
        os.utime(page.parent / "report.json", (number, number))
    (tmp_path / "reports" / "unfinished").mkdir()
    (tmp_path / "reports" / "broken").mkdir()
    (tmp_path / "reports" / "broken" / "report.json").write_text('{"title": 3')
    (tmp_path / "reports" / "other").mkdir()
    (tmp_path / "reports" / "other" / "report.json").write_text("[1, 2]")
    return tmp_path / "reports"


def test_complete_reports_are_listed_the_newest_first(folder):
    assert [(card.key, card.title, card.question) for card in reports(folder)] == [
        ("new", "The new one", "Which?"),
        ("old", "The old one", "Which?"),
    ]
    assert reports(folder / "nothing") == []


def test_a_report_is_read_by_its_key(folder):
    assert "Found new." in page_of(folder, "new")


@pytest.mark.parametrize("key", ["", "..", "../secret.html", "unfinished", "/etc", "new/../old", "new\0"])
def test_nothing_else_is_opened(folder, key):
    with pytest.raises(PonderosaError, match="unknown report"):
        page_of(folder, key)
