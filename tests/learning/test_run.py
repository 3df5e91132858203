"""A run of learning: what it leaves behind, and that it goes on after any end as if there had been none."""

from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pytest

from ponderosa import Game, load_agent, load_game
from ponderosa.errors import FileError, GameError, SettingError, UnknownNameError
from ponderosa.learning import run as run_module
from ponderosa.learning import showing
from ponderosa.learning.checkpoints import read_arrays
from ponderosa.learning.learn import learn
from ponderosa.networks.file import load, read
from ponderosa.networks.residual import Dense
from ponderosa.system import lease
from tests.helpers import Nim

pytest.importorskip("jax", reason='learning needs the extra "learn"')
pytest.importorskip("optax", reason='learning needs the extra "learn"')

QUICK = {
    "network": Dense(8, 1),
    "tables": 4,
    "simulations": 4,
    "moves": 2,
    "batch": 4,
    "window": 64,
    "gates": 2,
    "gate_games": 4,
}


class KilledError(Exception):
    """Stands for whatever ends a process."""


def weights_in(folder):
    state = json.loads((folder / "state.json").read_text())
    with np.load(folder / state["files"]["weights"], allow_pickle=False) as found:
        return {name: found[name] for name in found.files}, state


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing has stopped."""
    folder = tmp_path_factory.mktemp("whole")
    return learn(Nim(), games=40, out=folder, **QUICK)


@pytest.mark.slow
def test_a_run_leaves_a_network_that_plays_a_log_and_a_report(whole):
    player = load(whole.network, Nim())
    logits, values = player.judge(np.zeros((3, *player.shape.observation), np.float32))
    assert logits.shape == (3, whole_actions(whole)) and (abs(values) <= 1).all()
    gates = [
        json.loads(line)["gate"] for line in (whole.folder / "log.jsonl").read_text().splitlines() if "gate" in line
    ]
    assert [gate["number"] for gate in gates] == [1, 2] == [gate["number"] for gate in whole.gates]
    assert all(pairing["games"] == 4 for gate in gates for pairing in gate["pairings"])
    page = (whole.folder / "report.html").read_text()
    assert "Learning nim" in page and "random" in page


@pytest.mark.slow
def test_a_run_shows_its_newest_game_and_the_network_of_every_gate(whole):
    now = json.loads((whole.folder / "now.json").read_text())
    assert now["doing"] == "done" and now["games"] == whole.games and now["plan"]["games"] == 40
    assert sorted(path.name for path in (whole.folder / "gates").iterdir()) == [f"gate-{n}.onnx" for n in range(3)]
    first = load(whole.folder / "gates" / "gate-0.onnx", Nim())
    last = load(whole.folder / "gates" / "gate-2.onnx", Nim())
    seen = np.ones((1, *first.shape.observation), np.float32)
    assert not np.allclose(first.judge(seen)[0], last.judge(seen)[0])
    played = read_arrays(whole.folder / "game.npz")
    state = Nim().new_initial_state()
    for row, record in enumerate(played["records"]):
        if row == 0:
            state.data[:] = np.frombuffer(record.tobytes(), np.uint8)
        assert state.record.heaps.tolist() == record["heaps"].tolist() and state.to_move() == played["players"][row]
        state.apply_action(int(played["actions"][row]))
    assert state.is_terminal() and np.allclose(np.array(state.returns()) / 2 + 0.5, played["results"])


@pytest.mark.slow
def test_whoever_makes_the_file_stop_pauses_a_run_and_nobody_else_learns_there_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr(showing, "NOW_SECONDS", 0.0)
    seen = []

    def look(now):
        seen.append(now.games)
        if len(seen) == 4:
            with pytest.raises(SettingError, match="is in use"):
                learn(Nim(), games=40, out=tmp_path, **QUICK)
            (tmp_path / "stop").touch()

    monkeypatch.setattr(lease, "PATIENCE", 0.0)
    paused = learn(Nim(), games=40, out=tmp_path, watch=look, **QUICK)
    assert paused.interrupted and paused.games < 40
    again = learn(Nim(), games=paused.games + 1, out=tmp_path, **QUICK)
    assert not again.interrupted and again.games > paused.games


def whole_actions(found):
    return weights_in(found.folder)[1]["run"]["settings"]["actions"]


@pytest.mark.slow
@pytest.mark.parametrize("turns", [3, 14])
def test_a_run_that_was_killed_goes_on_to_the_same_weights(whole, tmp_path, monkeypatch, turns):
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(run_module, "CHECKPOINT_SHARE", math.inf)
    seen = 0

    def kill(now):
        nonlocal seen
        seen += now.doing == "playing"
        if seen == turns:
            raise KilledError

    with pytest.raises(KilledError):
        learn(Nim(), games=40, out=tmp_path, watch=kill, **QUICK)
    again = learn(Nim(), games=40, out=tmp_path, **QUICK)
    expected, there = weights_in(whole.folder)
    found, here = weights_in(tmp_path)
    assert (again.games, again.positions) == (whole.games, whole.positions)
    assert expected.keys() == found.keys()
    assert all(np.array_equal(expected[name], found[name]) for name in expected)
    assert here["gate"] == there["gate"]


def test_without_gates_nothing_is_measured_and_the_newest_network_is_the_one_that_plays(tmp_path):
    found = learn(Nim(), games=6, out=tmp_path, **QUICK | {"gates": 0})
    state = Nim().new_initial_state()
    assert load_agent(f"net:file={found.network},iterations=1", Nim()).step(state) in state.legal_actions()
    assert found.gates == () and "Learning nim" in (tmp_path / "report.html").read_text()


def test_a_new_folder_begins_with_the_weights_of_another_run_of_which_two_files_are_enough(tmp_path):
    first = learn(Nim(), games=20, out=tmp_path / "first", **QUICK | {"gates": 0})
    before, state = weights_in(first.folder)
    (tmp_path / "brought").mkdir()
    for name in ("state.json", state["files"]["weights"]):
        shutil.copy(first.folder / name, tmp_path / "brought")
    settings = QUICK | {"gates": 0, "simulations": 6, "learning_rate": 1e-9, "weight_decay": 0.0}
    second = learn(Nim(), games=1, out=tmp_path / "second", weights=tmp_path / "brought", **settings)
    after, _ = weights_in(second.folder)
    assert after["taken"] >= before["taken"] > 0 and second.games < first.games
    assert read(second.network)[0].training["before"]["games"] == first.games
    params = [name for name in before if name.startswith("params/")]
    assert params and all(np.allclose(before[name], after[name], atol=1e-6) for name in params)


def test_weights_of_another_game_or_network_or_of_no_run_are_refused_in_words(tmp_path):
    learn(Nim(), games=1, out=tmp_path / "first", **QUICK | {"gates": 0})
    with pytest.raises(SettingError, match="of another network"):
        learn(Nim(), games=1, out=tmp_path / "a", weights=tmp_path / "first", **QUICK | {"network": Dense(16, 1)})
    with pytest.raises(SettingError, match="weights for nim"):
        learn(Nim((2, 2)), games=1, out=tmp_path / "b", weights=tmp_path / "first", **QUICK)
    with pytest.raises(FileError, match="no folder of a run"):
        learn(Nim(), games=1, out=tmp_path / "c", weights=tmp_path / "nowhere", **QUICK)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.slow
def test_a_run_that_is_done_has_nothing_to_do_but_goes_on_when_more_is_asked_for(tmp_path):
    first = learn(Nim(), games=10, out=tmp_path, **QUICK)
    more = learn(Nim(), games=25, out=tmp_path, **QUICK)
    assert first.games < 25 <= more.games


@pytest.mark.slow
def test_a_folder_is_not_gone_on_with_under_other_settings_or_with_another_game(tmp_path):
    learn(Nim(), games=5, out=tmp_path, **QUICK)
    with pytest.raises(SettingError, match="other settings"):
        learn(Nim(), games=9, out=tmp_path, **QUICK | {"simulations": 5})
    with pytest.raises(SettingError, match="other game"):
        learn(Nim((2, 2)), games=9, out=tmp_path, **QUICK)


@pytest.mark.parametrize(
    ("spec", "words"),
    [("kuhn_poker", "hidden information"), ("rps", "simultaneous moves")],
)
def test_games_that_are_not_learned_so_are_refused_in_words(spec, words, tmp_path):
    with pytest.raises(GameError, match=words):
        learn(spec, games=5, out=tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_is_refused_in_words(tmp_path):
    with pytest.raises(SettingError, match="no setting 'simulation'"):
        learn("tictactoe", simulation=5, out=tmp_path)
    with pytest.raises(UnknownNameError, match="tpu"):
        learn("tictactoe", device="tpu", out=tmp_path)
    with pytest.raises(SettingError, match="minutes"):
        learn("tictactoe", minutes=0, out=tmp_path)


class Scores(Game):
    """A game for one without a dtype."""


def test_a_game_whose_rules_are_not_compiled_is_refused():
    with pytest.raises(GameError, match="dtype"):
        learn(Scores())


@pytest.mark.parametrize("spec", ["pig:target=12", "samegame:rows=3,columns=3,colours=2"])
@pytest.mark.slow
def test_games_with_dice_and_for_one_are_learned(spec, tmp_path):
    found = learn(load_game(spec), games=12, out=tmp_path, **QUICK | {"network": "tiny"})
    assert found.games >= 12 and found.network.exists()
