"""Environments whose random numbers only their program knows: they are hidden from the player. Start at SeededWorld.

An episode follows from its seed and its actions, so games are repeated as they were. Before a search looks ahead, all
random numbers to come are drawn anew, and what else is known to be hidden.
"""

from __future__ import annotations

import copy
import re
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.adapters.gymnasium.copying import ByState, attributes_of, check_repeats, steps_left, without_passing
from ponderosa.adapters.gymnasium.hidden import redraw_for
from ponderosa.adapters.gymnasium.spaces import key_of
from ponderosa.adapters.world import not_made
from ponderosa.core.turns import CHANCE, TERMINAL
from ponderosa.errors import GameError, SettingError

if TYPE_CHECKING:
    from ponderosa.adapters.gymnasium.game import GymnasiumGame

MOST_STARTS = 1_000
"""How many episodes there are, by their seeds."""
LIT = re.compile(r"\x1b\[4\dm(.)\x1b\[0m")
LETTER = re.compile(r"\x1b\[3([0-7])(?:;1)?m([^\x1b]+)\x1b\[0m")
COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
COLOURED = re.compile(r"\x1b\[[0-9;]*m")


class Stage:
    """The one environment in which all positions of a game take their turns; copies and pickles make their own."""

    def __init__(self, kind: str, settings: dict[str, Any]) -> None:
        self._kind, self._settings = kind, settings
        self._lock = threading.Lock()
        import gymnasium

        try:
            self.env = gymnasium.make(kind, disable_env_checker=True, **settings)
            prints = "ansi" in self.env.metadata.get("render_modes", [])
            if prints and "render_mode" not in settings:
                self.env = gymnasium.make(kind, disable_env_checker=True, render_mode="ansi", **settings)
            self.env.reset(seed=0)
        except Exception as error:
            raise not_made("Gymnasium", kind, error) from None
        if without_passing(self.env) is not self.env.unwrapped:
            raise SettingError(
                f"{kind} has wrappers that change its steps: plan in it with ponderosa.adapters.gymnasium"
            )
        self._prints = prints
        self.most_steps = steps_left(self.env)
        """How many steps an episode may have; None: there is no limit."""
        self._rng = np.random.default_rng(0)
        self._copy: ByState | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Stage, (self._kind, self._settings)

    def __deepcopy__(self, memo: dict[int, Any]) -> Stage:
        return self

    def check_copies(self) -> None:
        """The environment can be copied by its state, or the error says that it cannot."""
        try:
            check_repeats(self._copier(), self.env.action_space)
        except Exception as error:
            raise GameError(f"{self._kind} cannot be searched by name: its state cannot be copied ({error})") from error

    def begin(self, seed: int) -> tuple[Any, Any]:
        """A new episode: what is kept of its position, and what is seen."""
        with self._lock:
            inner = self.env.unwrapped
            vars(inner).update(copy.deepcopy(attributes_of(inner)))  # what is there now belongs to another position
            seen, _ = self.env.reset(seed=seed)
            return self._kept(self.env.unwrapped), seen

    def act(self, kept: Any, action: Any, seed: int, redraw: bool) -> tuple[Any, Any, float, bool]:
        """One step from a position, with random numbers from a seed."""
        with self._lock:
            inner = self.env.unwrapped
            vars(inner).update(copy.deepcopy(kept))
            rng = np.random.default_rng(seed)
            inner.np_random = rng
            hidden = redraw_for(self.env) if redraw else None
            if hidden is not None:
                hidden(inner, rng)
            seen, reward, over, truncated, _ = inner.step(action)
            return self._kept(inner), seen, float(reward), bool(over or truncated)

    def picture_of(self, kept: Any) -> str:
        """The position as the environment prints it, with the colours in words below, and @ for what is lit.

        Empty: it does not print.
        """
        if not self._prints:
            return ""
        with self._lock:
            vars(self.env.unwrapped).update(kept)
            text = str(self.env.unwrapped.render())
        told = ", ".join(f"{COLOURS[int(colour)]}: {letters}" for colour, letters in LETTER.findall(text))
        return COLOURED.sub("", LIT.sub("@", text)).strip("\n") + (f"\n{told}" if told else "")

    def _copier(self) -> ByState:
        if self._copy is None:
            self._copy = ByState(self.env, self._rng)
        self._copy.save()
        return self._copy

    def _kept(self, inner: Any) -> dict[str, Any]:
        """What a position is: the attributes that a step may change."""
        return attributes_of(inner)


