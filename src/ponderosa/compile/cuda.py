"""Code for CUDA cards, made only when somebody asks for it. Start at device_function.

Only cuda_code.py imports numba-cuda, so that everything else loads without it.
"""

from __future__ import annotations

from typing import Any


def device_function(function: Any) -> Any:
    """A plain Python function, and those that it calls, as code for the card."""
    from ponderosa.compile import cuda_code

    return cuda_code.device_function(function)
