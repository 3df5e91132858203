"""How all tests run: slow ones only when asked for, Hypothesis the same every time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ponderosa",
    deadline=None,  # the first example of a game compiles it
    derandomize=True,
    print_blob=False,
    database=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("ponderosa")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out, unless the -m expression speaks of them or a test is named by its id."""
    if "slow" in config.option.markexpr or any("::" in str(argument) for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
