"""Starting the page. Start at serve."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import os
import secrets
import socket
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from fastapi_swagger import patch_fastapi
from nicegui import app as pages
from nicegui import core as connections
from nicegui import ui

from ponderosa import __version__
from ponderosa.arena.results.store import DEFAULT
from ponderosa.errors import SettingError
from ponderosa.lab.reports.folder import FOLDER
from ponderosa.learning.watching import FOLDER as LEARNING
from ponderosa.pictures.style import STYLE
from ponderosa.web.api.api import add_api
from ponderosa.web.doors.documentation import add_documentation
from ponderosa.web.doors.doorkeeper import Doorkeeper, Patience
from ponderosa.web.doors.guard import LOCAL_NAMES, Guard
from ponderosa.web.doors.heads import Heads
from ponderosa.web.doors.lost import add_not_found, nothing_at
from ponderosa.web.doors.noise import calm
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.elsewhere import Helper
from ponderosa.web.model.entrance import Address
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.saved_games import SavedGames
from ponderosa.web.model.visitor import Visitors, visitor_of
from ponderosa.web.views.analysis_view import AnalysisView
from ponderosa.web.views.arena_view import ArenaView
from ponderosa.web.views.event_view import EventView
from ponderosa.web.views.front_view import FrontView
from ponderosa.web.views.lab_view import LabView, add_reports
from ponderosa.web.views.layout import BOARD_STYLE, STATIC, STATIC_URL, link_to
from ponderosa.web.views.learning_view import LearningView
from ponderosa.web.views.play_view import PlayView
from ponderosa.web.views.replay_view import ReplayView
from ponderosa.web.views.run_view import RunView
from ponderosa.web.views.saved_view import SavedView
from ponderosa.web.views.watch_view import WatchView

SWEEP_SECONDS = 5.0
GONE_SECONDS = 4.0
"""How long a tab that was closed is waited for: it may be a reload."""
SILENT_SECONDS = 20.0
"""How long a browser may be silent before its connection counts as lost: a busy machine, or a phone, takes its time."""
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c7c7d"/>'
    '<circle cx="11" cy="20" r="5.5" fill="#fff"/><circle cx="21" cy="12" r="5.5" fill="#ffc078"/></svg>'
)


@dataclass(frozen=True)
class Settings:
    """How a server is started."""

    host: str = "127.0.0.1"
    """The address that it listens on."""
    port: int = 8080
    """The port that it listens on."""
    token: str | None = None
    """What visitors must know; needed on any host but this machine."""
    data: Path | None = None
    """The folder of saved games; None: the user's own."""
    games: tuple[str, ...] = ()
    """Games in files, offered beside the registered ones."""
    agents: tuple[str, ...] = ()
    """Agents that run programs, which are offered only when they are named here."""
    limits: Limits = field(default_factory=Limits)
    """What is granted."""
    arena: Path = Path(DEFAULT)
    """The file of matches and tournaments."""
    reports: Path = Path(FOLDER)
    """The folder of the lab's reports."""
    learning: Path = Path(LEARNING)
    """The folder of runs of learning, or one of them."""
    patience: Patience = field(default_factory=Patience)
    """How long it waits for visitors who say nothing."""

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def address(self) -> str:
        """The link to open: to the game that the server was started with, else to all games."""
        shown = "localhost" if self.host in ("0.0.0.0", "::") else self.host
        shown = f"[{shown}]" if ":" in shown else shown
        path = link_to("/play" if self.games else "/", game=next(iter(self.games), ""), token=self.token or "")
        return f"http://{shown}:{self.port}{path}"


def data_folder() -> Path:
    """Where saved games are kept when nobody says otherwise."""
    from platformdirs import user_data_path

    return Path(os.environ.get("PONDEROSA_DATA_DIR") or user_data_path("ponderosa"))


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(16)


def build(settings: Settings) -> tuple[Any, Hub]:
    """The ASGI application, and what its visitors share."""
    if not settings.local and not settings.token:
        raise SettingError(
            f"on the host {settings.host} other people can reach the page: give it a token, as in --token {new_token()}"
        )
    catalogue = Catalogue(settings.games, settings.agents, settings.learning.expanduser())
    saved = SavedGames((settings.data or data_folder()) / "games.sqlite")
    hub = Hub(
        catalogue,
        settings.limits,
        saved,
        games=settings.arena,
        reports=settings.reports,
        learning=settings.learning,
        token=settings.token or "",
    )

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        connections.sio.eio.ping_interval = connections.sio.eio.ping_timeout = SILENT_SECONDS
        sweeper, helper = asyncio.create_task(_sweep(hub)), Helper()
        helper.take_over()
        try:
            yield
        finally:
            sweeper.cancel()
            helper.close()
            await asyncio.to_thread(hub.shut)

    server = FastAPI(
        title="Ponderosa",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
    )
    add_api(server, hub)
    add_reports(server, hub)
    add_documentation(server)
    patch_fastapi(server, docs_url="/api/docs", redirect_from_root_to_docs=False)
    pages.add_static_file(local_file=STYLE, url_path=BOARD_STYLE)
    pages.add_static_files(STATIC_URL, STATIC)
    _add_pages(hub)
    add_not_found()
    ui.run_with(
        server,
        title="Ponderosa",
        favicon=ICON,
        dark=None,
        language="en-US",
        reconnect_timeout=GONE_SECONDS,
        show_welcome_message=False,
    )
    hosts = None if settings.token else LOCAL_NAMES | {settings.host.lower()}
    return Guard(Heads(Visitors(server)), hosts, settings.token), hub


