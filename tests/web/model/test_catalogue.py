"""Names from outside: which games and agents may be asked for."""

from __future__ import annotations

import pytest

from ponderosa.errors import PonderosaError, SettingError, UnknownNameError
from ponderosa.presets import PRESETS, VARIABLE
from ponderosa.registry import AGENTS, GAMES, load_agent, load_game, split_spec
from ponderosa.web.model.catalogue import ADVISER, PERSON, USUAL_LEVEL, Catalogue, offered, seat_text, with_seconds
from tests.helpers import EXAMPLES, PlainNim, loaded


def test_every_registered_game_is_offered_and_made():
    catalogue = Catalogue()
    assert catalogue.game_names == list(GAMES)
    for offer in catalogue.offers():
        assert catalogue.game(offer.name).players == offer.players
        assert offer.about


def test_every_agent_is_offered_but_those_that_run_programs():
    assert set(Catalogue().agent_names) == set(AGENTS) - {"engine"} | set(PRESETS)


def test_another_packages_games_are_offered_as_they_were_named_and_no_others():
    catalogue = Catalogue(own_games=["openspiel:breakthrough( rows=6, columns=5 )", "openspiel:leduc_poker"])
    assert catalogue.game_names[:2] == ["openspiel:breakthrough(columns=5,rows=6)", "openspiel:leduc_poker"]
    for offer in catalogue.offers()[:2]:
        assert catalogue.game(offer.name).spec == offer.name and offer.about and not offer.parameters
    for stranger in ("openspiel:chess", "openspiel:breakthrough(rows=60000,columns=5)", "openspiel:"):
        with pytest.raises(SettingError, match='ponderosa serve "openspiel:NAME"'):
            catalogue.game(stranger)
    with pytest.raises(UnknownNameError, match="leduc_poker"):
        Catalogue(own_games=["openspiel:leduc_pokr"])


def test_a_preset_is_written_out_at_the_door_and_runs_no_programs(tmp_path, monkeypatch):
    file = tmp_path / "own.toml"
    file.write_text('[presets]\nmine = "rave:k=9"\nprogram = "engine:cmd=sh"\nfile = "./mine.py:Mine"\n')
    monkeypatch.setenv(VARIABLE, str(file))
    catalogue = Catalogue()
    assert "mine" in catalogue.agent_names and not {"program", "file"} & set(catalogue.agent_names)
    assert catalogue.check_agent("mine:seconds=2") == "mcts:select=rave,k=9,seconds=2"
    for name in ("program", "file"):
        with pytest.raises(SettingError, match="runs other programs"):
            catalogue.check_agent(name)


@pytest.mark.parametrize(
    "spec",
    [
        "engine:cmd=sh",
        'engine:cmd="sh -c true",seconds=1',
        "./mine.py:Mine",
        "/tmp/mine.py",
        "mcts:playout=engine",
    ],
)
def test_programs_are_not_run_for_strangers(spec):
    with pytest.raises(SettingError, match="runs other programs"):
        Catalogue().check_agent(spec)


def test_an_agent_of_the_command_line_may_only_change_its_time():
    own = 'engine:cmd="pbrain-other --fast",seconds=2'
    catalogue = Catalogue(own_agents=[own])
    assert own in catalogue.agent_names
    assert catalogue.check_agent(own) and catalogue.check_agent(with_seconds(own, 5))
    with pytest.raises(SettingError, match="runs other programs"):
        catalogue.check_agent('engine:cmd="pbrain-other --slow",seconds=2')


def test_files_are_loaded_from_the_command_line_only(nim_file):
    with pytest.raises(SettingError, match="start the server with it"):
        Catalogue().game(f"{nim_file}:Nim")
    own = Catalogue([f"{nim_file}:Nim"])
    assert own.game(f"{nim_file}:Nim:stones=7").parameters == {"stones": 7}
    with pytest.raises(SettingError):
        own.game("./other.py:Nim")


@pytest.mark.parametrize("text", ["", "  ", "x" * 30_000, "connect4\x00", "nosuch", "connect4:rows=99", "connect4:a=1"])
def test_nonsense_games_are_refused_in_words(text):
    with pytest.raises(PonderosaError):
        Catalogue().game(text)


@pytest.mark.parametrize("text", ["", "nosuch", "mcts:rollouts=1001", "mcts:rollouts=+99999999999999999", "mcts:x"])
def test_nonsense_agents_are_refused_in_words(text):
    with pytest.raises((SettingError, UnknownNameError)):
        Catalogue().check_agent(text)


