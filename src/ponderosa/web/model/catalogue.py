"""What may be played here, and by whom: the door for names that come from outside. Start at Catalogue."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ponderosa.core.budget import Budget
from ponderosa.core.game import Game
from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import PonderosaError, SettingError, unknown
from ponderosa.levels import NAMES, PREFIX, USUAL, adviser, level_agent, level_of, levels
from ponderosa.registry import (
    AGENTS,
    GAMES,
    WORLDS,
    agent_class,
    game_class,
    known_presets,
    load_game,
    make,
    registered_agent,
    written_out,
)
from ponderosa.registry import takes as class_takes
from ponderosa.web.model.limits import MOST_TEXT, check_settings, every_setting
from ponderosa.web.model.networks import NET, learned, networks_for

DEFAULT_GAME = "connect4"
PERSON = "person"
"""The seat of somebody at the board."""
ADVISER = "adviser"
"""Whoever gives advice, unless somebody else is asked to."""
USUAL_LEVEL, GOOD_LEVEL = PREFIX + USUAL, PREFIX + "hard"
"""Whom people play against, and who takes over for them."""


@dataclass(frozen=True)
class Offer:
    """A game as people choose it."""

    name: str
    """What to write: connect4, or ./nim.py:Nim."""
    about: str
    """One line about it."""
    players: int
    """How many play."""
    parameters: dict[str, Any]
    """Each parameter's default."""


class Catalogue:
    """The registered games and agents, and those that whoever started the server named."""

    def __init__(
        self, own_games: Iterable[str] = (), own_agents: Iterable[str] = (), learned: Path | None = None
    ) -> None:
        """A game in a file or of another package, and an agent that runs a program, are only there when named here.

        `learned` is a folder of runs of learning, whose networks may be asked for.
        """
        self._learned = learned
        self.own_games: dict[str, type[Game]] = {}
        self.worlds: dict[str, Game] = {}
        """Games of other packages: each is offered as it was named, since whoever names one may make it endless."""
        for spec in own_games:
            if split_spec(spec)[0] in WORLDS:
                game = load_game(spec)
                self.worlds |= {game.spec: game, spec: game}
            else:
                self.own_games[split_spec(spec)[0]] = game_class(split_spec(spec)[0])
        self.own_agents = [written_out(spec) for spec in own_agents]
        for spec in self.own_agents:
            agent_class(split_spec(spec)[0])
        self._presets = [name for name in known_presets() if self._may_run(written_out(name))]

    @property
    def game_names(self) -> list[str]:
        """Every game, one's own first."""
        return [*self.named_games, *(name for name in GAMES if name not in self.own_games)]

    @property
    def named_games(self) -> list[str]:
        """The games that the server was started with."""
        return [*self.own_games, *dict.fromkeys(game.spec for game in self.worlds.values())]

    @property
    def usual_game(self) -> str:
        """The game for whoever names none: the first of those that the server was started with, if there is one."""
        return self.named_games[0] if self.named_games else DEFAULT_GAME

    @property
    def agent_names(self) -> list[str]:
        """Every agent that may be asked for."""
        return [*self.own_agents, *(name for name in AGENTS if not _runs_programs(name)), *self._presets]

    def offers(self) -> list[Offer]:
        """Every game with its parameters."""
        return [self.offer(name) for name in self.game_names]

    def offer(self, name: str) -> Offer:
        """One game with its parameters."""
        if name in self.worlds:
            return Offer(name, self.worlds[name].people_call_it(), self.worlds[name].players, {})
        found = self.kind(name)
        parameters = {
            key: None if value.default is value.empty else value.default
            for key, value in found.signature().parameters.items()
        }
        lines = (inspect.getdoc(found) or "").splitlines()
        return Offer(name, lines[0] if lines else "", found.players, parameters)

    def label(self, spec: str) -> str:
        """What people call a game, with its settings; the text itself, if no game here is called so."""
        try:
            name = self.game(spec).people_call_it()
        except PonderosaError:
            return spec
        settings = {} if spec in self.worlds else split_spec(spec)[1]
        return name + (f" ({', '.join(f'{key} {value}' for key, value in settings.items())})" if settings else "")

    def seat_names(self, spec: str, seats: Iterable[str]) -> list[str]:
        """Who plays, in few words: a person, a level, or else the agent's own text."""
        try:
            game = self.game(spec)
            return [seat_text(seat, game).removeprefix(PREFIX) for seat in seats]
        except PonderosaError:
            return list(seats)

    def told(self, spec: str) -> tuple[str, str]:
        """What people call a game, with its settings, and its rules in a line or two."""
        name = spec if spec in self.worlds else split_spec(spec)[0]
        about = self.offer(name).about
        return self.label(spec), about if about != self.label(name) else ""

    def game(self, spec: str) -> Game:
        """The game that a text names, as people play it: draws are called early where the game can."""
        if checked_text("game", spec) in self.worlds:
            return self.worlds[spec.strip()]
        kind, settings = split_spec(spec)
        found = self.kind(kind)
        for key in found.files:
            if settings.get(key):
                raise SettingError(f"{key} of {kind} names a file, and the page reads none: take it in the terminal")
        if "early_draw" in found.signature().parameters:
            settings.setdefault("early_draw", "true")
        game: Game = make(f"game {kind}", found, settings)
        return game

    def kind(self, kind: str) -> type[Game]:
        """The class of a game that is offered."""
        if kind in self.own_games:
            return self.own_games[kind]
        if kind not in GAMES:
            if ".py" in kind:
                raise SettingError(f"{kind!r} is not offered here; start the server with it: ponderosa serve {kind}")
            if kind in WORLDS:
                raise SettingError(f'games of {kind} are not offered here unless named: ponderosa serve "{kind}:NAME"')
            raise unknown("game", kind, self.game_names)
        return game_class(kind)

    def check_agent(self, spec: str, game: Game | None = None) -> str:
        """The same text, its preset written out, if it names an agent that may be asked for here, for a game."""
        spec = written_out(checked_text("agent", spec), game)
        kind = split_spec(spec)[0]
        if self._is_own(spec):
            return spec
        if not self._may_run(spec):
            raise SettingError(f"{kind!r} runs other programs; start the server with it: ponderosa serve --agent ...")
        if kind not in AGENTS:
            raise unknown("agent", kind, self.agent_names)
        files = registered_agent(kind).files
        for key, _ in every_setting(spec):
            if key in files:
                raise SettingError(f"{key} names a file, and the page reads none: take it in the terminal")
        check_settings(spec)
        return spec

    def _is_own(self, spec: str) -> bool:
        """Whether it is an agent that the server was started with, or one that has learned here."""
        bare = _without_time(spec)
        if any(bare == _without_time(own) for own in self.own_agents):
            return True
        return bare[0] == NET and any(bare == _without_time(own) for own in learned(self._learned))

    def networks(self, game: Game | None) -> dict[str, str]:
        """The agents with a trained network for a game, and what they are called."""
        return networks_for(game, self.own_agents, self._learned)

    def _may_run(self, spec: str) -> bool:
        """Whether an agent is no file and runs no program."""
        of_programs = [name for name in AGENTS if _runs_programs(name)]
        return ".py" not in spec and not any(re.search(rf"\b{name}\b", spec) for name in of_programs)

    def seat(self, text: str, game: Game, seconds: float | None = None) -> str:
        """PERSON, or the agent that a level or a text names, with the thinking time that is given, if it takes one."""
        if text == PERSON:
            return PERSON
        if is_known(text):
            spec = adviser(game) if text == ADVISER else level_agent(text, game)
        else:
            spec = self.check_agent(text, game)
            if spec not in self.own_agents:
                check_settings(spec, game)
        return spec if seconds is None or not takes(spec, "seconds") else with_seconds(spec, seconds)


