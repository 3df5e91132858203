"""Whoever asks for the head of an answer alone gets that of GET, at every address. Start at Heads."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from ponderosa.web.doors.guard import App, Receive, Scope, Send


class Heads:
    """An ASGI layer that answers HEAD as GET is answered, without the body."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; what comes after the head is asked for, and goes nowhere."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, sending)
