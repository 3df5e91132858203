"""Learning by self-play: a network for a game of anybody's own, in one call. Start at learn.py, which people call.

run.py is the loop: selfplay.py plays at many tables (tables.py), targets.py says what is learned from a position,
replay.py keeps them, training.py brings the network nearer, gate.py measures it, checkpoints.py loses nothing, report.py
draws. settings.py has every setting. It imports ponderosa.networks, forest and core, of the arena the statistics and of
the lab the figures. `ponderosa.learn(game)` calls learn.py's function.
"""

from __future__ import annotations

import sys
import types
from typing import Any


class _Door(types.ModuleType):
    """This package, which can be called like the function that it is named after."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        from ponderosa.learn.learn import learn

        return learn(*arguments, **keywords)


sys.modules[__name__].__class__ = _Door
