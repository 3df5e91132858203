"""Games on a cluster of machines, by Dask distributed (extra `cluster`). Start at on_cluster and connected.

Dask runs the same supervisor on its workers as the threads of this machine do, and plays the games of a worker that
dies again elsewhere. Its messages are pickled: use it in a network that you trust, or with tls:// addresses.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from importlib.metadata import version
from typing import Any

from ponderosa.arena.event import Event
from ponderosa.arena.running import supervisor
from ponderosa.arena.running.play import Venue
from ponderosa.errors import ArenaError, PonderosaError, SettingError

CONNECT_SECONDS = 15
COUNT_SECONDS = 5.0
"""How often the threads of the cluster are counted: workers may come and go."""


@contextlib.contextmanager
def on_cluster(event: Event, where: str, memory: float | None = None) -> Iterator[Venue]:
    """A cluster on this machine, local:N, or the one whose scheduler has an address like tcp://HOST:8786."""
    with connected(where) as client:
        import distributed

        lost = (CancelledError, distributed.KilledWorker, distributed.CancelledError)
        try:
            yield Venue(client.get_executor(), _counter(client), supervisor.play, lost=lost, memory=memory)
        finally:
            _end_processes(client, event)


@contextlib.contextmanager
def connected(where: str) -> Iterator[Any]:
    """A client of a cluster whose workers have this version."""
    try:
        import distributed
    except ImportError:
        raise PonderosaError('a cluster needs more packages: pip install "ponderosa[cluster]"') from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told by errors
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(_client(distributed, where, stack))
        _check_versions(client)
        yield client


def _client(distributed: Any, where: str, stack: contextlib.ExitStack) -> Any:
    kind, _, rest = where.partition(":")
    if kind == "local" and rest.isdecimal() and 1 <= int(rest) <= 1024:
        settings = {"n_workers": int(rest), "threads_per_worker": 1, "dashboard_address": None}
        cluster = distributed.LocalCluster(silence_logs=logging.CRITICAL, **settings)
        return distributed.Client(stack.enter_context(cluster))
    if kind not in ("tcp", "tls", "ws", "wss"):
        raise SettingError(f"a cluster is local:N, as in local:4, or an address like tcp://HOST:8786, not {where!r}")
    try:
        return distributed.Client(where, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise ArenaError(f"no cluster answers at {where}: {error}") from None


def _check_versions(client: Any) -> None:
    """Every worker has this version, or games would not be the same."""
    if not client.nthreads():
        raise ArenaError("the cluster has no workers: start `dask worker tcp://HOST:8786` on the machines that play")
    try:
        found = client.run(_version)
    except Exception as error:
        raise ArenaError(f"a worker of the cluster cannot load ponderosa: {error}") from None
    others = {worker: there for worker, there in found.items() if there != version("ponderosa")}
    if others:
        raise ArenaError(f"the cluster has other versions of Ponderosa than {version('ponderosa')}: {others}")


def _version() -> str:
    return version("ponderosa")


def _end_processes(client: Any, event: Event) -> None:
    with contextlib.suppress(Exception):  # a cluster that is gone has no processes left to end
        client.run(supervisor.end_processes, event.without_lines().key)


def _counter(client: Any) -> Callable[[], int]:
    """The number of threads in the cluster, counted anew from time to time."""
    counted: list[float] = [0, -COUNT_SECONDS]

    def slots() -> int:
        if time.monotonic() - counted[1] >= COUNT_SECONDS:
            counted[:] = [sum(client.nthreads().values()), time.monotonic()]
        return max(1, int(counted[0]))

    return slots
