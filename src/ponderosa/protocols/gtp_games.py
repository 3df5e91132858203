"""Games that the Go Text Protocol can name, and how it writes their moves. Start at GtpGame."""

from __future__ import annotations

from dataclasses import dataclass

from ponderosa.core.spec import join_spec
from ponderosa.core.state import State
from ponderosa.games.go import Go

COLOURS = "bw"
"""The letters of the two players, in their order."""
COLOUR_NAMES = "black", "white"
PASS = "pass"
FIVE = ("k", "5"), ("p", "1"), ("q", "1"), ("exact", "false")
SIX = ("k", "6"), ("p", "2"), ("q", "1"), ("exact", "false")
LEFT_OUT = "i"
"""The protocol has no column of this letter; some games write it."""


@dataclass(frozen=True)
class GtpGame:
    """How a game of ours is set up and written in the protocol."""

    label: str
    """Its name for people and for GoGui: one capital letter first."""
    kind: str
    """Its name in our registry."""
    sides: tuple[str, ...] = ("size",)
    """The settings that a board's size gives."""
    more: tuple[tuple[str, str], ...] = ()
    """Settings that never change."""
    komi: bool = False
    """Whether the second player gets points."""
    leaves_out: bool = False
    """Whether a column must be renamed, because our own names have the letter that the protocol leaves out."""
    words: tuple[tuple[str, str], ...] = ()
    """Our names of special moves, and the protocol's."""

    def spec(self, size: int | None, komi: float | None) -> str:
        """The game as text; None: as it usually is."""
        settings = dict(self.more) | ({} if size is None else dict.fromkeys(self.sides, str(size)))
        if self.komi and komi is not None:
            settings["komi"] = f"{komi:g}"
        return join_spec(self.kind, settings)

    def forget_passes(self, state: State) -> None:
        """Play on as if nobody had passed just now; passes end one game only."""
        if isinstance(state.game, Go):
            state.game.forget_passes(state.record)

    def vertex(self, name: str) -> str:
        """One of our names as the protocol writes it."""
        special = dict(self.words).get(name)
        if special is not None or name == PASS:
            return special or PASS
        column = name[0].lower()
        if self.leaves_out and column >= LEFT_OUT:
            column = chr(ord(column) + 1)
        return column.upper() + name[1:]

    def name(self, vertex: str) -> str:
        """Our name of what the protocol writes; what makes no sense becomes a name that no move has."""
        text = vertex.lower()
        special = {theirs: ours for ours, theirs in self.words}.get(text)
        if special is not None or text == PASS:
            return special or PASS
        column = text[:1]
        if self.leaves_out and column == LEFT_OUT:
            return ""
        if self.leaves_out and column > LEFT_OUT:
            column = chr(ord(column) - 1)
        return column + text[1:]


GTP_GAMES = {
    game.label.lower(): game
    for game in (
        GtpGame("Go", "go", komi=True),
        GtpGame("Othello", "othello"),
        GtpGame("Hex", "hex", words=(("swap", "swap-pieces"),)),
        GtpGame("Gomoku", "connect", ("m", "n"), FIVE, leaves_out=True),
        GtpGame("Connect6", "connect", ("m", "n"), SIX, leaves_out=True),
    )
}
"""By the name that is asked for."""


def player_of(colour: str) -> int | None:
    """The player of a colour, as letter or word; None: it is no colour."""
    text = colour.lower()
    return next((seat for seat in (0, 1) if text in (COLOURS[seat], COLOUR_NAMES[seat])), None)
