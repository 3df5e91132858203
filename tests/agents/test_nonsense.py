"""Every agent, every number that can be typed for it, and numbers that make no sense: refused in words, or it plays."""

from __future__ import annotations

import inspect
import threading
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ponderosa.agents.connect.strong_tree import StrongTree
from ponderosa.core.spec import join_spec
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.mcts.policies.fitting import fitting_policies
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.registry import AGENTS, agent_class, load_agent
from tests.agents.test_connect import BOARD
from tests.helpers import loaded, run_python
from tests.networks.small import SAMPLE
from tests.plain_python import plain_and_compiled  # noqa: F401


def numbers_of(function: Callable[..., Any]) -> list[str]:
    """The parameters of a function that are numbers."""
    hints = typing.get_type_hints(function)
    kinds = {name: typing.get_args(hint) or (hint,) for name, hint in hints.items()}
    return [
        name
        for name in inspect.signature(function).parameters
        if any(kind in (int, float) for kind in kinds.get(name, ()))
    ]


NONSENSE = ("-1", "0", "-3.5", "nan", "inf", "-inf", "1e400", "1e30", str(10**18), str(10**400))
PATIENCE = 60.0
"""Far longer than any of these moves takes."""
LONG_LINES = "connect:m=9,n=9,k=8"
"""A board on which `strong` grows a tree, which takes long to compile."""
HOMES = {
    "random": ["tictactoe"],
    "mcts": ["tictactoe"],
    "blind": ["tictactoe"],
    "scripted": ["tictactoe"],
    "slow": ["tictactoe"],
    "medium": ["tictactoe"],
    "fast": ["tictactoe"],
    "clever": [BOARD],
    "lazy": [BOARD],
    "voting": [BOARD],
    "strong": ["gomoku", "connect4", LONG_LINES],
    "minimax": ["tictactoe"],
    "perfect": ["tictactoe"],
    "net": ["tictactoe"],
    "determinized": ["kuhn_poker"],
    "engine": ["gomoku"],
}
"""A game for every kind of thinking that an agent knows."""
NAMED_FILES = {"engine": {"cmd": "nowhere"}, "net": {"file": str(SAMPLE)}}
"""What an agent must be given."""
STRONG_TOO = {"connect4": ["exact"], LONG_LINES: numbers_of(StrongTree.__init__)}
"""What the agents behind `strong` take beside its own settings."""
CLASSES = ("tictactoe", "connect4", "samegame:rows=3,columns=3,colours=2", "goofspiel:cards=3", "kuhn_poker")
"""Games of which every policy fits one."""


def numbers_of_agent(kind: str) -> list[str]:
    """The settings of an agent that are numbers, those that it passes on included."""
    found: dict[str, None] = {}
    for base in agent_class(kind).__mro__:
        if "__init__" in vars(base) and base is not object:
            found |= dict.fromkeys(numbers_of(base.__init__))
            if not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(base.__init__).parameters.values()):
                break
    return list(found)


def cases() -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Game, agent, what else is said of it, and the setting to try."""
    for kind, games in HOMES.items():
        for game in games:
            for name in [*numbers_of_agent(kind), *STRONG_TOO.get(game, ())]:
                if name != "clock":
                    yield game, kind, {}, name
    for phase, makers in NAMED.items():
        for policy, maker in makers.items():
            for name in numbers_of(maker):
                if (phase, name) != ("expand", "n"):  # typed as expand=
                    yield game_for(phase, policy), "mcts", {phase: policy}, name


def game_for(phase: str, policy: str) -> str:
    """A game that a policy fits."""
    if policy == "available_ucb":
        return "kuhn_poker"
    return next((game for game in CLASSES if (phase, policy) in fitting_policies(loaded(game), NAMED)), CLASSES[0])


def spec_with(kind: str, settings: dict[str, str], name: str, value: str) -> str:
    """The agent with a setting, and with little to think unless that is the setting."""
    settings = dict(settings)
    if settings.get("choose") == "gumbel":
        settings["select"] = "gumbel"
    if settings.get("select") == "available_ucb":
        settings["observers"] = "single"
    for limit in ("iterations", "positions"):
        if limit in numbers_of_agent(kind) and name not in ("seconds", "max_nodes"):
            settings[limit] = "8" if limit == "iterations" else "2000000"
    settings |= NAMED_FILES.get(kind, {})
    return join_spec(kind, settings | {name: value})


def moved(agent: Any, game: Any) -> None:
    """The agent makes a move in the first position in which somebody is to move; a stall is an error."""
    state = game.new_initial_state()
    while state.to_move() < 0:
        state.apply_action(state.legal_actions()[0])
    found: list[Any] = []

    def play() -> None:
        try:
            found.append(agent.step(state.observation(state.to_move())))
        except PonderosaError as error:
            found.append(error)

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it stalls"
    assert found[0] in state.legal_actions(), f"accepted, and then: {found[0]}"


def test_every_agent_has_a_home() -> None:
    assert set(HOMES) == set(AGENTS)


def compiles_long(case: tuple[str, str, dict[str, str], str]) -> bool:
    """Whether the machine code of a case is used by no other: of a policy, or of a tree for `strong`."""
    game, _, more, _ = case
    return bool(more) or game == LONG_LINES


@pytest.mark.parametrize(
    ("game", "kind", "more", "name"),
    [
        pytest.param(
            *case,
            id="-".join((case[0], case[1], *case[2].values(), case[3])),
            marks=[pytest.mark.slow] if compiles_long(case) else [],
        )
        for case in cases()
    ],
)
def test_a_number_that_makes_no_sense_is_refused_when_it_is_typed_or_plays(
    game: str, kind: str, more: dict[str, str], name: str
) -> None:
    refused_or_played(game, kind, more, name)


def refused_or_played(game: str, kind: str, more: dict[str, str], name: str) -> None:
    """Every number that makes no sense is refused in words, or the agent makes a move."""
    for value in NONSENSE:
        try:
            agent = load_agent(spec_with(kind, more, name, value), loaded(game))
        except SettingError as error:
            assert name in str(error), error
            assert len(str(error)) < 600, error
            continue
        if kind != "engine":  # what another program does with it is its own affair
            moved(agent, loaded(game))


def troubles_of_long_cases() -> list[str]:
    """What is wrong with those that the test above has among the slow ones."""
    found = []
    for case in filter(compiles_long, cases()):
        try:
            refused_or_played(*case)
        except Exception as error:
            found.append(f"{case}: {error!r}")
    return found


@pytest.mark.slow
def test_numbers_of_policies_are_refused_or_played_with_as_plain_python() -> None:
    assert len(list(filter(compiles_long, cases()))) > 30
    code = "import json; from tests.agents.test_nonsense import troubles_of_long_cases as t; print(json.dumps(t()))"
    assert run_python(code, NUMBA_DISABLE_JIT="1") == []
