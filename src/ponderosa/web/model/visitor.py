"""A name for every browser, in a cookie, so that it finds its seat again. Start at Visitors.

The name is random and tells nothing; scripts of the page cannot read it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import MutableMapping
from typing import Any

from ponderosa.web.doors.guard import App, Receive, Scope, Send, cookie_in
from ponderosa.web.model.shares import Visitor

COOKIE = "ponderosa_browser"
KNOWN_BY = "ponderosa.browser"
"""Where in a request's scope the name is."""
LASTS = 30 * 24 * 3600
"""Seconds after which a browser that never came back is forgotten by itself."""


class Visitors:
    """An ASGI layer that gives each browser its name, with every page that it loads."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, knowing who asks."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = _name_in(scope) or secrets.token_urlsafe(24)
        scope[KNOWN_BY] = name

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                cookie = f"{COOKIE}={name}; Path=/; Max-Age={LASTS}; HttpOnly; SameSite=Lax"
                message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode())]
            await send(message)

        await self.app(scope, receive, sending)


def name_of(scope: Scope) -> str:
    """The name of the browser that sent a request."""
    return str(scope.get(KNOWN_BY) or secrets.token_urlsafe(24))


def visitor_of(scope: Scope) -> Visitor:
    """Whose page a request asks for."""
    return Visitor(_address(scope), name_of(scope))


def program_of(scope: Scope) -> Visitor:
    """Who asks the API: whoever keeps no cookie has no name, however many requests there are."""
    return Visitor(_address(scope), _name_in(scope) or "")


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _name_in(scope: Scope) -> str | None:
    """The name that a browser says it has, if it looks like one of ours."""
    said = cookie_in(scope, COOKIE)
    return said if said is not None and re.fullmatch(r"[\w-]{32}", said, re.ASCII) else None


def _is_page(message: MutableMapping[str, Any]) -> bool:
    headers = {name.lower(): value for name, value in message.get("headers", [])}
    return bool(headers.get(b"content-type", b"").startswith(b"text/html"))
