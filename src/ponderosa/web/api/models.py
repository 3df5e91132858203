"""What the API takes and gives, as OpenAPI describes it. Start at NewGame and Answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ponderosa.mcts.report.report import Report
from ponderosa.web.model.catalogue import ADVISER
from ponderosa.web.model.limits import MOST_TEXT
from ponderosa.web.model.saved_games import GameRecord
from ponderosa.web.model.session import MOST_SEED

Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]


class Strict(BaseModel):
    """What a request says; nothing else may be in it."""

    model_config = ConfigDict(extra="forbid")


class NewGame(Strict):
    """A game to begin."""

    game: Text = Field(examples=["connect4"], description="A game's name, with settings: connect:m=12,n=12,k=5.")
    moves: str = Field(
        default="", max_length=MOST_TEXT, examples=["4 4 3"], description="Moves that are already played."
    )
    players: list[Text] | None = Field(
        default=None,
        max_length=16,
        description='Who plays: "person", a level ("level:hard") or an agent ("mcts:seconds=1").',
    )
    seed: int | None = Field(
        default=None,
        ge=0,
        le=MOST_SEED,
        description="Of the dice, and of agents that are not given one; null: drawn for this game alone.",
    )


class Move(Strict):
    """A move to play."""

    move: Text | None = Field(
        default=None,
        examples=["4"],
        description="As people write it; null lets the agent of the player to move choose.",
    )
    player: int | None = Field(
        default=None, ge=0, description="Whose move, where all choose at once; null: the next person who is to move."
    )


class Question(Strict):
    """How to search a position."""

    agent: Text = Field(default=ADVISER, examples=["mcts:playout=decisive"])
    seconds: float | None = Field(default=None, gt=0, le=86400)
    iterations: int | None = Field(default=None, gt=0, le=10**12)
    seed: int | None = Field(default=None, ge=0, le=2**31)


class PositionQuestion(Question):
    """How to search a position that is named here."""

    game: Text = Field(examples=["connect4"])
    moves: str = Field(default="", max_length=MOST_TEXT)


class GameOffer(BaseModel):
    """A game that can be played."""

    name: str
    about: str
    players: int
    parameters: dict[str, Any]


class Position(BaseModel):
    """An open game as it stands."""

    id: str
    game: str
    players: list[str]
    moves: list[str]
    text: str
    over: bool
    result: str
    to_move: int | None
    player: int | None = Field(default=None, description="Whose eyes see it so; null: everything is told.")
    player_names: list[str]
    seed: int | None = Field(
        description="What dice and agents follow from; null until the end where it would tell cards or dice."
    )


class SavedGame(BaseModel):
    """A game that was saved, finished or going on."""

    id: str
    game: str
    players: list[str]
    plies: int
    result: str = Field(description="How it ended, in words; empty while it can go on.")
    saved: str
    open: bool = Field(description="Whether the other routes take its id.")


class ActionAnswer(BaseModel):
    """What the search knows of one move."""

    name: str
    visits: int
    value: float | None
    proven: str | None
    pv: list[str]
    expected: float | None = None
    strategy: float | None = None
    bounds: tuple[float, float] | None = None
    prior: float | None = Field(default=None, description="How promising a network took it for, as a share of one.")
    moves_left: int | None = Field(default=None, description="Moves to the end, this one among them, if exactly known.")
    equal_to: str | None = Field(default=None, description="By symmetry: the move that was searched in its place.")


class Answer(BaseModel):
    """What a search found."""

    game: str
    player: int
    best: str
    value: float
    proven: str | None
    iterations: int
    nodes: int
    positions: int | None = Field(default=None, description="With transpositions: the different positions.")
    seconds: float
    stopped: str
    seed: int
    pv: list[str]
    best_line: list[str] = []
    best_score: float | None = None
    bounds: tuple[float, float] | None = None
    judged: float | None = Field(default=None, description="What a trained network said of it before the search.")
    actions: list[ActionAnswer]


class Status(BaseModel):
    """What goes on, and the limits."""

    open_games: int
    searches: int
    kept_nodes: int
    max_seconds: float
    max_sessions: int
    max_searches: int


class Problem(BaseModel):
    """Why a request was not done."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "the request cannot be read"},
    404: {"model": Problem, "description": "there is no such game"},
    409: {"model": Problem, "description": "not possible in this position"},
    422: {"model": Problem, "description": "something in the request is wrong"},
    429: {"model": Problem, "description": "a limit of this server is reached"},
}


def saved_game(record: GameRecord) -> SavedGame:
    """A saved game for other programs."""
    return SavedGame(
        id=record.id,
        game=record.game,
        players=list(record.seats),
        plies=record.plies,
        result=record.result if record.finished else "",
        saved=record.saved,
        open=record.lent,
    )


def answer(report: Report) -> Answer:
    """A report for other programs."""
    plain = report.to_dict()
    return Answer(**{**plain, "best": plain["best_name"]})
