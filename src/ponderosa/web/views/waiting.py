"""Waiting for a game that is made ready, and telling how far it is. Start at told_meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from ponderosa.web.drawing.waiting import preparing
from ponderosa.web.model.compiled_now import compiled_now
from ponderosa.web.views.layout import Html

LOOK_SECONDS = 0.2
"""How often it is asked how far it is."""
T = TypeVar("T")


async def told_meanwhile(status: Html, work: Awaitable[T]) -> T:
    """What some work comes to, which may compile a game; the status line tells meanwhile how far that is."""
    task = asyncio.ensure_future(work)
    while not task.done():
        status.show(preparing(compiled_now()))
        await asyncio.wait({task}, timeout=LOOK_SECONDS)
    return await task