def _add_pages(hub: Hub) -> None:
    @ui.page("/")
    def front(request: Request, token: str = "") -> Response | None:
        if request.query_params.keys() - {"token"}:  # a link from when the games were here
            return RedirectResponse(f"/play?{request.url.query}")
        FrontView(hub, visitor_of(request.scope), token != "")
        return None

    @ui.page("/play")
    def play(
        request: Request,
        game: str = "",
        moves: str = "",
        players: str = "",
        id: str = "",
        seat: str = "",
        player: str = "",
    ) -> None:
        asked = Address(game, moves, players, id, seat, player)
        ui.context.client.on_delete(PlayView(hub, visitor_of(request.scope), asked).close)

    @ui.page("/analysis")
    def analysis(request: Request, game: str = "", moves: str = "", a: str = "", b: str = "", show: str = "") -> None:
        view = AnalysisView(hub, game, moves, a, b, show, visitor_of(request.scope))
        ui.context.client.on_delete(view.close)

    @ui.page("/saved")
    def saved() -> None:
        SavedView(hub)

    @ui.page("/arena")
    def arena() -> None:
        ArenaView(hub)

    @ui.page("/lab")
    def lab(report: str = "") -> None:
        LabView(hub, report)

    @ui.page("/learning")
    def learning(run: str = "") -> None:
        if run:
            RunView(hub, run)
        else:
            LearningView(hub)

    @ui.page("/arena/event")
    async def event(request: Request, id: str = "") -> Response | None:
        if not await asyncio.to_thread(hub.arena.has, "events", id):
            return nothing_at(_asked_for(request))
        EventView(hub, id)
        return None

    @ui.page("/arena/game")
    async def game(request: Request, id: str = "") -> Response | None:
        if not await asyncio.to_thread(hub.arena.has, "games", id):
            return nothing_at(_asked_for(request))
        ReplayView(hub, id)
        return None

    for word in hub.addresses.games:
        _add_game(hub, word)


def _asked_for(request: Request) -> str:
    """The address of a request as people see it, without the token."""
    facts = {key: text for key, text in request.query_params.items() if key != "token"}
    return link_to(request.url.path, **facts)


def _add_game(hub: Hub, word: str) -> None:
    """The addresses of a game's positions."""

    @ui.page(f"/{word}")
    @ui.page(f"/{word}/{{moves:path}}")
    def watch(request: Request, moves: str = "") -> None:
        settings = {key: text for key, text in request.query_params.items() if key != "token"}
        view = WatchView(hub, hub.addresses.spec(word, settings), moves, visitor_of(request.scope))
        ui.context.client.on_delete(view.close)


async def _sweep(hub: Hub) -> None:
    """From time to time, close what nobody asks for any more, and give memory back to the system."""
    gc.collect()
    gc.freeze()  # what is there now stays: later collections look at games alone, and are quick
    closings = 0
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        swept = await asyncio.wrap_future(hub.runner.prepare(hub.sweep))
        hub.tables.sweep()
        if swept or hub.closings != closings:
            closings = hub.closings
            await asyncio.wrap_future(hub.runner.prepare(_give_memory_back))


def _give_memory_back() -> None:
    """Free what only cycles hold, and hand free pages to the system, where the C library can."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def serve(settings: Settings, open_page: bool, say: Any = print) -> None:
    """Run the page until somebody presses Ctrl-C."""
    app, _ = build(settings)
    _check_port(settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        ws_max_size=1_000_000,
        timeout_graceful_shutdown=2,
        limit_concurrency=settings.patience.connections,
    )
    server = _Server(config, settings, open_page, say)
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how a server ends
        server.run()


class _Server(uvicorn.Server):
    """Says where it is once it answers."""

    def __init__(self, config: uvicorn.Config, settings: Settings, open_page: bool, say: Any) -> None:
        super().__init__(config)
        self._settings, self._open, self._say = settings, open_page, say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            calm()
            keeper = Doorkeeper(self.server_state.connections, self._settings.patience)
            self._watch = asyncio.create_task(keeper.watch())
            self._say(f"Ponderosa is at {self._settings.address} (Ctrl-C ends it)")
            if self._open:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(self._settings.address)


def _check_port(settings: Settings) -> None:
    """Say in words that a port is taken, before the server starts."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except (OSError, OverflowError) as error:
            where = f"{settings.host} port {settings.port}"
            raise SettingError(f"cannot listen on {where} ({error}); try --port {settings.port + 1}") from None
