"""The API for other programs, described by OpenAPI at /api/docs. Start at add_api.

The same doors and the same limits as the page: games by name, moves as people write them, reports as JSON.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse

from ponderosa.core.notation import read_action
from ponderosa.errors import IllegalActionError, LimitError, PonderosaError, SettingError, UnknownNameError
from ponderosa.mcts.report.report import Report
from ponderosa.web.api.models import (
    PROBLEMS,
    Answer,
    GameOffer,
    Move,
    NewGame,
    Position,
    PositionQuestion,
    Question,
    SavedGame,
    Status,
    answer,
    saved_game,
)
from ponderosa.web.model.catalogue import ADVISER, PERSON, takes, with_seconds, with_setting
from ponderosa.web.model.director import Director
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import MOST_TEXT
from ponderosa.web.model.runner import Job, Thinker
from ponderosa.web.model.session import GameSession, new_seed
from ponderosa.web.model.sight import Sight
from ponderosa.web.model.visitor import program_of

LOOK_SECONDS = 0.05
"""How often a waiting request looks whether its search is over."""
STREAM_SECONDS = 0.25
"""How often a stream sends a report."""

T = TypeVar("T")
Name = Annotated[str, Path(min_length=1, max_length=64, description="The game's id.")]
Eyes = Annotated[int | None, Query(ge=0, description="Whose eyes, while something is hidden; else the first person's.")]


def add_api(app: FastAPI, hub: Hub) -> None:
    """Add the routes, and answers in words to whatever is wrong."""
    app.include_router(_router(hub))

    @app.exception_handler(PonderosaError)
    async def in_words(_: Request, error: PonderosaError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status_code=_status(error))

    @app.exception_handler(RequestValidationError)
    async def not_understood(_: Request, error: RequestValidationError) -> JSONResponse:
        first = jsonable_encoder(error.errors(), custom_encoder={Exception: str, bytes: repr})[0]
        where = ".".join(str(part) for part in first.get("loc", ()) if part != "body")
        return JSONResponse({"detail": f"{where or 'request'}: {first.get('msg', 'is wrong')}"}, status_code=422)


def _status(error: PonderosaError) -> int:
    if isinstance(error, LimitError):
        return 429
    if isinstance(error, NoSuchGameError):
        return 404
    return 409 if isinstance(error, NotNowError) else 422


class NoSuchGameError(UnknownNameError):
    """An id of no open game."""


class NotNowError(PonderosaError):
    """Something that this position does not allow."""


def _router(hub: Hub) -> APIRouter:
    api = APIRouter(prefix="/api", tags=["ponderosa"], responses=PROBLEMS)

    @api.get("/games")
    async def games() -> list[GameOffer]:
        """The games that can be played, with their parameters."""
        return [
            GameOffer(name=o.name, about=o.about, players=o.players, parameters=jsonable_encoder(o.parameters))
            for o in hub.catalogue.offers()
        ]

    @api.get("/agents")
    async def agents() -> list[str]:
        """The agents that can be asked for."""
        return hub.catalogue.agent_names

    @api.get("/status")
    async def status() -> Status:
        """What goes on now, and what is granted."""
        limits = hub.limits
        return Status(
            open_games=hub.open_games,
            searches=hub.runner.busy,
            kept_nodes=hub.runner.kept_nodes,
            max_seconds=limits.max_seconds,
            max_sessions=limits.max_sessions,
            max_searches=limits.max_searches,
        )

    @api.post("/sessions", status_code=201)
    async def new_game(asked: NewGame, request: Request) -> Position:
        """Begin a game; it stays open, also when the server is started anew, until it is deleted or long forgotten."""
        session = await _prepared(hub, lambda: _new_session(hub, asked))
        return await _saved_position(_lent(hub, session, request), None)

    @api.get("/sessions")
    async def saved_games() -> list[SavedGame]:
        """The games saved last, the newest first, finished or going on; where something is hidden, after the end."""
        return [saved_game(record) for record in await asyncio.wrap_future(hub.saved_games())]

    @api.get("/sessions/{name}")
    async def look(name: Name, request: Request, player: Eyes = None) -> Position:
        """An open game as it stands, or as a player sees it."""
        return _position(await _visit(hub, name, request), player)

    @api.delete("/sessions/{name}", status_code=204)
    async def leave(name: Name, request: Request) -> None:
        """Close a game; it is kept among the saved ones."""
        director = await _visit(hub, name, request)
        await _prepared(hub, lambda: hub.close(director))

    @api.get("/sessions/{name}/actions")
    async def actions(name: Name, request: Request, player: Eyes = None) -> list[str]:
        """The legal moves, as people write them; while something is hidden, a player's own."""
        sight = _sight(await _visit(hub, name, request), player)
        found = sight.actions() if sight.acts() or not sight.limited else []
        return [sight.state.action_to_string(action) for action in found]

    @api.post("/sessions/{name}/play")
    async def play(name: Name, move: Move, request: Request) -> Position:
        """Play a move, or let the agent of the player to move choose one."""
        director = await _visit(hub, name, request)
        if director.session.finished:
            raise NotNowError("the game is over: there is no move to make")
        if move.move is not None:
            try:
                _play(director.session, move.move, move.player)
            except IllegalActionError as error:
                raise NotNowError(str(error)) from None
            director.changed()
        else:
            await _machine_move(director, request)
        return await _saved_position(director, move.player)

    @api.post("/sessions/{name}/undo")
    async def undo(name: Name, request: Request, player: Eyes = None) -> Position:
        """Take the last move back; with people at the board, up to their own last move. A finished game stays."""
        director = await _visit(hub, name, request)
        session = director.session
        if session.finished:
            raise NotNowError("the game is over and stays as it is; its first moves can begin another one")
        ply = session.turn_before(session.plies)
        if ply is None:
            raise NotNowError("there is no move to take back")
        session.take_back(ply)
        director.changed()
        return await _saved_position(director, player)

    @api.post("/sessions/{name}/analyse")
    async def analyse(name: Name, question: Question, request: Request, player: Eyes = None) -> Answer:
        """Search the position of an open game; while something is hidden, as a player sees it on their turn."""
        session = _own_turn(await _visit(hub, name, request), player)
        return await _searched(hub, session, question, request)

    @api.get("/sessions/{name}/analyse/stream", response_class=StreamingResponse)
    async def stream(
        name: Name,
        request: Request,
        agent: Annotated[str, Query(min_length=1, max_length=MOST_TEXT)] = ADVISER,
        seconds: Annotated[float | None, Query(gt=0, le=86400)] = None,
        iterations: Annotated[int | None, Query(gt=0, le=10**12)] = None,
        player: Eyes = None,
    ) -> StreamingResponse:
        """Search the position, and send reports as server-sent events meanwhile; the last has the event `end`."""
        session = _own_turn(await _visit(hub, name, request), player)
        thinker, job = _begin(hub, session, Question(agent=agent, seconds=seconds, iterations=iterations), request)
        return StreamingResponse(_reports(hub, thinker, job), media_type="text/event-stream")

    @api.post("/analyse")
    async def analyse_position(question: PositionQuestion, request: Request) -> Answer:
        """Search a position without opening a game."""
        asked = NewGame(game=question.game, moves=question.moves)
        session = await _prepared(hub, lambda: _new_session(hub, asked))
        return await _searched(hub, session, question, request)

    return api


