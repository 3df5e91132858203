"""How all tests run: slow and nightly ones only when asked for, Hypothesis the same every time."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "ponderosa",
    deadline=None,  # the first example of a game compiles it
    derandomize=True,
    print_blob=False,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # to explain a failure is to trace it, which may never end
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("ponderosa")


LONG = ("slow", "nightly")
os.environ["PONDEROSA_COMPILE_AHEAD"] = "0"  # the workers of a test run keep every core busy without it


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long tests out, unless the -m expression speaks of them or a test is named by its id."""
    if any("::" in str(argument) for argument in config.args):
        return
    unasked = [mark for mark in LONG if mark not in config.option.markexpr]
    left_out = [item for item in items if any(item.get_closest_marker(mark) for mark in unasked)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def interrupts_arrive() -> Iterator[None]:
    """A shell starts what runs in its background with interrupts switched off, and processes hand that down."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_finish() -> None:
    """Thousands of tests are no garbage: do not look at them again and again."""
    gc.collect()
    gc.freeze()
