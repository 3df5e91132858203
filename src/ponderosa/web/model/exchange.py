"""Games that go out as files and come in as such. Start at transcript_of and imported."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from ponderosa.core.turns import CHANCE
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.transcripts.formats import read_games
from ponderosa.transcripts.transcript import Transcript
from ponderosa.web.model.catalogue import PERSON, checked_text
from ponderosa.web.model.elsewhere import ready
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import MOST_FILE
from ponderosa.web.model.saved_games import BROKEN_OFF, GameRecord
from ponderosa.web.model.session import GameSession, new_seed

MOST_GAMES = 50
"""So many games of one file are taken in."""


def transcript_of(session: GameSession, date: str = "") -> Transcript:
    """A game as it stands, to be written as a file; of today, unless a date is given."""
    return Transcript(
        session.spec,
        session.state,
        tuple(session.seats),
        session.lost_by,
        session.overtime is not None,
        date or datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        session.told_seed if session.finished else None,
    )


def file_name(session: GameSession, form: str) -> str:
    """What a file with a game is called."""
    return f"{session.game.title()}-{session.id[:8]}.{form}"


def imported(hub: Hub, text: str) -> list[GameRecord]:
    """The games of a file in which somebody has moved, to be saved, if all of them are legal."""
    checked = checked_text("file", text.removeprefix("\ufeff") if isinstance(text, str) else text, MOST_FILE)
    found = islice(read_games(checked, lambda spec: ready(hub.catalogue.game(spec))), MOST_GAMES)
    sessions = [_session(hub, transcript) for transcript in found]
    played = [_record(session) for session in sessions if _moved(session)]
    if not played:
        which = "this game" if len(sessions) == 1 else "these games"
        raise SettingError(f"nobody has moved in {which}: there is nothing to save")
    return played


def _moved(session: GameSession) -> bool:
    """Whether somebody has moved, and not chance alone."""
    return any(state.to_move() != CHANCE for state in session.states[:-1])


def _record(session: GameSession) -> GameRecord:
    record = GameRecord.of(session)
    return record if record.finished else replace(record, result=BROKEN_OFF)  # who has its text hides nothing


def _session(hub: Hub, transcript: Transcript) -> GameSession:
    game = transcript.game
    session = GameSession(transcript.spec, game, [PERSON] * game.players, new_seed(), id=uuid.uuid4().hex)
    for action in transcript.state.history():
        session.play(action)
    if transcript.lost_by is not None and not session.finished:
        (session.lose_on_time if transcript.on_time else session.resign)(transcript.lost_by)
    session.seats = _seats(hub, transcript.players, game.players)
    return session


def _seats(hub: Hub, players: Sequence[str], count: int) -> list[str]:
    """The players of a file: agents that may be asked for, or else people."""
    return [_known_seat(hub, seat) for seat in players] if len(players) == count else [PERSON] * count


def _known_seat(hub: Hub, seat: str) -> str:
    try:
        return PERSON if seat == PERSON else hub.catalogue.check_agent(seat)
    except PonderosaError:
        return PERSON
