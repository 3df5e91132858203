"""Two versions of the search over shapes play until the arena's sequential test knows enough. Start at main.

    git worktree add ../changed    # and change the search there
    python benchmarks/shape_duel.py --changed ../changed/src --games 400
    python benchmarks/shape_duel.py --network gomoku.npz --seconds 0.1    # or a network against the fitted weights

Each version is a process of its own, with its `src` before all others; this checkout is the version before. They look
at the same number of positions a move, or have the same time of the processor, so that a busy machine changes no
result. Every pair of games begins with a few
stones near the middle that leave both sides a chance, and is played with both colours. A side that has found a certain
win has won.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ponderosa import load_game
from ponderosa.arena.results.statistics import UNDECIDED, Sprt, share_interval
from ponderosa.connect.shapes.player import ShapePlayer
from ponderosa.connect.shapes.shape_network import read_network
from ponderosa.core.budget import Budget

EVEN = (0.35, 0.65)
"""Values of positions with which games begin."""
GLANCE = 3_000
"""The positions of the search that says so."""
LONGEST = 160
"""A game of so many stones is a draw."""
SERVE, NONE = "--serve", "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    here = Path(__file__).parents[1] / "src"
    parser.add_argument("--changed", type=Path, default=here, help="the folder src of the version to be judged")
    parser.add_argument("--network", default=NONE, help="a network for that version, a file")
    parser.add_argument("--against", default=NONE, help="a network for the other version")
    parser.add_argument("--game", default="gomoku")
    parser.add_argument("--games", type=int, default=400, help="at most")
    parser.add_argument("--nodes", type=int, default=20_000, help="how many positions each search looks at")
    parser.add_argument("--seconds", type=float, default=0.0, help="instead, how long it takes on the processor")
    parser.add_argument("--sprt", default="0,30", help="the two bounds, in normalised Elo")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game, test = load_game(options.game), Sprt.read(options.sprt)
    glance = ShapePlayer(game, table=2**14)
    sides = [
        Side(source, options.game, network, options.nodes, options.seconds)
        for source, network in ((options.changed, options.network), (here, options.against))
    ]
    pairs, scores = [0] * 5, []
    for number in range(options.games // 2):
        moves = opening(glance, random.Random(f"{options.seed} {number}"))
        points = [played(game, sides, moves, first) for first in (0, 1)]
        pairs[int(2 * sum(points))] += 1
        scores += points
        decided = test.verdict(pairs) != UNDECIDED
        if number % 5 == 4 or decided or 2 * number + 2 == options.games:
            print(told(scores, pairs, test), flush=True)
        if decided:
            break
    for side in sides:
        side.close()


class Side:
    """A version of the search, in a process of its own."""

    def __init__(self, source: Path, game: str, network: str, nodes: int, seconds: float) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
        command = [sys.executable, __file__, SERVE, game, network, str(nodes), str(seconds)]
        self._process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, moves: Sequence[int] | None) -> Any:
        """What it thinks after these moves; None: a game begins."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(moves), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def serve(name: str, network: str, nodes: int, seconds: float) -> None:
    """Be a side: answer lists of moves with the best one and its value."""
    judge = {} if network == NONE else {"network": read_network(Path(network))}  # older versions have none
    player = ShapePlayer(load_game(name), table=2**16, clock=time.process_time, **judge)
    budget = Budget(seconds=seconds) if seconds else Budget(iterations=nodes)
    player.think([], budget)  # compiled, and as quick as it will be
    for line in sys.stdin:
        moves = json.loads(line)
        if moves is None:
            player.forget()
            print("null", flush=True)
        else:
            thought = player.think(moves, budget)
            print(json.dumps([thought.best, thought.value]), flush=True)


def opening(player: ShapePlayer, rng: random.Random) -> list[int]:
    """A few stones near the middle that leave both sides a chance."""
    game = player.game
    edge = min(game.m, game.n) // 3
    inner = [row * game.n + column for row in range(edge, game.m - edge) for column in range(edge, game.n - edge)]
    while True:
        moves = rng.sample(inner, rng.randint(3, 7))
        player.forget()
        if EVEN[0] < player.think(moves, Budget(iterations=GLANCE)).value < EVEN[1]:
            return moves


def played(game: Any, sides: Sequence[Side], moves: Sequence[int], first: int) -> float:
    """What the first side scores in a game in which it has the seat `first`."""
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    for side in sides:
        side.ask(None)
    while not state.is_terminal() and len(state.history()) < LONGEST:
        side = state.current_player() ^ first
        best, value = sides[side].ask([int(move) for move in state.history()])
        if value == 1.0:
            return 1.0 - side
        state.apply_action(best)
    return (1.0 + state.returns()[first]) / 2.0 if state.is_terminal() else 0.5


def told(scores: list[float], pairs: list[int], test: Sprt) -> str:
    """How the match stands."""
    low, high = share_interval([(score, 1.0) for score in scores])
    won, lost = scores.count(1.0), scores.count(0.0)
    return (
        f"{won}-{len(scores) - won - lost}-{lost} of {len(scores)}, {100 * sum(scores) / len(scores):.1f} % "
        f"({100 * low:.0f} to {100 * high:.0f}), LLR {test.llr(pairs):.2f} of "
        f"{test.bounds[0]:.2f} .. {test.bounds[1]:.2f}: {test.verdict(pairs)}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
    else:
        main()
