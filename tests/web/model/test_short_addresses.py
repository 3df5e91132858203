"""Positions as addresses. Start at test_moves_of_one_letter_need_nothing_between_them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa import load_game
from ponderosa.core.notation import move_names
from ponderosa.registry import GAMES
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.short_addresses import ShortAddresses, play_along, together


def played(game: str, text: str) -> tuple[list[str], str]:
    state = load_game(game).new_initial_state()
    trouble = play_along(state, text)
    return move_names(state), trouble


def test_moves_of_one_letter_need_nothing_between_them() -> None:
    for text in ("44443", "4-4-4-4-3", "4,4,4,4,3", " 4 4443,"):
        assert played("connect4", text) == (["4", "4", "4", "4", "3"], "")


def test_longer_moves_are_separated_and_may_have_dashes_of_their_own() -> None:
    assert played("tictactoe", "b2-a1,C3") == (["b2", "a1", "c3"], "")
    assert played("chess", "e4-e5-Nf3-Nc6-Bc4-Bc5-O-O")[0][-1] == "O-O"
    assert played("checkers", "9-13-22-18")[0] == ["9-13", "22-18"]
    assert played("gomoku", "h1,h10")[0] == ["h1", "h10"]


@pytest.mark.parametrize(
    ("game", "text", "known", "words"),
    [
        ("connect4", "4449x3", 3, "move 4 of the address: '9' is not a legal action here; legal: 1, 2"),
        ("connect4", "4444444", 6, "move 7 of the address: '4' is not a legal action"),
        ("tictactoe", "b2a1", 0, "move 1 of the address: 'b2a1' is not a legal action"),
        ("tictactoe", "b2-b2-a1", 1, "move 2 of the address: 'b2' is not a legal action"),
        ("connect4", "41424344", 7, "move 8 of the address: '4' is not a legal action here; legal: none"),
        ("connect4", "1" * 10**6, 0, "an address has fewer than"),
    ],
)
def test_what_is_wrong_is_told_and_what_was_right_is_played(game: str, text: str, known: int, words: str) -> None:
    names, trouble = played(game, text)
    assert len(names) == known and trouble.startswith(words)


def test_every_game_has_an_address_that_leads_back_to_it(nim_file: Path) -> None:
    addresses = ShortAddresses(Catalogue([f"{nim_file}:Nim"]), taken=["arena"])
    assert set(addresses.games.values()) == {*GAMES, f"{nim_file}:Nim"}
    assert addresses.of(f"{nim_file}:Nim", ["take 1"]) == "/nim/take%201"
    assert addresses.of("connect4", ["4", "4"]) == "/connect4/44" and addresses.of("2048") == "/2048"
    assert addresses.of("connect4:rows=5", ["4"]) == "/connect4/4?rows=5"
    assert addresses.spec("connect4", {"rows": "5"}) == "connect4:rows=5"
    assert together(["e4", "e5"]) == "e4,e5"


def test_no_game_takes_the_word_of_another_one_or_of_a_view(nim_file: Path, tmp_path: Path) -> None:
    for name in ("Arena", "Go"):
        (tmp_path / f"{name}.py").write_text(nim_file.read_text().replace("class Nim", f"class {name}"))
    own = [f"{tmp_path / name}.py:{name}" for name in ("Arena", "Go")]
    games = ShortAddresses(Catalogue(own), taken=["arena"]).games
    assert games["go"] == "go" and games["arena-2"] == own[0] and games["go-2"] == own[1]


def test_a_game_of_another_package_has_a_word_without_signs() -> None:
    pytest.importorskip("pyspiel")
    addresses = ShortAddresses(Catalogue(["openspiel:breakthrough(rows=6,columns=6)"]))
    [spec] = [name for name in addresses.games.values() if name.startswith("openspiel")]
    assert addresses.of(spec, ["a2a3"]) == "/openspiel-breakthrough-columns-6-rows-6/a2a3"
    assert addresses.spec("openspiel-breakthrough-columns-6-rows-6", {}) == spec
