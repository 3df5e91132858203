"""Named compositions of the search, those of the package and a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import load_agent, match
from ponderosa.arena.planned import new_event
from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import PonderosaError, SettingError, UnknownNameError
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.presets import PRESETS, VARIABLE
from ponderosa.registry import AGENTS, agent_class, known_presets, written_out
from tests.helpers import EVERY_GAME, first_decision, loaded
from tests.plain_python import in_plain_python  # noqa: F401

NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
VALUES = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters=" ,.=-"), min_size=1).map(
    lambda text: " ".join(text.split()) or "0"
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Writes a file of presets, and names it in the environment."""

    def write(text):
        file = tmp_path / "own.toml"
        file.write_text(text)
        monkeypatch.setenv(VARIABLE, str(file))
        return file

    return write


@given(NAMES, st.dictionaries(NAMES, VALUES))
def test_a_text_that_is_joined_is_split_again(kind, settings):
    assert split_spec(join_spec(kind, settings)) == (kind, settings)


def test_no_preset_has_the_name_of_an_agent_and_each_names_one():
    assert not PRESETS.keys() & AGENTS.keys()
    assert all(agent_class(split_spec(text)[0]) for text in PRESETS.values())


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_plays_connect4_with_the_policies_that_it_names(name):
    game = loaded("connect4")
    agent = load_agent(f"{name}:iterations=40", game)
    assert agent.step(game.new_initial_state()) in range(7)
    named = {key: text for key, text in split_spec(PRESETS[name])[1].items() if key in NAMED}
    assert named
    for phase, policy in named.items():
        assert agent.search.policies.by_phase()[phase].name == ("expand" if policy == "all" else policy)


@pytest.mark.parametrize("spec", EVERY_GAME.values())
def test_a_preset_plays_any_game_or_says_why_not(spec):
    game = loaded(spec)
    state = first_decision(game)
    for name in ("uct", "rave", "puct", "mast"):
        try:
            agent = load_agent(f"{name}:iterations=5", game)
        except PonderosaError as error:
            assert str(error)
            continue
        assert agent.step(state.observation(state.to_move())) in state.legal_actions()


def test_settings_behind_a_name_are_added_or_take_the_place_of_its_own(own):
    own('[presets]\nmine = "rave:k=9,iterations=100"\nlisted = "mcts:heaps=1,2,c=1"\n')
    assert written_out("rave:seconds=2") == "mcts:select=rave,seconds=2"
    assert written_out("mine") == "mcts:select=rave,k=9,iterations=100"
    assert written_out("mine:k=3,c=1") == "mcts:select=rave,k=3,iterations=100,c=1"
    assert written_out("mine:seconds=2") == "mcts:select=rave,k=9,seconds=2"
    assert split_spec(written_out("listed"))[1] == {"heaps": "1,2", "c": "1"}


@pytest.mark.parametrize("spec", ["mcts:seconds=1", "random", 'engine:cmd="a b",seconds=2', "./mine.py:Mine", "nosuch"])
def test_a_text_without_a_preset_stays_as_it_is(spec):
    assert written_out(spec) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[presets]\nmcts = "mcts:c=2"', "already an agent 'mcts'"),
        ('[presets]\nrave = "mcts:c=2"', "already a preset 'rave'"),
        ('[presets]\n"a:b" = "mcts"', "letters, digits"),
        ("[presets]\nmine = 3", "must be text"),
        ('[presets]\nmine = ""', "must be text"),
        ('[presets]\nmine = "mcts:c"', "key=value"),
        ("[presets", "is not TOML"),
        ("", "one table"),
        ("presets = 3", "one table"),
        ('[presets]\nmine = "mcts"\n[more]\n', "one table"),
        ('[presets]\nmine = "other"\nother = "mine:c=1"', "made of each other"),
    ],
)
def test_a_bad_file_is_refused_in_words(own, text, words):
    own(text)
    with pytest.raises(SettingError, match=words):
        written_out("mine")


def test_unknown_names_list_what_there_is(own):
    own('[presets]\nquickie = "mcts:iterations=10"\n')
    game = loaded("tictactoe")
    with pytest.raises(UnknownNameError, match="did you mean 'quickie'"):
        load_agent("quicki", game)
    with pytest.raises(UnknownNameError, match="there is: random, mcts"):
        load_agent("zzz", game)
    assert list(known_presets()) == [*PRESETS, "quickie"]


def test_a_match_stores_what_a_preset_stood_for_and_shows_its_name(own):
    own('[presets]\nmine = "mcts:iterations=5"\n')
    event = new_event("tictactoe", ("mine", "uct:iterations=5"))
    assert event.agents == ("mcts:iterations=5", "mcts:select=ucb1,iterations=5")
    assert event.names == ("mine", "uct:iterations=5")
    own('[presets]\nmine = "mcts:iterations=6"\n')
    assert new_event("tictactoe", ("mine", "uct:iterations=5")).key != event.key


def test_presets_play_a_match_from_python():
    assert match("tictactoe", "rave:iterations=20", "random", games=4).tally.games == 4


def test_a_file_of_presets_of_an_earlier_version_is_read(monkeypatch):
    monkeypatch.setenv(VARIABLE, str(Path(__file__).parent / "samples" / "presets_own.toml"))
    assert written_out("quick") == "mcts:select=puct,expand=all,c=2,iterations=50"
    assert written_out("careful:iterations=9") == "mcts:select=rave,k=500,choose=secure,iterations=9"
