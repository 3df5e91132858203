"""Functions that are compiled at once, for tests of the folder that keeps machine code. Start at answers_apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ponderosa.compile.native import INT, compiled


def one_more(number: Any) -> Any:
    return number + 1


def two_more(number: Any) -> Any:
    return one_more(number) + 1


def doubled(number: Any) -> Any:
    return 2 * number


def squared(number: Any) -> Any:
    return number * number


def negative(number: Any) -> Any:
    return -number


def halved(number: Any) -> Any:
    return number // 2


FUNCTIONS = (one_more, two_more, doubled, squared, negative, halved)
EXPECTED = [8, 9, 14, 49, -7, 3]
CODE = """
import json
from tests.compile.small_functions import answers
print(json.dumps(answers()))
"""


def answers() -> list[int]:
    """What the machine code of every function makes of seven."""
    return [compiled(function, INT(INT))(7) for function in FUNCTIONS]


def answers_apart(cache: Path, prefix: str = "", **environment: str) -> Any:
    """The answers of a new process, with this folder for machine code."""
    from tests.helpers import run_python  # which a new process need not load

    return run_python(prefix + CODE, PONDEROSA_CACHE_DIR=str(cache), **environment)
