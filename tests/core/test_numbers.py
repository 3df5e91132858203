"""One checker of numbers: what is in range passes, everything else is told what would be right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa.core.numbers import MOST, check_bits, check_number, is_number
from ponderosa.errors import SettingError


@given(st.floats(allow_nan=True) | st.integers(), st.floats(-100, 100), st.floats(-100, 100))
def test_a_number_is_in_its_range_or_refused(value: float, low: float, high: float) -> None:
    if low <= value <= high:
        check_number("c", value, low, high)
    else:
        with pytest.raises(SettingError, match="c must be a number from"):
            check_number("c", value, low, high)


@pytest.mark.parametrize("value", [True, False, None, "1", "", [], float("nan"), 1j])
def test_what_is_no_number_never_passes(value: Any) -> None:
    assert not is_number(value, 0, 10) and not is_number(value, 0, 10, whole=True)


@pytest.mark.parametrize(
    ("value", "whole", "message"),
    [
        (-1, False, "c must be a number of at least 0, not -1"),
        (1.5, True, "c must be a whole number of at least 0, not 1.5"),
        (2 * MOST, False, "c must be a number from 0 to 1e+12, not 2000000000000.0"),
        (10**400, True, "c must be a whole number from 0 to 1e+12, not a number without end"),
    ],
)
def test_the_message_says_what_would_be_right(value: float, whole: bool, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        check_number("c", value, 0, whole=whole)
    assert str(refused.value) == message


@given(st.integers(-(2**70), 2**70))
def test_a_number_of_so_many_bits_is_below_their_power(value: int) -> None:
    if 0 <= value < 2**63:
        check_bits("seed", value, 0, 63, whole=True)
    else:
        with pytest.raises(SettingError, match=r"seed must be a whole number of at least 0 and less than 2\^63"):
            check_bits("seed", value, 0, 63, whole=True)