class SeededWorld:
    """A position, with the names of OpenSpiel's states."""

    def __init__(self, game: GymnasiumGame, stage: Stage) -> None:
        stage.check_copies()
        self._game, self._stage = game, stage
        self._history: list[int] = []
        self._kept: Any = None
        self._seen: Any = None
        self._future = -1
        """Where the random numbers come from; -1 before the start."""
        self._digest = 0
        self._redraw = False
        self._steps, self._total, self._worth, self._over = 0, 0.0, 1.0, False

    def clone(self) -> SeededWorld:
        """A copy; what is kept of a position never changes, and is shared."""
        twin = object.__new__(SeededWorld)
        vars(twin).update(vars(self))
        twin._history = list(self._history)
        return twin

    def draw_future(self, seed: int) -> None:
        """Take other random numbers from here on, and another guess at what is hidden."""
        self._future, self._redraw = seed, True

    def with_another_future(self) -> SeededWorld:
        """The same position, from which nobody can read what will happen."""
        twin = self.clone()
        if self._future >= 0:
            twin.draw_future(int(np.random.default_rng(self._future).integers(2**31)))
        return twin

    def history(self) -> list[int]:
        """The seed, and all actions so far."""
        return list(self._history)

    def is_terminal(self) -> bool:
        """Whether the episode is over."""
        return self._over or self._steps >= self._game.steps

    def current_player(self) -> int:
        """The one player; dice draw the seed at first."""
        if self.is_terminal():
            return TERMINAL
        return CHANCE if self._future < 0 else 0

    def is_chance_node(self) -> bool:
        """Whether the seed is to be drawn."""
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        """Never: there is one player."""
        return False

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The seeds."""
        return [(seed, 1.0 / MOST_STARTS) for seed in range(MOST_STARTS)]

    def legal_actions(self) -> list[int]:
        """The numbers of the actions."""
        if self.is_terminal():
            return []
        return list(range(MOST_STARTS if self._future < 0 else len(self._game.actions)))

    def apply_action(self, action: int) -> None:
        """Act, or begin with a seed."""
        self._history.append(action)
        if self._future < 0:
            self._future = action
            self._kept, self._seen = self._stage.begin(action)
        else:
            seed = hash((self._future, self._steps)) & (2**32 - 1)  # of whole numbers it is the same everywhere
            act = self._game.actions[action]
            self._kept, self._seen, reward, self._over = self._stage.act(self._kept, act, seed, self._redraw)
            self._redraw = False
            self._steps += 1
            self._total += self._worth * reward
            self._worth *= self._game.discount
        self._digest = hash((self._digest, action if self._steps else 0, key_of(self._seen)))

    def returns(self) -> list[float]:
        """The rewards so far."""
        return [self._total]

    def action_to_string(self, player: int, action: int) -> str:
        """What an action is called."""
        return f"seed {action}" if self._future < 0 else self._game.words(action)

    def seen(self) -> int:
        """Tells two positions apart in which something else was seen or done."""
        return self._digest

    def __str__(self) -> str:
        if self._future < 0:
            return "before the start"
        seen = np.array2string(self._seen, precision=3) if isinstance(self._seen, np.ndarray) else str(self._seen)
        shown = self._stage.picture_of(self._kept) or f"seen: {seen}"
        return f"{shown}\nstep {self._steps}, reward so far {self._total:g}"
