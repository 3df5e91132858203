"""The reports of the lab, listed and shown. Start at LabView.

A report is a page of its own. It is shown in a frame that may run nothing and load nothing: whoever wrote the folder,
it can do no harm.
"""

from __future__ import annotations

import time
from html import escape
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from nicegui import ui

from ponderosa.errors import UnknownNameError
from ponderosa.lab.reports.library import Card, page_of, reports
from ponderosa.web.drawing.results import table
from ponderosa.web.model.hub import Hub
from ponderosa.web.views.layout import Html, frame, link_to, panel

POLL_SECONDS = 2.0
ADDRESS = "/lab/page"
HARMLESS = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a report may do: be looked at."""


class LabView:
    """All reports, or one of them."""

    def __init__(self, hub: Hub, key: str = "") -> None:
        """`key` is the report to show, as the address has it."""
        self.hub = hub
        with frame("/lab", "arena"):
            if key:
                self._show(key)
                return
            with panel("Reports"):
                self.list = Html("wide")
        self._refresh()
        ui.timer(POLL_SECONDS, self._refresh)

    def _show(self, key: str) -> None:
        card = next((card for card in reports(self.hub.reports) if card.key == key), None)
        with panel("Report"):
            if card is None:
                Html("message", role="alert").show(f"There is no report {escape(key[:100])} in {self._folder}.")
                return
            Html("saved").show(f'<a href="/lab">All reports</a> · {escape(card.key)}')
            source = f"{ADDRESS}/{quote(card.key, safe='')}"
            Html("wide").show(f'<iframe class="report" sandbox title="{escape(card.title)}" src="{source}"></iframe>')

    @property
    def _folder(self) -> str:
        return escape(str(self.hub.reports))

    def _refresh(self) -> None:
        cards = reports(self.hub.reports)
        self.list.show(_list(cards) if cards else self._nothing_yet())

    def _nothing_yet(self) -> str:
        return (
            f'<span class="quiet">There is no report in {self._folder} yet. In a terminal: '
            "<code>ponderosa lab run bandits --scale tiny</code>; <code>ponderosa serve --lab FOLDER</code> shows "
            "another folder.</span>"
        )


def _list(cards: list[Card]) -> str:
    rows = [
        (
            f'<a href="{escape(link_to("/lab", report=card.key))}">{escape(card.title)}</a>',
            escape(card.question),
            escape(card.scale),
            escape(card.verdict),
            str(card.figures),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(card.written)),
        )
        for card in cards
    ]
    return table(("Report", "What was asked", "Scale", "Verdict", "Figures", "Written"), rows)


def add_reports(app: FastAPI, hub: Hub) -> None:
    """Add the address at which the reports' own pages are."""

    @app.get(ADDRESS + "/{key}", include_in_schema=False)
    def report(key: str) -> HTMLResponse:
        headers = {"Content-Security-Policy": HARMLESS, "X-Content-Type-Options": "nosniff"}
        try:
            return HTMLResponse(page_of(hub.reports, key), headers=headers)
        except UnknownNameError as error:
            return HTMLResponse(f"<p>{escape(str(error))}</p>", status_code=404, headers=headers)
