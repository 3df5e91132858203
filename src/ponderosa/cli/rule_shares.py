"""Which rule of a game takes the time of its search, and what would make it faster. Start at shares_of."""

from __future__ import annotations

import inspect
import json
import os
import random
import subprocess
import sys
import textwrap
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ponderosa.cli.console import add_row, new_table, patience, preparing, say, show
from ponderosa.core.checks.rule_times import COPY, compiled_times, watched
from ponderosa.core.dice import roll_on
from ponderosa.core.rules import jit_enabled
from ponderosa.core.turns import without_generators
from ponderosa.errors import PonderosaError

if TYPE_CHECKING:
    from ponderosa.core.budget import Budget
    from ponderosa.core.game import Game

COUNTED_ITERATIONS = 2000
COUNTED_SECONDS = 2.0
"""Calls are counted in so many iterations as plain Python, or for so long."""
LARGE = 0.15
"""A share of the time about which something is said."""
WIDTH = 100
"""Of advice."""
LARGE_STATE = 256
"""Bytes; a copy of more than this is worth a word."""


@dataclass(frozen=True)
class RuleShare:
    """A rule's part of an iteration."""

    rule: str
    calls: float
    """How often an iteration calls it."""
    seconds: float
    """What a call takes."""
    share: float
    """Its part of the time of an iteration, from 0 to 1."""


