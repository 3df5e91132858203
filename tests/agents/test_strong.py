"""The strong agent: it finds long wins by threats, refuses moves that lose to one, and plays Connect Four too."""

from __future__ import annotations

import itertools
import statistics

import pytest

from ponderosa import load_agent, load_game
from ponderosa.agents.connect.connect4 import StrongConnectFour
from ponderosa.agents.connect.strong import Strong
from ponderosa.agents.connect.strong_tree import StrongTree
from ponderosa.compile import native
from ponderosa.compile.enabled import jit_enabled
from ponderosa.connect.shapes.player import Thought
from ponderosa.core.notation import read_action
from ponderosa.errors import GameError, SettingError
from ponderosa.games.connect import Connect
from tests.helpers import position, run_python, untimed

GOMOKU = load_game("gomoku")


@pytest.fixture(scope="module")
def strong():
    return load_agent("strong:iterations=300", GOMOKU)


@pytest.mark.slow
def test_it_begins_in_the_middle(strong):
    assert strong.step(GOMOKU.new_initial_state()) == 7 * 15 + 7


def test_it_wins_with_two_crossing_twos(strong):
    state = position(GOMOKU, "g10 l10 g9 l7 i8 e6 j8 g6")
    defender = load_agent("minimax:positions=2000", GOMOKU)
    player = state.current_player()
    while not state.is_terminal():
        mover = strong if state.current_player() == player else defender
        state.apply_action(mover.step(state))
    assert state.returns()[player] == 1.0


def test_it_stops_an_open_three(strong):
    state = position(GOMOKU, "a1 g8 a15 h8 o1 i8")
    assert state.action_to_string(strong.step(state)) in ("f8", "j8")


def test_iterations_give_the_same_answer_always():
    state = position(GOMOKU, "h8 i9 h9 h10")
    first, second = (load_agent("strong:iterations=600,seed=5", GOMOKU) for _ in range(2))
    assert first.step(state) == second.step(state)
    assert untimed(first.last_report) == untimed(second.last_report)


def test_it_ends_by_its_progress():
    told = []
    agent = load_agent("strong:seconds=60", GOMOKU)
    agent.step(position(GOMOKU, "h8 i9"), progress=lambda report: bool(told.append(report)))
    assert (agent.last_report.stopped, len(told)) == ("progress", 1)


def test_it_can_be_stopped_between_the_proofs_of_its_answers():
    clock = itertools.count(step=0.2)
    agent = Strong(GOMOKU, seconds=1000, clock=lambda: next(clock))
    looks = []
    look = agent.prover.winning_move
    agent.prover.winning_move = lambda moves, effort: looks.append(moves) or look(moves, effort)
    state = position(GOMOKU, "a1 g8 a15 h8 o1 i8")
    agent.step(state, progress=lambda report: False)
    assert agent.last_report.stopped == "progress"
    assert looks == [[int(move) for move in state.history()]]


@pytest.mark.parametrize(
    ("found", "refuted", "played", "looked_at"),
    [
        ([10, 10, 10], [], 10, [10]),  # what withstood once is not looked at again
        ([10, 11, 11], [10], 11, [10, 11]),
        ([10, 11, 12], [11, 12], 10, [10, 11, 12]),  # rather what withstood than what was found last
        ([10, 11, 12], [10, 11, 12], 12, [10, 11, 12]),
    ],
)
def test_it_plays_what_is_found_last_and_not_refuted(found, refuted, played, looked_at):
    agent, looks, chosen_from, thoughts = Strong(GOMOKU, seconds=1.0, clock=lambda: 0.0), [], [], iter(found)

    def think(moves, budget, chosen, watch):
        chosen_from.append(chosen)
        return Thought(best=next(thoughts), stopped="seconds", moves=dict.fromkeys((10, 11, 12, 13), (0.5, 1)))

    def winning_move(moves, effort):
        looks.append(moves[2:])
        return 0 if moves[2:] and moves[2] in refuted else -1

    agent.shape_player.think, agent.prover.winning_move = think, winning_move
    agent.prover.answers = lambda moves, effort: None
    assert agent.step(position(GOMOKU, "h8 i9")) == played
    assert looks == [[], *([move] for move in looked_at)]
    for number, chosen in enumerate(chosen_from):
        gone = set(refuted) & set(found[:number])
        assert chosen is None if not gone else set(chosen) == {10, 11, 12, 13} - gone


