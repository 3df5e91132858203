"""What fits which class of games. Start at default_select."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ponderosa.core.game import Game
from ponderosa.core.numbers import check_number
from ponderosa.core.plain import PlainGame
from ponderosa.core.state import State
from ponderosa.errors import SettingError, listed, unknown
from ponderosa.mcts.policies.base import Makers, Policies, SelectPolicy
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.mcts.settings import BOUNDED, SINGLE, SearchSettings

OBSERVERS = ("multiple", SINGLE)


def game_facts(game: Any) -> Any:
    """Whatever knows the class of what is searched: the game, or what a Python state tells of itself."""
    if isinstance(game, Game | PlainGame):
        return game
    state = game.new_initial_state() if hasattr(game, "new_initial_state") else game
    return state.game if isinstance(state, State) else PlainGame(state)


def default_select(game: Any, observers: str, judged: bool = False) -> str:
    """The select policy for a game, when none is asked for; `judged`: by an evaluator."""
    if judged:
        return "puct"
    if game.viewed:
        return "available_ucb" if observers == "single" else "ucb1"
    if game.players == 1:
        return "scaled_ucb" if game.chance else "sp_ucb"
    return "ucb1"


def default_policies(game: Any, select: SelectPolicy, judged: bool = False) -> dict[str, str]:
    """What goes with a select policy in a game, for the phases of which nothing is said."""
    return {"expand": "all" if select.whole else "expand", "choose": _default_choose(game, select, judged)}


def _default_choose(game: Any, select: SelectPolicy, judged: bool) -> str:
    if select.goes_with is not None:
        return select.goes_with
    if game.viewed and select.mixed:
        return "mixed"
    return "best_line" if _repeatable(game) and not judged else "robust"


def check_class(game: Any, policies: Policies, settings: SearchSettings) -> None:
    """What was asked for fits the class of the game, or the error says what would."""
    paranoid, observers, restarts = settings.paranoid, settings.observers, settings.restarts
    if observers not in OBSERVERS:
        raise unknown("kind of observers", str(observers), OBSERVERS)
    if not isinstance(paranoid, bool):
        raise SettingError(f"paranoid must be True or False, not {paranoid!r}")
    check_number("restarts", restarts, 0, 10_000, whole=True)
    for words in (*manner_misfits(game, paranoid, observers, restarts), *policy_misfits(game, policies, observers)):
        raise SettingError(words)


def check_proofs(game: Any, policies: Policies, solve: Any) -> None:
    """What was asked for can be proven, or the error says what would be right."""
    if not isinstance(solve, bool) and solve != BOUNDED:
        raise SettingError(f"solve must be True, False or {BOUNDED!r}, not {solve!r}")
    if solve != BOUNDED:
        return
    if game.players != 2 or game.chance or game.viewed:
        raise SettingError(f"solve={BOUNDED!r} is for games of two players without dice, who see everything")
    select, playout, backup = policies.select, policies.playout, policies.backup
    misfits = {"select": select.priors or select.static, "playout": playout.judged, "backup": not backup.averages}
    for phase, misfit in misfits.items():
        if misfit:
            policy = policies.by_phase()[phase]
            raise SettingError(f"solve={BOUNDED!r} does not go with {policy}: take another one, or solve=True")


def manner_misfits(game: Any, paranoid: bool, observers: str, restarts: int) -> Iterator[str]:
    """What of the manner of searching does not fit the class of the game."""
    if paranoid and game.players < 2:
        yield "paranoid is for games of several players"
    if restarts and not _repeatable(game):
        yield "restarts are for games of one player without dice"
    if observers == "single" and game.simultaneous:
        yield "where all choose at once, each chooses by its own view: observers='multiple'"


def policy_misfits(game: Any, policies: Policies, observers: str = "multiple") -> Iterator[str]:
    """Which policies do not fit the class of the game, or each other, in words."""
    select, playout, backup, choose = policies.select, policies.playout, policies.backup, policies.choose
    if select.availability != (observers == "single" and game.viewed):
        yield "select=available_ucb and observers='single' go together, in games with hidden things"
    if select.mixed and not game.viewed:
        yield f"{select} learns mixed strategies, for hidden things or choices at once"
    for policy in (select, playout):
        if policy.moves and game.viewed:
            yield f"{policy} learns from moves that all can see, and in this game not all can"
    if game.players == 1 and playout.learn is not None:
        yield f"{playout} changes as it learns; the best line of one player is found by playing it again"
    if game.players == 1 and (playout.averages or playout.rollouts > 1):
        yield f"{playout} makes one result of several games; the best line of one player is one game"
    if select.static and (game.players != 2 or game.chance or game.viewed):
        yield f"{select} is for games of two players without dice, who see everything"
    if select.priors and game.viewed:
        yield f"{select} needs priors, which games with hidden things or choices at once do not give yet"
    missing = set(choose.reads) - {name for name, _ in select.fields}
    if missing:
        makers: dict[str, Any] = dict(NAMED["select"])
        keepers = [name for name, maker in makers.items() if set(choose.reads) <= {*dict(maker().fields)}]
        yield (
            f"choose={choose.name} reads {listed(sorted(missing))} in the nodes, which {select} does not keep there: "
            f"take {' or '.join(f'select={name}' for name in keepers) or 'a select policy that does'}"
        )
    if choose.draws and not select.mixed:
        yield f"choose={choose.name} needs a select policy that learns a mixed strategy: regret_matching or exp3"
    if select.scaled and (game.players != 1 or game.viewed):
        yield f"{select} is for games of one player"
    if choose.best_line and not _repeatable(game):
        yield f"choose={choose.name} is for games of one player without dice"
    if choose.takes_wins and (game.players == 1 or game.chance or game.viewed):
        yield f"choose={choose.name} is for games of several players without dice, who see everything"
    if backup.two_sided and (game.chance or game.viewed or game.players != 2):
        yield f"backup={backup.name} is for games of two players without dice, who see everything"
    if not backup.averages and (game.chance or game.viewed):
        yield f"{backup} is for games without dice in which all see everything"
    low, high = (game.low, game.high) if hasattr(game, "low") else (game.min_utility, game.max_utility)
    if (math.isinf(low) or math.isinf(high)) and not select.scaled:
        yield "scores without bounds need a select policy that scales them: sp_ucb or scaled_ucb"
    for asking in policies.by_phase().values():
        for need in asking.needs:
            if isinstance(game, Game) and not _has_rule(game, need):
                yield f"{asking} needs a game with the rule {need!r}"


def check_graph(game: Any, policies: Policies, settings: SearchSettings) -> None:
    """A search with transpositions fits the game and the policies, or the error says why not."""
    if not isinstance(settings.transpositions, bool):
        raise SettingError(f"transpositions must be True or False, not {settings.transpositions!r}")
    if not settings.transpositions:
        return
    others = {
        "paranoid=True": settings.paranoid,
        "solve='bounded'": settings.bounded,
        "an evaluator": settings.evaluator,
        "parallel='tree'": settings.shared,
        "parallel='leaf'": settings.helpers,
    }
    for other, asked in others.items():
        if asked:
            raise SettingError(f"{other} and transpositions do not go together: take one of them")
    if game.viewed or game.chance or game.players == 1:
        raise SettingError("transpositions are for games of several players without dice, who see everything")
    for policy in (policies.select, policies.playout):
        if policy.learn is not None:
            raise SettingError(f"{policy} learns from the way to a node, and with transpositions there are several")
    if not policies.backup.averages:
        raise SettingError(
            f"with transpositions, nodes are averages over their visits, and {policies.backup} makes none"
        )


def fitting_policies(game: Any, named: dict[str, Makers]) -> list[tuple[str, str]]:
    """Every named policy that fits the class of a game, with its phase; the other phases as they are by default."""

    def fits(phase: str, name: str) -> bool:
        select: Any = named["select"][name if phase == "select" else default_select(game, "multiple")]()
        names = {"playout": "random", "backup": "mean"} | default_policies(game, select) | {phase: name}
        made: dict[str, Any] = {key: named[key][value]() for key, value in names.items()} | {"select": select}
        return not list(policy_misfits(game, Policies(**made)))

    return [(phase, name) for phase, makers in named.items() for name in makers if fits(phase, name)]


def _has_rule(game: Game, name: str) -> bool:
    """Whether a game has a rule; static values serve as priors, too."""
    rules = game.own_rules()
    return name in rules or (name == "prior" and "evaluate" in rules)


def _repeatable(game: Any) -> bool:
    """Whether one player alone decides everything, so that a line can be played again."""
    return bool(game.players == 1 and not game.chance and not game.viewed)
