"""Code for CUDA cards, made only when somebody asks for it. Start at device_function.

Only cuda_code.py imports numba-cuda, so that everything else loads without it.
"""

from __future__ import annotations

import importlib.util
from typing import Any


def missing() -> str | None:
    """Why nothing can be run on a card here, or None."""
    if importlib.util.find_spec("numba_cuda") is None:
        return "device='cuda' needs numba-cuda: pip install \"ponderosa[cuda]\""
    from ponderosa.compile import cuda_code

    return None if cuda_code.card.is_available() else "there is no CUDA card that this process can use"


def device_function(function: Any) -> Any:
    """A plain Python function, and those that it calls, as code for the card."""
    from ponderosa.compile import cuda_code

    return cuda_code.device_function(function)
