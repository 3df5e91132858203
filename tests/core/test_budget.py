"""How long a search may think."""

from __future__ import annotations

import math

import pytest

from ponderosa.core.budget import Budget
from ponderosa.errors import SettingError

LIMITS = ("iterations", "seconds", "max_nodes")


def test_a_budget_of_nothing_says_what_would_be_right():
    with pytest.raises(SettingError, match=r"needs a budget: iterations=1000, seconds=1.0 or max_nodes=100000"):
        Budget()


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, -math.inf, "10", True, [1], 0.0])
def test_a_limit_must_be_a_number_above_0(limit, value):
    with pytest.raises(SettingError, match=f"{limit} must be"):
        Budget(**{limit: value})


@pytest.mark.parametrize("limit", ["iterations", "max_nodes"])
def test_what_is_counted_is_whole(limit):
    with pytest.raises(SettingError, match=f"{limit} must be a whole number, not 2.5"):
        Budget(**{limit: 2.5})
