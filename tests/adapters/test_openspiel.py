"""OpenSpiel's games by name: as OpenSpiel plays them, at every door."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys

import pyspiel
import pytest

from ponderosa import Search, load_agent, load_game, match
from ponderosa.core.spec import join_spec, split_spec
from ponderosa.core.turns import CHANCE
from ponderosa.errors import GameError, PonderosaError, SettingError, UnknownNameError
from ponderosa.registry import registered_game

KINDS = [
    "tic_tac_toe",
    "breakthrough(rows=5,columns=4)",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "battleship",
    "goofspiel(num_cards=4,points_order=random)",
    "matrix_rps",
    "cliff_walking",
    "pig(players=3)",
    "misere(game=tic_tac_toe())",
]
REFUSED = {
    "mean-field",
    "sampled stochastic",
    "does not take",  # those that need parameters
    "does not list its legal actions",
}


def played_beside(name: str, seed: int, most: int = 60):
    """A random game, each move played here and by OpenSpiel itself."""
    rng, state = random.Random(seed), load_game(f"openspiel:{name}").new_initial_state()
    theirs = pyspiel.load_game(name).new_initial_state()
    for _ in range(most):
        if state.is_terminal():
            break
        mover = state.to_move()
        assert theirs.is_simultaneous_node() == state.is_simultaneous_node()
        if mover == CHANCE:
            assert state.chance_outcomes() == theirs.chance_outcomes()
            action = rng.choice(state.legal_actions())
        else:
            seen = state.observation(mover)
            legal = state.legal_actions()
            assert seen.legal_actions() == legal == (theirs.legal_actions(mover) or [0])
            assert str(seen).strip()
            action = rng.choice(seen.legal_actions())
        state.apply_action(action)
        if not theirs.is_simultaneous_node():
            theirs.apply_action(action)
        elif not state.chosen():
            theirs.apply_actions(state.history()[-state.game.players :])
    assert str(state.world) == str(theirs)
    if theirs.is_terminal():
        assert state.is_terminal() and state.returns() == theirs.returns()
    return state


@pytest.mark.parametrize("name", KINDS)
def test_a_game_goes_as_it_does_in_openspiel(name):
    for seed in range(3):
        played_beside(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", pyspiel.registered_names())
def test_every_game_of_openspiel_goes_as_it_does_there_or_is_refused_in_words(name):
    try:
        state = played_beside(name, seed=5)
    except PonderosaError as error:
        assert any(words in str(error) for words in REFUSED), error
    else:
        assert load_game(state.game.spec).spec == state.game.spec


@pytest.mark.parametrize("name", KINDS)
def test_a_game_and_its_states_survive_a_copy_and_a_pickle(name):
    state = played_beside(name, seed=1, most=4)
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert twin == state and str(twin) == str(state) and hash(twin) == hash(state)
    game = load_game(state.game.spec)
    assert copy.deepcopy(game).spec == pickle.loads(pickle.dumps(game)).spec == state.game.spec


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openspiel:tic_tac_toe", "tic_tac_toe"),
        ("openspiel: hex(board_size=5, swap=True) ", "hex(board_size=5, swap=True)"),
        ("openspiel:misere(game=kuhn_poker(players=3))", "misere(game=kuhn_poker(players=3))"),
        ('openspiel:name="breakthrough(rows=6,columns=6)"', "breakthrough(rows=6,columns=6)"),
    ],
)
def test_a_text_with_brackets_is_one_name(spec, name):
    assert split_spec(spec) == ("openspiel", {"name": name})
    assert split_spec(join_spec(*split_spec(spec))) == split_spec(spec)


def test_equal_games_have_one_text():
    texts = ("breakthrough(rows=6,columns=5)", "breakthrough( columns=5, rows=6 )")
    assert {load_game(f"openspiel:{text}").spec for text in texts} == {"openspiel:breakthrough(columns=5,rows=6)"}
    assert load_game("openspiel:tic_tac_toe()").spec == "openspiel:tic_tac_toe"


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("tictactoe", UnknownNameError, "did you mean 'tic_tac_toe'"),
        ("", SettingError, "say which game"),
        ("breakthrough(rows=banana)", SettingError, "Expected type: kInt"),
        ("breakthrough(rows=6", SettingError, "closing bracket"),
        ("breakthrough(rowz=6)", SettingError, "columns, rows"),
        ("tic_tac_toe,seed=3", UnknownNameError, "seed"),
        ("mfg_garnet", SettingError, "mean-field"),
        ("stones_and_gems", SettingError, "sampled stochastic"),
    ],
)
def test_what_openspiel_does_not_have_is_said_in_words(name, error, words):
    with pytest.raises(error, match=words):
        load_game(f"openspiel:{name}")


def test_a_board_that_cannot_be_is_said_when_a_game_begins():
    with pytest.raises(SettingError, match="rows_ > 1"):
        load_game("openspiel:breakthrough(rows=-3)").new_initial_state()


def test_a_search_of_hidden_information_needs_resampling_and_random_players_do_not():
    game = load_game("openspiel:phantom_ttt")
    with pytest.raises(GameError, match="no resample_from_infostate"):
        Search(game).run(iterations=10)
    assert match(game, "random", "random", games=2).tally.games == 2


def test_a_view_tells_nothing_of_what_is_hidden():
    game = load_game("openspiel:kuhn_poker")
    states = [game.new_initial_state() for _ in range(2)]
    for state, other_card in zip(states, (1, 2), strict=True):
        state.apply_action(0)
        state.apply_action(other_card)
    views = [state.observation(0) for state in states]
    assert views[0] == views[1] and str(views[0]) == str(views[1]) and views[0].history() == []
    assert states[0].observation(1) != states[1].observation(1)
    drawn = {str(views[0].resample_from_infostate(0, seed).world) for seed in range(30)}
    assert drawn == {"0 1", "0 2"}


def test_a_printed_board_is_one_with_its_squares():
    game = load_game("openspiel:breakthrough(rows=5,columns=4)")
    state = game.new_initial_state()
    cells = game.cells(state.record)
    assert [len(cells), len(cells[0])] == [5, 4] and cells[0] == ["b"] * 4 and cells[2] == [""] * 4
    assert game.action_cells(state.record, state.legal_action("a5b4")) == [(0, 0), (1, 1)]
    state = load_game("openspiel:tic_tac_toe").new_initial_state()
    state.apply_action("x(0,2)")
    assert state.game.cells(state.record)[0] == ["", "", "x"]
    assert state.game.action_cells(state.record, 8) == [(2, 2)]
    poker = load_game("openspiel:leduc_poker").new_initial_state()
    assert poker.game.cells(poker.record) is None


def test_the_search_wins_at_breakthrough():
    result = match("openspiel:breakthrough(rows=5,columns=3)", "mcts:iterations=60", "random", games=6, concurrency=1)
    assert result.elo is not None and result.elo.score >= 0.8


def test_agents_without_playouts_play_it_too():
    game = load_game("openspiel:tic_tac_toe")
    state = game.new_initial_state()
    for move in ("x(0,0)", "o(1,1)", "x(0,1)"):
        state.apply_action(move)
    assert state.action_to_string(load_agent("perfect", game).step(state)) == "o(0,2)"


def test_a_list_of_games_imports_none_of_the_packages():
    code = (
        "import sys; from ponderosa.registry import GAMES, game_class\n"
        "[game_class(name) for name in GAMES]\n"
        "import ponderosa.adapters.openspiel\n"
        "assert not {'pyspiel', 'gymnasium', 'pettingzoo'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_package_that_is_missing_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SettingError, match=r'pip install "ponderosa\[openspiel\]"'):
        load_game("openspiel:chess")


def test_no_file_that_anybody_may_have_written_names_another_packages_game():
    with pytest.raises(UnknownNameError, match="another package"):
        registered_game("openspiel:tic_tac_toe")


def test_the_command_line_takes_it(tmp_path):
    command = [sys.executable, "-m", "ponderosa", "analyze", "openspiel:tic_tac_toe"]
    found = subprocess.run(
        [*command, "--moves", "x(0,0) o(1,1)", "--iterations", "300", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout)["game"] == "openspiel:tic_tac_toe"
