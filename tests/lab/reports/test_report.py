"""Tables and reports: all parts are there, nothing is markup that should be text."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from html.parser import HTMLParser

import pytest

from ponderosa import PonderosaError
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import (
    AGREES,
    ALONE,
    DIFFERS,
    OPEN,
    PARTLY,
    VERDICTS,
    About,
    Claim,
    Findings,
    write_report,
)
from ponderosa.lab.reports.tables import Table, shown

pytest.importorskip("matplotlib")
polars = pytest.importorskip("polars")

NASTY = '<img src=x onerror="alert(1)"> | [a](b) `c` *d*'
TABLE = Table.of(
    "scores",
    "Scores",
    [
        {"agent": "a", "score (%)": 12.345, "score low": 10.0, "score high": 15.5, "games": 12000},
        {"agent": NASTY, "score (%)": None, "score low": None, "score high": None, "games": 3},
    ],
)
FIGURE = Chart("curve", "Curve " + NASTY, Axis("time", "s"), Axis("score", "%"), [Series("a", [1, 2], [3, 4])])
ABOUT = About("mine", "Mine " + NASTY, "Asked?", "They found it.", "quick", 7, "0.1", "ponderosa lab run mine")


class Seen(HTMLParser):
    """The tags, attributes and words of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words += data


def test_findings_show_themselves_in_a_notebook():
    seen = Seen(Findings("It works.\n\nQuite well.", (), [TABLE], [FIGURE])._repr_html_())
    assert {"p", "table", "svg"} <= set(seen.tags) and "img" not in seen.tags
    assert all(words in seen.words for words in ("Quite well.", "Scores", "12.3", NASTY))


@pytest.fixture
def folder(tmp_path):
    claims = [Claim("They: 50 %", "We: 51 %", AGREES), Claim("They: much", "We: " + NASTY, DIFFERS, "Because.")]
    findings = Findings("It works.\n\nQuite well.", claims, [TABLE], [FIGURE], ["A note."])
    page = write_report(tmp_path / "out", ABOUT, findings)
    assert page == tmp_path / "out" / "report.html"
    return page.parent


def test_a_report_says_what_was_asked_what_they_found_what_we_found_and_whether_that_agrees(folder):
    for words in ((folder / "report.md").read_text(), Seen((folder / "report.html").read_text()).words):
        parts = ["What was asked", "Asked?", "What the original found", "They found it.", "What we found", "It works."]
        parts += [
            "Do they agree?",
            "1 agrees, 1 differs.",
            "They: 50 %",
            "Because.",
            "A note.",
            "seed 7",
            ABOUT.command,
        ]
        places = [words.index(part) for part in parts]
        assert places[:7] == sorted(places[:7])


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing(folder):
    seen = Seen((folder / "report.html").read_text())
    assert "script" not in seen.tags and not any(name.startswith("on") for name, _ in seen.attributes)
    sources = [value for name, value in seen.attributes if name in ("src", "href")]
    assert len(sources) == seen.tags.count("img") == 1
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert NASTY in seen.words


def test_the_markdown_shows_texts_as_they_are_and_links_to_the_files(folder):
    text = (folder / "report.md").read_text()
    assert "<img" not in text.replace("\\<img", "") and "](b)" not in text.replace("\\](b)", "")
    for link in ("figures/curve.svg", "data/scores.csv", "data/scores.parquet"):
        assert f"]({link})" in text and (folder / link).is_file()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {
        line.replace("\\|", "").count("|") for line in rows if "score" in line or "---" in line or "a |" in line
    } == {4, 5}


def test_the_data_keep_every_digit(folder):
    rows = list(csv.DictReader(io.StringIO((folder / "data" / "scores.csv").read_text())))
    frame = polars.read_parquet(folder / "data" / "scores.parquet")
    assert rows[0]["score (%)"] == "12.345" and rows[1]["agent"] == NASTY and rows[1]["score (%)"] == ""
    assert frame["score (%)"].to_list() == [12.345, None] and frame["agent"][1] == NASTY


def test_the_summary_for_programs_is_complete(folder):
    said = json.loads((folder / "report.json").read_text())
    assert (said["name"], said["scale"], said["seed"], said["verdict"]) == ("mine", "quick", 7, "1 agrees, 1 differs")
    assert [figure["name"] for figure in said["figures"]] == ["curve"] and said["tables"] == ["scores"]
    assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [((), ALONE), ((AGREES,), AGREES), ((AGREES, AGREES), AGREES), ((DIFFERS,), DIFFERS), ((PARTLY, PARTLY), PARTLY)],
)
def test_a_verdict_that_all_claims_share_is_said_of_all(verdicts, together):
    assert verdict_of(verdicts) == together


MIXTURES = [
    mixture
    for count in (2, 3, 4)
    for mixture in itertools.combinations_with_replacement(VERDICTS, count)
    if len(set(mixture)) > 1
]


@pytest.mark.parametrize("mixture", MIXTURES, ids=", ".join)
def test_a_mixed_verdict_says_how_many_agree_differ_and_are_open(mixture):
    words = {
        AGREES: r"(\d) agrees?\b(?! in part)",
        PARTLY: r"(\d) agrees? in part",
        DIFFERS: r"(\d) differs?",
        OPEN: r"(\d) (?:is|are) open",
    }
    said = verdict_of(mixture)
    for verdict, pattern in words.items():
        found = re.search(pattern, said)
        assert (int(found.group(1)) if found else 0) == mixture.count(verdict)
    assert AGREES in mixture or PARTLY in mixture or "agree" not in said


def test_one_claim_is_told_from_several():
    assert verdict_of([AGREES, OPEN, OPEN, DIFFERS, DIFFERS]) == "1 agrees, 2 differ, 2 are open"


def verdict_of(verdicts):
    return Findings("", [Claim("", "", verdict) for verdict in verdicts]).verdict


def test_a_value_and_its_interval_are_one_cell_for_people():
    assert "| agent | score (%), 95 % | games |" in TABLE.to_markdown()
    assert "12.3 (10 to 15.5)" in TABLE.to_markdown() and "12,000" in TABLE.to_html()
    assert TABLE.only("agent", "games").columns == ("agent", "games")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (12345, "12,345"),
        (0.12345, "0.123"),
        (123.456, "123"),
        (1.5e6, "1,500,000"),
        ("x", "x"),
    ],
)
def test_values_as_people_read_them(value, text):
    assert shown(value) == text


def test_wrong_verdicts_and_tables_are_refused():
    with pytest.raises(PonderosaError, match="agrees in part"):
        Claim("a", "b", "maybe")
    with pytest.raises(PonderosaError, match="each of its columns"):
        Table("t", "T", ("a", "b"), ((1,),))
    with pytest.raises(PonderosaError, match="name of a file"):
        Table("../t", "T", ("a",), ())
