"""A network of shapes: what the board keeps of it equals what is counted from the stones, and comes back."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ponderosa import load_agent, load_game
from ponderosa.connect.shapes.learned_values import MOST_CORRECTION, learned_value, learned_value_within, note_stones
from ponderosa.connect.shapes.player import POINTS, ShapePlayer
from ponderosa.connect.shapes.pvs import static_value
from ponderosa.connect.shapes.shape_network import (
    FOLDER,
    HIDDEN,
    LAYER_BITS,
    LAYERS,
    MOST_ACTIVE,
    MOST_LAYER,
    OWN,
    REACH,
    SUM_BITS,
    WIDTH,
    ShapeNetwork,
    layer_of,
    pattern_of,
    patterns,
    read_network,
    shipped_for,
    write_network,
)
from ponderosa.core.budget import Budget
from ponderosa.errors import FileError, SettingError
from ponderosa.games.connect import Connect
from tests.helpers import position

pytestmark = pytest.mark.slow

BOARD, TWO_STONES = Connect(9, 8, 5, 1, 1), Connect(10, 10, 6, 2, 1)
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1))


def random_network(seed: int) -> ShapeNetwork:
    rng = np.random.default_rng(seed)
    count, blank = patterns()
    vectors = rng.normal(0, 60, (count, WIDTH)).astype(np.int16)
    vectors[:blank] = 0
    layer = rng.normal(0, 20, (LAYERS, 2 * WIDTH + 1, HIDDEN)).astype(np.int16)
    return ShapeNetwork(vectors, layer, rng.normal(0, 0.003, (LAYERS, HIDDEN + 1)).astype(np.float32))


def sums_from_the_stones(game: Connect, network: ShapeNetwork, stones: dict[int, int]) -> Any:
    """What the board has for each player's view, counted cell by cell."""

    def at(row: int, column: int) -> int:
        inside = 0 <= row < game.m and 0 <= column < game.n
        return 1 + stones[row * game.n + column] if inside and row * game.n + column in stones else 0 if inside else 3

    sums = np.zeros((2, WIDTH), np.int64)
    for cell in set(range(game.m * game.n)) - stones.keys():
        row, column = divmod(cell, game.n)
        for view in range(2):
            vector = np.zeros(WIDTH, np.int64)
            for down, right in DIRECTIONS:
                code, away = 0, [*range(-REACH, 0), *range(1, REACH + 1)]
                for place, steps in enumerate(away):
                    stone = at(row + steps * down, column + steps * right)
                    first, second = (stone & 1, stone >> 1) if view == 0 else (stone >> 1, stone & 1)
                    code |= first << place | second << place + 2 * REACH
                vector += network.vectors[pattern_of()[code]]
            sums[view] += np.clip(vector >> SUM_BITS, 0, MOST_ACTIVE)
    return sums


def noted_sums(shape_player: ShapePlayer) -> Any:
    """What the board has noted of all its stones."""
    s = shape_player.record
    note_stones(s)
    return np.asarray(s.active[2 * WIDTH * int(s.left) : 2 * WIDTH * (int(s.left) + 1)]).reshape(2, WIDTH)


def value_of(network: ShapeNetwork, number: int, own: Any, other: Any) -> float:
    layer, last = network.layer[number].astype(np.int64), network.last[number]
    hidden = np.concatenate([own, other]) @ layer[:-1] + layer[-1]
    return float(np.clip(hidden >> LAYER_BITS, 0, MOST_LAYER) @ last[:-1] + last[-1]) * POINTS


def test_a_pattern_is_the_same_from_either_end_and_blank_ones_come_first() -> None:
    count, blank = patterns()
    numbers = pattern_of()
    stones = [code for code in range(len(numbers)) if (code >> 2 * REACH ^ code) & (1 << 2 * REACH) - 1]
    assert count == numbers.max() + 1 and blank == min(number for number in numbers[stones] if number > 0)
    mirrored = [
        int(f"{code & 255:08b}"[::-1], 2) | int(f"{code >> 8:08b}"[::-1], 2) << 8 for code in range(len(numbers))
    ]
    assert (numbers == numbers[mirrored]).all()
    assert numbers[0] < blank <= numbers[1]


def test_the_sums_are_those_of_the_stones_and_come_back() -> None:
    network, rng = random_network(1), random.Random(1)
    shape_player = ShapePlayer(BOARD, table=2**8, network=network)
    for count in (0, 1, 7, 30, 60, 12):
        moves = rng.sample(range(BOARD.m * BOARD.n), count)
        shape_player.place(moves)
        sums = sums_from_the_stones(BOARD, network, {cell: ply % 2 for ply, cell in enumerate(moves)})
        assert np.array_equal(noted_sums(shape_player), sums)
    shape_player.place([])
    assert not noted_sums(shape_player).any() and not np.asarray(shape_player.record.vectors).any()


def test_a_search_leaves_the_sums_as_they_were_and_values_as_the_network_does() -> None:
    network, moves = random_network(2), [30, 31, 38, 22, 39]
    shape_player = ShapePlayer(BOARD, table=2**8, network=network)
    thought = shape_player.think(moves, Budget(iterations=100))
    assert thought.best not in moves
    shape_player.place(moves)
    sums = sums_from_the_stones(BOARD, network, {cell: ply % 2 for ply, cell in enumerate(moves)})
    assert np.array_equal(noted_sums(shape_player), sums)
    value = value_of(network, 0, sums[1], sums[0]) + static_value(shape_player.record, 1, 1)
    assert abs(learned_value(shape_player.record, 1, 1) - value) <= 1 + abs(value) * 1e-4