async def _prepared(hub: Hub, work: Callable[[], T]) -> T:
    """Do what may compile a game in a thread."""
    return await asyncio.wrap_future(hub.runner.prepare(work))


def _new_session(hub: Hub, asked: NewGame) -> GameSession:
    game = hub.catalogue.game(asked.game)
    players = asked.players if asked.players is not None else [PERSON] * game.players
    seed = new_seed() if asked.seed is None else asked.seed
    return GameSession.after(asked.game, game, [hub.seat(seat, game) for seat in players], asked.moves, seed)


async def _visit(hub: Hub, name: str, request: Request) -> Director:
    """An open game; one that was open when the server ended is opened again."""
    try:
        return hub.visit(name)
    except UnknownNameError as error:
        record = await asyncio.wrap_future(hub.find_saved(name))
        if record is None or not record.lent:
            raise NoSuchGameError(str(error)) from None
        session = await _prepared(hub, lambda: hub.reopened(record))
        return _lent(hub, session, request)


def _lent(hub: Hub, session: GameSession, request: Request) -> Director:
    """Open a game for the API."""
    director = hub.open(session, program_of(request.scope))
    director.paused, director.reviewing = True, False  # machines move when they are asked to
    hub.lend(director)
    director.roll()
    return director


async def _saved_position(director: Director, player: int | None) -> Position:
    """A game as it stands after a change, when it is saved so; dice that are due have fallen."""
    director.roll()
    found = _position(director, player)
    if director.saving is not None:
        await asyncio.wrap_future(director.saving)
    return found


