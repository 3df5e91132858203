"""What several test files share. Start at EVERY_GAME and Nim."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ponderosa import CHANCE, Game, Report, load_game, rule
from ponderosa.core.dice import roll_on
from ponderosa.mcts.policies.fitting import fitting_policies
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.tree.node import NODE, UNTRIED
from ponderosa.registry import GAMES, game_class

GOLDEN = Path(__file__).parent / "golden"

PATIENCE = 600.0
"""Seconds after which a test that waits hangs. One that passes comes nowhere near, however busy the machine."""

SMALLER = {
    "go": "go:size=5,max_moves=40",
    "connect": "connect:m=5,n=4,k=4,p=2,q=1",
    "samegame": "samegame:rows=5,columns=4,colours=3",
    "2048": "2048:size=3",
    "pig": "pig:target=30",
    "pacman": "pacman:turns=15",
    "othello": "othello:size=4",
    "hex": "hex:size=4",
    "lines_of_action": "lines_of_action:max_moves=40",
    "breakthrough": "breakthrough:rows=5,columns=4",
    "backgammon": "backgammon:turns=40",
    "chess": "chess:fen=6k1/8/4K3/6N1/8/3B4/8/8_w_-_-_88_60",
    "kriegspiel": "kriegspiel:fen=6k1/8/4K3/6N1/8/3B4/8/8_w_-_-_94_60",
}
"""Games that the tests load with other settings than the usual ones."""

EVERY_GAME = {name: SMALLER.get(name, name) for name in GAMES}
"""Every registered game, as the tests that run over the whole registry load it."""

EXAMPLES = {
    name: spec
    for name, spec in EVERY_GAME.items()
    if game_class(name).players == 2
    and not any(getattr(game_class(name), fact) for fact in ("chance", "hidden", "simultaneous"))
}
"""Those of them in which two players see everything and nothing is left to chance."""

LARGE = ("gomoku", "connect6", "renju", "go")
"""Games with the rules of others on boards that take long."""

ONE_OF_EACH = ("connect4", "samegame", "pig", "kuhn_poker", "goofspiel")
"""A game of each class: two players, one, dice, hidden cards, choices at once."""


def others_slow(every: Iterable[Any], quick: Collection[Any]) -> list[Any]:
    """The parameters of a test, of which a run that is not asked for slow tests takes the quick ones only."""
    import pytest  # not above: processes that tests start have no use for it

    every = [value if isinstance(value, tuple) else (value,) for value in every]
    few = [value if isinstance(value, tuple) else (value,) for value in quick]
    return [pytest.param(*value, marks=() if value in few else pytest.mark.slow) for value in every]


def games(*quick: str) -> list[Any]:
    """Every game by name: these, or one of each class, in every run, and the others among the slow tests."""
    return others_slow(EVERY_GAME, quick or ONE_OF_EACH)


def all_but_large() -> list[Any]:
    """Every game by name: the large ones among the slow tests."""
    return others_slow(EVERY_GAME, [name for name in EVERY_GAME if name not in LARGE])


def specs(*quick: str) -> list[Any]:
    """The same as they are loaded."""
    return others_slow(EVERY_GAME.values(), [EVERY_GAME[name] for name in quick or ONE_OF_EACH])


def examples(*quick: str) -> list[Any]:
    """Every example by name: these, or Connect Four, in every run, and the others among the slow tests."""
    return others_slow(EXAMPLES, quick or ["connect4"])


@functools.cache
def loaded(spec: str) -> Game:
    """A game by name, compiled once a process."""
    return load_game(spec)


def plain(game: Game) -> Game:
    """The game with its rules as plain Python: for boards of which the compiler has seen enough."""
    game.rules = game.build_rules(compiled=False)
    return game


@functools.cache
def in_python(spec: str) -> Game:
    """A game by name with its rules as plain Python, made once a process: for settings that nobody compiles."""
    return plain(load_game(spec))


def first_decision(game: Game, seed: int = 1) -> Any:
    """The state in which somebody has to choose for the first time."""
    state = game.new_initial_state()
    roll_on(state, random.Random(seed))
    return state


POLICIES = [
    (phase, name) for phase, name in fitting_policies(load_game("tictactoe"), NAMED) if not NAMED[phase][name]().needs
]
"""Every named policy for two players who see everything, with its phase, but those that need a rule of their own."""

EACH_RULES = ("connect4", "connect")
"""Examples for what is tried with every policy: tictactoe, gomoku and connect6 have the rules of connect."""


def games_and_policies(*names: str) -> list[Any]:
    """Games as they are loaded, each with every policy that fits it: in every run a policy with the first of them."""
    every = [
        (EVERY_GAME[name], *pair) for name in names for pair in fitting_policies(load_game(EVERY_GAME[name]), NAMED)
    ]
    first: dict[tuple[str, str], str] = {}
    for spec, phase, policy in every:
        first.setdefault((phase, policy), spec)
    return others_slow(every, [(spec, *pair) for pair, spec in first.items()])


RULES_AND_POLICIES = others_slow(
    [(name, *pair) for name in EACH_RULES for pair in POLICIES], [("connect4", *pair) for pair in POLICIES]
)
"""Both with every policy: Connect Four in every run."""


class Nim(Game):
    """Take stones from one heap; whoever takes the last stone wins."""

    dtype = np.dtype([("heaps", "i4", 8), ("player", "i1")])

    def __init__(self, heaps: tuple[int, ...] = (1, 2, 4)) -> None:
        self.heaps = heaps

    def setup(self, s: Any) -> None:
        s.heaps[: len(self.heaps)] = self.heaps

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        for heap in range(8):
            for take in range(1, s.heaps[heap] + 1):
                yield heap * 100 + take

    @rule
    def apply_action(s, a):
        s.heaps[a // 100] -= a % 100
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return s.heaps.sum() == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


class FilledNim(Nim):
    """The same game; legal_actions fills an array."""

    @rule
    def legal_actions(s, actions):
        count = 0
        for heap in range(8):
            for take in range(1, s.heaps[heap] + 1):
                actions[count] = heap * 100 + take
                count += 1
        return count


class PlainNim(Game):
    """The same game without a dtype; an action is (heap, how many)."""

    def __init__(self, heaps: tuple[int, ...] = (1, 2, 4)) -> None:
        self.heaps = heaps

    def setup(self, s: Any) -> None:
        s.heaps, s.player = list(self.heaps), 0

    def action_to_string(self, s: Any, a: Any) -> str:
        return f"{a[1]} from {a[0]}"

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        return [(heap, take) for heap, stones in enumerate(s.heaps) for take in range(1, stones + 1)]

    @rule
    def apply_action(s, a):
        s.heaps[a[0]] -= a[1]
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return sum(s.heaps) == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)


class LookAlike:
    """Nim with one heap, of a class that inherits from nothing; actions are texts."""

    def __init__(self, stones: int = 5, player: int = 0) -> None:
        self.stones, self.player = stones, player

    def current_player(self) -> int:
        return self.player

    def legal_actions(self) -> list[str]:
        return [f"take {count}" for count in range(1, min(3, self.stones) + 1)]

    def apply_action(self, action: str) -> None:
        self.stones -= int(action.split()[1])
        self.player = 1 - self.player

    def is_terminal(self) -> bool:
        return self.stones == 0

    def returns(self) -> list[float]:
        return [-1.0, 1.0] if self.player == 0 else [1.0, -1.0]

    def clone(self) -> LookAlike:
        return type(self)(self.stones, self.player)


class Exact:
    """Exhaustive search of small two-player zero-sum games: the yardstick for what a search calls proven."""

    def __init__(self) -> None:
        self._known: dict[bytes, float] = {}

    def value(self, state: Any) -> float:
        """What player 0 gets when both play perfectly."""
        if state.is_terminal():
            return state.returns()[0]
        key = state._identity()
        if key not in self._known:
            player, best = state.current_player(), -2.0
            for action in state.legal_actions():
                best = max(best, self._for(player, state, action))
                if best == 1.0:
                    break
            self._known[key] = best if player == 0 else -best
        return self._known[key]

    def _for(self, player: int, state: Any, action: Any) -> float:
        after = state.clone()
        after._apply(action)
        return self.value(after) if player == 0 else -self.value(after)

    def action_values(self, state: Any) -> dict[Any, float]:
        """What each action is worth to the player to move: -1, 0 or 1."""
        return {action: self._for(state.current_player(), state, action) for action in state.legal_actions()}

    def best_actions(self, state: Any) -> list[Any]:
        """The actions of a perfect player."""
        values = self.action_values(state)
        return [action for action in values if values[action] == max(values.values())]


def random_position(rules: Game, seed: int, plies: int) -> Any:
    """A position of random play in which somebody is to move: the last one within so many plies, dice not counted."""
    draw, found = random.Random(seed), None
    state = rules.new_initial_state()
    while not state.is_terminal():
        if state.to_move() != CHANCE:
            found, plies = state, plies - 1
            if plies < 0:
                break
        state = state.child(draw.choice(state.legal_actions()))
    assert found is not None
    return found


def random_game(rules: Game, seed: int) -> list[Any]:
    """The states of a game of random play, from the first to the last; dice fall as they should."""
    draw, states = random.Random(seed), [rules.new_initial_state()]
    while not states[-1].is_terminal():
        state = states[-1]
        outcomes = state.chance_outcomes() or [(action, 1.0) for action in state.legal_actions()]
        action = draw.choices([outcome for outcome, _ in outcomes], [chance for _, chance in outcomes])[0]
        states.append(state.child(action))
    return states


def position(rules: Game, actions: str) -> Any:
    """The state after actions as people write them, with blanks between."""
    state = rules.new_initial_state()
    for text in actions.split():
        state.apply_action(rules.parse_action(text, state))
    return state


def play_game(rules: Any, *agents: Any) -> list[float]:
    """One game between agents in the order of their turns; what each got."""
    state = rules.new_initial_state()
    while not state.is_terminal():
        state.apply_action(agents[state.current_player()].step(state))
    return state.returns()


def visits(report: Report) -> dict[Any, int]:
    """How often each root action was visited, in the actions' order."""
    return {entry.action: entry.visits for entry in sorted(report.actions, key=lambda entry: entry.action)}


