"""The table of docs/levels.md: every level of every game against the one below it. Start at main.

    python benchmarks/levels.py --games 100 --timed-games 32 [--only connect4 pig] [--lanes 2] [--out levels.db]

Matches are the arena's: pairs of games from the same random opening with seats swapped, or the same game played alone.
Of a game for more than two, one plays against a table of the other, and then the other way round; whoever got more in
that seat has won. Levels that think by the clock play fewer games. Games are kept in a file, and go on where they were
stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from ponderosa import load_game
from ponderosa.arena.event import Event
from ponderosa.arena.match import match
from ponderosa.arena.running.referee import Referee
from ponderosa.levels import NAMES, levels
from ponderosa.registry import GAMES

OPENINGS = {
    "gomoku": "random:2",
    "connect": "random:2",
    "connect6": "random:1",
    "connect4": "random:2",
    "othello": "random:2",
    "checkers": "random:2",
    "lines_of_action": "random:2",
    "chess": "balanced:4",
}
"""Random moves before games in which an agent would else repeat itself."""
FOR_TWO = {"liars_dice": "liars_dice:players=2"}
"""Games of any number of players, as two play them."""

Step = tuple[str, str, str, str, str]
"""A game, a level and its agent, the level below and its agent."""


def main() -> None:
    options = _options()
    print("| game | level | against | won-drawn-lost | score |\n| --- | --- | --- | --- | --- |", flush=True)
    with ThreadPoolExecutor(options.lanes) as lanes:
        steps = [(game, *step) for game in options.only or GAMES for step in _steps(game, options.levels)]
        for row in lanes.map(lambda step: _row(step, options), steps):
            print(row, flush=True)


def _steps(game: str, wanted: list[str]) -> list[tuple[str, str, str, str]]:
    ladder = levels(load_game(game))
    return [(upper, ladder[upper], lower, ladder[lower]) for lower, upper in pairwise(ladder) if upper in wanted]


def _row(step: Step, options: argparse.Namespace) -> str:
    game, level, agent, below, lesser = step
    spec = FOR_TWO.get(game, game)
    games = options.timed_games if "seconds" in agent else options.games
    play = _contest if load_game(spec).players > 2 else _match
    won, drawn, lost = play(game, spec, agent, lesser, games, options)
    score = 100 * (won + drawn / 2) / max(won + drawn + lost, 1)
    print(f"{game} {level}: {won}-{drawn}-{lost}, {score:.0f} %", file=sys.stderr, flush=True)
    return f"| {spec} | {level}: `{agent}` | {below}: `{lesser}` | {won}-{drawn}-{lost} | {score:.0f} % |"


def _match(
    game: str, spec: str, agent: str, lesser: str, games: int, options: argparse.Namespace
) -> tuple[int, int, int]:
    """A match of the arena."""
    result = match(
        spec,
        agent,
        lesser,
        games,
        openings=OPENINGS.get(game, "none"),
        seed=options.seed,
        concurrency=options.workers,
        out=f"{options.out}-{game}-{options.seed}.db",
        tolerance=2.0,
        count_repeats=True,
    )
    line = result.tally.lines[0]
    return line.wins.total(), line.draws.total(), line.losses.total()


def _contest(
    game: str, spec: str, agent: str, lesser: str, games: int, options: argparse.Namespace
) -> tuple[int, int, int]:
    """One against a table of the other, in every seat."""
    players = load_game(spec).players
    rounds = -(-games // (2 * players))
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = [
            pool.submit(_one_against_others, spec, agent, lesser, seat, options.seed + number)
            for number in range(rounds)
            for seat in range(players)
        ]
        found = Counter(job.result() for job in jobs)
    return found[1], found[0], found[-1]


def _one_against_others(spec: str, agent: str, lesser: str, seat: int, seed: int) -> int:
    """1 if an agent gets more in a seat, against the lesser one, than the lesser one there against it."""
    got = []
    for one, others in ((agent, lesser), (lesser, agent)):
        players = load_game(spec).players
        event = Event(spec, tuple(one if player == seat else others for player in range(players)), seed=seed)
        got.append(Referee(event).play(0, range(players), 0, None)["returns"][seat])
    return (got[0] > got[1]) - (got[0] < got[1])


def _options() -> argparse.Namespace:
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--timed-games", type=int, default=32, help="of levels that think by the clock")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lanes", type=int, default=1, help="how many matches at once")
    parser.add_argument("--out", default="levels", help="how the names of the files with the games begin")
    parser.add_argument("--only", nargs="*", choices=GAMES)
    parser.add_argument(
        "--levels", nargs="*", choices=NAMES, default=NAMES, help="those that play against the lower one"
    )
    options = parser.parse_args()
    options.workers = max(1, cores // options.lanes)
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nstopped; the games are kept, and the same command goes on")
