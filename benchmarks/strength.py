"""The matches of docs/strength.md: who beats whom at the Connect family. Start at main.

Colours alternate, and every pair of games begins with two random stones of its own. Games are kept in a file, so that
the same command goes on where it was stopped:

    python benchmarks/strength.py --games 100 --seconds 1 --out strength.db [--only gomoku] [--near 2]

With --near, the first stone lies near the middle and the second at most so far from it: both count, where stones
anywhere decide many games before they begin. --threads 2 lets `strong` search with two threads; then --jobs 1 keeps two
cores for it.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

from ponderosa import load_game
from ponderosa.arena.match import match
from ponderosa.arena.planned import Progress
from ponderosa.arena.results.display import match_figures

MINIMAX = "minimax:eval=threats,depth=9"
MATCHES = {
    "gomoku": ("gomoku", "strong", MINIMAX, "90 of 100"),
    "connect6-13": ("connect:m=13,n=13,k=6,p=2,q=1", "strong", MINIMAX, "80 of 100"),
    "connect6-19": ("connect6", "strong", MINIMAX, "80 of 100"),
    "clever": ("connect:m=12,n=12,k=5", "clever", "fast", "significantly stronger"),
    "lazy": ("connect:m=12,n=12,k=5", "lazy", "fast", "significantly stronger"),
    "voting": ("gomoku", "strong", "voting", "significantly stronger"),
}


def main() -> None:
    options = _options()
    print("| game | match | games | won | drawn | lost | score | 95 % | to reach |", flush=True)
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, (game, first, second, wanted) in MATCHES.items():
        if options.only is None or name in options.only:
            first = f"{first}:threads={options.threads}" if first == "strong" and options.threads != 1 else first
            result = match(
                game,
                first,
                second,
                options.games,
                openings="random:2" if options.near is None else openings_file(game, options),
                seconds=options.seconds,
                seed=options.seed,
                concurrency=options.jobs,
                out=options.out,
                tolerance=options.tolerance,
                watch=_tell if sys.stderr.isatty() else None,
            )
            print(_row(match_figures(result), game, f"`{first}` against `{second}`", wanted), flush=True)


def _tell(progress: Progress) -> None:
    line = progress.result.tally.lines[0]
    so_far = "-".join(str(results.total()) for results in (line.wins, line.draws, line.losses))
    print(f"\r{progress.games} of {progress.wanted} games: {so_far} ", end="", file=sys.stderr, flush=True)


def openings_file(spec: str, options: argparse.Namespace) -> str:
    """A file with an opening for every pair of games, beside the games."""
    game, file = load_game(spec), Path(f"{options.out}.openings")
    pairs = [
        opening(game, options.near, random.Random(f"{options.seed} {pair}")) for pair in range(-(-options.games // 2))
    ]
    file.write_text("".join(" ".join(game.action_to_string(None, cell) for cell in pair) + "\n" for pair in pairs))
    return str(file)


def opening(game: Any, near: int | None, rng: random.Random) -> list[int]:
    """Two random cells: any, or one at most 3 from the middle and another near it."""
    if near is None:
        return rng.sample(range(game.m * game.n), 2)
    row, column = (side // 2 + rng.randint(-3, 3) for side in (game.m, game.n))
    around = [(row + down, column + right) for down in range(-near, near + 1) for right in range(-near, near + 1)]
    there = rng.choice([cell for cell in around if cell != (row, column)])
    return [row * game.n + column, there[0] * game.n + there[1]]


def _row(figures: dict[str, Any], game: str, players: str, wanted: str) -> str:
    seats = figures["agents"][0]["seats"]
    won, drawn, lost = (sum(seat[what] for seat in seats) for what in ("wins", "draws", "losses"))
    score = 100 * (won + drawn / 2) / (won + drawn + lost)
    elo = figures["elo"]
    low, high = (100 * _expected(elo[end]) if elo[end] is not None else score for end in ("low", "high"))
    return (
        f"| {game} | {players} | {won + drawn + lost} | {won} | {drawn} | {lost} | {score:.0f} % "
        f"| {low:.0f} to {high:.0f} % | {wanted} |"
    )


def _expected(elo: float) -> float:
    """The score that an Elo difference stands for."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="how many threads of strong search together")
    parser.add_argument("--tolerance", type=float, default=0.25)
    parser.add_argument("--out", default="strength.db")
    parser.add_argument(
        "--near", type=int, choices=(1, 2), help="the first stone near the middle, the second so near to it at most"
    )
    parser.add_argument("--only", nargs="*", choices=MATCHES)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nstopped; the games are kept, and the same command goes on")
