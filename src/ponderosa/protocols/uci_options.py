"""What a user interface can set in a chess program. Start at Options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ponderosa.errors import SettingError

MEGABYTE = 2**20
MOST_LINES, MOST_MEGABYTES, MOST_OVERHEAD = 218, 65_536, 5000


def _nothing(agent: str) -> None:
    """No agent is wrong."""


@dataclass
class Options:
    """The options, as they are set now."""

    agent: str
    """Who thinks, as text."""
    check_agent: Callable[[str], None] = field(default=_nothing)
    """Raises an error for a text that stands for nobody."""
    lines: int = 1
    """MultiPV: how many of the best moves are told of."""
    hash: int | None = None
    """Megabytes for what is remembered; None: as the agent has it."""
    overhead: float = 0.03
    """Seconds of every move that pass on the way."""

    def declared(self) -> Iterator[str]:
        """The options as the protocol tells of them."""
        yield f"option name Agent type string default {self.agent}"
        yield f"option name Hash type spin default 256 min 1 max {MOST_MEGABYTES}"
        yield f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}"
        yield f"option name Move Overhead type spin default 30 min 0 max {MOST_OVERHEAD}"
        yield "option name Ponder type check default false"

    def hear(self, words: Sequence[str]) -> None:
        """Take in one setoption: name, its words, value, its words."""
        if not words or words[0] != "name":
            raise SettingError("setoption is followed by name, and then by value")
        place = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:place]).lower(), " ".join(words[place + 1 :])
        if name == "agent":
            self.check_agent(value)
            self.agent = value
        elif name == "hash":
            self.hash = _within(value, 1, MOST_MEGABYTES)
        elif name == "multipv":
            self.lines = _within(value, 1, MOST_LINES)
        elif name == "move overhead":
            self.overhead = _within(value, 0, MOST_OVERHEAD) / 1000
        elif name != "ponder":  # whoever ponders says so with go
            raise SettingError(f"there is no option {name!r}")


def _within(text: str, least: int, most: int) -> int:
    if not text.isdigit() or not least <= int(text) <= most:
        raise SettingError(f"a whole number from {least} to {most}, not {text[:40]!r}")
    return int(text)
