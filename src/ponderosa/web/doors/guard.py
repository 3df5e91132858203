"""Who may talk to the server: hosts, origins, the token, and how much they may say. Start at Guard.

An ASGI layer around everything, so that it holds for pages, files, the API and WebSockets alike. A page of another
site can neither read from nor talk to a server on this machine: its Origin differs, and a host name that somebody
points at this machine is not among ours.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "ponderosa_token"
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
MOST_BODY = 1_000_000
"""No request is longer, in bytes."""
BODY = (b"content-length", b"transfer-encoding")
"""The headers that say that there is one."""
TOO_LONG = f"a request may have {MOST_BODY} bytes at most"


class Guard:
    """Lets through what comes from our own page, or from whoever knows the token."""

    def __init__(self, app: App, hosts: frozenset[str] | None, token: str | None = None) -> None:
        """`hosts` are the names by which the server may be called; None: any, which only a token makes safe."""
        self.app, self.hosts, self.token = app, hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, send, *refusal)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            brings = self.token is not None and _query_token(scope) == self.token
            measured = Measured(scope, receive, _with_cookie(send, self.token or "") if brings else send)
            await self.app(scope, measured.receive, measured.send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not answered."""
        host = headers.get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            return 403, f"this server does not answer to the name {host!r}"
        origin = headers.get("origin")
        if origin is not None and _place_of(origin) != host.lower():
            return 403, f"requests from {origin!r} are not answered"
        if int_or_zero(headers.get("content-length")) > MOST_BODY:
            return 413, TOO_LONG
        if self.token is not None and not self._knows_token(scope, headers):
            return 401, "this server asks for its token: open the link that it printed when it started"
        return None

    def _knows_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        assert self.token is not None
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        given = [_query_token(scope), bearer, cookie_in(scope, COOKIE) or ""]
        return any(hmac.compare_digest(text.encode(), self.token.encode()) for text in given)


class Measured:
    """One request whose body is counted as it comes in: it may come in pieces, and without saying how long it is."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._bytes, self._answered, self._refused = 0, False, False
        self._whole = all(name.lower() not in BODY or value == b"0" for name, value in scope["headers"])

    async def receive(self) -> MutableMapping[str, Any]:
        """The next piece; a piece too many ends the request, and whoever reads it hears that nobody is there."""
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._bytes <= MOST_BODY:
            return message
        if not self._answered:
            self._answered = True
            await _refuse(self._scope, self._send, 413, TOO_LONG)
        self._refused = True
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass an answer on, unless the request was refused; of one that nobody has read, the rest is not taken in."""
        self._answered = True
        if message["type"] == "http.response.start" and not self._whole:
            message["headers"] = [*message.get("headers", []), (b"connection", b"close")]
        if not self._refused:
            await self._send(message)


def cookie_in(scope: Scope, name: str) -> str | None:
    """A cookie of a request. Other servers of this machine share the browser's cookies: theirs may be anything."""
    said = b";".join(value for header, value in scope["headers"] if header.lower() == b"cookie").decode("latin-1")
    pairs = (piece.partition("=") for piece in said.split(";"))
    return {key.strip(): value.strip() for key, _, value in pairs}.get(name)


def int_or_zero(text: str | None) -> int:
    """A header's number."""
    if text is None or not (text.isascii() and text.isdecimal()):
        return 0
    return int(text) if len(text) < 16 else MOST_BODY + 1


def _place_of(origin: str) -> str | None:
    """Host and port of an origin; None: it is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # "http://["
        return None


def _name(host: str) -> str:
    """A host without its port."""
    return (host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host).lower()


def _query_token(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _with_cookie(send: Send, token: str) -> Send:
    """Whoever brought the token in the address gets it as a cookie, so that it leaves the address."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
            message["headers"] = [*message.get("headers", []), (b"set-cookie", cookie.encode())]
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": words[:100]})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode()})
