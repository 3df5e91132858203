"""Does a game keep its promises? Start at check_game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ponderosa.core.check_symmetry import Keys, symmetry_problems
from ponderosa.core.check_turns import outcome_problems, turn_problems, view_problems
from ponderosa.core.errors import PonderosaError, SettingError
from ponderosa.core.forms import place
from ponderosa.core.game import LONGEST, Game
from ponderosa.core.rehearsal import raised, rehearsed, wrong_returns
from ponderosa.core.rng import new_rng
from ponderosa.core.rules import Rules
from ponderosa.core.state import RecordState
from ponderosa.core.turns import CHANCE, SIMULTANEOUS

CLOSE_GAMES = 20
"""So many games are looked at closely: texts of actions, clones, every optional rule, compiled against plain."""
TEXTS = 5
"""So many actions of a state are written and read again."""
SHOWN_MOVES = 200
CLOSE_MOVES = 500
"""So many moves of a game are looked at closely."""


class _BrokenError(Exception):
    """A promise that is broken in such a way that the game cannot go on."""


def check_game(game: Any, games: int = 1000, seed: int = 0) -> list[str]:
    """Play random games and say, in words, which promises the rules break; an empty list means none.

    `game` is a Game, or anything with new_initial_state() whose states have OpenSpiel's method names.
    """
    if not hasattr(game, "new_initial_state"):
        raise SettingError(f"check_game checks a game, like Nim(), and not {game!r}")
    if isinstance(games, bool) or not isinstance(games, int) or games < 1:
        raise SettingError(f"games must be a whole number of at least 1, not {games!r}")
    check = _Check(game, random.Random(seed))
    found = rehearsed(game, games=1, lists=True) if check.records else None
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
    return list(check.problems)


class _Check:
    def __init__(self, game: Any, rng: random.Random) -> None:
        self.game = game
        self.rng = rng
        self.problems: dict[str, str] = {}
        self.doing = "new_initial_state"
        self.moves: list[Any] = []
        self.own = isinstance(game, Game)
        self.anything_hidden = False
        self.keys = Keys()
        self.records = isinstance(game, Game) and game.dtype is not None
        self.plain: Rules | None = game.build_rules(compiled=False) if self.records else None

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
        if close and self.plain is not None:
            self.play_plain()
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
        if not legal:
            self.problem("a state that is not over has no legal action")
            raise _BrokenError
        if len(set(legal)) != len(legal):
            self.problem(f"legal_actions lists an action twice: {legal}", "twice")
        if self.own and len(legal) > self.game.max_actions:
            self.problem(
                f"a state has {len(legal)} legal actions, and max_actions says {self.game.max_actions}", "many"
            )
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
        for value in values:
            if not low <= value <= high:
                text = (
                    f"returns gives {value}, outside the declared range {low:g} .. {high:g} (min_utility, max_utility)"
                )
                self.problem(text, "range")

    def check_optional_rules(self, state: RecordState, legal: list[int]) -> None:
        rules, own = self.game.rules, self.game.own_rules()
        rng, actions = new_rng(self.rng.randrange(2**32)), np.zeros(self.game.max_actions, np.int32)
        if "evaluate" in own:
            self.doing = "evaluate(s)"
            wrong = wrong_returns(own["evaluate"](state.record), self.game.players, lists=True)
            if wrong:
                self.problem(f"evaluate {wrong}", "evaluate")
                raise _BrokenError
        for name in ("evaluate", "prior", "winning_action"):
            if name in own:
                self.doing = f"{name}(s)"
                getattr(rules, name)  # a search compiles it when it is needed
        for name in ("random_action", "playout_action"):
            if name in own:
                self.doing = f"{name}(s, rng)"
                action = int(getattr(rules, name)(state.data.copy(), rng, actions))
                if action not in legal:
                    self.problem(f"{name} gives {action}, which is not legal", name)
        if "candidates" in own:
            self.doing = "candidates(s)"
            count = abs(int(rules.candidates(state.data.copy(), actions)))
            if count < 1 or not set(actions[:count].tolist()) <= set(legal):
                self.problem(
                    f"candidates gives {actions[: max(count, 0)].tolist()}, not all legal, or none", "candidates"
                )
        if "winning_action" in own:
            self.doing = "winning_action(s)"
            self.check_winning(state, legal, int(own["winning_action"](state.record)))
        if "key" in own:
            self.doing = "key(s)"
            for text, kind in self.keys.problems(state, int(own["key"](state.record)), legal):
                self.problem(text, kind)
        if "evaluate" in own:
            self.doing = "evaluate(s)"
            values = list(own["evaluate"](state.record))
            if len(values) != self.game.players or not all(
                self.game.min_utility <= value <= self.game.max_utility for value in values
            ):
                self.problem(
                    f"evaluate gives {values}: one number a player, in the declared range, is right", "evaluate"
                )

    def check_winning(self, state: RecordState, legal: list[int], action: int) -> None:
        wins = [other for other in legal if self.wins(state, other)]
        if action == -1 and wins and max(wins) >= 0:
            self.problem(f"winning_action gives -1, and {wins[0]} wins", "winning")
        elif action != -1 and action not in wins:
            self.problem(f"winning_action gives {action}, which does not win at once", "winning")

    def wins(self, state: RecordState, action: int) -> bool:
        after = state.child(action)
        return after.is_terminal() and after.returns()[state.current_player()] == self.game.max_utility

    def play_plain(self) -> None:
        """The same rules, compiled and as plain Python, on one random game; plain Python notices a bad index."""
        assert self.plain is not None
        rng = random.Random(self.rng.randrange(2**32))
        game = self.game
        data = game.new_initial_state().data
        actions, moves = np.zeros(game.max_actions, np.int32), 0
        while moves < CLOSE_MOVES:
            if self.plain_call("is_terminal", data):
                return
            if self.plain_call("current_player", data) == CHANCE:
                count = int(self.plain_call("chance_outcomes", data, actions, np.zeros(len(actions))))
            else:
                count = int(self.plain_call("legal_actions", data, actions))
            if not 0 < count <= len(actions):
                return  # the main check says so in words
            action = int(rng.choice(actions[:count].tolist()))
            compiled = data.copy()
            self.plain_call("apply_action", data, action)
            game.rules.apply_action(compiled, action)
            moves += 1
            if not np.array_equal(compiled, data):
                self.problem(
                    "apply_action gives another state compiled than as plain Python; numbers may overflow", "twin"
                )
                raise _BrokenError

    def plain_call(self, name: str, data: Any, *arguments: Any) -> Any:
        before = self.meaning(data)
        try:
            answer = getattr(self.plain, name)(data, *arguments)
        except Exception as error:
            outside = "; compiled, it would read or write outside its memory" if isinstance(error, IndexError) else ""
            self.problem(f"{name} raised {raised(error)}, as plain Python{outside}")
            raise _BrokenError from None
        if name != "apply_action" and self.meaning(data) != before:
            where = place(self.game.own_rules()[name].__code__)
            self.problem(f"{name} changes the state ({where}): only apply_action may", "changes")
            raise _BrokenError
        return answer

    def meaning(self, data: Any) -> Any:
        """What tells a state from others: all but the fields that only make the rules fast."""
        return RecordState(self.game, data, [])._identity()