def is_known(text: str) -> bool:
    """Whether a text stands for an agent that fits every game."""
    return text == ADVISER or text.startswith(PREFIX)


def seat_text(seat: str, game: Game) -> str:
    """How a seat is chosen: PERSON, a level, ADVISER, or the agent's own text; what Catalogue.seat reads."""
    if seat == PERSON:
        return PERSON
    return level_of(seat, game) or (ADVISER if seat == adviser(game) else seat)


def offered(game: Game | None) -> list[str]:
    """The texts of the levels that a game has, from the weakest; of all levels, while no game is known."""
    return [PREFIX + name for name in (NAMES if game is None else levels(game))]


def same_agent(one: str, other: str) -> bool:
    """Whether two texts stand for the same agent, apart from its thinking time and seed."""
    return _without_time(one) == _without_time(other)


def takes(spec: str, setting: str) -> bool:
    """Whether an agent has a setting of this name."""
    return class_takes(agent_class(split_spec(spec)[0]), setting)


def setting_of(spec: str, key: str) -> str | None:
    """What an agent's text says of a setting."""
    return split_spec(spec)[1].get(key)


def with_setting(spec: str, key: str, value: object, without: tuple[str, ...] = ()) -> str:
    """The same agent with one setting changed, and some left out."""
    kind, settings = split_spec(spec)
    kept = {name: text for name, text in settings.items() if name not in without} | {key: str(value)}
    return join_spec(kind, kept)


def with_seconds(spec: str, seconds: float) -> str:
    """The same agent with another thinking time."""
    if not takes(spec, "seconds"):
        raise SettingError(f"the agent {split_spec(spec)[0]!r} takes no thinking time")
    Budget(seconds=seconds)  # says what would be right
    return with_setting(spec, "seconds", f"{seconds:g}", without=("iterations",))


def checked_text(what: str, text: object, most: int = MOST_TEXT) -> str:
    """A text from outside that is not empty, not endless, and made of letters that can be shown."""
    if not isinstance(text, str) or not text.strip():
        raise SettingError(f"the {what} must be text, and not empty")
    if len(text) > most:
        raise SettingError(f"the {what} must be shorter than {most} letters, not {len(text)}")
    if not all(letter.isprintable() or letter in "\n\t\r" for letter in text):
        raise SettingError(f"the {what} has letters that cannot be shown")
    return text.strip()


def _runs_programs(name: str) -> bool:
    return registered_agent(name).runs_programs


def _without_time(spec: str) -> tuple[str, dict[str, str]]:
    """An agent apart from its thinking time and seed, which anybody may choose."""
    kind, settings = split_spec(spec)
    return kind, {key: text for key, text in settings.items() if key not in ("seconds", "seed")}
