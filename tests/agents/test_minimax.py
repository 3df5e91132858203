"""The agents that look ahead: alpha-beta and perfect play."""

from __future__ import annotations

import itertools

import pytest

from ponderosa import PonderosaError, load_agent, load_game, rule
from ponderosa.agents.minimax import MinimaxAgent, PerfectAgent
from ponderosa.alphabeta.deepening import BELIEVED
from ponderosa.errors import GameError, SettingError, UnknownNameError
from tests.alphabeta.test_alphabeta import HashedNim
from tests.connect.test_evaluations import wins_this_turn
from tests.helpers import Exact, LookAlike, Nim, PlainNim, loaded, random_position, run_python

EVALUATIONS = ["threats", pytest.param("sequences", marks=pytest.mark.slow)]
BUDGET = "positions=20000"


def drawn(game, picture):
    """The position of a picture, top row first; `*` marks cells that are empty and expected.

    A small picture is the lower left corner of the board. Stones are placed as the turns want them.
    """
    rows = [line.split() for line in picture.strip().splitlines()]
    height = len(rows)
    marked = {mark: [] for mark in "XO*"}
    for (down, row), column in itertools.product(enumerate(rows), range(len(rows[0]))):
        if row[column] in marked:
            marked[row[column]].append((height - 1 - down) * game.n + column)
    state = game.new_initial_state()
    waiting = {0: list(marked["X"]), 1: list(marked["O"])}
    while any(waiting.values()):
        player = state.current_player()
        assert waiting[player], "the picture needs as many stones as the turns give"
        state.apply_action(waiting[player].pop())
    return state, marked["*"]


