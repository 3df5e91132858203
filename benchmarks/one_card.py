"""What a whole card is worth for one position: compositions against one thread and against many, at equal time.

    python benchmarks/one_card.py --device cuda --game connect4 --seconds 0.25 --games 40 --minutes 8

Every pair of games begins with two random moves of its own, and seats are swapped. One game is played at a time, so
that nobody thinks beside another; each pairing gets an equal part of the minutes. `--device cpu` needs no card.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass
from typing import Any

from ponderosa import load_game
from ponderosa.arena.results.statistics import Clusters, score_of
from ponderosa.forest import leaf_trees
from ponderosa.forest.cores import core_count
from ponderosa.registry import load_agent

COMPOSITIONS = {
    "cuda": [
        "mcts:trees=512",
        "mcts:trees=4096",
        "mcts:trees=32768",
        "mcts:trees=256,parallel=leaf",
        "mcts:trees=1024,parallel=leaf",
    ],
    "cpu": ["mcts:trees=16", "mcts:trees=16,parallel=leaf"],
}


@dataclass
class Player:
    """An agent, and what was seen of its searches."""

    text: str
    agent: Any
    iterations: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def step(self, state: Any) -> Any:
        begun = time.perf_counter()
        action = self.agent.step(state)
        self.longest = max(self.longest, time.perf_counter() - begun)
        self.iterations += self.agent.last_report.iterations
        self.seconds += self.agent.last_report.seconds
        return action

    @property
    def speed(self) -> float:
        return self.iterations / max(self.seconds, 1e-9)


def main() -> None:
    options = _options()
    leaf_trees.ITERATIONS = options.leaf_iterations
    game = load_game(options.game)
    ours = options.ours or [f"{text},device={options.device}" for text in COMPOSITIONS[options.device]]
    theirs = options.theirs or ["mcts", f"mcts:threads={core_count()}"]
    each = 60 * options.minutes / (len(ours) * len(theirs))
    print(f"{game.spec}, {options.seconds} s a move, leaves get {options.leaf_iterations} iterations", flush=True)
    print("| composition | against | games | score | 95 % | iterations/s | theirs | longest move |", flush=True)
    print("| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |", flush=True)
    for text in ours:
        one = _player(text, game, options)
        for other in theirs:
            print(_row(one, _player(other, game, options), game, options, time.monotonic() + each), flush=True)
        one.agent.close()


def _player(text: str, game: Any, options: Any) -> Player:
    within = f"{text}{',' if ':' in text else ':'}seconds={options.seconds}"
    return Player(text, load_agent(within, game))


def _row(one: Player, other: Player, game: Any, options: Any, end: float) -> str:
    """A pairing, game by game, until the time is up."""
    scores, games = Clusters(), 0
    one.iterations, one.seconds, one.longest = 0, 0.0, 0.0
    while games < options.games and (games < 2 or games % 2 or time.monotonic() < end):
        pair, seat = divmod(games, 2)
        scores.add(pair, _play(game, (one, other) if seat == 0 else (other, one), options.seed + pair)[seat])
        games += 1
    found = scores.estimate()
    other.agent.close()
    assert found is not None
    between = f"{100 * score_of(found.low):.0f} to {100 * score_of(found.high):.0f} %"
    return (
        f"| `{one.text}` | `{other.text}` | {games} | {100 * found.score:.0f} % | {between} "
        f"| {one.speed:,.0f} | {other.speed:,.0f} | {one.longest:.3f} s |"
    )


def _play(game: Any, players: tuple[Player, Player], seed: int) -> list[float]:
    """A game from two random moves; each seat's result from 0 to 1."""
    state, rng = game.new_initial_state(), random.Random(seed)
    for _ in range(2):
        state.apply_action(rng.choice(state.legal_actions()))
    for seat, player in enumerate(players):
        player.agent.reset(2 * seed + seat)
    while not state.is_terminal():
        state.apply_action(players[state.current_player()].step(state))
    return [(result + 1) / 2 for result in state.returns()]


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--seconds", type=float, default=0.25, help="a move")
    parser.add_argument("--games", type=int, default=40, help="at most, each pairing; an even number")
    parser.add_argument("--minutes", type=float, default=2.0, help="for all pairings together")
    parser.add_argument("--leaf-iterations", type=int, default=leaf_trees.ITERATIONS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ours", nargs="*", help="other compositions, as agents without seconds")
    parser.add_argument("--theirs", nargs="*", help="other opponents, likewise")
    return parser.parse_args()


if __name__ == "__main__":
    main()
