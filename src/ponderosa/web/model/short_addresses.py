"""Positions as addresses that one can say: /connect4/44443. Start at ShortAddresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from ponderosa.core.notation import read_action
from ponderosa.core.spec import join_spec, split_spec
from ponderosa.core.state import State
from ponderosa.errors import IllegalActionError
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.limits import MOST_TEXT

SEPARATORS = "-, "
"""What may stand between moves; where a move is one letter, nothing need stand there."""


class ShortAddresses:
    """Every game's word in addresses: its name, for a game of one's own that of its class, and dashes for signs."""

    def __init__(self, catalogue: Catalogue, taken: Sequence[str] = ()) -> None:
        """`taken` are the words that lead elsewhere."""
        self.games: dict[str, str] = {}
        """The games by their words."""
        own = set(catalogue.named_games)
        for name in sorted(catalogue.game_names, key=own.__contains__):  # an own game takes no registered one's word
            word = _word(catalogue, name)
            number = 2
            while word in self.games or word in taken:
                word, number = f"{word.rpartition('-')[0] or word}-{number}", number + 1
            self.games[word] = name

    def of(self, spec: str, moves: Sequence[str] = ()) -> str:
        """The address of the position after these moves of a game."""
        words = {name: word for word, name in self.games.items()}
        kind, settings = (spec, {}) if spec in words else split_spec(spec)
        path = f"/{quote(words.get(kind, kind), safe='')}" + (f"/{quote(together(moves), safe=',+/')}" if moves else "")
        return path + (f"?{urlencode(settings)}" if settings else "")

    def spec(self, word: str, settings: dict[str, str]) -> str:
        """The game that a word and the settings behind it name."""
        return join_spec(self.games[word], settings)


def together(moves: Sequence[str]) -> str:
    """Moves in one word: without anything between them, where each is one letter."""
    return ("" if all(len(move) == 1 for move in moves) else ",").join(moves)


def play_along(state: State, text: str) -> str:
    """Play the moves of an address, as far as they are right; what is wrong with the next one, or nothing."""
    if len(text) > MOST_TEXT:
        return f"an address has fewer than {MOST_TEXT} letters of moves, not {len(text)}"
    rest = text.strip(SEPARATORS)
    while rest:
        names = {state.action_to_string(action): action for action in state.legal_actions()}
        name = next((name for name in sorted(names, key=len, reverse=True) if _begins(rest, name)), None)
        try:
            if name is None:
                read_action(state.game, _first_word(rest, list(names)), state)
                raise IllegalActionError(f"{rest!r:.40} is not a legal action here")
        except IllegalActionError as error:
            return f"move {len(state.history()) + 1} of the address: {error}"
        state.apply_action(names[name])
        rest = rest[len(name) :].strip(SEPARATORS)
    return ""


def _begins(text: str, name: str) -> bool:
    """Whether a text begins with a move; one of several letters is followed by a separator, or nothing."""
    if text[: len(name)].casefold() != name.casefold():
        return False
    return len(name) == 1 or text[len(name) : len(name) + 1] in ("", *SEPARATORS)


def _first_word(text: str, names: list[str]) -> str:
    """What seems to be meant as one move, where these are right."""
    if all(len(name) == 1 for name in names):
        return text[0]
    between = "[, ]" if any("-" in name for name in names) else "[-, ]"
    return re.split(between, text, maxsplit=1)[0]


def _word(catalogue: Catalogue, name: str) -> str:
    """A game's word, before others have it too."""
    if name in catalogue.own_games:
        return catalogue.own_games[name].title()
    return re.sub(r"\W+", "-", name).strip("-")
