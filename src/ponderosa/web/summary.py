"""A game in a few words of HTML: whose turn it is, its moves, its worst moves. Start at status_line."""

from __future__ import annotations

from html import escape

from ponderosa.web.director import Director
from ponderosa.web.runner import PREPARING, WAITING
from ponderosa.web.session import GameSession


def status_line(director: Director) -> str:
    """Whose turn it is, or how it ended."""
    session = director.session
    if session.over:
        return escape(session.result())
    player = session.mover or 0
    name = escape(session.player_names()[player])
    swatch = f'<span class="swatch p{player}"></span>'
    job = director.job
    if session.person_moves():
        what = "your turn" if len(session.people()) == 1 else "to move"
        if director.hint:
            what = f"hint: {escape(director.hint)}"
        return f'{swatch}{name} <span class="what">{what}</span>'
    if job is not None and director.purpose == "move":
        what = {WAITING: "waits for a free place …", PREPARING: "is preparing …"}.get(job.phase, "is thinking …")
    elif director.paused or not session.at_end:
        what = "to move; the machine waits"
    else:
        what = "to move"
    return f'{swatch}{name} <span class="what">{what}</span>'


def worst_moves(director: Director) -> str:
    """Each side's worst moves, after the game."""
    session = director.session
    if not session.finished:
        return ""
    left = len(director.unreviewed())
    words = f'<span class="quiet">Looking through the game: {left} positions left …</span>' if left else ""
    lines = []
    for player, moves in session.mistakes().items():
        listed = ", ".join(
            f'<button data-go="{move.ply}">{move.ply // session.game.players + 1}. {escape(move.played)} '
            f'<span class="loss">-{100 * move.loss:.0f} %</span> (better {escape(move.best)})</button>'
            for move in moves
        )
        name = escape(session.player_names()[player])
        lines.append(f'<div><span class="swatch p{player}"></span> {name}: {listed or "no bad move found"}</div>')
    return words + ("" if left else "<div>Worst moves</div>" + "".join(lines))


def move_list(session: GameSession) -> str:
    """The moves as buttons that go to the position after them."""
    buttons = [_move_button(session, ply) for ply in range(session.plies)]
    return "".join(buttons) or '<span class="quiet">No move yet.</span>'


def _move_button(session: GameSession, ply: int) -> str:
    """A move of the list, with its number before each round."""
    players = session.game.players
    number = f'<span class="count">{ply // players + 1}.</span>' if ply % players == 0 else ""
    here = "here" if ply + 1 == session.cursor else ""
    return f'{number}<button data-go="{ply + 1}" class="{here}">{escape(session.names[ply])}</button>'
