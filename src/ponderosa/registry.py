"""Names to games and agents: `connect4`, `mcts:seconds=1`, `./nim.py:Nim`. Start at load_game and load_agent.

Adding a game or an agent is one file and one line here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ponderosa import presets
from ponderosa.agents.adapter import as_agent
from ponderosa.agents.agent import Agent, HasStep
from ponderosa.core.game import Game
from ponderosa.core.spec import called, join_spec, read_settings
from ponderosa.core.spec import can_be_typed as can_be_typed
from ponderosa.core.spec import make as make
from ponderosa.core.spec import read_value as read_value
from ponderosa.core.spec import split_spec as split_spec
from ponderosa.core.user_files import is_file, module_from, split_name
from ponderosa.errors import SettingError, UnknownNameError, shortly, unknown
from ponderosa.levels import PREFIX, STRONG, level_agent, strong_agent

GAMES = {
    "tictactoe": "ponderosa.games.connect:TicTacToe",
    "connect4": "ponderosa.games.connect4:Connect4",
    "connect": "ponderosa.games.connect:Connect",
    "gomoku": "ponderosa.games.connect:Gomoku",
    "connect6": "ponderosa.games.connect:Connect6",
    "renju": "ponderosa.games.renju:Renju",
    "go": "ponderosa.games.go:Go",
    "hex": "ponderosa.games.hex:Hex",
    "samegame": "ponderosa.games.samegame:SameGame",
    "2048": "ponderosa.games.game2048:Game2048",
    "pig": "ponderosa.games.pig:Pig",
    "einstein": "ponderosa.games.einstein:Einstein",
    "blind_tictactoe": "ponderosa.games.blind_tictactoe:BlindTicTacToe",
    "kuhn_poker": "ponderosa.games.kuhn_poker:KuhnPoker",
    "liars_dice": "ponderosa.games.liars_dice:LiarsDice",
    "goofspiel": "ponderosa.games.goofspiel:Goofspiel",
    "rps": "ponderosa.games.rps:RockPaperScissors",
    "pacman": "ponderosa.games.pacman:Pacman",
    "othello": "ponderosa.games.othello:Othello",
    "checkers": "ponderosa.games.checkers:Checkers",
    "breakthrough": "ponderosa.games.breakthrough:Breakthrough",
    "lines_of_action": "ponderosa.games.lines_of_action:LinesOfAction",
    "chess": "ponderosa.games.chess:Chess",
    "kriegspiel": "ponderosa.games.kriegspiel:Kriegspiel",
    "backgammon": "ponderosa.games.backgammon:Backgammon",
}
WORLDS = {
    "openspiel": "ponderosa.adapters.openspiel:OpenSpielGame",
    "gymnasium": "ponderosa.adapters.gymnasium.game:GymnasiumGame",
    "pettingzoo": "ponderosa.adapters.pettingzoo.game:PettingZooGame",
}
"""Other packages whose games are named by a colon and their name there: `openspiel:chess`."""
AGENTS = {
    "random": "ponderosa.agents.random:RandomAgent",
    "mcts": "ponderosa.agents.mcts:MctsAgent",
    "blind": "ponderosa.agents.random:Blind",
    "scripted": "ponderosa.agents.connect.scripted:Scripted",
    "slow": "ponderosa.agents.connect.list_agents:Slow",
    "medium": "ponderosa.agents.connect.list_agents:Medium",
    "fast": "ponderosa.agents.connect.named:Fast",
    "clever": "ponderosa.agents.connect.named:Clever",
    "lazy": "ponderosa.agents.connect.named:Lazy",
    "voting": "ponderosa.agents.connect.named:Voting",
    "strong": "ponderosa.agents.connect.strong:Strong",
    "minimax": "ponderosa.agents.minimax:MinimaxAgent",
    "perfect": "ponderosa.agents.minimax:PerfectAgent",
    "net": "ponderosa.agents.net:NetAgent",
    "determinized": "ponderosa.agents.determinized:Determinized",
    "engine": "ponderosa.agents.engine:EngineAgent",
}


def load_game(spec: str) -> Game:
    """The game that a text names: `connect4`, `connect:m=12,n=12,k=5,p=1,q=1`, or a file's class `./nim.py:Nim`.

    `ponderosa games` lists the names and their settings.
    """
    kind, settings = split_spec(_as_text(spec))
    game: Game = make(f"game {kind}", game_class(kind), settings)
    return game


def registered_game(spec: str) -> Game:
    """The game that a file names, which anybody may have written: one in the registry, and no code of somebody's."""
    kind = split_spec(_as_text(spec))[0]
    if is_file(kind) or kind in WORLDS:
        where = "of another package" if kind in WORLDS else "in a file"
        raise UnknownNameError(f"{shortly(spec)} is code {where}, and not in the registry")
    return load_game(spec)


