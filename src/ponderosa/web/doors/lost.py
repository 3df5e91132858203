"""What an address gets at which nothing is: JSON for programs, a page for people. Start at add_not_found."""

from __future__ import annotations

from html import escape

from fastapi import Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.responses import HTMLResponse, JSONResponse, Response
from nicegui import app as pages
from starlette.exceptions import HTTPException

PAGE = """<!doctype html>
<html lang="en-US"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} · Ponderosa</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; background: Canvas; color: CanvasText; }}
main {{ max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; line-height: 1.5; overflow-wrap: anywhere; }}
</style></head>
<body><main><h1>{title}</h1><p>{words}</p>
<p><a href="/">Go to the games</a></p></main></body>
</html>
"""


def add_not_found() -> None:
    """Answer in words wherever no page is and no route of the API."""

    @pages.exception_handler(404)
    async def not_found(request: Request, error: Exception) -> Response:
        path = request.url.path
        if path == "/api" or path.startswith("/api/"):
            asked = path if request.method == "GET" else f"{request.method} {path}"
            return JSONResponse({"detail": f"there is no {asked}; /api/docs lists all that there is"}, status_code=404)
        if path.startswith(("/_nicegui", "/page-files")) and isinstance(error, HTTPException):
            return await http_exception_handler(request, error)
        return nothing_at(path)


def nothing_at(path: str) -> HTMLResponse:
    """The page for people."""
    words = f"There is no page at {escape(path)}."
    return HTMLResponse(PAGE.format(title="Nothing is here", words=words), status_code=404)
