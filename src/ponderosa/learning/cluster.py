"""Self-play on a cluster of machines, by Dask distributed (extra `cluster`). Start at ClusterPlay.step.

All tables are in groups, one for each thread of the cluster when the run began. A task is a round of one group: so many
moves at each of its tables. It is a function of what it is handed, the weights among it, so that the group of a worker
that dies is played again elsewhere, the same. While the trainer learns from one round, the next one is played with the
weights from before: a run follows from its seed here, too.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ponderosa.arena.running.cluster import connected
from ponderosa.core.game import Game
from ponderosa.core.rng import seed_of
from ponderosa.errors import ArenaError, PonderosaError
from ponderosa.learning.judging import Judge
from ponderosa.learning.rows import joined
from ponderosa.learning.selfplay import Array, Lessons, Played, SelfPlay
from ponderosa.learning.settings import LearnSettings, network_of
from ponderosa.learning.training import named_arrays, with_arrays
from ponderosa.networks.file import shape_for
from ponderosa.networks.network import Parameters

LOOK_SECONDS = 5.0
"""How often is looked whether there are workers, while a round is waited for."""
PATIENCE_SECONDS = 120.0
"""A cluster may be without workers for so long."""
COUNTS, ASKED = "groups", "asked"
GROUP = "group-{}/"


@dataclass(frozen=True)
class Task:
    """What all rounds of a run share."""

    game: Game
    settings: LearnSettings
    device: str


class Round(NamedTuple):
    """What a group has come to in a round."""

    lessons: Lessons
    kept: Mapping[str, Array]
    games: int
    newest: Played | None


class ClusterPlay:
    """Self-play of all groups; for a run, it is like SelfPlay."""

    def __init__(self, client: Any, task: Task, judge: Judge, groups: int) -> None:
        self._client, self._task, self._judge = client, task, judge
        self._kept: list[Mapping[str, Array]] = [{} for _ in range(groups)]
        self._ready: list[Lessons] = []
        self._underway: list[Any] = []
        self._asked: Parameters | None = None
        """The weights of the round that is played now."""
        self.moves = 0
        """Moves at each table so far."""
        self.games = 0
        """Games that have ended."""
        self.newest: Played | None = None
        """One of the games whose positions were handed out last."""

    @property
    def groups(self) -> int:
        """How many groups of tables there are."""
        return len(self._kept)

    def step(self) -> None:
        """A round of all groups: what they have come to is taken, and the next one begins."""
        if not self._underway:
            self._begin()
        rounds = [self._result(future) for future in self._underway]
        self._kept = [found.kept for found in rounds]
        self._ready += [found.lessons for found in rounds]
        self.games = sum(found.games for found in rounds)
        self.newest = next((found.newest for found in rounds if found.newest is not None), self.newest)
        self.moves += self._task.settings.moves
        self._asked = None
        self._begin()

    def _begin(self) -> None:
        """Hand out a round, with the newest weights unless it was begun before."""
        import jax

        if self._asked is None:
            self._asked = jax.tree.map(np.asarray, self._judge.params)
        task, params, *kept = self._client.scatter([self._task, self._asked, *self._kept], hash=False)
        self._underway = [
            self._client.submit(play_round, task, params, number, one, pure=False) for number, one in enumerate(kept)
        ]

    def _result(self, future: Any) -> Round:
        """What a task has come to; a cluster that has lost its workers is told of."""
        since = time.monotonic()
        while True:
            try:
                found: Round = future.result(timeout=LOOK_SECONDS)
                return found
            except TimeoutError:
                since = time.monotonic() if self._client.nthreads() else since
                if time.monotonic() - since > PATIENCE_SECONDS:
                    raise ArenaError("the cluster has no workers any more; the same command goes on") from None
            except PonderosaError:
                raise
            except (CancelledError, Exception) as error:
                what = f"{type(error).__name__}: {error}"
                raise ArenaError(f"the cluster could not play on ({what}); the same command goes on") from None

    def harvest(self) -> Lessons:
        """The positions of games that have ended, each once."""
        ready, self._ready = self._ready, []
        return Lessons(*(joined(column) for column in zip(*ready, strict=True)))

    def kept(self) -> dict[str, Array]:
        """All that the next round follows from, as arrays."""
        told: dict[str, Array] = {COUNTS: np.array([self.groups, self.moves, self.games])}
        for number, one in enumerate(self._kept):
            told |= {GROUP.format(number) + name: array for name, array in one.items()}
        asked = {} if self._asked is None else named_arrays(self._asked)
        return told | {f"{ASKED}/{name}": array for name, array in asked.items()}

    def restore(self, kept: Mapping[str, Array]) -> None:
        """Go on where `kept` was taken, with as many groups as there were."""
        groups, self.moves, self.games = map(int, kept[COUNTS])
        self._kept = [_under(kept, GROUP.format(number)) for number in range(groups)]
        asked = _under(kept, f"{ASKED}/")
        self._asked = with_arrays(self._judge.params, asked) if asked else None


def _under(kept: Mapping[str, Array], begin: str) -> dict[str, Array]:
    return {name.removeprefix(begin): array for name, array in kept.items() if name.startswith(begin)}


@contextlib.contextmanager
def on_cluster(where: str, groups: int | None = None) -> Iterator[Callable[[Task, Judge], ClusterPlay]]:
    """What makes the self-play of a run on a cluster: with so many groups, else one for each of its threads."""
    with connected(where) as client:
        yield lambda task, judge: ClusterPlay(client, task, judge, groups or sum(client.nthreads().values()))


_players: dict[tuple[str, str, str], tuple[SelfPlay, Judge, Mapping[str, Array]]] = {}
"""In a worker: what plays a game, ready, with how it was at its beginning; of one run at a time."""


def play_round(task: Task, params: Parameters, group: int, kept: Mapping[str, Array]) -> Round:
    """A round of a group, on a worker: from where it stood, {} at the beginning."""
    from ponderosa.learning.learn import at_device

    with at_device(task.device):
        play, judge, beginning = _player(task)
        import jax
        import jax.numpy as jnp

        judge.params = jax.tree.map(jnp.asarray, params)
        play.seed, play.newest = seed_of(task.settings.seed, group), None
        play.restore(kept or beginning)
        for _ in range(task.settings.moves):
            play.step()
        lessons = play.harvest()
        return Round(lessons, _copied(play.kept()), play.games, play.newest)


def _player(task: Task) -> tuple[SelfPlay, Judge, Mapping[str, Array]]:
    mark = task.game.spec, repr(task.settings), task.device
    if mark not in _players:
        _players.clear()
        _players[mark] = _new_player(task)
    return _players[mark]


def _new_player(task: Task) -> tuple[SelfPlay, Judge, Mapping[str, Array]]:
    import jax

    settings = replace(task.settings, seed=0)
    assert settings.actions is not None
    shape = shape_for(task.game, settings.actions)
    network = network_of(settings, shape)
    judge = Judge(network, network.init(jax.random.PRNGKey(0), shape), task.game)
    play = SelfPlay(task.game, judge, settings, task.device)
    return play, judge, _copied(play.kept())


def _copied(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays that the next round does not change, which is another group's."""
    return {name: array.copy() for name, array in arrays.items()}
