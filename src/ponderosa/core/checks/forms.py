"""What can be said of a game's rules by looking at them, before anything runs. Start at check_rules."""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ponderosa.compile.functions import place, reached_functions
from ponderosa.errors import GameError, listed

STATE = ("s",)
MOVE = ("s", "a")
ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "current_player": (STATE,),
    "legal_actions": (STATE, ("s", "actions")),
    "apply_action": (MOVE,),
    "is_terminal": (STATE,),
    "returns": (STATE,),
    "random_action": (("s", "rng"),),
    "playout_action": (("s", "rng"),),
    "candidates": (STATE, ("s", "actions")),
    "evaluate": (STATE,),
    "bounds": (STATE,),
    "noisy": (STATE, ("s", "actions")),
    "winning_action": (STATE,),
    "prior": (MOVE,),
    "key": (STATE,),
    "observe": (("s", "planes"),),
    "chance_outcomes": (STATE, ("s", "outcomes", "probabilities")),
    "chance_outcome": (("s", "rng"),),
    "conceal": (("s", "player"),),
    "determinize": (("s", "player", "rng"),),
    "apply_actions": (("s", "actions"),),
}
"""What each rule is called with; some may be written in two ways."""
TOLD_THE_PLAYER = ("legal_actions", "random_action", "playout_action")
"""Rules that get the player, too, where all choose at once."""
SILENT = ("apply_action", "apply_actions", "conceal", "determinize", "observe")
"""Rules that change what they are given, and answer nothing."""
NO_SELF = "a rule sees the state s alone; what the game was made with goes into a field of the state, in setup(self, s)"

Rule = Callable[..., Any]


@functools.lru_cache(maxsize=256)
def check_rules(title: str, rules: tuple[tuple[str, Rule], ...], simultaneous: bool, compiled: bool) -> None:
    """Every rule takes what it is called with and uses no self; or the error says what is right.

    One that is compiled must answer always; as plain Python, no answer is as good as False.
    """
    for name, rule in rules:
        endings = _ending_problems(name, rule) if compiled else ()
        for words in (*_argument_problems(name, rule, simultaneous), *_self_problems(rule), *endings):
            raise GameError(f"{title}.{name} {words}")


def _argument_problems(name: str, rule: Rule, simultaneous: bool) -> Iterator[str]:
    where, given = place(rule.__code__), tuple(inspect.signature(rule).parameters)
    right = ARGUMENTS[name]
    if simultaneous and name in TOLD_THE_PLAYER:
        right = tuple(("s", "player", *more) for _, *more in right)
    forms = " or ".join(f"{name}({', '.join(form)})" for form in right)
    if given[:1] == ("self",):
        yield f"takes self ({where}): write {forms}; {NO_SELF}"
    elif not any(_takes(rule, form) for form in right):
        yield f"takes {f'({listed(given)})' if given else 'nothing'} ({where}): write {forms}"


def _takes(rule: Rule, form: tuple[str, ...]) -> bool:
    try:
        inspect.signature(rule).bind(*form)
    except TypeError:
        return False
    return True


def _self_problems(rule: Rule) -> Iterator[str]:
    """A rule, or a function that it calls by name, speaks of a self that it does not have."""
    for part in reached_functions(rule):
        if "self" in part.__code__.co_names and "self" not in part.__globals__:
            line = next(
                (i.positions.lineno for i in dis.get_instructions(part) if i.argval == "self" and i.positions), None
            )
            yield f"uses self ({place(part.__code__, line)}): {NO_SELF}"


def _ending_problems(name: str, rule: Rule) -> Iterator[str]:
    """A rule that must answer comes to an end without an answer."""
    code = rule.__code__
    steps = list(dis.get_instructions(code))
    suppressed = any("WITH" in step.opname for step in steps)  # behind it, Python has an end that is never reached
    if name in SILENT or code.co_flags & inspect.CO_GENERATOR or suppressed:
        return
    for before, step in itertools.pairwise(steps):
        if step.opname == "RETURN_CONST":
            before = step
        elif step.opname != "RETURN_VALUE" or before.opname != "LOAD_CONST":
            continue
        if before.argval is None:
            line = step.positions.lineno if step.positions else None
            yield f"ends without a `return` of a value ({place(code, line)}): every way through it must return one"
            return


def check_shape(title: str, shape: object, observes: bool) -> None:
    """A game says what its observe fills, and only then; or the error says how."""
    forms = "(rows, columns, planes), or (numbers,)"
    if not observes:
        if shape is not None:
            raise GameError(f"{title} declares observation_shape and has no rule 'observe'")
        return
    whole = isinstance(shape, tuple) and all(type(size) is int and size > 0 for size in shape)
    if not isinstance(shape, tuple) or not whole or len(shape) not in (1, 3):
        raise GameError(
            f"{title} has a rule 'observe': it must declare observation_shape = {forms}, of numbers from 1, "
            f"not {shape!r}"
        )


def check_dtype(title: str, dtype: object) -> None:
    """The dtype is one of a record of numbers, or the error says how to write it."""
    if not isinstance(dtype, np.dtype):
        raise GameError(
            f"{title}.dtype must be a NumPy dtype of named fields, not {dtype!r}: write dtype = np.dtype([...]), "
            'as in np.dtype([("board", "i1", 9), ("player", "i1")])'
        )
    if not dtype.names:
        raise GameError(
            f"{title}.dtype has no fields: name them, as in np.dtype([('board', 'i1', 9), ('player', 'i1')])"
        )
    for name in dtype.names:
        if dtype[name].base.kind not in "biuf":
            raise GameError(
                f"{title}.dtype: the field {name!r} must hold numbers ('i1', 'i4', 'f8', '?'), alone or in an array, "
                f"not {dtype[name].base}"
            )