GOMOKU = {
    "wins with a four of its own": """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        X O O O O * . . .
        . . X X X X . . .
        . . . . . . . . .
    """,
    "blocks a four": """
        . . . . . . . . .
        . . . . . . O . .
        . O X X X X * . .
        . O . . . O . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "blocks a broken four": """
        . . . . . . . . .
        . O . . . . . . .
        . . X X * X X O .
        . . . . O . . . .
        . . . . . . . . .
        . . . . . . . . .
    """,
    "stops an open three": """
        . . . . . . . . .
        . . . . . . . . .
        . . * X X X * . .
        . . . . O . . . .
        . . . . O . . . .
        . . . . . . . . .
    """,
    "makes an open four": """
        . . . . . . . . .
        . . . . X . . . .
        . . * O O O * . .
        . . . . X . . . .
        . . . X . . . X .
        . . . . . . . . .
    """,
}
CONNECT6 = {
    "wins with two stones": """
        . . . . . . . . . .
        . X X . . . . X . .
        . . . . . . . . . .
        . . * O O O O * . .
        . . . . X . . . . .
        . . . . . X . . . .
        . . . . . . . . . .
    """,
    "blocks a broken four": """
        . . . . . . . . . .
        . . . . . . . . . .
        O * X * X X X * . .
        . . . . O . . . . .
        . . . . . O . . . .
        . . . . . . . . . .
        X . . . . . . . . O
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("picture", GOMOKU)
def test_gomoku_as_a_picture(picture, evaluation):
    agent = seen_through(picture, evaluation, BUDGET)
    if "wins" in picture or "makes" in picture:
        assert agent.last_report.proven == "win"


def seen_through(picture, evaluation, limit):
    """The agent that chose an expected cell."""
    game = loaded("gomoku")
    state, expected = drawn(game, GOMOKU[picture])
    agent = load_agent(f"minimax:eval={evaluation},{limit}", game)
    assert agent.step(state) in expected, picture
    return agent


@pytest.mark.slow
def test_pictures_by_sequences_as_plain_python():
    """To compile this evaluation takes as long as the first: with it, the tests around this one are slow."""
    code = """
        from tests.agents.test_minimax import GOMOKU, seen_through
        near = [picture for picture in GOMOKU if picture != "stops an open three"]  # which needs a third ply
        print(len([seen_through(picture, "sequences", "depth=2,positions=20000") for picture in near]))
    """
    assert run_python(code, NUMBA_DISABLE_JIT="1") == 4


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("picture", CONNECT6)
def test_connect6_as_a_picture(picture, evaluation):
    game = loaded("connect:m=13,n=13,k=6,p=2,q=1")
    state, expected = drawn(game, CONNECT6[picture])
    agent = load_agent(f"minimax:eval={evaluation},{BUDGET}", game)
    player = state.current_player()
    chosen = []
    while not state.is_terminal() and state.current_player() == player:
        chosen.append(agent.step(state))
        state.apply_action(chosen[-1])
    if "wins" in picture:
        assert state.is_terminal() and state.returns()[player] == 1.0
    else:
        assert chosen[0] in expected
        assert not wins_this_turn(state)


def test_a_win_by_continuous_fours_is_seen_through():
    game = loaded("gomoku")
    state, expected = drawn(
        game,
        """
        . . . . . . . . O
        . . . . . . . . .
        . . . . . . X . .
        . . . . . X . . .
        O X X X * . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O . . . . O .
        . . . . . O . . .
        """,
    )
    assert state.current_player() == 0
    agent = load_agent("minimax:depth=4,positions=100000", game)
    assert agent.step(state) in expected
    assert agent.last_report.proven == "win"


@pytest.mark.parametrize(
    ("game", "evaluation"),
    [
        ("gomoku", "threats"),
        pytest.param("connect:m=5,n=6,k=4", "threats", marks=pytest.mark.slow),
        pytest.param("connect:m=13,n=13,k=6,p=2,q=1", "sequences", marks=pytest.mark.slow),
    ],
)
def test_it_plays_legal_moves_from_the_first(game, evaluation):
    game = loaded(game)
    agent = load_agent(f"minimax:eval={evaluation},positions=2000", game)
    state = game.new_initial_state()
    first = agent.step(state)
    if game.m > 9:
        row, column = divmod(first, game.n)
        assert abs(row - game.m // 2) <= 3 and abs(column - game.n // 2) <= 3
    while not state.is_terminal() and len(state.history()) < 20:
        state.apply_action(agent.step(state))


def test_any_game_with_an_evaluation_is_played():
    game = HashedNim((1, 2, 4))
    agent = load_agent("minimax:depth=12,branch=none", game)
    state = game.new_initial_state()
    assert agent.step(state) in Exact().best_actions(state)
    assert agent.last_report.proven == "win"


class EvenPlainNim(PlainNim):
    """Nim without a dtype, with a static value that says nothing."""

    max_game_length = 7

    @rule
    def evaluate(s):
        return 0.0, 0.0


@pytest.mark.parametrize("name", ["minimax:depth=9,branch=none,seconds=60", "perfect"])
def test_games_without_a_dtype_are_played_too(name):
    game, exact = EvenPlainNim((1, 2, 3)), Exact()
    agent = load_agent(name, game)
    for seed in range(6):
        state = random_position(game, seed, seed)
        assert agent.step(state) in exact.best_actions(state)
        assert agent.last_report.best_name == state.action_to_string(agent.last_report.best_action)


def timed(game, **settings):
    """An agent whose every position takes exactly a tenth of a millisecond, and every look at the clock a little."""
    looks = itertools.count()
    agent = MinimaxAgent(game, **settings, clock=lambda: agent.deepening.positions * 1e-4 + next(looks) * 1e-9)
    return agent


@pytest.mark.parametrize("seconds", [0.05, 0.4])
def test_the_clock_ends_the_search(seconds):
    game = load_game("gomoku")
    agent = timed(game, seconds=seconds, depth=100)
    agent.step(random_position(game, 1, 6))
    report = agent.last_report
    assert report.stopped == "seconds"
    assert seconds <= report.seconds <= seconds + 0.0002


def test_time_that_has_run_out_still_gives_a_move():
    game = load_game("gomoku")
    agent = MinimaxAgent(game, seconds=1e-9)
    state = random_position(game, 1, 6)
    assert agent.step(state) in state.legal_actions()
    assert agent.last_report.stopped == "seconds"


def test_ctrl_c_and_progress_end_it_with_what_it_has():
    def interrupt(report):
        raise KeyboardInterrupt

    game = load_game("gomoku")
    state = random_position(game, 1, 6)
    for progress, stopped in ((interrupt, "interrupted"), (lambda report: False, "progress")):
        agent = timed(game, seconds=60, depth=50)
        assert agent.step(state, progress) in state.legal_actions()
        assert agent.last_report.stopped == stopped


def test_the_report_says_what_it_thought():
    game = load_game("gomoku")
    state = random_position(game, 4, 7)
    agent = load_agent(f"minimax:{BUDGET}", game)
    action = agent.step(state)
    report = agent.last_report
    assert report.best_action == action == report.actions[0].action
    assert report.pv[0] == report.best_name == state.action_to_string(action)
    assert {entry.action for entry in report.actions} == set(state.legal_actions())
    assert sum(entry.visits > 0 for entry in report.actions) <= 13
    assert report.depth >= 2
    assert 0.0 <= report.value <= 1.0


@pytest.mark.parametrize(
    ("agent", "game", "kind", "message"),
    [
        ("minimax:eval=threat", "gomoku", UnknownNameError, "did you mean 'threats'"),
        ("minimax:eval=threats", "connect4", SettingError, "for the Connect family"),
        ("minimax", Nim(), GameError, "the rule `evaluate`"),
        ("minimax", PlainNim(), GameError, "the rule `evaluate`"),
        ("minimax", LookAlike(), GameError, "take mcts"),
        ("minimax:depth=0", "gomoku", SettingError, "depth must be"),
        ("minimax:branch=0", "gomoku", SettingError, "branch must be"),
        ("minimax:seconds=0", "gomoku", SettingError, "seconds must be more than 0"),
        ("minimax:positions=0", "gomoku", SettingError, "positions must be"),
        ("minimax:table=-1", "gomoku", SettingError, "table must be"),
        ("minimax:deep=3", "gomoku", UnknownNameError, "did you mean 'depth'"),
        ("perfect", "gomoku", GameError, "take minimax or mcts"),
        ("perfect", Nim(), GameError, "max_game_length"),
    ],
)
def test_settings_that_cannot_be(agent, game, kind, message):
    with pytest.raises(kind, match=message):
        load_agent(agent, load_game(game) if isinstance(game, str) else game)


def every_game(game, agent, seat):
    """The result of every game that an agent can play from a seat, whatever the opponent does."""
    waiting, seen = [game.new_initial_state()], set()
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            yield state.returns()[seat]
        elif state not in seen:
            seen.add(state)
            mine = state.current_player() == seat
            waiting += [state.child(action) for action in ([agent.step(state)] if mine else state.legal_actions())]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_perfect_player_never_loses_tictactoe(seat):
    game = load_game("tictactoe")
    results = list(every_game(game, load_agent("perfect", game), seat))
    assert len(results) > 20
    assert min(results) == 0.0
    assert max(results) == 1.0


def test_the_perfect_player_always_wins_a_won_game():
    game = load_game("connect:m=3,n=4,k=3")
    assert set(every_game(game, load_agent("perfect", game), 0)) == {1.0}


@pytest.mark.parametrize(
    "spec", ["connect:m=3,n=3,k=3,p=2,q=1", pytest.param("connect4:rows=3,cols=4,k=3", marks=pytest.mark.slow)]
)
def test_the_perfect_player_keeps_the_value_of_any_position(spec):
    game, exact = load_game(spec), Exact()
    agent = PerfectAgent(game)
    for seed in range(20):
        state = random_position(game, seed, seed % 6)
        assert agent.step(state) in exact.best_actions(state)


@pytest.mark.slow
def test_a_game_that_proves_too_big_is_answered_with_what_would_be_right():
    game = load_game("connect:m=4,n=5,k=4")
    with pytest.raises(PonderosaError, match=r"could not solve .* 3,000 positions: allow more"):
        load_agent("perfect:positions=3000", game).step(game.new_initial_state())


def test_forced_moves_lead_beyond_the_depth_as_far_as_allowed():
    """A four and its one answer, an open four and one of its two answers, five: with depth 4, the last is beyond."""
    game = loaded("gomoku")
    state, wanted = drawn(
        game,
        "\n".join([*[". " * 15] * 8, ". . . . . . . . . . . . . . O", ". . . . . . X . . . . . . . .",
                   ". . . . . . X . . . . . . . .", ". . O X X X * . . . . . . . .", ". " * 15, ". " * 15,
                   "O . . . . . . O . . . . . . O"]),
    )  # fmt: skip
    values = {}
    for forced in (0, 64):
        agent = MinimaxAgent(game, depth=4, forced=forced, positions=1_000_000)
        assert [agent.step(state)] == wanted
        values[forced] = agent.last_report.value
    assert values[0] < BELIEVED <= values[64]
    with pytest.raises(SettingError, match="forced"):
        MinimaxAgent(game, forced=-1)