def test_the_weights_alone_say_what_no_correction_makes_matter() -> None:
    shape_player = ShapePlayer(BOARD, table=2**8, network=random_network(6))
    shape_player.place([30, 31, 38, 22, 39])
    s = shape_player.record
    rough, exact = static_value(s, 1, 1), learned_value(s, 1, 1)
    assert rough != exact
    for low, high, found in (
        (rough - MOST_CORRECTION + 1, rough + MOST_CORRECTION - 1, exact),
        (rough - 2000, rough - MOST_CORRECTION, rough),
        (rough + MOST_CORRECTION, rough + 2000, rough),
    ):
        assert learned_value_within(s, 1, 1, low, high) == found


def test_with_two_stones_a_turn_the_layer_depends_on_those_left() -> None:
    network, moves = random_network(5), [44, 45, 54, 35, 53, 63, 34]
    shape_player = ShapePlayer(TWO_STONES, table=2**8, network=network)
    assert shape_player.think(moves, Budget(iterations=100)).best not in moves
    for count, player, left, number in ((6, 1, 1, 0), (7, 0, 2, 2)):
        shape_player.place(moves[:count])
        stones = {cell: TWO_STONES.turn(ply)[0] for ply, cell in enumerate(moves[:count])}
        sums = sums_from_the_stones(TWO_STONES, network, stones)
        assert np.array_equal(noted_sums(shape_player), sums)
        value = value_of(network, number, sums[player], sums[1 - player])
        value += static_value(shape_player.record, player, left)
        assert abs(learned_value(shape_player.record, player, left) - value) <= 1 + abs(value) * 1e-4


@pytest.mark.parametrize(
    ("p", "placed", "left", "number"),
    [
        (1, 0, 1, 0),
        (1, 11, 1, 0),
        (1, 12, 1, 1),
        (1, 200, 1, 3),
        (2, 1, 2, 2),
        (2, 23, 2, 2),
        (2, 24, 1, 1),
        (2, 99, 2, 3),
    ],
)
def test_layers_go_by_the_stones_on_the_board_and_in_the_turn(p: int, placed: int, left: int, number: int) -> None:
    assert layer_of(p, placed, left) == number


def test_a_network_is_written_and_read(tmp_path: Path) -> None:
    network, file = random_network(3), tmp_path / "network.npz"
    write_network(file, network)
    assert all(np.array_equal(one, other) for one, other in zip(read_network(file), network, strict=True))
    agent = load_agent(f"strong:network={file},iterations=500", load_game("gomoku"))
    assert agent.step(load_game("gomoku").new_initial_state()) is not None


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.npz")), ids=lambda file: file.name)
def test_a_network_that_comes_with_the_package_is_small_read_and_told_of(file: Path) -> None:
    assert file.name in OWN.values() and file.stat().st_size < 1_000_000
    read_network(file)
    assert f"`{file.name}`" in (Path(__file__).parents[2] / "docs" / "strength-trials.md").read_text()


def test_networks_are_for_five_in_a_row_or_six_with_two_stones_on_any_board_and_for_no_other_game() -> None:
    assert shipped_for(load_game("gomoku")) == shipped_for(BOARD) == FOLDER / OWN[1]
    assert shipped_for(load_game("connect6")) == shipped_for(TWO_STONES) == FOLDER / OWN[2]
    for other in (Connect(9, 9, 4, 1, 1), Connect(9, 9, 5, 1, 1, True), Connect(9, 9, 5, 2, 1)):
        assert shipped_for(other) is None


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("gomoku", "h8 a1 h9 o1 i9 a15"),
        ("gomoku", "g7 o15 h8 o1 g9 a1"),
        ("connect6", "j10 a1 a19 k10 j11 s1 s19 k12 h9 a10 s10"),
    ],
)
def test_the_networks_see_who_is_better_by_where_the_stones_are(name: str, moves: str) -> None:
    game = load_game(name)
    path = shipped_for(game)
    assert path is not None
    shape_player = ShapePlayer(game, table=2**8, network=read_network(path))
    shape_player.place([int(move) for move in position(game, moves).history()])
    values = [learned_value(shape_player.record, player, game.p) for player in (0, 1)]
    assert values[0] > 400 > 0 > values[1]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04 and no more"])
def test_what_is_no_network_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "network.npz"
    file.write_bytes(content)
    with pytest.raises(FileError, match="no network of shapes"):
        read_network(file)


def test_other_arrays_and_other_games_are_refused(tmp_path: Path) -> None:
    network, file = random_network(4), tmp_path / "network.npz"
    write_network(file, network._replace(layer=network.layer[:, :-1]))
    with pytest.raises(FileError, match=r"layer must be finite, int16 of shape \(4, 65, 32\)"):
        read_network(file)
    write_network(file, network._replace(vectors=network.vectors + np.int16(1)))
    with pytest.raises(FileError, match="without a stone"):
        read_network(file)
    with pytest.raises(FileError, match="cannot read"):
        read_network(tmp_path / "nowhere.npz")
    with pytest.raises(SettingError, match="one stone a turn and 5 in a row, or two and 6"):
        ShapePlayer(Connect(9, 9, 4, 1, 1), network=network)
