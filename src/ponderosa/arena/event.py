"""What is played, and under which conditions: all that decides how game number i goes. Start at Event."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol, Self

from ponderosa.core.clock import TimeControl
from ponderosa.core.numbers import check_bits
from ponderosa.errors import SettingError

KINDS = ("match", "round robin", "gauntlet", "ladder")
BUDGETS = ("iterations", "seconds", "max_nodes")
NUMBER_BITS = 63
"""Numbers take no more bits, as in the store."""
TOLERANCE = 0.25
"""How many seconds more than its limit a move may take, by default."""
TIMEOUT = 600.0
"""The default limit of a move that has none of its own, in seconds."""

GRACE = 0.5
"""Seconds between the last moment at which an agent could still answer in time and the end of its process."""


@dataclass(frozen=True)
class Event:
    """A match or tournament. Two events with the same key give the same games, whatever their length."""

    game: str
    """The game as the registry names it."""
    agents: tuple[str, ...]
    """The agents as the registry names them."""
    kind: str = "match"
    """One of KINDS."""
    openings: str = "none"
    """none, random:PLIES, balanced:PLIES, or the name of the file that `lines` were read from."""
    lines: tuple[str, ...] = ()
    """The openings of a file: one move list each."""
    iterations: int | None = None
    """A budget for each move of the agents that take one and have none of their own."""
    seconds: float | None = None
    """The same in seconds; it is also the limit of every move of an agent that has no `seconds` of its own."""
    tolerance: float = TOLERANCE
    """A move that takes this many seconds more than its limit loses the game."""
    timeout: float = TIMEOUT
    """The limit of a move that has no other."""
    seed: int = 0
    """Every random number of the event follows from it."""
    steps: int = 0
    """For a ladder: how many games decide a step."""
    names: tuple[str, ...] = ()
    """What people call the agents; their texts when left empty."""
    time_control: str | None = None
    """Time for all moves of a game, in the place of seconds for each: 60+1, 5m+3, 10m+5x30."""
    files: tuple[str, ...] = ()
    """Hashes of the files that game and agents come from: an edited agent is another agent."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingError(f"a tournament is one of {', '.join(KINDS[1:])}, not {self.kind!r}")
        check_limits(self)
        if not self.names:
            object.__setattr__(self, "names", self.agents)
        if len(self.names) != len(self.agents) or len(self.agents) < 2:
            raise SettingError("it takes two agents or more, each with one name")

    @property
    def key(self) -> str:
        """What makes it this event and no other."""
        return hashlib.sha256(json.dumps(self.identity(), sort_keys=True).encode()).hexdigest()[:32]

    def identity(self) -> dict[str, Any]:
        """All that decides the games; events from before there were clocks have none."""
        left_out = ("names", "timeout") + (("time_control",) if self.time_control is None else ())
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The event that to_dict wrote."""
        known = {field.name for field in fields(cls)}
        read: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**{name: value for name, value in read.items() if name in known})

    def without_lines(self) -> Event:
        """The event as workers need it: openings come with each game."""
        return replace(self, lines=())

    def agent_text(self, agent: int) -> str:
        """The agent with the budget of the event, when it takes one and has none of its own."""
        from ponderosa.registry import agent_class, split_spec, takes

        text = self.agents[agent]
        kind, settings = split_spec(text)
        if any(budget in settings for budget in BUDGETS):
            return text
        given = {"iterations": self.iterations, "seconds": self.seconds}
        added = [
            f"{name}={value}" for name, value in given.items() if value is not None and takes(agent_class(kind), name)
        ]
        return text + ("," if settings else ":") * bool(added) + ",".join(added)

    @functools.cached_property
    def control(self) -> TimeControl | None:
        """What each player has for a game, if that is limited."""
        return None if self.time_control is None else TimeControl.of(self.time_control)

    def limit(self, agent: int) -> float | None:
        """How many seconds a move may take, without the tolerance; None: a clock or the timeout counts."""
        from ponderosa.registry import split_spec

        if self.time_control is not None:
            return None
        own = split_spec(self.agents[agent])[1].get("seconds")
        try:
            return float(own) if own is not None else self.seconds
        except ValueError:
            return self.seconds

    @functools.cached_property
    def own_seeds(self) -> list[int | None]:
        """The seeds that the agents' texts give: such an agent plays every game with its own."""
        from ponderosa.registry import split_spec

        given = [split_spec(text)[1].get("seed", "") for text in self.agents]
        return [int(seed) if seed.isdecimal() else None for seed in given]

    @functools.cached_property
    def guests(self) -> list[bool]:
        """Which agents run code of somebody's own: each gets a process of its own."""
        from ponderosa.registry import runs_own_code

        return [runs_own_code(text) for text in self.agents]

    @functools.cached_property
    def doubtful(self) -> bool:
        """Whether anything but our own agents plays, so that what is told of a game is checked."""
        from ponderosa.registry import runs_programs

        return any(self.guests) or any(runs_programs(text) for text in self.agents)

    @property
    def timed(self) -> bool:
        """Whether a clock decides how long an agent thinks."""
        return self.time_control is not None or any(self.limit(agent) is not None for agent in range(len(self.agents)))

    def deadline(self, agent: int) -> float:
        """The most seconds that a move of the agent may take; then its process is ended."""
        limit = self.limit(agent)
        return self.timeout if limit is None else limit + self.tolerance


def file_hashes(specs: tuple[str, ...]) -> tuple[str, ...]:
    """The hashes of the files that specs such as ./nim.py:Nim name."""
    paths = [Path(spec.partition(".py")[0] + ".py").expanduser() for spec in specs if ".py" in spec.partition("=")[0]]
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths if path.is_file())


class Limited(Protocol):
    """What has a seed and limits: an event, and the conditions that one is made of."""

    @property
    def seed(self) -> int: ...

    @property
    def tolerance(self) -> float: ...

    @property
    def timeout(self) -> float: ...

    @property
    def iterations(self) -> int | None: ...

    @property
    def seconds(self) -> float | None: ...

    @property
    def time_control(self) -> str | None: ...


def check_limits(given: Limited) -> None:
    """The numbers are possible ones, or the error says which is not."""
    check_bits("seed", given.seed, 0, NUMBER_BITS, whole=True)
    check_bits("tolerance", given.tolerance, 0, NUMBER_BITS)
    check_bits("timeout", given.timeout, 1e-3, NUMBER_BITS)
    if given.iterations is not None:
        check_bits("iterations", given.iterations, 1, NUMBER_BITS, whole=True)
    if given.seconds is not None:
        check_bits("seconds", given.seconds, 1e-3, NUMBER_BITS)
    if given.time_control is not None:
        TimeControl.of(given.time_control)
        if given.seconds is not None:
            raise SettingError("there is a clock for the whole game, or seconds for a move: give one of them")


def draw(seed: int, *what: object) -> int:
    """A random number of 32 bits that follows from the seed and what it is for."""
    text = "/".join(map(str, (seed, *what)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")
