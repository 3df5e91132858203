"""Who is asked before something is compiled that is not on the disk. Start at Errand; compile/native.py asks."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Errand:
    """A wish to have things compiled by somebody else."""

    run: Callable[[], None] | None = None
    """Lets another process put machine code on the disk (web/model/elsewhere.py); None: everything is compiled here."""
    workers: set[int] = field(default_factory=set)
    """The threads that compile now, or wait for what is compiled."""

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """This thread compiles."""
        me = threading.get_ident()
        within = me in self.workers
        self.workers.add(me)
        try:
            yield
        finally:
            if not within:
                self.workers.discard(me)


errand = Errand()
"""The one of this process."""
