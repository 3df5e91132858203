"""An agent with a memory plays games to learn from them. Start at train.

Game number i of a memory is a pure function of the seed and of what the memory knows by then, so that two trainings one
after the other teach what a single one of the same length does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Unpack

from ponderosa.arena.conditions import Conditions, GameConditions, as_conditions
from ponderosa.arena.planned import new_event, rules_of
from ponderosa.arena.results.curve import Curve, Lesson
from ponderosa.arena.running.judge import Record
from ponderosa.arena.running.live import game_text
from ponderosa.arena.running.referee import Referee
from ponderosa.arena.running.venues import check_memories
from ponderosa.core.game import Game
from ponderosa.core.numbers import is_number
from ponderosa.core.spec import join_spec
from ponderosa.errors import ArenaError, SettingError
from ponderosa.registry import agent_class, load_agent, split_spec, written_out

SELF = "self"
"""The opponent that is the learner itself: one tree moves for both players, and learns for both."""
AGENT = "mcts:iterations=100"
"""Who learns by default."""
MOST_GAMES = 10_000_000

TrainingWatch = Callable[[Curve], Any]
"""Called after every game; False ends the training."""


def train(
    game: str | Game,
    agent: str = AGENT,
    against: str | Sequence[str] = SELF,
    games: int = 100,
    memory: str | Path | None = None,
    *,
    watch: TrainingWatch | None = None,
    conditions: Conditions | None = None,
    **keywords: Unpack[GameConditions],
) -> Curve:
    """Let an agent play games and learn from each; its memory goes on where it is, and is saved now and then.

    `against` names agents, or "self"; each is met in turn, in both seats. Ctrl-C ends it: what was learned is saved,
    and the curve so far is returned. The fields of Conditions that decide the games are given as keywords,
    `train(..., seed=3)`, or whole as `conditions`; they are played here, one after the other.
    """
    rules, given = rules_of(game), as_conditions(conditions, keywords)
    text, opponents = learner_text(agent, memory), opponents_of(against)
    _check(rules, games, text, opponents)
    course = _Course(rules, text, opponents, given)
    try:
        curve = Curve(
            game_text(game), text, opponents, str(course.memory.path), given.seed, course.memory.games, wanted=games
        )
        try:
            for number in range(curve.before, curve.before + games):
                curve.lessons.append(course.lesson(number))
                if watch is not None and watch(curve) is False:
                    break
        except KeyboardInterrupt:
            curve.interrupted = True
        curve.known = course.memory.games
        return curve
    finally:
        course.close()


def learner_text(agent: str, memory: str | Path | None) -> str:
    """The agent's text with its memory in it."""
    kind, settings = split_spec(written_out(agent))
    if memory is not None and settings.setdefault("memory", str(memory)) != str(memory):
        raise SettingError(f"the agent has the memory {settings['memory']!r}, and not {str(memory)!r}: leave one out")
    if "memory" not in settings:
        raise SettingError("training needs a file to keep what is learned: memory=FILE")
    return join_spec(kind, settings)


def opponents_of(against: str | Sequence[str]) -> tuple[str, ...]:
    """Opponents, as a list or as one text with commas; what looks like a setting belongs to the one before it."""
    if not isinstance(against, str):
        return tuple(against)
    found: list[str] = []
    for piece in against.split(","):
        setting = "=" in piece and ":" not in piece.partition("=")[0]
        if setting and found:
            found[-1] += f",{piece}"
        else:
            found.append(piece.strip())
    return tuple(found)


def _check(game: Game, games: int, text: str, opponents: tuple[str, ...]) -> None:
    if game.players != 2:
        raise SettingError(f"training is for games of two players, and {game.title()} has {game.players}")
    if not is_number(games, 1, MOST_GAMES, whole=True):
        raise SettingError(f"a training has from 1 to {MOST_GAMES:,} games, not {games!r}")
    if not opponents or len(set(opponents)) < len(opponents):
        raise SettingError("name the opponents, each once: blind, scripted, self, or any other agent")
    settings = split_spec(text)[1]
    if settings.get("learn", "true").lower() in ("false", "no", "off", "0"):
        raise SettingError("an agent with learn=false does not learn: leave it out")
    for opponent in opponents:
        if opponent != SELF:
            agent_class(split_spec(written_out(opponent, game))[0])


class _Course:
    """The games of a training, one after the other."""

    def __init__(self, game: Game, text: str, opponents: tuple[str, ...], conditions: Conditions) -> None:
        self.opponents = opponents
        self._others = [opponent for opponent in opponents if opponent != SELF]
        agents = (text, *(self._others or ["random"]))  # an event has two agents; nobody meets this one
        event = new_event(game, agents, conditions)
        self._lines = event.lines
        check_memories(event, conditions)
        learner = load_agent(event.agent_text(0), game)
        if learner.memory is None:
            raise SettingError(f"{split_spec(text)[0]} keeps no memory, and learns nothing: take mcts")
        self.memory = learner.memory
        self._referee = Referee(event, game, [lambda game, seed: learner, *[None] * (len(agents) - 1)])
        self._close_learner = learner.close

    def lesson(self, number: int) -> Lesson:
        """Play a game: opponents take turns, each first with the second seat, then with the first one."""
        opponent, seat = self.opponents[number // 2 % len(self.opponents)], number % 2
        if opponent == SELF:
            seat, seats = 0, (0, 0)
        else:
            other = 1 + self._others.index(opponent)
            seats = (0, other) if seat == 0 else (other, 0)
        opening = number // 2
        line = self._lines[opening % len(self._lines)] if self._lines else None
        record = self._referee.play(number, seats, opening, line)
        self._check_fault(record, opponent)
        return Lesson(number + 1, opponent, seat, record["scores"][seat], len(record["moves"]))

    def close(self) -> None:
        """Save what was learned, and let the others end what they have started."""
        try:
            self._close_learner()
        finally:
            self._referee.close()

    @staticmethod
    def _check_fault(record: Record, opponent: str) -> None:
        if record["fault"] is not None:
            culprit = "the learner" if record["seats"][record["fault"]] == 0 else opponent
            raise ArenaError(f"{culprit}: {record['reason']}. {record['detail']}".strip())
