"""CUDA cards: whether there is one, and code for them. Start at missing.

Only cuda_code.py imports numba-cuda, so that everything else loads without it. NUMBA_ENABLE_CUDASIM=1 runs kernels in
plain Python, for tests.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

EXTRA = 'pip install "ponderosa[cuda]"'


@functools.cache
def missing() -> str | None:
    """What is missing to search on a card, in words; None: nothing."""
    if importlib.util.find_spec("numba_cuda") is None:
        return f"numba-cuda is not installed: {EXTRA}"
    from ponderosa.compile import cuda_code

    return cuda_code.no_card()


def device_function(function: Any) -> Any:
    """A plain Python function, and those that it calls, as code for the card."""
    from ponderosa.compile import cuda_code

    return cuda_code.device_function(function)
