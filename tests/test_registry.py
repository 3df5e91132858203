"""Names to games and agents, and what is answered to nonsense."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import ponderosa
import ponderosa.agents
import ponderosa.games
from ponderosa import Game, PonderosaError, load_agent, load_game
from ponderosa.errors import GameError, SettingError, UnknownNameError
from ponderosa.registry import AGENTS, GAMES, agent_class, game_class, read_value, split_spec
from tests.helpers import EVERY_GAME, loaded

NIM = """
import numpy as np
from ponderosa import Game, rule
class Nim(Game):
    dtype = np.dtype([("stones", "i4"), ("player", "i1")])
    def __init__(self, stones: int = 5, sizes: tuple[int, ...] = (1, 2), label: str = "nim", kind=None):
        self.stones, self.sizes, self.label, self.kind = stones, sizes, label, kind
    def setup(self, s):
        s.stones = self.stones
    @rule
    def current_player(s):
        return s.player
    @rule
    def legal_actions(s):
        for take in range(1, min(s.stones, 2) + 1):
            yield take
    @rule
    def apply_action(s, a):
        s.stones -= a
        s.player = 1 - s.player
    @rule
    def is_terminal(s):
        return s.stones == 0
    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)
"""


@pytest.fixture
def nim(tmp_path):
    path = tmp_path / "nim.py"
    path.write_text(NIM)
    return path


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_is_loaded_by_its_name(name):
    game = load_game(name)
    assert game.title() == game.spec == name
    assert game.__doc__
    state = load_game(EVERY_GAME[name]).new_initial_state()
    assert len(state.legal_actions()) > 1
    assert str(state)


@pytest.mark.parametrize("name", AGENTS)
def test_every_registered_agent_is_a_class_with_a_step(name):
    assert inspect.isclass(agent_class(name))
    assert callable(agent_class(name).step)
    assert agent_class(name).__doc__


def test_every_game_of_the_package_that_has_a_name_is_registered():
    """A class that is only built upon, or that an agent uses for itself, is not a game that people name."""
    internal = {"informed", "tactical", "weighed", "threats", "sequences"}
    found = {}
    for module in pkgutil.iter_modules(ponderosa.games.__path__, "ponderosa.games."):
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module.name:
                found.setdefault(value.title(), value)  # the first of a name makes the others, if there are any
    assert set(found) - internal == set(GAMES)
    assert all(game_class(name) is found[name] for name in GAMES)


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        ("connect4:rows=5,cols=6", {"rows": 5, "cols": 6, "k": 4, "early_draw": False}),
        (" connect4 : k = 3 , early_draw = yes ", {"rows": 6, "cols": 7, "k": 3, "early_draw": True}),
        ("tictactoe:n=4", {"n": 4, "k": None}),
        ("tictactoe:n=4,k=none", {"n": 4, "k": None}),
        ("tictactoe:n=4,k=3", {"n": 4, "k": 3}),
    ],
)
def test_settings_are_read_as_their_parameters_types(spec, parameters):
    assert load_game(spec).parameters == parameters


def test_a_game_in_a_file_is_named_by_its_path(nim):
    for spec in (f"{nim}:Nim", f"{nim}"):
        assert load_game(spec).spec == "nim"
    game = load_game(f"{nim}:Nim:stones=7,sizes=3,4,5,label=a b,kind=1.5")
    assert game.parameters == {"stones": 7, "sizes": (3, 4, 5), "label": "a b", "kind": 1.5}
    assert ponderosa.search(game.new_initial_state(), iterations=200).proven == "win"


def test_two_files_of_the_same_name_do_not_mix(nim, tmp_path):
    other = tmp_path / "other" / "nim.py"
    other.parent.mkdir()
    other.write_text(NIM.replace("stones: int = 5", "stones: int = 9"))
    first, second = load_game(f"{nim}:Nim"), load_game(f"{other}:Nim")
    assert [game.new_initial_state().record.stones for game in (first, second, load_game(f"{nim}:Nim"))] == [5, 9, 5]


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("conect4", UnknownNameError, "unknown game 'conect4'; did you mean 'connect4'"),
        ("Gomoku", UnknownNameError, "did you mean 'gomoku'"),
        (
            "monopoly",
            UnknownNameError,
            "unknown game 'monopoly'; there is: tictactoe, connect4, connect, gomoku, connect6",
        ),
        ("connect4:row=5", UnknownNameError, "unknown parameter of game connect4 'row'; did you mean 'rows'"),
        ("gomoku:m=3", UnknownNameError, "unknown parameter of game gomoku 'm'"),
        ("connect4:self=5", UnknownNameError, "unknown parameter of game connect4 'self'"),
        ("connect4:rows=six", SettingError, "rows of game connect4 must be a whole number, not 'six'"),
        ("connect4:rows=6.5", SettingError, "rows of game connect4 must be a whole number, not '6.5'"),
        ("connect4:rows=", SettingError, "rows of game connect4 must be a whole number, not ''"),
        ("connect4:rows=5,rows=6", SettingError, "gives 'rows' twice"),
        ("connect4:early_draw=maybe", SettingError, "must be true or false, not 'maybe'"),
        ("connect4:rows=0", SettingError, "boards have 1 to 32 rows and cols, not 0 x 7"),
        ("connect4:rows=-3", SettingError, "boards have 1 to 32 rows and cols"),
        ("connect4:rows=99", SettingError, "boards have 1 to 32 rows and cols"),
        ("connect4:k=8", SettingError, "k must be from 2 to the longer side of the board, 7, not 8"),
        ("connect4:k=1", SettingError, "k must be from 2"),
        ("connect:m=0", SettingError, "boards have 1 to 32 rows and columns, not 0 x 15"),
        ("connect:m=40,n=40", SettingError, "boards have 1 to 32 rows and columns"),
        ("connect:m=60,n=60", SettingError, "boards have 1 to 32 rows and columns, not 60 x 60"),
        ("connect:k=16", SettingError, "k must be from 2 to the longer side of the board, 15, not 16"),
        ("connect:p=0", SettingError, "the stones a turn, must be from 1 to 16"),
        ("connect:q=17", SettingError, "the stones a turn, must be from 1 to 16"),
        ("tictactoe:n=1", SettingError, "k must be from 2"),
        ("tictactoe:n=33", SettingError, "boards have 1 to 32"),
        ("connect4:rows", SettingError, "'rows' in 'connect4:rows' is not of the form key=value"),
        ("connect4:=5", UnknownNameError, "unknown parameter of game connect4 ''"),
        ("", SettingError, "a name is text like 'connect4'"),
        ("  ", SettingError, "a name is text like 'connect4'"),
        (":", UnknownNameError, "unknown game ''"),
        (None, SettingError, "a name is text like 'connect4'"),
        (4, SettingError, "a name is text like 'connect4'"),
        (["connect4"], SettingError, "a name is text like 'connect4'"),
        ("missing.py:Nim", UnknownNameError, "there is no file 'missing.py'"),
        ("missing.py", UnknownNameError, "there is no file 'missing.py'"),
    ],
)
def test_nonsense_for_a_game_is_answered_in_words(spec, error, message):
    with pytest.raises(error) as caught:
        load_game(spec)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "spec", "message"),
    [
        (NIM, "{}:Nin", "did you mean 'Nim'"),
        (NIM, "{}:Game", "unknown game in"),
        (NIM, "{}:np", "unknown game in"),
        (NIM, "{}:Nim:stone=3", "did you mean 'stones'"),
        (NIM, "{}:Nim:stones=x", "stones of game"),
        (NIM + "class Second(Nim): pass\n", "{}", "has the games ['Nim', 'Second']: say which"),
        ("x = 1\n", "{}", "has the games []"),
        ("x = 1\n", "{}:Nim", "unknown game in"),
        ("def broken(:\n", "{}:Nim", "line 1 cannot be loaded: SyntaxError"),
        ("1 / 0\n", "{}:Nim", "cannot be loaded: ZeroDivisionError"),
        ("import no_such_module\n", "{}:Nim", "cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "{}:Nim", "cannot be loaded"),
        ("\0\0", "{}:Nim", "cannot be loaded"),
        (NIM.replace("self.stones, ", "self.nothing, ").replace("= stones", "= int('x')"), "{}:Nim", "Nim"),
    ],
)
def test_nonsense_in_a_file_is_answered_in_words(tmp_path, text, spec, message):
    path = tmp_path / "game.py"
    path.write_text(text)
    with pytest.raises(PonderosaError) as caught:
        load_game(spec.format(path))
    assert message in str(caught.value)


def test_a_file_that_is_not_text_is_answered_in_words(tmp_path):
    path = tmp_path / "game.py"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(GameError, match="cannot be loaded"):
        load_game(f"{path}:Nim")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mtcs", "unknown agent 'mtcs'; did you mean 'mcts'"),
        ("stockfish", "unknown agent 'stockfish'; there is: random, mcts"),
        ("", "a name is text like"),
        (None, "a name is text like"),
        (7, "a name is text like"),
        ("mcts:seconds", "is not of the form key=value"),
        ("strong:foo=1", "unknown setting of a tree search with these policies 'foo'"),
        (
            "strong:clock=1",
            "unknown parameter of agent strong 'clock'; there is: seconds, iterations, max_nodes, threads",
        ),
        ("minimax:clock=1", "positions, table, forced"),
        ("mcts:seconds=1,seconds=2", "gives 'seconds' twice"),
    ],
)
def test_nonsense_for_an_agent_is_answered_in_words(spec, message):
    with pytest.raises(PonderosaError) as caught:
        load_agent(spec, loaded("tictactoe"))
    assert message in str(caught.value)


def test_a_spec_is_split_into_name_and_settings():
    assert split_spec("connect4") == ("connect4", {})
    assert split_spec("connect4:") == ("connect4", {})
    assert split_spec("a:b=1,c=2,3,d=x=y") == ("a", {"b": "1", "c": "2,3", "d": "x=y"})
    assert split_spec("./nim.py:Nim:heaps=1,2") == ("./nim.py:Nim", {"heaps": "1,2"})


@pytest.mark.parametrize(
    ("text", "default", "hint", "value"),
    [
        ("3", 1, None, 3),
        ("3", 1.0, None, 3.0),
        ("on", False, None, True),
        ("3", "text", None, "3"),
        ("1,2", (), None, (1, 2)),
        ("none", None, int | None, None),
        ("all", 1, int | str, "all"),
        ("5", 1, int | str, 5),
        ("1.5", None, None, 1.5),
        ("word", None, None, "word"),
    ],
)
def test_a_text_becomes_the_value_that_is_meant(text, default, hint, value):
    found = read_value("it", text, default, hint)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_that_a_network_can_learn_says_what_it_sees(name):
    game = loaded(EVERY_GAME[name])
    written = game.observation_shape is not None and "observe" in game.own_rules()
    assert written != (game.viewed or game.dtype is None), "give it a rule observe and observation_shape"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_stands_on_the_page_of_games(name):
    page = (Path(ponderosa.__file__).parents[2] / "docs" / "games.md").read_text()
    rules = (inspect.getdoc(game_class(name)) or "").splitlines()[0]
    assert re.search(rf"^\| `{name}` \| {re.escape(rules)} \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