@pytest.mark.parametrize("spec", EXAMPLES.values())
def test_every_level_fits_every_game_and_is_known_again(spec):
    game = loaded(spec)
    for level in (*offered(game), ADVISER):
        seat = Catalogue().seat(level, game)
        assert seat_text(seat, game) == level
        assert split_spec(seat)[0] in AGENTS
        assert Catalogue().check_agent(seat)
    assert Catalogue().seat(PERSON, game) == PERSON


@pytest.mark.parametrize("spec", ["gomoku", "connect4"])
def test_a_beginner_moves(spec):
    game = loaded(spec)
    state = game.new_initial_state()
    assert load_agent(Catalogue().seat("level:beginner", game), game).step(state) in state.legal_actions()


def test_a_game_without_a_dtype_has_levels_too():
    assert [load_agent(Catalogue().seat(level, PlainNim()), PlainNim()) for level in offered(PlainNim())]


def test_the_page_reads_no_file_for_a_game(tmp_path):
    board = tmp_path / "board.txt"
    board.write_text("AA\nBB\n")
    assert load_game(f"samegame:board={board}").rows == 2
    with pytest.raises(SettingError, match="board of samegame names a file, and the page reads none"):
        Catalogue().game(f"samegame:board={board}")
    assert Catalogue().game("samegame:board=,rows=3").rows == 3


@pytest.mark.parametrize(
    "text", ["mcts:playout=random:rollouts=10000", 'mcts:playout="majority:rollouts=1001"', "mcts:rollouts= 10_000"]
)
def test_limits_of_the_page_hold_in_texts_of_policies_too(text):
    with pytest.raises(SettingError, match="rollouts must be at most 1000 here"):
        Catalogue().check_agent(text)


@pytest.mark.parametrize(
    "text",
    [
        "mcts:threads=6_4",
        "mcts:threads=0000256",
        "mcts:threads=" + "0" * 40 + "256",
        'mcts:threads="256"',
        "mcts:threads=\u0662\u0665\u0666",
        "mcts:threads=+256",
        "mcts: threads = 256 ",
        "minimax:table=268_435_456",
        "perfect:table=268435456",
        "mcts:rollouts=200_000_000",
        "mcts:rollouts=" + "0" * 20 + "200000000",
        "mcts:rollouts=2e8",
        "mcts:playout=random:rollouts=5_000",
        'mcts:playout="random:rollouts=5000,max_length=3"',
        "mcts:playout=epsilon:one=random:rollouts=5000",
        "mcts:playout=majority:rollouts=inf",
        "slow:rollouts=1_001",
    ],
)
def test_limits_hold_for_the_number_that_is_read(text):
    with pytest.raises(SettingError, match=r"must be at most .* here"):
        Catalogue().check_agent(text)


@pytest.mark.parametrize("text", ["mcts:memory=x", "mcts:c=1, memory =x", 'mcts:evaluator="a"'])
def test_settings_that_name_files_are_refused_however_they_are_written(text):
    with pytest.raises(SettingError, match="names a file"):
        Catalogue().check_agent(text)


@pytest.mark.parametrize("text", ["mcts:rollouts=1000", "mcts:playout=several:leaves=1_000", "slow:rollouts=293"])
def test_an_iteration_has_no_more_playouts_than_fit_the_game(text):
    with pytest.raises(SettingError, match="must be at most 292 here"):
        Catalogue().seat(text, load_game("connect:m=32,n=32,k=5"))
    assert Catalogue().seat(text, loaded("tictactoe")) == text


def test_policies_within_policies_have_an_end():
    with pytest.raises(SettingError, match="levels deep"):
        Catalogue().check_agent("mcts:" + "playout=epsilon:one=" * 900 + "random")
    assert Catalogue().check_agent("mcts:playout=epsilon:one=majority:one=random")


def test_games_have_names_that_people_know():
    label = Catalogue().label
    assert label("connect4") == "Connect Four" and label("blind_tictactoe") == "Blind tic-tac-toe"
    assert label("connect4:rows=5,cols=6") == "Connect Four (rows 5, cols 6)"
    assert label("nothing:of=it") == "nothing:of=it" and label("./nim.py:Nim") == "./nim.py:Nim"


def test_a_game_is_told_by_its_name_settings_and_rules():
    catalogue = Catalogue()
    assert catalogue.told("connect4") == (
        "Connect Four",
        "Drop stones into columns; the first to have four in a line wins, or as many as you say.",
    )
    assert catalogue.told("connect4:rows=5")[0] == "Connect Four (rows 5)"


def test_players_have_the_names_of_their_levels():
    medium = Catalogue().seat(USUAL_LEVEL, Catalogue().game("connect4"))
    seats = [PERSON, medium, "mcts:iterations=123"]
    assert Catalogue().seat_names("connect4", seats) == ["person", "medium", "mcts:iterations=123"]
    assert Catalogue().seat_names("./gone.py:Game", seats) == seats
