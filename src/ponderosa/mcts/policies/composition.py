"""What people say about the phases of a search, as policies. Start at composed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from ponderosa.compile.fingerprint import fingerprint
from ponderosa.core.references import portable
from ponderosa.core.spec import split_spec
from ponderosa.errors import PonderosaError, SettingError, UnknownNameError, listed, unknown
from ponderosa.mcts.policies.base import Policies, Policy, as_policy
from ponderosa.mcts.policies.fitting import default_policies, default_select
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.settings import SearchSettings

Given = Mapping[str, Any]
"""By phase: a policy, a text, a function; None is what fits the game and the select policy."""


def composed(game: Any, asked_for: SearchSettings, others: Iterable[str] = ()) -> Policies:
    """A policy for each phase; settings (c, rollouts, ...) go to those policies that were not made before.

    `others` are names that an unknown setting may have been meant for.
    """
    given, settings = asked_for.phases, asked_for.policy_settings
    judged = asked_for.evaluator is not None
    if "n" in settings:
        raise SettingError(f"how many children are added is said by expand={settings['n']}, not by n")
    asked = {phase: _as_text(phase, value) for phase, value in given.items()}
    asked["select"] = default_select(game, asked_for.observers, judged) if asked["select"] is None else asked["select"]
    select = as_policy("select", asked["select"], NAMED["select"], settings)
    fitting = default_policies(game, select, judged)
    asked = {phase: fitting.get(phase) if value is None else value for phase, value in asked.items()}
    for name in settings:
        _check_taken(name, asked, others)
    made = {phase: as_policy(phase, value, NAMED[phase], settings) for phase, value in asked.items()}
    return Policies(**made | {"select": select})


def pickled(policy: Policy) -> tuple[Any, ...]:
    """What makes an equal policy in another process: its name and settings, else its functions by their names."""
    maker = NAMED[policy.phase].get(policy.name)
    made = None if maker is None else maker(**policy.settings)
    if made is not None and fingerprint(_functions(made)) == fingerprint(_functions(policy)):
        changed = [field.name for field in fields(policy) if field.name not in _FUNCTIONS]
        own = {name: getattr(policy, name) for name in changed if getattr(policy, name) != getattr(made, name)}
        return made_again, (policy.phase, policy.name, policy.settings, own)
    values = {field.name: getattr(policy, field.name) for field in fields(policy)}
    return made_of, (
        type(policy),
        {name: portable(value) if callable(value) else value for name, value in values.items()},
    )


def made_of(kind: type[Policy], values: Mapping[str, Any]) -> Policy:
    """A policy of one's own out of a pickle."""
    return kind(**values)


def made_again(phase: str, name: str, settings: Mapping[str, Any], own: Mapping[str, Any]) -> Policy:
    """A named policy out of a pickle; `own` is what differs from what its maker makes."""
    if name not in NAMED[phase]:
        raise unknown(f"{phase} policy", name, NAMED[phase])
    return replace(NAMED[phase][name](**settings), **own)


_FUNCTIONS = ("function", "learn", "strategy")


def _functions(policy: Policy) -> tuple[Any, ...]:
    return tuple(getattr(policy, name, None) for name in _FUNCTIONS)


def policy_settings() -> list[str]:
    """Every setting that some policy takes."""
    makers = [maker for of_phase in NAMED.values() for maker in of_phase.values()]
    return sorted({name for maker in makers for name in inspect.signature(maker).parameters} - {"n"})


def _as_text(phase: str, given: Any) -> Any:
    """A number of children, or all of them, as a policy that takes settings, too; anything else as it is."""
    counted = phase == "expand" and not isinstance(given, bool) and (given == "all" or _is_number(given))
    return f"expand:n={given}" if counted else given


def _is_number(given: Any) -> bool:
    """Whether it is a number, sensible or not, or written like one."""
    try:
        return isinstance(given, int | float | str) and float(given) is not None
    except (ValueError, OverflowError):
        return isinstance(given, int)


def _check_taken(name: str, asked: Given, others: Iterable[str]) -> None:
    """Exactly one policy takes a setting, or several that go together under one name."""
    texts = {phase: split_spec(text)[0] for phase, text in asked.items() if isinstance(text, str)}
    takers = [f"{phase}={policy}" for phase, policy in _takers(name) if texts.get(phase) == policy]
    if not takers:
        raise _not_taken(name, asked, others)
    if len({taker.partition("=")[2] for taker in takers}) > 1:
        raise SettingError(
            f"{name} is a setting of {' and of '.join(takers)}: say which, as in "
            f"{takers[0].partition('=')[0]}={takers[0].partition('=')[2]}:{name}=..."
        )


def _not_taken(name: str, asked: Given, others: Iterable[str]) -> PonderosaError:
    """A setting that no policy in use takes: which would, or what there is."""
    for phase, policy in asked.items():
        if isinstance(policy, Policy) and (phase, policy.name) in _takers(name):
            return SettingError(f"{phase}={policy} is made already: say {name} there, as in {policy.name}({name}=...)")
    takers = [f"{phase}={policy}" for phase, policy in _takers(name)]
    if not takers:
        return unknown("setting of a tree search with these policies", name, [*others, *policy_settings()])
    return UnknownNameError(f"{name!r} is no setting of the policies in use here, but of {listed(takers)}")


def _takers(name: str) -> Iterator[tuple[str, str]]:
    """Every phase and policy that takes a setting."""
    for phase, makers in NAMED.items():
        for policy, maker in makers.items():
            if name in inspect.signature(maker).parameters:
                yield phase, policy
