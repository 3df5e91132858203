"""What INFO tells the brain: time, memory and the rule."""

from __future__ import annotations

from typing import Any

import pytest

from ponderosa.protocols.gomocup import Thought
from ponderosa.protocols.limits import BLINK, INTERPRETER_BYTES, LEAST_NODES, MARGIN, MARGIN_SHARE, MATCH_SHARE
from tests.protocols.dialogue import Clock, Player, dialogue, new_state, started


def seconds_after(*lines: str) -> float:
    player = Player()
    started(*lines, "BEGIN", think=player)
    return player.seconds[0]


def within(seconds: float) -> float:
    return pytest.approx(seconds * (1 - MARGIN_SHARE) - MARGIN)


def test_a_turn_is_used_but_for_a_margin() -> None:
    assert seconds_after("INFO timeout_turn 1000") == within(1.0)
    assert seconds_after("INFO timeout_turn 100") == within(0.1)


@pytest.mark.parametrize(
    "line", ["INFO timeout_turn 0", "INFO timeout_turn 20", "INFO timeout_turn -5", "INFO time_left -100"]
)
def test_without_time_it_thinks_for_a_blink(line: str) -> None:
    assert seconds_after(line) == BLINK


def test_a_move_takes_its_share_of_the_match() -> None:
    turn = "INFO timeout_turn 30000"
    assert seconds_after(turn, "INFO time_left 60000") == within(60 * MATCH_SHARE)
    assert seconds_after(turn, "INFO timeout_match 60000") == within(60 * MATCH_SHARE)
    assert seconds_after(turn, "INFO timeout_match 60000", "INFO time_left 20000") == within(20 * MATCH_SHARE)
    assert seconds_after(turn, "INFO time_left 20000", "INFO timeout_match 60000") == within(20 * MATCH_SHARE)
    assert seconds_after("INFO timeout_turn 100", "INFO time_left 60000") == within(0.1)


@pytest.mark.parametrize("line", ["INFO time_left 2147483647", "INFO timeout_match 0"])
def test_a_match_may_have_no_limit(line: str) -> None:
    assert seconds_after("INFO timeout_turn 30000", line) == within(30)


def test_the_time_of_a_match_is_counted_even_if_the_manager_does_not() -> None:
    clock, seconds = Clock(), []

    def think(state: Any, limit: float, *rest: Any, **more: Any) -> Thought:
        seconds.append(limit)
        clock.now += 20
        return Thought(state.legal_actions()[0])

    started(
        "INFO timeout_turn 30000",
        "INFO timeout_match 60000",
        "BEGIN",
        "TURN 5,5",
        "RESTART",
        "BEGIN",
        think=think,
        clock=clock,
    )
    assert seconds == [within(60 * MATCH_SHARE), within(40 * MATCH_SHARE), within(60 * MATCH_SHARE)]


def test_what_a_turn_has_used_already_is_taken_off() -> None:
    clock, player = Clock(), Player()

    def slowly(rows: int, columns: int, exact: bool) -> Any:
        clock.now += 2
        return new_state(rows, columns, exact)

    started("INFO timeout_turn 5000", "BOARD", "1,1,2", "DONE", think=player, clock=clock, empty=slowly)
    assert player.seconds == [pytest.approx(5 * (1 - MARGIN_SHARE) - MARGIN - 2)]  # START's own two seconds are free


def test_memory_is_turned_into_nodes() -> None:
    player = Player()
    megabytes = 2**20
    limits = [0, INTERPRETER_BYTES + 480 * megabytes, 80 * megabytes, 8 * 2**30]
    started(*(line for bytes_ in limits for line in (f"INFO max_memory {bytes_}", "RESTART", "BEGIN")), think=player)
    assert player.nodes[:3] == [None, 10 * megabytes, LEAST_NODES]
    assert player.nodes[3] is not None and player.nodes[3] > 100 * megabytes


@pytest.mark.parametrize(
    "line",
    [
        "INFO",
        "INFO x",
        "INFO timeout_turn",
        "INFO timeout_turn soon",
        "INFO evaluate 3,4",
        "INFO folder C:\\x y",
        "INFO game_type 2",
    ],
)
def test_information_that_is_of_no_use_is_passed_over(line: str) -> None:
    assert started(line, "BEGIN") == ["0,0"]


@pytest.mark.parametrize("before_start", [True, False])
def test_the_rule_may_come_before_and_after_the_start(before_start: bool) -> None:
    player = Player()
    lines = ["INFO rule 1", "RECTSTART 7,6"] if before_start else ["RECTSTART 7,6", "INFO RULE 1"]
    assert dialogue(*lines, "BEGIN", "INFO rule 0", "TURN 5,5", think=player) == ["OK", "0,0", "1,0"]
    assert [state.game.exact for state in player.states] == [True, False]


@pytest.mark.parametrize("rule", [2, 3, 4, 8, 9, -1])
def test_a_rule_that_it_does_not_know_is_refused_when_it_has_to_move(rule: int) -> None:
    refused, then = started(f"INFO rule {rule}", "TURN 1,1", "INFO rule 0", "TURN 1,1")
    assert refused.startswith(f"ERROR rule {rule} ")
    assert then == "0,0"


def test_memory_that_cannot_be_kept_is_told() -> None:
    answers = started("INFO max_memory 0", "INFO max_memory 400000000", "INFO max_memory 1000000", "BEGIN")
    assert answers == ["MESSAGE max_memory is less than the 200 MB that Python and NumPy take", "0,0"]
