"""How fast agents are by the processor's clock: iterations in a time, the time of a move. Start at iterations_in."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ponderosa.lab.experiment import Work
from ponderosa.lab.extra import need
from ponderosa.lab.published.works import OURS
from ponderosa.lab.sweeps.sweep import Mean
from ponderosa.registry import load_agent, load_game, registered_agent

NAMES = ("slow", "medium", "fast", "clever", "lazy")
"""The five of the published comparison, in the order in which they came to be."""
AGENTS: dict[str, dict[str, Any]] = {name: {"agent": name, "settings": {"c": 0.5}} for name in NAMES} | {
    OURS + name: {"agent": name} for name in NAMES[2:]
}
"""How `iterations_in` is asked for each: with the original's constant, and those that people play with ours, too."""
Key = TypeVar("Key")
WARM_UP = 20
"""How many iterations are made before, so that nothing is compiled while time is taken."""
CLOCK = (
    "Seconds are those of the processor, not of the clock on the wall, so that other work on the machine takes none of "
    "them; it may still have slowed memory down. Compiling is not counted."
)
NOTE = f"{CLOCK} Nothing is proven (solve=false), so that a search never ends early; the originals prove nothing."
CONSTANTS = (
    "The five explore with c = 0.5, which is the original's 1 on results from -1 to 1; those called ours with 1.414. "
    "On a first move nothing else tells the two apart."
)


def iterations_in(agent: str, game: str, seconds: float, seed: int, settings: dict[str, Any] | None = None) -> int:
    """The iterations of one first move, without a tree from before."""
    rules, kind, settings = load_game(game), registered_agent(agent), {"solve": False, **(settings or {})}
    kind.for_game(rules, iterations=WARM_UP, **settings).step(rules.new_initial_state())
    player = kind.for_game(rules, seconds=seconds, seed=seed, clock=time.process_time, **settings)
    player.step(rules.new_initial_state())
    assert player.last_report is not None
    return int(player.last_report.iterations)


def in_turns(work: Work, asked: Mapping[Key, Mapping[str, Any]], rounds: int) -> dict[Key, list[int]]:
    """Iterations of everything that is asked, once a round: a slow moment of the machine hits all of them alike."""
    counts: dict[Key, list[int]] = {key: [] for key in asked}
    for number in range(rounds):
        for place, (key, what) in enumerate(asked.items()):
            work.tell(f"round {number + 1}: {what['agent']} at {what['game']}", place, len(asked))
            counts[key].append(work.kept(iterations_in, **what, seed=work.seed + number))
    return counts


def efforts_of(agent: str, game: str, games: int, seed: int) -> list[tuple[int, float]]:
    """Moves and seconds of whole games that an agent plays against itself."""
    rules = load_game(game)
    player, efforts = load_agent(agent, rules), []
    player.step(rules.new_initial_state())
    for number in range(games):
        player.reset(seed + number)
        state, begun = rules.new_initial_state(), time.process_time()
        while not state.is_terminal():
            state.apply_action(player.step(state))
        efforts.append((len(state.history()), time.process_time() - begun))
    return efforts


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of some positive measurements, with Student's interval of its logarithm."""
    count, mean = len(values), sum(values) / len(values)
    if count < 2:
        return Mean(count, mean, mean, mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    error = _student(count - 1) * deviation / math.sqrt(count)
    return Mean.positive(count, mean, error)


def power(x: Sequence[float], y: Sequence[float]) -> Mean:
    """The exponent b of y = a x^b by least squares on logarithms, with its interval; 1: in proportion."""
    across, up = [math.log(value) for value in x], [math.log(value) for value in y]
    count, left, middle = len(x), sum(across) / len(x), sum(up) / len(y)
    spread = sum((value - left) ** 2 for value in across)
    slope = sum((a - left) * (b - middle) for a, b in zip(across, up, strict=True)) / spread
    rest = sum((b - middle - slope * (a - left)) ** 2 for a, b in zip(across, up, strict=True))
    error = _student(count - 2) * math.sqrt(rest / (count - 2) / spread) if count > 2 else 0.0
    return Mean(count, slope, slope - error, slope + error)


def ratio(above: Mean, below: Mean) -> Mean:
    """How many times as large one positive mean is as another, with an interval from those of both."""
    value = above.value / below.value
    error = math.hypot(*(math.log(mean.high / mean.low) / 2 for mean in (above, below)))
    return Mean.positive(min(above.games, below.games), value, value * error)


def _student(freedom: int) -> float:
    return float(need("scipy.stats", "intervals").t.ppf(0.975, freedom))
