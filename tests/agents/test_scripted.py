"""The agent that plays tic-tac-toe by rules."""

from __future__ import annotations

import pytest

from ponderosa import PonderosaError, load_agent
from tests.helpers import loaded, play_game, position

CORNERS, SIDES = {"a1", "c1", "a3", "c3"}, {"b1", "a2", "c2", "b3"}


def expected(state):
    """The cells of the first rule that has some, found by trying every move of both players."""
    player = state.current_player()

    def wins(who):
        return [a for a in state.legal_actions() if taken(state, a, who).returns()[who] == 1.0]

    names = {action: state.action_to_string(action) for action in state.legal_actions()}
    groups = [[a for a in names if names[a] in cells] for cells in (CORNERS, {"b2"}, SIDES)]
    return next(cells for cells in (wins(player), wins(1 - player), *groups) if cells)


def taken(state, action, who):
    """The state after somebody, whoever has the move, takes a cell."""
    after = state.clone()
    after.record.player = who
    after.apply_action(action)
    return after


def positions(state):
    """Every position that tic-tac-toe can come to, once."""
    seen, waiting = set(), [state]
    while waiting:
        state = waiting.pop()
        if state not in seen and not state.is_terminal():
            seen.add(state)
            waiting += [state.child(action) for action in state.legal_actions()]
            yield state


@pytest.mark.slow
def test_the_first_rule_that_has_a_cell_decides_in_every_position():
    agent = load_agent("scripted", loaded("tictactoe"))
    count = 0
    for state in positions(loaded("tictactoe").new_initial_state()):
        assert agent.step(state) in expected(state)
        count += 1
    assert count == 4520


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        ("", CORNERS),
        ("b2", CORNERS),
        ("a1 b1 a2 b2", {"a3"}),  # it wins, though it could block
        ("a1 c3 b1", {"c1"}),
        ("a1 c3 b2 c1 c2 a2 a3", {"b1", "b3"}),
    ],
)
def test_all_cells_of_a_rule_are_played(moves, answers):
    state = position(loaded("tictactoe"), moves)
    agents = [load_agent(f"scripted:seed={seed}", state.game) for seed in range(40)]
    assert {state.action_to_string(agent.step(state)) for agent in agents} == answers


def test_it_beats_the_blind():
    game = loaded("tictactoe")
    results = [
        play_game(game, load_agent(f"scripted:seed={seed}", game), load_agent(f"blind:seed={seed}", game))[0]
        for seed in range(100)
    ]
    assert results.count(1.0) > 80 and results.count(-1.0) < 5


@pytest.mark.parametrize(
    ("spec", "moves", "answers"),
    [
        ("tictactoe:n=4", "", {"a1", "d1", "a4", "d4"}),
        ("tictactoe:n=4", "a1 d1 a4 d4", {"b2", "c2", "b3", "c3"}),
        ("tictactoe:n=4", "a1 d4 b1 c4 c1 b3", {"d1"}),  # it wins
        ("tictactoe:n=4", "b2 a1 b3 a2 d4 a3", {"a4"}),  # it blocks
        ("connect:m=5,n=5,k=4", "a1 e1 a5 e5", {"c3"}),
    ],
)
def test_it_plays_on_boards_of_any_size_by_the_same_rules(spec, moves, answers):
    state = position(loaded(spec), moves)
    agents = [load_agent(f"scripted:seed={seed}", state.game) for seed in range(40)]
    assert {state.action_to_string(agent.step(state)) for agent in agents} == answers


def test_a_whole_game_on_a_large_board_is_played_to_its_end():
    game = loaded("gomoku")
    returns = play_game(game, load_agent("scripted", game), load_agent("blind:seed=3", game))
    assert returns[0] == 1.0


@pytest.mark.parametrize("other", ["connect:m=3,n=4,k=3", "connect6", "connect:m=5,n=5,k=4,players=3", "connect4"])
def test_other_games_are_refused(other):
    with pytest.raises(PonderosaError, match="scripted plays tictactoe"):
        load_agent("scripted", loaded(other))
