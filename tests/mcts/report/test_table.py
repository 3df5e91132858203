"""A report as a table: in print, in the terminal, in a notebook."""

from __future__ import annotations

from xml.etree import ElementTree

from ponderosa import Search, SearchSettings, load_game
from ponderosa.mcts.report.table import table_of
from tests.plain_python import in_plain_python  # noqa: F401


def report_on(name, **settings):
    return Search(load_game(name), SearchSettings(**settings)).run(iterations=60)


def test_a_printed_report_is_the_table_with_what_to_play_below():
    report = report_on("tictactoe")
    lines = str(report).splitlines()
    assert lines[0].split() == ["Move", "Visits", "Value", "Proven", "Line"]
    assert [line.split()[0] for line in lines[2:11]] == [entry.name for entry in report.actions]
    assert lines[-2] == f"Best: {report.best_name} (value {100 * report.value:.1f} %)"
    assert "60 iterations" in lines[-1] and "seed 0" in lines[-1]


def test_no_more_moves_are_shown_than_asked_for():
    table = table_of(report_on("tictactoe"), most=4)
    assert len(table.rows) == 4 and table.remarks == ("and 5 more, visited less",)


def test_columns_are_there_that_the_search_has_something_to_say_in():
    assert "Votes" not in table_of(report_on("tictactoe")).columns
    assert "Prior" in table_of(report_on("connect4", select="puct")).columns


def test_in_a_notebook_it_is_a_table_of_html():
    html = report_on("tictactoe")._repr_html_()
    table = ElementTree.fromstring(html[: html.index("</table>") + len("</table>")])
    assert len(table.findall("tbody/tr")) == 9 and "Best: " in html