@dataclass(frozen=True)
class RuleShares:
    """What an iteration of the default search without proofs does with its time."""

    game: str
    iterations_per_second: float
    compiled: bool
    rules: tuple[RuleShare, ...]
    """The largest share first."""
    search: float
    """The share of what is not rules: going down the tree, adding to it, adding up."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def shares_of(spec: str, budget: Budget) -> RuleShares:
    """Measure the rules of a game; in machine code, if that is how they run."""
    from ponderosa.registry import load_game

    game = load_game(spec)
    compiled = game.dtype is not None and jit_enabled()
    with patience(f"counting what a search of {game.spec} calls"):
        counts = counted_elsewhere(spec) if compiled else counted(game, budget.iterations or COUNTED_ITERATIONS)
    if not compiled:
        return _shares(game, counts["speed"], counts["calls"], counts["seconds"], False)
    with preparing(game.spec):
        times = compiled_times(game)
        search = _search(game)
    with patience(f"searching {game.spec}"):
        search.run(_begun(game), iterations=1)
        begun = time.thread_time()  # not that of other programs
        report = search.run(_begun(game), budget)
        speed = report.iterations / (time.thread_time() - begun)
    return _shares(game, speed, counts["calls"], times, True)


def counted(game: Game, iterations: int = COUNTED_ITERATIONS) -> dict[str, Any]:
    """What a search in plain Python asks each rule for: calls an iteration, seconds a call; iterations a second."""
    twin, calls = watched(game)
    search, state = _search(twin), _begun(twin)
    for each in calls.values():  # making them has called rules, too
        each.count, each.seconds = 0, 0.0
    report = search.run(state, iterations=iterations, seconds=COUNTED_SECONDS)
    return {
        "speed": report.iterations_per_second,
        "calls": {name: each.count / report.iterations for name, each in calls.items() if each.count},
        "seconds": {name: each.seconds / each.count for name, each in calls.items() if each.count},
    }


def counted_elsewhere(spec: str) -> dict[str, Any]:
    """The same in a process that compiles nothing."""
    code = (
        "import json, sys; from ponderosa.cli.rule_shares import counted; from ponderosa.registry import load_game\n"
        "print(json.dumps(counted(load_game(sys.argv[1]))))"
    )
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code, spec],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise PonderosaError(f"the rules of {spec} cannot be counted: {done.stderr.strip().splitlines()[-1]}")
    counts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return counts


def _search(game: Game) -> Any:
    from ponderosa.mcts.search import Search

    return Search(game, solve=False)


def _begun(game: Game) -> Any:
    state = game.new_initial_state()
    roll_on(state, random.Random(0))
    return state


def _shares(game: Game, speed: float, calls: dict[str, float], seconds: dict[str, float], compiled: bool) -> RuleShares:
    taken = {name: count * seconds[name] * speed for name, count in calls.items() if name in seconds}
    scale = max(sum(taken.values()), 1.0)  # one by one, calls may take longer than together
    rules = [RuleShare(name, calls[name], seconds[name], share / scale) for name, share in taken.items()]
    rules.sort(key=lambda each: -each.share)
    return RuleShares(game.spec, speed, compiled, tuple(rules), max(0.0, 1.0 - sum(each.share for each in rules)))


def show_shares(game: Game, found: RuleShares) -> None:
    """Print the table, and what follows from it."""
    numbers = ("Calls an iteration", "ns a call", "ns an iteration", "Share")
    table = new_table("Rule", *numbers, numbers=numbers, whole=("Rule",))
    for each in found.rules:
        name = "(copy of a state)" if each.rule == COPY else each.rule
        whole = each.calls * each.seconds * 1e9
        add_row(table, name, f"{each.calls:,.1f}", f"{each.seconds * 1e9:,.1f}", f"{whole:,.0f}", f"{each.share:.0%}")
    rest = found.search / found.iterations_per_second * 1e9
    add_row(table, "(the search itself)", "", "", f"{rest:,.0f}", f"{found.search:.0%}")
    how = "compiled" if found.compiled else "plain Python"
    say(f"{found.game}: {found.iterations_per_second:,.0f} iterations a second, {how}")
    show(table)
    for line in advice(game, found):
        say(textwrap.fill(line, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False))


def advice(game: Game, found: RuleShares) -> list[str]:
    """What would make the search faster, the most useful first."""
    said = []
    if game.dtype is None:
        said.append(
            "The game has no dtype, so its rules run as plain Python. With one they are compiled, and about a hundred "
            "times as fast: ponderosa docs add-a-game"
        )
    elif not found.compiled:
        said.append("NUMBA_DISABLE_JIT is set: nothing is compiled, and the shares are those of plain Python.")
    for each in found.rules:
        if each.share >= LARGE:
            said += _about(game, each)
    if not said:
        said.append(
            f"No rule takes much of the {1 - found.search:.0%} that all take: faster ones would change little. "
            "More cores do: mcts:threads=N"
        )
    return said


def _about(game: Game, found: RuleShare) -> list[str]:
    own, name = game.own_rules(), found.rule
    share = f"{name} takes {found.share:.0%}: "
    if name in ("legal_actions", "candidates"):
        return _about_lists(own, found, share)
    if name == COPY and game.dtype is not None:
        return _about_copies(game, share) if game.dtype.itemsize >= LARGE_STATE else []
    return [share + _HINTS[name]] if name in _HINTS else []


def _about_lists(own: dict[str, Any], found: RuleShare, share: str) -> list[str]:
    said = []
    if "random_action" not in own and found.calls > 2:
        said.append(
            share + "playouts list all actions to draw one. A rule random_action(s, rng) that draws one without the "
            "list takes its place there"
        )
    listing = {found.rule: own[found.rule]}
    if inspect.isgeneratorfunction(own[found.rule]) and without_generators(listing) == listing:  # else it is done
        said.append(share + f"fill an array, {found.rule}(s, actions), and return the count, in the place of `yield`")
    return said or [share + "keep the list in the state, and let apply_action change it"]


def _about_copies(game: Game, share: str) -> list[str]:
    assert game.dtype is not None and game.dtype.fields is not None
    sizes = {name: kind[0].itemsize for name, kind in game.dtype.fields.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    return [
        share.replace(COPY, "copying states")
        + f"a state has {game.dtype.itemsize:,} bytes, {sizes[largest]:,} of them "
        f"in {largest!r}. Smaller numbers (i1, u1) or bits would do"
    ]


_HINTS = {
    "apply_action": "let it touch only what the move changes: keep counts, lines or bits in fields (those that only "
    "save time are named in `scratch`) in the place of walking over the board",
    "apply_actions": "let it touch only what the choices change, and keep counts in fields",
    "is_terminal": "let apply_action notice the end where the last move was, and keep it in a field that is read here",
    "returns": "let apply_action keep the winner, or the score, in a field that is read here",
    "current_player": "keep the player in a field of the state",
    "random_action": "draw without a list: try cells at random while most are free, or keep the free ones in a field",
    "playout_action": "playouts call it at every ply; playout='random' does without it",
    "chance_outcomes": "a rule chance_outcome(s, rng) that draws one outcome takes its place in playouts",
    "chance_outcome": "draw with one random number: ponderosa.below(rng, n)",
    "determinize": "it draws what is hidden anew in every iteration: shuffle in place, and only what is not seen",
}