def game_for_people(spec: str) -> Game:
    """The game that a text names; one that can tell a draw before the last move does so, unless the text says no."""
    kind, settings = split_spec(_as_text(spec))
    found = game_class(kind)
    if "early_draw" in found.signature().parameters:
        settings.setdefault("early_draw", "true")
    game: Game = make(f"game {kind}", found, settings)
    return game


def load_agent(spec: str, game: Any) -> Agent:
    """The agent that a text names, for a game: `strong`, `level:hard`, `rave`, `mcts:seconds=1,c=1.4,choose=secure`.

    `./mine.py:Mine` is a class of your own with a method `step(state)` (ponderosa docs add-an-agent).
    `ponderosa agents` lists the names and their settings.
    """
    return make_agent(*split_spec(written_out(_as_text(spec), game)), game)


def make_agent(kind: str, settings: Mapping[str, str], game: Any) -> Agent:
    """The agent of a kind, with settings as text: where every agent that has a name comes from."""
    found, what = agent_class(kind), f"agent {kind}"
    maker = found.for_game if issubclass(found, Agent) else found
    return as_agent(called(what, maker, game, **read_settings(what, found, settings, leading=1)))


def known_presets() -> dict[str, str]:
    """Named compositions, with those of the user's file: each is the text of an agent."""
    return presets.known(AGENTS)


def written_out(spec: str, game: Any = None) -> str:
    """An agent's text in which a preset, a level of the game, or `strong` there, is replaced by what it stands for."""
    if spec.startswith(PREFIX):
        if game is None:
            raise SettingError(f"who plays at {spec} depends on the game, and none is said here; name the agent itself")
        spec = level_agent(spec, load_game(game) if isinstance(game, str) else game)
    elif game is not None and split_spec(spec)[0] == STRONG:
        spec = strong_agent(spec, load_game(game) if isinstance(game, str) else game)
    return presets.written_out(spec, AGENTS)


def with_settings(spec: str, settings: Mapping[str, str], game: Any) -> str:
    """An agent's text with these settings in the place of its own."""
    kind, own = split_spec(written_out(spec, game))
    return join_spec(kind, {**own, **settings})


def game_class(kind: str) -> type[Game]:
    """The class of a game's name, or of a file `path.py:Class`."""
    if is_file(kind):
        in_file: type[Game] = class_in_file("game", kind, lambda value: issubclass(value, Game))
        return in_file
    if kind not in GAMES and kind not in WORLDS:
        raise unknown("game", kind, [*GAMES, *(f"{world}:NAME" for world in WORLDS)])
    found: type[Game] = _imported(GAMES.get(kind) or WORLDS[kind])
    return found


def agent_class(kind: str) -> type[Any]:
    """The class of an agent's name, or of a file `path.py:Class`: one with a method `step`."""
    if is_file(kind):
        in_file: type[Any] = class_in_file("agent", kind, lambda value: issubclass(value, HasStep))
        return in_file
    return registered_agent(kind)


def registered_agent(kind: str) -> type[Agent]:
    """The class of an agent's name."""
    if kind not in AGENTS:
        raise unknown("agent", kind, [*AGENTS, *known_presets()])
    found: type[Agent] = _imported(AGENTS[kind])
    return found


def runs_programs(spec: str) -> bool:
    """Whether an agent of ours starts another program."""
    kind = split_spec(spec)[0]
    return kind in AGENTS and registered_agent(kind).runs_programs


def runs_own_code(spec: str) -> bool:
    """Whether an agent is a class of somebody's own, or has a function of somebody's own in its settings."""
    kind, settings = split_spec(spec)
    return is_file(kind) or (not runs_programs(spec) and any(map(is_file, settings.values())))


def takes(kind: Any, name: str) -> bool:
    """Whether a class takes a setting of this name, or passes it on to a base that does."""
    own = inspect.signature(kind).parameters
    passes_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in own.values())
    bases = [base for base in kind.__mro__ if "__init__" in vars(base)] if passes_on else []
    return name in own or any(name in inspect.signature(base.__init__).parameters for base in bases)


def class_in_file(what: str, kind: str, fits: Callable[[type], bool]) -> Any:
    """A class of one's own: the one in the file that fits, or the one that is named."""
    file, name = split_name(kind)
    module = module_from(file, f"{'an' if what == 'agent' else 'a'} {what}")
    own = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]
    found = {value.__name__: value for value in own if fits(value)}
    if not name and len(found) == 1:
        name = next(iter(found))
    if name not in found:
        if not name:
            example = next(iter(found), "Nim")
            raise UnknownNameError(f"{file} has the {what}s {list(found)}: say which, as in {file}:{example}")
        raise unknown(f"{what} in {file}", name, found)
    return found[name]


def _imported(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def _as_text(spec: Any) -> str:
    if not isinstance(spec, str) or not spec.strip():
        raise SettingError(f"a name is text like 'connect4' or 'mcts:seconds=1', not {spec!r}")
    return spec