def _sight(director: Director, player: int | None) -> Sight:
    """What whoever asks may see: while something is hidden, the view of the person who is named, or of the first."""
    session = director.session
    if not session.secret:
        return Sight(director, None)
    people = session.people()
    if player is not None and player not in people:
        raise SettingError(f"player {player} is no person: people see this game with the eyes of {people}")
    return Sight(director, people[0] if player is None else player)


def _own_turn(director: Director, player: int | None) -> GameSession:
    """The game, if whoever asks may search it now: nobody gets to know what another player's search says."""
    sight = _sight(director, player)
    if sight.limited and not sight.acts():
        raise NotNowError("while something is hidden, a player's position is searched on that player's turn")
    return director.session


def _play(session: GameSession, text: str, player: int | None) -> None:
    """The move of a player, read as that player sees the position."""
    mover = session.mover if player is None else player
    if mover is None or mover not in session.waiting_for():
        raise IllegalActionError("this player is not to move now")
    session.choose(mover, read_action(session.game, text, session.state.observation(mover)))


def _position(director: Director, player: int | None) -> Position:
    sight, session = _sight(director, player), director.session
    return Position(
        id=session.id,
        game=session.spec,
        players=session.seats,
        moves=[entry.name or "…" for entry in sight.entries()],
        text=str(sight.state),
        over=session.finished,
        result=session.result(session.marks()),
        to_move=session.mover,
        player=sight.player if sight.limited else None,
        player_names=session.marks(),
        seed=session.told_seed,
    )


async def _machine_move(director: Director, request: Request) -> None:
    """Wait for the move of the agent whose turn it is; a caller who has gone stops it."""
    session = director.session
    if all(session.seats[player] == PERSON for player in session.waiting_for()):
        raise NotNowError("it is a person's turn: say which move")
    before = (session.plies, len(session.choices))
    director.message = ""
    director.step()
    while (session.plies, len(session.choices)) == before and not director.message:
        if await request.is_disconnected():
            director.pause(True)
            raise NotNowError("the caller has gone")
        await asyncio.sleep(LOOK_SECONDS)
        director.tick()
        if director.ended:
            raise NoSuchGameError("the game was closed meanwhile")
    if director.message:
        raise SettingError(director.message)


def _begin(hub: Hub, session: GameSession, question: Question, request: Request) -> tuple[Thinker, Job]:
    """Begin a search with an agent of its own."""
    if session.finished:
        raise NotNowError("the game is over: there is nothing to search")
    if session.mover is None:
        raise NotNowError("chance decides here: there is nothing to search")
    spec = hub.catalogue.seat(question.agent, session.game)
    if spec == PERSON:
        raise SettingError("a person does not search: name an agent, as in mcts:seconds=1")
    if question.seconds is not None:
        spec = with_seconds(spec, question.seconds)
    if question.iterations is not None:
        if not takes(spec, "iterations"):
            raise SettingError("this agent does not count iterations")
        kept = () if question.seconds is not None else ("seconds",)
        spec = with_setting(spec, "iterations", question.iterations, without=kept)
    if question.seed is not None and takes(spec, "seed"):
        spec = with_setting(spec, "seed", question.seed)
    thinker = Thinker(spec, session.game)
    seen = session.state.observation(session.mover)
    return thinker, hub.runner.submit(thinker, seen, program_of(request.scope))


async def _searched(hub: Hub, session: GameSession, question: Question, request: Request) -> Answer:
    thinker, job = _begin(hub, session, question, request)
    try:
        while not job.over:
            if await request.is_disconnected():
                break
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        hub.runner.forget(thinker)
    return answer(_found(job))


def _found(job: Job) -> Report:
    """What a search has found, or why it has found nothing."""
    if job.error is not None:
        raise SettingError(job.error)
    if job.report is None:
        raise SettingError("this agent says nothing about what it thinks")
    return job.report


async def _reports(hub: Hub, thinker: Thinker, job: Job) -> AsyncIterator[str]:
    """Server-sent events; when the reader has gone, the search ends."""
    sent: Report | None = None
    try:
        while not job.over:
            if job.report is not None and job.report is not sent:
                sent = job.report
                yield f"event: report\ndata: {answer(sent).model_dump_json()}\n\n"
            await asyncio.sleep(STREAM_SECONDS)
        try:
            yield f"event: end\ndata: {answer(_found(job)).model_dump_json()}\n\n"
        except PonderosaError as error:
            yield f"event: error\ndata: {json.dumps({'detail': str(error)})}\n\n"
    finally:
        hub.runner.forget(thinker)
