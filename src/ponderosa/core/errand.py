"""Who is asked before something is compiled that is not on the disk. Start at Errand; core/native.py asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Errand:
    """A wish to have things compiled by somebody else."""

    run: Callable[[], None] | None = None
    """Lets another process put machine code on the disk (web/elsewhere.py); None: everything is compiled here."""


errand = Errand()
"""The one of this process."""
