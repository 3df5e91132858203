"""Self-play on a cluster: the same from one seed, whatever happens to the workers and to the trainer."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError, Future

import numpy as np
import pytest

from ponderosa.errors import ArenaError, SettingError
from ponderosa.learning import cluster
from ponderosa.learning.checkpoints import read_arrays, write_arrays
from ponderosa.learning.cluster import ClusterPlay, Task
from ponderosa.learning.judging import Judge
from ponderosa.learning.learn import learn
from ponderosa.learning.settings import LearnSettings, settled
from ponderosa.learning.training import Trainer
from ponderosa.networks.file import shape_for
from ponderosa.networks.residual import Dense
from tests.helpers import Nim

pytest.importorskip("jax", reason='learning needs the extra "learn"')
pytest.importorskip("optax", reason='learning needs the extra "learn"')
SETTINGS = LearnSettings(network=Dense(8, 1), tables=4, simulations=4, moves=2, batch=4, window=64)


class Here:
    """A cluster whose workers are this thread; `ends` are what its next tasks come to instead of their results."""

    def __init__(self, ends=(), workers=1):
        self.ends, self.workers, self.asked = list(ends), workers, 0

    def scatter(self, things, hash):
        return things

    def submit(self, work, *given, pure):
        self.asked += 1
        future = Future()
        if self.ends:
            if (end := self.ends.pop(0)) is not None:
                future.set_exception(end)
        else:
            future.set_result(work(*given))
        return future

    def nthreads(self):
        return {"here": 1} if self.workers else {}


def played(client=None, groups=2):
    game = Nim()
    settings = settled(SETTINGS, game, "cpu")
    shape = shape_for(game, settings.actions)
    params = Trainer(settings.network, shape, game, settings).playing()
    task = Task(game, settings, "cpu")
    return ClusterPlay(client or Here(), task, Judge(settings.network, params, game), groups)


def lessons_of(play, rounds):
    found = []
    for _ in range(rounds):
        play.step()
        found.append(play.harvest())
    return [np.concatenate([getattr(one, name) for one in found]) for name in ("records", "policies", "values")]


@pytest.mark.slow
def test_groups_play_other_games_and_one_seed_gives_the_same_ones_again():
    one, other = played(), played()
    first, again = lessons_of(one, 12), lessons_of(other, 12)
    assert len(first[0]) > 8 and all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert one.games == other.games > 0 and one.moves == 24 and one.newest is not None
    kept = one.kept()
    assert not np.array_equal(kept["group-0/states"], kept["group-1/states"])


@pytest.mark.slow
def test_what_was_kept_goes_on_as_if_nothing_had_been_and_with_the_weights_that_were_handed_out(tmp_path):
    import jax

    whole, stopped = played(), played()
    lessons_of(whole, 6), lessons_of(stopped, 6)
    later = jax.tree.map(lambda part: part + 1, whole._judge.params)
    whole._judge.params = later  # training goes on while the next round is played
    write_arrays(tmp_path / "kept.npz", stopped.kept())
    other = played()
    other._judge.params = later
    other.restore(read_arrays(tmp_path / "kept.npz"))
    assert (other.groups, other.games, other.moves) == (2, whole.games, 12)
    ends = lessons_of(whole, 6), lessons_of(other, 6)
    assert len(ends[0][0]) > 4 and all(np.array_equal(a, b) for a, b in zip(*ends, strict=True))


@pytest.mark.parametrize("end", [CancelledError(), OSError("gone"), ValueError("odd")])
def test_a_cluster_that_is_gone_is_told_of(end):
    with pytest.raises(ArenaError, match="the same command goes on"):
        played(Here([end, end])).step()


def test_a_cluster_without_workers_is_not_waited_for_forever(monkeypatch):
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.02)
    with pytest.raises(ArenaError, match="no workers"):
        played(Here([None, None], workers=0)).step()


def test_a_run_of_one_machine_does_not_go_on_on_a_cluster_and_the_other_way_round(tmp_path):
    told = {"game": "nim", "rules": "", "given": {}, "settings": {}, "device": "cpu"}
    for groups, where in ((0, "local:2"), (2, None)):
        state = {"format": 1, "number": 1, "run": told | {"groups": groups}}
        folder = cluster_folder(tmp_path / str(groups), state)
        with pytest.raises(SettingError, match="was begun on"):
            learn_groups(folder, where)


def cluster_folder(path, state):
    from ponderosa.learning.checkpoints import Folder

    path.mkdir()
    (path / "state.json").write_text(json.dumps(state))
    return Folder(path)


def learn_groups(folder, where):
    from ponderosa.learning.learn import _groups

    return _groups(folder, where)


@pytest.mark.slow
def test_a_cluster_of_two_workers_teaches_a_network_and_goes_on(tmp_path):
    pytest.importorskip("distributed")
    quick = {"network": "tiny", "tables": 4, "simulations": 4, "moves": 2, "batch": 8, "gates": 1, "gate_games": 4}
    first = learn("tictactoe", games=12, out=tmp_path, cluster="local:2", **quick)
    assert first.games >= 12 and first.positions > 0 and first.network.is_file()
    more = learn("tictactoe", games=24, out=tmp_path, cluster="local:2", **quick)
    assert more.games >= 24 and more.positions > first.positions
    assert json.loads((tmp_path / "state.json").read_text())["run"]["groups"] == 2
    with pytest.raises(SettingError, match="on a cluster"):
        learn("tictactoe", games=30, out=tmp_path, **quick)
