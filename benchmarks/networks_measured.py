"""How well a trained network plays on the processor: alone, and with seconds to think. Start at measure.

Each match is of pairs of games from random openings, seats swapped, both sides with the same seconds on one core.
Alone, a network plays the legal action of its largest prior (`iterations=1`).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from learn import policy_moves
from learn import share as percent

from ponderosa import load_agent, load_game, match
from ponderosa.networks.file import read, shipped_for


def measure(options: argparse.Namespace) -> None:
    """Print a line for every row of the game's table."""
    spec, rows = MEASURED[options.game]
    game = load_game(spec)
    file = options.file or shipped_for(game)
    if file is None:
        raise SystemExit(f"no network of {spec} comes with the package: name one, --file")
    about, _ = read(Path(file))
    told = [about.training, about.training.get("before", {})]
    seconds, games = (sum(part.get(name, 0) for part in told) for name in ("seconds", "games"))
    print(f"{spec}: {file}, {Path(file).stat().st_size:,} bytes, {about.network}, {dict(about.training)}")
    print(f"trained for {seconds / 60:.1f} minutes, {games:,} games\n| row | figure |\n| --- | --- |", flush=True)
    for name, row in rows.items():
        if not options.only or any(word in name for word in options.only):
            print(f"| {name} | {row(options, game, str(file))} |", flush=True)


def duel(
    ours: str, theirs: str, options: argparse.Namespace, game: Any, file: str, openings: str = "random:4", more: int = 1
) -> str:
    """A match; `{net}` is the network, `{s}` the seconds."""
    agents = [text.format(net=f"net:file={file}", s=f"{options.seconds:g}") for text in (ours, theirs)]
    found = match(game.spec, *agents, more * options.games, openings=openings, seed=options.seed).elo
    assert found is not None
    return f"{100 * found.score:.1f} % of {found.games}, Elo {found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f})"


def kept_alone(stage: str, options: argparse.Namespace, game: Any, file: str) -> str:
    """How often the policy alone keeps the value of a random position of Connect Four, and where it matters."""
    found = [_position(options, stage, number) for number in range(options.positions)]
    states = [_after(game, moves) for moves, _ in found]
    return _shares(policy_moves(Path(file), game, states), [worth for _, worth in found])


def kept_with_time(stage: str, options: argparse.Namespace, game: Any, file: str) -> str:
    """The same with seconds to think, of a fifth of the positions."""
    found = [_position(options, stage, number) for number in range(options.positions // 5)]
    moves = []
    for number, (played, _) in enumerate(found):
        agent = load_agent(f"net:file={file},seconds={options.seconds:g},seed={number}", game)
        moves.append(agent.step(_after(game, played)))
    return _shares(moves, [worth for _, worth in found])


def first_against_perfect(options: argparse.Namespace, game: Any, file: str) -> str:
    """Games of Connect Four as first player, which can be won, against a player that never errs."""
    from connect4_perfect import wins

    text = "net:file={},seconds={:g},seed={}"
    agents = (load_agent(text.format(file, options.seconds, number), game) for number in range(options.games))
    won = sum(wins(agent, game, number) for number, agent in enumerate(agents))
    return f"{won} of {options.games} games won"


def _position(options: argparse.Namespace, stage: str, number: int) -> tuple[list[int], dict[int, int]]:
    from connect4_perfect import STAGES, position

    return position(random.Random(f"{options.seed} {stage} {number}"), *STAGES[stage])


def _after(game: Any, moves: list[int]) -> Any:
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def _shares(played: list[int], worths: list[dict[int, int]]) -> str:
    right = [worth[move] == max(worth.values()) for move, worth in zip(played, worths, strict=True)]
    hard = [kept for kept, worth in zip(right, worths, strict=True) if min(worth.values()) < max(worth.values())]
    return f"{percent(right)}; where it matters {percent(hard)}"


Row = Callable[[argparse.Namespace, Any, str], str]
ALONE, TIMED, PLAIN = "{net},iterations=1", "{net},seconds={s}", "mcts:seconds={s}"


def against(theirs: str, openings: str, **rivals: str) -> dict[str, Row]:
    """The rows that all games have: alone against a plain search, and with time against it and what is strongest."""
    rows: dict[str, Row] = {
        f"alone against {theirs}": partial(duel, ALONE, theirs, openings=openings, more=5),
        "with time against mcts": partial(duel, TIMED, PLAIN, openings=openings),
    }
    return rows | {
        f"with time against {name}": partial(duel, TIMED, text, openings=openings) for name, text in rivals.items()
    }


HEX = "mcts:select=rave,playout=informed,seconds={s}"
MEASURED: dict[str, tuple[str, dict[str, Row]]] = {
    "connect4": (
        "connect4",
        {f"alone, {stage}": partial(kept_alone, stage) for stage in ("opening", "middle", "end")}
        | {f"with time, {stage}": partial(kept_with_time, stage) for stage in ("opening", "middle", "end")}
        | {"first against perfect": first_against_perfect}
        | against("mcts:iterations=800", "random:4", strong="strong:seconds={s}"),
    ),
    "gomoku": ("gomoku", against("mcts:iterations=2000", "random:3", strong="strong:seconds={s}")),
    "othello": ("othello", against("mcts:iterations=500", "random:6", minimax="minimax:seconds={s}")),
    "hex": ("hex:size=7", against("mcts:iterations=3000", "random:2", informed=HEX)),
    "tictactoe": ("tictactoe", against("mcts:iterations=100", "random:2", perfect="perfect")),
}
"""Each game as its network plays it, and the rows of its table."""
