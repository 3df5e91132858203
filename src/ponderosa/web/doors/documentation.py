"""The documentation site at /docs, offline, or a page that says how to get it. Start at add_documentation."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from ponderosa.system.documentation import MISSING, site
from ponderosa.web.doors.lost import PAGE, nothing_at

ADDRESS = "/docs"


def add_documentation(server: FastAPI) -> None:
    """Serve the site, or say that it is not there."""
    folder = site()
    if folder is None:
        for address in (ADDRESS, f"{ADDRESS}/"):
            server.add_api_route(address, _missing, include_in_schema=False)
    else:
        server.add_api_route(ADDRESS, lambda: RedirectResponse(f"{ADDRESS}/"), include_in_schema=False)
        server.mount(ADDRESS, _Site(directory=folder, html=True))


class _Site(StaticFiles):
    """The files of the site; what is not there is said in words, as everywhere on the page."""

    async def get_response(self, path: str, scope: Any) -> Response:
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:
                raise
            return nothing_at(f"{ADDRESS}/{path}")


def _missing() -> HTMLResponse:
    """What stands in the place of the site."""
    return HTMLResponse(PAGE.format(title="No documentation here", words=escape(MISSING)), status_code=404)
