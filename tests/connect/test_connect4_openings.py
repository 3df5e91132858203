"""The table of openings held against the solver. Start at test_a_table_says_what_the_solver_says."""

from __future__ import annotations

import importlib
import itertools
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ponderosa.connect import connect4_distances, connect4_openings
from ponderosa.connect.connect4_distances import Distances, exact_worth
from ponderosa.connect.connect4_openings import SHIPPED, Openings, Position, moves, position_of, positions, shipped
from ponderosa.connect.connect4_solver import BETTER_THAN_LATEST, Board, aligned, bits_of, key_of, new_table
from tests.helpers import loaded, random_position

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "connect4_openings.py"
SMALL, GAME = Board.of(4, 4), loaded("connect4:rows=4,cols=4")


def table_from(board: Board, place: Position, plies: int) -> Openings:
    """All positions of a small board that follow one, with so many stones, solved."""
    memory, level = new_table(2**18), {place}
    while next(iter(level))[1].bit_count() < plies:
        level = {(own ^ mask, after) for own, mask in level for after in following(own, mask, board)}
    known = {int(key_of(*found, board)): exact_worth(board, *found, memory) for found in level}
    return Openings(board, plies, np.array(list(known), np.int64), np.array(list(known.values()), np.int8))


def following(own: int, mask: int, board: Board) -> list[int]:
    return [after for after in moves(mask, board) if not aligned(after ^ mask | own, board.rows)]


def test_all_positions_are_there_and_mirror_images_once() -> None:
    board = Board.of(6, 7)
    for plies, count in enumerate((1, 7, 49, 238, 1120, 4263)):  # https://oeis.org/A212693
        found = positions(board, plies)
        mirrored = sum(mirror(own) != own or mirror(mask) != mask for own, mask in found.values())
        assert len(found) + mirrored == count
        assert all(key_of(*place, board) == key for key, place in found.items())


def mirror(stones: int) -> int:
    """The columns of 6 x 7 the other way round."""
    return sum(((stones >> 7 * column) & 127) << 7 * (6 - column) for column in range(7))


def test_a_key_leads_back_to_its_position_or_the_mirror_image() -> None:
    board = Board.of(6, 7)
    for seed in range(50):
        state = random_position(loaded("connect4"), seed, seed % 14)
        key = int(key_of(*bits_of(loaded("connect4"), state), board))
        assert key_of(*position_of(key, board), board) == key


def test_a_table_says_what_the_solver_says() -> None:
    memory = new_table(2**18)
    for seed in range(20):
        place = bits_of(GAME, random_position(GAME, seed, 7))
        table = table_from(SMALL, place, 10)
        assert table.plies == 10
        assert table.worth(*place) == exact_worth(SMALL, *place, memory)
    assert table.worth(*next(iter(positions(SMALL, 11).values()))) is None


def test_columns_are_known_at_once_where_the_table_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    state = random_position(GAME, 5, 8)
    searched = Distances(GAME, state, new_table(2**18))
    while searched.open:
        searched.work()
    monkeypatch.setattr(connect4_distances, "shipped", {SMALL: table_from(SMALL, bits_of(GAME, state), 9)}.get)
    known = Distances(GAME, state, new_table(4))
    assert known.open == []
    for column in state.legal_actions():
        assert known.outcome(column) == searched.outcome(column) and known.positions(column) == 0


def test_the_shipped_table_holds_what_the_solver_finds() -> None:
    board = Board.of(6, 7)
    table = shipped(board)
    assert table is not None and table.plies == 8 and shipped(SMALL) is None
    assert SHIPPED.stat().st_size < 1_000_000
    assert table.worth(0, 0) == BETTER_THAN_LATEST - 41  # the first player's last stone wins (Allis 1988)
    # positions with a win a few stones later are solved in any time
    late = [key for key, worth in table._known.items() if abs(worth) > BETTER_THAN_LATEST - table.plies - 8]
    for key in random.Random(2).sample(late, 5):
        assert table._known[key] == exact_worth(board, *position_of(key, board), new_table())


@pytest.mark.slow
def test_the_shipped_table_holds_what_the_solver_finds_in_longer_lines() -> None:
    board, memory = Board.of(6, 7), new_table()
    table = shipped(board)
    assert table is not None
    for key in random.Random(3).sample(sorted(positions(board, 8)), 30):
        assert table._known[key] == exact_worth(board, *position_of(key, board), memory)


def test_what_is_known_of_openings_agrees_from_ply_to_ply() -> None:
    board = Board.of(6, 7)
    table = shipped(board)
    assert table is not None
    for key in random.Random(4).sample(sorted(positions(board, 7)), 300):
        own, mask = position_of(key, board)
        after = [(own ^ mask, after) for after in moves(mask, board)]
        won = any(aligned(following ^ mask | own, board.rows) for _, following in after)
        best = BETTER_THAN_LATEST - 8 if won else max(-table._known[int(key_of(*place, board))] for place in after)
        assert table.worth(own, mask) == best


@pytest.mark.slow
def test_the_script_goes_on_after_a_line_that_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, out = tmp_path / "solved.csv", tmp_path / "table.npz"
    command = [sys.executable, str(SCRIPT), "--plies", "6", "--rows", "4", "--cols", "4", "--results", str(results)]
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = results.read_text().splitlines()
    results.write_text("\n".join(lines[:50]) + "\n" + lines[50][:-4])
    again = subprocess.run([*command, "--ship", str(out)], capture_output=True, text=True, check=True).stdout
    assert ", 0 solved before" in first and ", 50 solved before" in again
    monkeypatch.setattr(connect4_openings, "SHIPPED", out)
    monkeypatch.setattr(connect4_openings, "SHAPE", (4, 4))
    table, memory = shipped.__wrapped__(SMALL), new_table(2**18)
    for plies in (0, 3, 5, 6):
        for place in positions(SMALL, plies).values():
            assert table.worth(*place) == exact_worth(SMALL, *place, memory)


@pytest.mark.slow
def test_a_crowd_of_questions_finds_what_the_solver_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    crowds = importlib.import_module("connect4_crowd")
    monkeypatch.setattr(crowds, "FIRST_NODES", 50)
    memory, every = new_table(2**18), positions(SMALL, 6)
    keys = random.Random(1).sample(sorted(every), 80)
    places = [every[key] for key in keys]
    crowd = crowds.Crowd(SMALL, keys, places, crowds.Processor(SMALL, 2 * len(keys), 2**16))
    found = dict(crowd.solve(until=1000.0, clock=itertools.count().__next__))
    assert found == {key: exact_worth(SMALL, *place, memory) for key, place in zip(keys, places, strict=True)}
    assert {np.sign(worth) for worth in found.values()} == {-1, 0, 1}
