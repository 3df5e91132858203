"""Levels of difficulty: one table, the same at every door. How strong they are is measured by benchmarks/levels.py."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from ponderosa import levels as levels_module
from ponderosa import load_agent, load_game, match
from ponderosa.errors import SettingError, UnknownNameError
from ponderosa.levels import (
    LADDERS,
    LIMITS,
    NAMES,
    NETWORKS,
    OWN_GAME,
    adviser,
    ladder,
    level_agent,
    level_of,
    levels,
    shown,
)
from ponderosa.registry import AGENTS, GAMES, make_agent, split_spec, written_out
from tests.helpers import EVERY_GAME, PlainNim, games, loaded
from tests.plain_python import compiled, in_plain_python  # noqa: F401


@pytest.mark.parametrize("spec", EVERY_GAME.values())
def test_every_level_of_every_game_is_an_agent_that_plays_it(spec):
    game = loaded(spec)
    for agent in {*levels(game).values(), *OWN_GAME.values(), adviser(game)}:
        kind, settings = split_spec(agent)
        assert kind in AGENTS
        assert make_agent(kind, settings, game)


@pytest.mark.parametrize("name", GAMES)
def test_levels_are_told_in_order_and_the_strongest_is_always_there(name):
    names = list(levels(load_game(name)))
    assert names == [level for level in NAMES if level in names]
    assert names[-1] == "strongest"
    assert len(set(levels(load_game(name)).values())) == len(names)


@pytest.mark.parametrize("name", GAMES)
def test_a_level_is_known_again_and_a_missing_name_is_the_next_higher_one(name):
    game = load_game(name)
    for level in NAMES:
        found = level_of(level_agent(level, game), game)
        known = found.removeprefix("level:")
        assert known == next(higher for higher in NAMES[NAMES.index(level) :] if higher in levels(game))
    assert level_of("mcts:iterations=12345", game) is None


def test_every_registered_game_has_measured_levels():
    """A new game gets a line in the table, or is of the Connect family, which has one."""
    assert {name for name in GAMES if levels(load_game(name)) is OWN_GAME} == set()
    assert set(LADDERS) <= set(GAMES)


MEASURED = Path(__file__).parents[1] / "docs" / "levels.md"
WITHOUT_SKILL = ("kuhn_poker", "rps")


def measured() -> dict[str, dict[str, tuple[str, tuple[int, int, int]]]]:
    """Of every game in the table of docs/levels.md: the level, its agent, won-drawn-lost against the one below."""
    found: dict[str, dict[str, tuple[str, tuple[int, int, int]]]] = {}
    name = ""
    row = r"^\| (\w*) ?\| (\w+): `([^`]+)` \| (\d+)-(\d+)-(\d+)[^|]*\| \d+ % \|$"
    for game, level, agent, *counts in re.findall(row, MEASURED.read_text(), re.MULTILINE):
        won, drawn, lost = map(int, counts)
        name = game or name
        found.setdefault(name, {})[level] = agent, (won, drawn, lost)
    return found


@pytest.mark.parametrize("name", [name for name in GAMES if name not in WITHOUT_SKILL])
def test_every_level_was_measured_to_beat_the_one_below_it(name):
    """Who changes a level measures it, and those beside it."""
    table = measured()["gomoku" if name == "connect" else name]  # the same game by another name
    known = dict(list(ladder(load_game(name)).items())[1:])
    known |= {"network": NETWORKS[name][0]} if name in NETWORKS else {}
    assert {level: agent for level, (agent, _) in table.items() if level != "network" or name in NETWORKS} == known
    assert all(won + drawn / 2 >= 0.75 * (won + drawn + lost) for _, (won, drawn, lost) in table.values())


@pytest.mark.parametrize("name", GAMES)
def test_what_shows_who_is_the_strongest_is_what_was_measured(name):
    table, game = measured().get("gomoku" if name == "connect" else name, {}), load_game(name)
    strongest = "network" if levels(game) != ladder(game) else "strongest"
    assert shown(game) == (table[strongest][1] if table else None)


def test_a_network_plays_at_the_strongest_level_of_its_game_and_size_where_there_is_what_runs_it(monkeypatch):
    monkeypatch.setattr(levels_module, "NETWORKS", {"tictactoe": ("net:iterations=50", (3, 2, 1))})
    game, larger = load_game("tictactoe"), load_game("tictactoe:n=4,k=4")
    monkeypatch.setattr(levels_module, "find_spec", lambda name: object())
    assert level_agent("strongest", game) == "net:iterations=50" and shown(game) == (3, 2, 1)
    assert level_agent("medium", game) == ladder(game)["medium"]
    assert level_agent("strongest", larger) == ladder(larger)["strongest"]
    monkeypatch.setattr(levels_module, "find_spec", lambda name: None)
    assert levels(game) == ladder(game) and shown(game) == (76, 44, 0)


@pytest.mark.parametrize("name", GAMES)
def test_strong_is_in_every_game_who_plays_at_its_strongest_level(name):
    """For as long as one says, or a second; in the Connect family it is an agent of its own, and named there."""
    game = load_game(name)
    kind, settings = split_spec(levels(game)["strongest"])
    without_limits = {key: text for key, text in settings.items() if key not in LIMITS}
    own = kind == "strong" or name == "tictactoe"  # where both are perfect
    expected = ("strong", {}) if own else (kind, without_limits)
    assert split_spec(written_out("strong", game)) == split_spec(written_out("strong", name)) == expected
    assert split_spec(written_out("strong:seconds=7", game)) == (expected[0], {**expected[1], "seconds": "7"})
    assert written_out("strong") == "strong", "nothing is known while no game is"


@pytest.mark.slow
@pytest.mark.parametrize("name", games("tictactoe", "othello"))
@pytest.mark.usefixtures("compiled")
def test_strong_moves_in_every_game(name):
    game = loaded(EVERY_GAME[name])
    state, agent = game.new_initial_state(), load_agent("strong:seconds=0.05", game)
    while state.to_move() < 0:
        state.apply_action(state.legal_actions()[0])
    assert agent.step(state.observation(state.to_move())) in state.legal_actions()
    assert agent.budget.seconds == 0.05


@pytest.mark.slow
def test_strong_plays_games_of_ones_own_and_variants_for_more_players():
    assert written_out("strong", PlainNim()) == "mcts"
    assert written_out("strong:c=2", load_game("connect:m=3,n=3,k=3,players=3")) == "mcts:c=2"
    assert match("tictactoe", "strong:seconds=0.01", "random", 2).event.agents[0] == "strong:seconds=0.01"
    event = match("blind_tictactoe", "strong:seconds=0.01", "random", 2).event
    assert (event.agents[0], event.names[0]) == ("mcts:seconds=0.01", "strong:seconds=0.01")


def test_a_game_of_ones_own_has_the_levels_of_nobody_else():
    class Connect4(PlainNim):
        """A name that is taken."""

    assert levels(Connect4()) is OWN_GAME
    assert load_agent("level:easy", PlainNim()).budget.iterations == 100


def test_the_same_text_goes_at_every_door():
    game = load_game("connect4")
    assert written_out("level:medium", game) == written_out("level:medium", "connect4") == "mcts:iterations=800"
    assert load_agent("level:medium", game).budget.iterations == 800
    result = match("tictactoe", "level:medium", "level:beginner", 4)
    assert result.event.agents == ("mcts:iterations=8", "mcts:iterations=1")
    assert result.event.names == ("level:medium", "level:beginner")
    assert match(load_game("tictactoe"), "level:medium", "random", 2).event.agents[0] == "mcts:iterations=8"


def test_tictactoe_on_a_large_board_is_a_game_like_gomoku():
    assert levels(load_game("tictactoe")) is LADDERS["tictactoe"]
    assert level_agent("medium", load_game("tictactoe:n=15")) == level_agent("medium", load_game("gomoku"))


def test_an_unknown_level_is_refused_with_those_there_are():
    with pytest.raises(UnknownNameError, match="beginner, easy, medium, hard, strongest"):
        load_agent("level:heroic", load_game("connect4"))
    with pytest.raises(SettingError, match="depends on the game"):
        written_out("level:hard")


@pytest.mark.parametrize(
    ("name", "quick"),
    [
        ("tictactoe", ("easy", "medium")),
        pytest.param("tictactoe", ("beginner", "easy", "medium", "strongest"), marks=pytest.mark.slow),
        pytest.param("connect4", ("beginner", "easy", "medium"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("compiled")
def test_each_level_beats_the_one_below_it(name, quick):
    """Of two games, where that takes seconds; all others are in docs/levels.md."""
    ladder = [f"level:{level}" for level in levels(load_game(name)) if level in quick]
    for below, above in pairwise(ladder):
        assert match(name, above, below, 100, count_repeats=True, seed=3).tally.lines[0].score >= 75, (above, below)


@pytest.mark.parametrize("name", ["level:strongest", "strong"])
@pytest.mark.usefixtures("compiled")
def test_the_strongest_never_loses_at_tictactoe(name):
    """Every line of play of the opponent, with either side."""
    game = load_game("tictactoe")
    agent = load_agent(name, game)

    def results(state, mine):
        if state.is_terminal():
            return {state.returns()[mine]}
        if state.current_player() == mine:
            agent.reset(0)
            return results(state.child(agent.step(state)), mine)
        return set().union(*(results(state.child(action), mine) for action in state.legal_actions()))

    assert -1.0 not in results(game.new_initial_state(), 0) | results(game.new_initial_state(), 1)