def untimed(report: Report) -> Report:
    """A report without the only thing that may differ between two equal searches."""
    return replace(report, seconds=0.0)


def grown(search: Any) -> np.ndarray:
    """The nodes of a search's tree that are in use."""
    return search.tree.nodes[: search.tree.used].copy()


def children(nodes: Any, node: int) -> slice:
    """Where a node's children are."""
    return slice(int(nodes[node]["first"]), int(nodes[node]["first"]) + int(nodes[node]["count"]))


def hand_made(*rows: tuple[int, float] | tuple[int, float, int], proven: int = 0) -> np.ndarray:
    """A root with one child a row: visits, mean for the player to move, and what is proven for that player."""
    nodes = np.zeros(len(rows) + 2, NODE)
    nodes[0] = (max(1, sum(row[0] for row in rows)), 1, 0.0, 0, len(rows), 0, proven)
    for index, (count, mean, *known) in enumerate(rows):
        nodes[index + 1] = (count, 0, count * mean, index, 0, 0, known[0] if known else 0)
    return nodes


def walk(nodes: Any, node: int = 0, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every node of a tree with the actions that lead to it, parents first."""
    yield path, node
    if nodes[node]["first"] > 0:
        for child in range(*children(nodes, node).indices(len(nodes))):
            assert nodes[child]["first"] != UNTRIED
            yield from walk(nodes, child, (*path, int(nodes[child]["action"])))


def wait_until(question: Callable[[], Any], pause: float = 0.01) -> None:
    """Ask until the answer is yes."""
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end, "nothing has come of it"
        time.sleep(pause)


@contextlib.contextmanager
def running(command: Any, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process, with a group of its own, of which nothing is left at the end."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()


def run_python(code: str, *, timeout: float = PATIENCE, **environment: str) -> Any:
    """What a new Python process prints, read as JSON; it can import the tests' helpers."""
    root, given = str(Path(__file__).parent.parent), filter(None, [os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([root, *given]), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
