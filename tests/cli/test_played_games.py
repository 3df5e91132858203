"""Positions out of files of games, where a command takes --from FILE."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "one.json").write_text('{"game": "tictactoe", "moves": ["b2", "a1"]}')
    (tmp_path / "two.txt").write_text('[{"game": "tictactoe"}, {"game": "tictactoe", "moves": ["c3"]}]')
    (tmp_path / "over.txt").write_text("[game: tictactoe]\na1 a2 b1 b2 c1")
    (tmp_path / "latin.txt").write_bytes(b"\xe4")
    monkeypatch.chdir(tmp_path)


def moves_of(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["moves"]


def test_a_position_of_a_file_is_analysed(ponderosa: Run, files) -> None:
    asked = ("--iterations", "20", "--json")
    assert moves_of(ponderosa("analyze", "--from", "one.json", *asked)) == ["b2", "a1"]
    assert moves_of(ponderosa("analyze", "--from", "one.json", "--after", "1", *asked)) == ["b2"]
    assert moves_of(ponderosa("analyze", "--from", "over.txt", "--after", "0", *asked)) == []
    assert moves_of(ponderosa("analyze", "--from", "two.txt", "--number", "2", *asked)) == ["c3"]
    first = ponderosa("analyze", "--from", "two.txt", *asked)
    assert moves_of(first) == [] and "two.txt has several games: this is the first" in first.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say which game"),
        (("--from", "over.txt"), "the game is over after 5 moves"),
        (("--from", "over.txt", "--after", "6"), "the game has 5 moves"),
        (("--from", "one.json", "--number", "2"), "fewer than 2 games"),
        (("--from", "none"), "none cannot be read"),
        (("--from", "latin.txt"), "no text in UTF-8"),
        (("tictactoe", "--from", "one.json"), "--from FILE says game and moves: leave GAME out"),
        (("tictactoe", "--after", "3"), "there is no --from FILE: leave --after out"),
    ],
)
def test_what_does_not_fit_is_refused(ponderosa: Run, files, arguments, words) -> None:
    ran = ponderosa("analyze", *arguments)
    assert ran.code in (1, 2) and words in " ".join(ran.err.split())
