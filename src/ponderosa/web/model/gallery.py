"""All games as the front door shows them: name, two lines, who plays, a picture. Start at Gallery."""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
import random
from dataclasses import dataclass

from ponderosa.core.game import Game
from ponderosa.core.notation import read_action
from ponderosa.core.state import State
from ponderosa.errors import PonderosaError
from ponderosa.pictures.board import draw_small
from ponderosa.web.model.catalogue import Catalogue

log = logging.getLogger("ponderosa.web")

KNOWN_BEST = ("connect4", "chess", "go", "othello", "gomoku", "checkers", "backgammon", "2048")
"""The games that most people know come first, behind one's own."""
POSITIONS = {
    "connect4": "4 4 4 4 3 3 5 2 5 6 3",
    "chess": "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6",
    "go": "e5 c3 g3 c6 c7 d7 b6 c5 g6 b5 f3 d4",
    "connect": "h8 h9 i9 g7 i7 g9 i8 i10 j8 g8 g6 k8",
    "renju": "h8 h9 j10 g7 i9 k11 i10 i8 h10 g10 j8 h7",
    "gomoku": "h8 i9 h9 h7 g8 i8 i10 f7 j9 g7 e7",
    "connect6": "k10 j11 l9 k11 j10 m10 l11 j9 i12 k12 k9",
    "tictactoe": "b2 c1 c3 a1",
}
"""Moves that lead to positions worth looking at."""
MOVES = 14
"""So many moves at random lead to the positions of all other games, or half as many as a game may have."""


@dataclass(frozen=True)
class Exhibit:
    """One game at the front door."""

    name: str
    """What to write: connect4, or ./nim.py:Nim."""
    label: str
    """What people call it."""
    about: str
    """What one does in it."""
    people: str
    """How many play, and what is special about their turns."""
    players: int
    """How many play."""


class Gallery:
    """The games on offer, in the order in which they are shown, and their pictures, each drawn once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._pictures: dict[str, str] = {}

    @functools.cached_property
    def exhibits(self) -> list[Exhibit]:
        """Every game that can be played without being told more, one's own first."""
        names = self._catalogue.game_names
        first = [name for name in (*self._catalogue.named_games, *KNOWN_BEST) if name in names]
        found = []
        for name in dict.fromkeys([*first, *names]):
            with contextlib.suppress(PonderosaError):
                found.append(self._exhibit(name))
        return found

    def _exhibit(self, name: str) -> Exhibit:
        game = self._catalogue.game(name)
        facts = {"chance": game.chance, "hidden information": game.hidden, "choices at once": game.simultaneous}
        count = "1 player" if game.players == 1 else f"{game.players} players"
        people = ", ".join([count, *(word for word, true in facts.items() if true)])
        return Exhibit(name, game.people_call_it(), self._catalogue.offer(name).about, people, game.players)

    def picture(self, name: str) -> str | None:
        """The picture of a game, if it is drawn already."""
        return self._pictures.get(name)

    def draw(self, name: str) -> str:
        """Draw the picture of a game; nothing, when its rules do not get so far. It runs their code: in a thread."""
        try:
            drawn = draw_small(_position(name, self._catalogue.game(name)))
        except Exception:  # a game of one's own may do anything; to play it says what is wrong
            log.debug("no picture of %s", name, exc_info=True)
            drawn = ""
        self._pictures[name] = drawn
        return drawn


def _position(name: str, game: Game) -> State:
    """A position in the midst of a game, played without the compiler."""
    game = copy.copy(game)
    if game.dtype is not None:
        game.rules = game.build_rules(compiled=False)
    state, chooser = game.new_initial_state(), random.Random(4)
    if name in POSITIONS:
        for move in POSITIONS[name].split():
            state.apply_action(read_action(game, move, state))
        return state
    for _ in range(min(MOVES, max(game.longest // 3, 1))):
        following = state.clone()
        following.apply_action(chooser.choice(state.legal_actions()))
        if following.is_terminal():
            break
        state = following
    return state