class Counting:
    """Shows how many positions a search has looked at, on a machine that looks at so many a second."""

    def __init__(self, speed):
        self.speed, self.record, self.counted, self.seen = speed, None, 0, 0

    def __call__(self):
        now = 0 if self.record is None else int(self.record.nodes)
        self.counted += now - self.seen if now >= self.seen else now  # a new search counts from 0
        self.seen = now
        return self.counted / self.speed


@pytest.mark.slow
@pytest.mark.parametrize("speed", [60_000, 400_000])
def test_the_time_of_a_stone_is_kept_with_two_stones_a_turn_however_slow_the_machine(speed):
    game, clock = load_game("connect6"), Counting(speed)
    agent = Strong(game, seconds=0.5, clock=clock)
    clock.record, agent._pace = agent.shape_player.record, speed
    state, taken = position(game, "k10 m11 j13"), []
    for _ in range(6):
        begun = clock()
        state.apply_action(agent.step(state))
        taken.append(clock() - begun)
    assert max(taken) <= 0.5 and statistics.median(taken) > 0.4, taken


def test_on_a_slow_machine_it_affords_less():
    now = [0.0]
    agent = Strong(GOMOKU, seconds=10, clock=lambda: now[0])

    def slow(moves, effort):
        now[0] += 1.0
        agent.prover._effort, agent.prover.record.effort = 100_000, 0
        return -1

    agent.prover.winning_move = slow
    before = agent._affordable(0.1, 0)
    agent._winning_move([], 0)
    assert (before, agent._affordable(0.2, 0)) == (500_000, 100_000)


@pytest.mark.slow
def test_a_second_stone_of_its_own_is_no_refutation():
    game = Connect(9, 9, 5, 1, 3)
    agent, looks = Strong(game, iterations=500), []
    look = agent.prover.winning_move
    agent.prover.winning_move = lambda moves, effort: looks.append(len(moves)) or look(moves, effort)
    state = game.new_initial_state()
    for before, looked_at in ((0, [0]), (1, [1]), (2, [2, 3])):
        looks.clear()
        state.apply_action(agent.step(state))
        assert (looks, len(state.history())) == (looked_at, before + 1)


def test_its_line_can_be_played():
    state = position(GOMOKU, "h8 i9")
    agent = load_agent("strong:iterations=20000", GOMOKU)
    best = agent.step(state)
    entry = agent.last_report.actions[0]
    for name in entry.pv:
        state.apply_action(read_action(GOMOKU, name, state))
    assert (entry.action, len(entry.pv) > 3) == (best, True)
    assert sum(action.visits for action in agent.last_report.actions) <= agent.last_report.iterations


TREES = ("solve=false", "threads=2", "threads=2,parallel=vote", "max_nodes=500")


@pytest.mark.slow
@pytest.mark.parametrize("setting", TREES)
def test_it_moves_with_every_kind_of_search(setting):
    game = load_game("connect:m=8,n=8,k=5")
    state = position(game, "d4 e5 d5 d6")
    assert load_agent(f"strong:iterations=300,{setting}", game).step(state) in state.legal_actions()


@pytest.mark.slow
def test_with_two_stones_a_turn_it_takes_a_win_and_stops_one():
    game = load_game("connect:m=5,n=6,k=4,p=2,q=1")
    agent = load_agent("strong:iterations=200", game)
    pressed = position(game, "a1 c3 d3")
    assert game.action_to_string(None, agent.step(pressed)) in ("a3", "b3", "e3", "f3")
    won = position(game, "a1 c3 d3 b1 f5")
    assert game.action_to_string(None, agent.step(won)) in ("a3", "b3", "e3", "f3")
    assert agent.last_report.proven == "win"


