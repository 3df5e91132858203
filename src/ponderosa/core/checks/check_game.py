"""Does a game keep its promises? Start at check_game."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ponderosa.compile.functions import place
from ponderosa.core.checks.observations import Sights, image_problems, seen_in_python
from ponderosa.core.checks.promises import (
    action_problems,
    outcome_problems,
    result_problems,
    wrong_action,
    wrong_returns,
)
from ponderosa.core.checks.rehearsal import Care, raised, rehearsed
from ponderosa.core.checks.symmetries import Keys, symmetry_problems
from ponderosa.core.checks.turns import turn_problems, view_problems
from ponderosa.core.game import LONGEST, Game
from ponderosa.core.numbers import check_number
from ponderosa.core.rng import new_rng
from ponderosa.core.state import RecordState
from ponderosa.core.turns import CHANCE, SIMULTANEOUS
from ponderosa.errors import PonderosaError, SettingError

CLOSE_GAMES = 20
"""How many games are looked at closely: texts of actions, clones, every optional rule, compiled against plain."""
TEXTS = 5
"""How many actions of a state are written and read again."""
SHOWN_MOVES = 200
CLOSE_MOVES = 500
"""How many moves of a game are looked at closely."""
CLOSELY = Care(games=CLOSE_GAMES, longest=CLOSE_MOVES, lists=True, closely=True)


class _BrokenError(Exception):
    """A promise that is broken in such a way that the game cannot go on."""


def check_game(game: Any, games: int = 1000, seed: int = 0) -> list[str]:
    """Play random games and say, in words, which promises the rules break; an empty list means none.

    `game` is a Game, or anything with new_initial_state() whose states have OpenSpiel's method names.
    """
    if not hasattr(game, "new_initial_state"):
        raise SettingError(f"check_game checks a game, like Nim(), and not {game!r}")
    check_number("games", games, 1, whole=True)
    check = _Check(game, random.Random(seed))
    try:
        found = _rehearsed(game, seed) if check.records else None
    except PonderosaError as error:
        found = str(error)
    if found is not None:
        return [found]
    for number in range(games):
        try:
            check.play(close=number < CLOSE_GAMES)
        except _BrokenError:
            break
        except PonderosaError as error:
            check.problem(str(error))
            break
        except Exception as error:
            check.problem(f"{check.doing} raised {raised(error)}")
            break
    if not check.problems and check.own and game.hidden and not check.anything_hidden:
        check.problems["the game declares hidden = True, and conceal never hides anything"] = "open"
    if not check.problems and check.records:
        for text, kind in (*check.sights.never_seen(), *image_problems(game, seed)):
            check.problems[text] = kind
    return list(check.problems)


def _rehearsed(game: Game, seed: int) -> str | None:
    """What is wrong that only plain Python notices; what does not run in it is said before anything is compiled."""
    return rehearsed(game, Care(games=1, lists=True), seed) or rehearsed(game, CLOSELY, seed)


class _Check:
    def __init__(self, game: Any, rng: random.Random) -> None:
        self.game = game
        self.rng = rng
        self.problems: dict[str, str] = {}
        self.doing = "new_initial_state"
        self.moves: list[Any] = []
        self.own = isinstance(game, Game)
        self.anything_hidden = False
        self.keys, self.sights = Keys(), Sights()
        self.records = isinstance(game, Game) and game.dtype is not None

    def problem(self, text: str, kind: str = "") -> None:
        """Note a broken promise, once for each kind, with the way there."""
        if (kind or text) not in self.problems.values():
            more = len(self.moves) - SHOWN_MOVES
            way = f"{self.moves[:SHOWN_MOVES]}{f' and {more:,} more' if more > 0 else ''}"
            after = f" (after the actions {way})" if self.moves else ""
            self.problems.setdefault(f"{text}{after}", kind or text)

    def play(self, close: bool) -> None:
        """One random game."""
        self.moves, self.doing = [], "new_initial_state"
        state = self.game.new_initial_state()
        longest = self.game.longest if self.own else min(self.fact("max_game_length", None) or LONGEST, LONGEST)
        while not self.ask(state, "is_terminal"):
            if len(self.moves) >= longest:
                self.too_long(longest)
            look = close and len(self.moves) < CLOSE_MOVES
            player = self.ask(state, "current_player")
            self.check_player(state, player)
            if player == SIMULTANEOUS and not self.own:
                self.play_together(state)
                continue
            if player == CHANCE:
                action, legal = self.check_chance(state), list(state.legal_actions())
            else:
                legal = self.check_actions(state)
                action = self.rng.choice(legal)
            if look:
                self.look_closely(state, legal, action, player)
            self.doing = f"apply_action({action!r})"
            if self.records and not look:
                state._apply(action)  # what is legal was listed just now: twice is slow on wide boards
            else:
                state.apply_action(action)
            self.moves.append(action)
        self.check_returns(self.ask(state, "returns"))
        if close and self.own:
            self.doing = "symmetries()"
            for text, kind in symmetry_problems(self.game, self.moves):
                self.problem(text, kind)
        if self.own and self.game.hidden:
            self.note_hiding(state)

    def too_long(self, longest: int) -> None:
        """Say that a game does not end where it should, and end it."""
        says = "max_game_length says" if self.fact("max_game_length", None) == longest else "any game should last:"
        self.problem(f"a game is longer than {says} {longest}; does is_terminal see every end?", "longer")
        raise _BrokenError

    def check_change(self, state: Any, legal: list[Any]) -> None:
        """Some action must lead somewhere else: a game in which none does will never end."""
        before = state._identity()
        if all(state.child(action)._identity() == before for action in legal):
            self.problem("no action changes the state: apply_action must, and whose turn it is belongs to the state")
            raise _BrokenError

    def look_closely(self, state: Any, legal: list[Any], action: Any, player: int) -> None:
        if self.own:
            self.doing = "apply_action()"
            self.check_change(state, legal)
        self.check_text(state, legal)
        self.check_clone(state, action)
        if self.records and player != CHANCE:
            self.check_optional_rules(state, legal)
        if self.own and self.game.viewed:
            self.doing = "observation()"
            for text, kind in view_problems(state, self.rng.randrange(2**32)):
                self.problem(text, kind)
            self.note_hiding(state)

    def note_hiding(self, state: Any) -> None:
        """Remember whether anything was ever hidden from anybody."""
        if not self.anything_hidden:
            views = [state.observation(player) for player in range(self.game.players)]
            self.anything_hidden = any(view._fields_identity() != state._fields_identity() for view in views)

    def check_chance(self, state: Any) -> Any:
        self.doing = "chance_outcomes()"
        outcomes = list(state.chance_outcomes())
        for text, kind in outcome_problems(outcomes):
            self.problem(text, kind)
        possible = [(outcome, chance) for outcome, chance in outcomes if chance > 0.0]
        if not possible:
            raise _BrokenError
        return self.rng.choices([outcome for outcome, _ in possible], [chance for _, chance in possible])[0]

    def play_together(self, state: Any) -> None:
        """All choose at once, in a game that is not one of ours."""
        self.doing = "apply_actions()"
        actions = [self.rng.choice(list(state.legal_actions(seat)) or [0]) for seat in range(state.num_players())]
        state.apply_actions(actions)
        self.moves.append(actions)

    def ask(self, state: Any, method: str) -> Any:
        self.doing = f"{method}()"
        return getattr(state, method)()

    def fact(self, name: str, default: Any) -> Any:
        value = getattr(self.game, name, default)
        return value() if callable(value) else value

    def check_player(self, state: Any, player: Any) -> None:
        if self.own:
            for text, kind in turn_problems(state, player):
                self.problem(text, kind)
            return
        players = self.fact("players", None) or self.fact("num_players", 2)
        if not isinstance(player, int) or not (0 <= player < players or player in (CHANCE, SIMULTANEOUS)):
            self.problem(f"current_player is {player!r} in a game of {players} players", "player")

    def check_actions(self, state: Any) -> list[Any]:
        legal = list(self.ask(state, "legal_actions"))
        for text, kind in action_problems(legal, self.game.max_actions if self.own else None):
            self.problem(text, kind)
        if not legal:
            raise _BrokenError
        for action in legal if self.records else ():
            if words := wrong_action(action):
                self.problem(f"legal_actions {words}", "number")
        return legal

    def check_text(self, state: Any, legal: list[Any]) -> None:
        if not self.own:
            return
        self.doing = "action_to_string()"
        names = {action: state.action_to_string(action) for action in legal}
        for action in self.rng.sample(legal, min(TEXTS, len(legal))):
            try:
                read = self.game.parse_action(names[action], state)
            except PonderosaError:
                read = None
            if read != action:
                text = f"action_to_string writes {action!r} as {names[action]!r}, which parse_action reads as {read!r}"
                self.problem(text, "text")

    def check_clone(self, state: Any, action: Any) -> None:
        self.doing = "clone()"
        before = (str(state), list(state.legal_actions()))
        twin = state.clone()
        twin.apply_action(action)
        if (str(state), list(state.legal_actions())) != before:
            self.problem("a clone shares memory with its original: an action on the clone changed both", "clone")
            raise _BrokenError

    def check_returns(self, returns: Any) -> None:
        players = self.fact("players", None) or self.fact("num_players", 2)
        low, high = self.fact("min_utility", -1.0), self.fact("max_utility", 1.0)
        values = list(returns)
        if len(values) != players:
            self.problem(f"returns gives {len(values)} numbers in a game of {players} players", "length")
        for text, kind in result_problems(values, low, high):
            self.problem(text, kind)

    def check_optional_rules(self, state: RecordState, legal: list[int]) -> None:
        rules, own = self.game.rules, self.game.own_rules()
        rng, actions = new_rng(self.rng.randrange(2**32)), np.zeros(self.game.max_actions, np.int32)
        if "evaluate" in own:
            self.check_evaluation(self.look(state, "evaluate", lambda s: own["evaluate"](s.record)))
        for name in ("evaluate", "prior", "winning_action"):
            if name in own:
                self.doing = f"{name}(s)"
                getattr(rules, name)  # a search compiles it when it is needed
        for name in ("random_action", "playout_action"):
            if name in own:
                action = int(self.look(state, name, lambda s: getattr(rules, name)(s.data, rng, actions)))  # noqa: B023
                if action not in legal:
                    self.problem(f"{name} gives {action}, which is not legal", name)
        if "candidates" in own:
            count = abs(int(self.look(state, "candidates", lambda s: rules.candidates(s.data, actions))))
            if count < 1 or not set(actions[:count].tolist()) <= set(legal):
                self.problem(
                    f"candidates gives {actions[: max(count, 0)].tolist()}, not all legal, or none", "candidates"
                )
        if "noisy" in own:
            count = int(self.look(state, "noisy", lambda s: rules.noisy(s.data, actions)))
            found = actions[: abs(count)].tolist()
            if not set(found) <= set(legal) or (count < 0 and set(found) != set(legal)):
                self.problem(f"noisy gives {found}, not all legal; minus their number is for all that are", "noisy")
        if "bounds" in own:
            self.look(state, "bounds", lambda s: rules.bounds(s.data))
        if "prior" in own:
            self.look(state, "prior", lambda s: own["prior"](s.record, legal[0]))
        if "winning_action" in own:
            found = self.look(state, "winning_action", lambda s: own["winning_action"](s.record))
            self.check_winning(state, legal, int(found))
        if "observe" in own and not self.game.viewed:
            planes = self.look(state, "observe", lambda s: seen_in_python(s))
            for text, kind in self.sights.problems(state, planes):
                self.problem(text, kind)
        if "key" in own:
            key = int(self.look(state, "key", lambda s: own["key"](s.record)))
            for text, kind in self.keys.problems(state, key, legal):
                self.problem(text, kind)

    def look(self, state: RecordState, name: str, ask: Callable[[RecordState], Any]) -> Any:
        """What a rule answers that may not change the state."""
        self.doing = f"{name}(s)"
        shown = state.clone()
        answer = ask(shown)
        if shown._identity() != state._identity():
            where = place(self.game.own_rules()[name].__code__)
            self.problem(f"{name} changes the state ({where}): only apply_action may", f"{name} changes")
        return answer

    def check_evaluation(self, values: Any) -> None:
        wrong = wrong_returns(values, self.game.players, lists=True)
        if wrong:
            self.problem(f"evaluate {wrong}", "evaluate")
            raise _BrokenError
        if not all(self.game.min_utility <= value <= self.game.max_utility for value in values):
            text = f"evaluate gives {list(values)}: one number a player, in the declared range, is right"
            self.problem(text, "evaluate")

    def check_winning(self, state: RecordState, legal: list[int], action: int) -> None:
        wins = [other for other in legal if self.wins(state, other)]
        if action == -1 and wins and max(wins) >= 0:
            self.problem(f"winning_action gives -1, and {wins[0]} wins", "winning")
        elif action != -1 and action not in wins:
            self.problem(f"winning_action gives {action}, which does not win at once", "winning")

    def wins(self, state: RecordState, action: int) -> bool:
        after = state.child(action)
        return after.is_terminal() and after.returns()[state.current_player()] == self.game.max_utility
