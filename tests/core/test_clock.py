"""Clocks: what people write, what a move takes, and that whoever keeps to the plan never loses on time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.core.clock import Clock, TimeControl, moves_to_come
from ponderosa.errors import SettingError

CONTROLS = st.builds(TimeControl, st.floats(0.5, 600), st.floats(0, 10)) | st.builds(
    TimeControl, st.floats(0, 600), st.just(0.0), st.integers(1, 5), st.floats(0.5, 30)
)


@pytest.mark.parametrize(
    "text, control",
    [
        ("60", TimeControl(60)),
        ("5m+3", TimeControl(300, 3)),
        ("1h", TimeControl(3600)),
        ("0.5+0.05", TimeControl(0.5, 0.05)),
        (" 10M+5x30 ", TimeControl(600, 0, 5, 30)),
        ("0+3x1m", TimeControl(0, 0, 3, 60)),
    ],
)
def test_a_time_control_reads_as_people_write_it(text: str, control: TimeControl) -> None:
    assert TimeControl.of(text) == control
    assert TimeControl.of(str(control)) == control


@pytest.mark.parametrize("text", ["", "0", "0+1", "x", "5m+", "1+2+3", "1+0x5x2", "-1", "1e9", "99999h", None, 5])
def test_what_is_no_time_control_is_refused_with_examples(text: str) -> None:
    with pytest.raises(SettingError, match=r"(clock|time) (is|begins)"):
        TimeControl.of(text)


def test_an_increment_is_added_after_the_move() -> None:
    clock = TimeControl(10, 2).start().after(4)
    assert clock is not None and clock.left == 8
    assert clock.after(8.001) is None


def test_a_move_within_a_period_keeps_it_and_a_longer_one_uses_it_up() -> None:
    start = TimeControl(5, 0, 3, 10).start()
    assert start.limit == 35
    inside = start.after(14)
    assert inside is not None and (inside.left, inside.periods) == (0, 3)
    longer = inside.after(25)
    assert longer is not None and longer.periods == 1
    assert longer.after(9.9) == longer
    assert longer.after(10.1) is None


@given(CONTROLS, st.lists(st.floats(0, 1), min_size=1, max_size=80), st.integers(1, 40))
def test_whoever_thinks_as_planned_never_loses_on_time(control: TimeControl, shares: list[float], moves: int) -> None:
    clock: Clock | None = control.start()
    for share in shares:
        assert clock is not None
        planned = clock.plan(moves)
        assert 0 < planned <= max(clock.limit, 1e-3)
        clock = clock.after(min(share * planned, clock.limit))
    assert clock is not None


@given(CONTROLS, st.lists(st.floats(0, 1), min_size=1, max_size=80), st.integers(1, 40))
def test_nor_does_who_takes_for_every_move_as_long_as_for_a_hard_one(
    control: TimeControl, shares: list[float], moves: int
) -> None:
    clock: Clock | None = control.start()
    for share in shares:
        assert clock is not None
        most = clock.most(moves)
        assert clock.plan(moves) <= most <= max(clock.limit, 1e-3)
        clock = clock.after(min(share * most, clock.limit))
    assert clock is not None


def test_a_hard_move_gets_more_only_where_time_is_kept_for_later() -> None:
    assert TimeControl(60).start().most(20) == pytest.approx(2.5 * TimeControl(60).start().plan(20))
    for clock, moves in ((TimeControl(60).start(), 1), (Clock(TimeControl(60, 0, 3, 10), 0.0, 3), 20)):
        assert clock.most(moves) == pytest.approx(clock.plan(moves))


def test_time_is_kept_for_the_moves_that_the_game_can_still_have() -> None:
    assert moves_to_come(0, 2, 9) == 5
    assert moves_to_come(8, 2, 9) == 1
    assert moves_to_come(0, 2, None) == moves_to_come(100, 2, 1000)


@pytest.mark.parametrize(
    "clock, shown",
    [
        (TimeControl(300).start(), "5:00"),
        (Clock(TimeControl(300), 9.37), "0:09.3"),
        (Clock(TimeControl(300, 0, 3, 30), 0.0, 3), "0:00.0 and 3x30"),
    ],
)
def test_a_clock_shows_minutes_and_seconds_and_at_the_end_tenths(clock: Clock, shown: str) -> None:
    assert str(clock) == shown