AS_PLAIN_PYTHON = """
    from tests.agents import test_strong as tests
    tests.test_with_two_stones_a_turn_it_takes_a_win_and_stops_one()
    tests.test_a_second_stone_of_its_own_is_no_refutation()
    tests.moves_with_every_tree()
    print(1)
"""


def moves_with_every_tree():
    """The tree of a board without tables of shapes, and of one with them."""
    for name, settings in (("connect:m=9,n=9,k=8", [""]), ("connect:m=5,n=5,k=4", TREES)):
        game = load_game(name)
        for setting in settings:
            agent = load_agent(f"strong:iterations=12,{setting}".rstrip(","), game)
            state = game.new_initial_state()
            assert isinstance(agent, StrongTree) == (setting not in ("threads=2", "max_nodes=500"))
            assert agent.step(state) in state.legal_actions()


@pytest.mark.slow
def test_other_boards_and_trees_move_as_plain_python():
    """What takes long to compile: tests of the same names are slow."""
    assert run_python(AS_PLAIN_PYTHON, NUMBA_DISABLE_JIT="1") == 1


def test_it_is_the_agent_made_for_connect_four_there():
    assert isinstance(load_agent("strong:seconds=0.1", load_game("connect4")), StrongConnectFour)
    assert isinstance(load_agent("strong:seconds=0.1", GOMOKU), Strong)


def test_one_name_stands_for_the_agent_that_fits_the_game_and_the_settings(monkeypatch):
    monkeypatch.setattr(StrongTree, "__init__", lambda self, game, **settings: None)  # which compiles for long
    assert type(Strong.for_game(load_game("connect4"), exact=0.5)) is StrongConnectFour
    assert type(Strong.for_game(GOMOKU, iterations=50, threads=1)) is Strong
    assert type(Strong.for_game(GOMOKU, c=0.1)) is StrongTree
    assert type(Strong.for_game(load_game("connect:m=9,n=9,k=8"))) is StrongTree


def test_the_class_itself_makes_no_other_agent():
    for game, settings in ((GOMOKU, {"c": 0.1}), (load_game("connect:m=9,n=9,k=8"), {})):
        with pytest.raises(SettingError, match=r"no tables of shapes for .*: Strong\.for_game"):
            Strong(game, **settings)
    with pytest.raises(GameError, match="strong plays the Connect family"):
        Strong(load_game("connect4"))


def test_a_game_that_it_does_not_play_is_refused_in_words():
    class Other:
        pass

    with pytest.raises(GameError, match="strong plays the Connect family"):
        Strong(Other())


COUNT_COMPILATIONS = """
    from numba.core.event import install_recorder
    with install_recorder("numba:compile") as compilations:
        from tests.agents.test_strong import think
        think({name!r})
    print(len(compilations.buffer))
"""


def think(name):
    """Choose one move on a new board."""
    game = load_game(name)
    load_agent("strong:iterations=300", game).step(game.new_initial_state())


@pytest.mark.parametrize("name", ["gomoku", pytest.param("connect6", marks=pytest.mark.slow)])
def test_a_second_process_compiles_nothing(name):
    think(name)
    assert run_python(COUNT_COMPILATIONS.format(name=name)) == 0


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_a_first_answer_compiles_two_searches_and_the_rules_and_no_tree_search(monkeypatch):
    wanted = []
    find = native.compiled
    monkeypatch.setattr(
        native, "compiled", lambda function, *rest, **more: (wanted.append(function), find(function, *rest, **more))[1]
    )
    game = load_game("gomoku")
    load_agent("strong:iterations=300", game).step(game.new_initial_state())
    searches = [function for function in wanted if function.__name__ == "query_bytes"]
    rules = [function for function in wanted if function.__module__.startswith("ponderosa.core.")]
    assert len(searches) == 2
    assert len(searches) + len(rules) == len(wanted)
