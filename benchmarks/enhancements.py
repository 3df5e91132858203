"""Every enhancement of the search against plain UCB1, at equal time, as Elo. Start at main.

    pip install ".[arena]" && python benchmarks/enhancements.py [--games 60] [--seconds 0.05] [--only rave]

Games in pairs from the same opening with seats swapped. Both sides get the same seconds a move on the clock.
"""

from __future__ import annotations

import argparse

from ponderosa import PonderosaError, match

GAMES = {"Connect Four": "connect4", "Gomoku 9x9": "connect:m=9,n=9,k=5", "EinStein": "einstein"}
PLAIN = "mcts:reuse=true"
ENHANCEMENTS = {
    "rave": "select=rave",
    "grave": "select=grave",
    "thompson": "select=thompson",
    "ucb1_tuned": "select=ucb1_tuned",
    "puct": "select=puct",
    "progressive_bias": "select=progressive_bias",
    "fpu": "select=ucb1,fpu=0.6,expand=all",
    "widening": "expand=widening,k=2,alpha=0.5",
    "mast": "playout=mast",
    "nst": "playout=nst",
    "last_good_reply": "playout=last_good_reply",
    "decisive": "playout=decisive",
    "several": "playout=several,leaves=4",
    "late_weighted": "backup=late_weighted",
    "transpositions": "transpositions=true",
    "mixmax": "backup=mixmax,weight=0.25",
    "max": "backup=max",
    "bounded": "solve=bounded",
    "leaf": "threads=2,parallel=leaf,rollouts=4",
}


def main() -> None:
    """Print a table of Elo differences with 95 % intervals."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--games", type=int, default=60)
    reader.add_argument("--seconds", type=float, default=0.05)
    reader.add_argument("--only", choices=list(ENHANCEMENTS))
    given = reader.parse_args()
    print("| enhancement | " + " | ".join(GAMES) + " |\n| --- |" + " ---: |" * len(GAMES), flush=True)
    for name, settings in ENHANCEMENTS.items():
        if given.only in (None, name):
            cells = [against_plain(game, settings, given.games, given.seconds) for game in GAMES.values()]
            print(f"| `{settings}` | " + " | ".join(cells) + " |", flush=True)


def against_plain(game: str, settings: str, games: int, seconds: float) -> str:
    """The Elo difference in one game, or why there is none."""
    timed = f"seconds={seconds}"
    try:
        result = match(
            game,
            f"mcts:{settings},{timed}",
            f"{PLAIN},{timed}",
            games=games,
            openings="random:2",
            seed=1,
            tolerance=1.0,
            concurrency=1,
        )
    except PonderosaError:  # a game without priors, say
        return "does not fit"
    elo = result.elo
    return "-" if elo is None else f"{elo.elo:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})"


if __name__ == "__main__":
    main()
