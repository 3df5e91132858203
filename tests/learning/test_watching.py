"""What is seen of a run from outside: what its folder says, and nothing that it should not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ponderosa.core.state import RecordState
from ponderosa.errors import FileError, UnknownNameError
from ponderosa.learning.checkpoints import write_arrays
from ponderosa.learning.judged import Shown, in_plain
from ponderosa.learning.showing import GAME, LOCKED, NOW
from ponderosa.learning.watching import HERE, LOG, read_log, run_of, runs
from ponderosa.system.lease import Lease
from tests.helpers import loaded
from tests.learning.folders import LINES, MOVES, game_of_moves, gate, line, run_folder


def test_a_run_is_seen_with_what_it_has_come_to(tmp_path):
    run_folder(tmp_path / "first")
    (run,) = runs(tmp_path)
    assert (run.key, run.game, run.plan, run.games, run.losses) == (
        "first",
        "tictactoe",
        "2 minutes",
        1200,
        (1.25, 0.5),
    )
    assert run.gates() == [0, 1, 2] and not run.running and not run.finished
    assert [("gate" in entry) for entry in run.log()] == [("gate" in entry) for entry in LINES]


def test_a_folder_that_is_a_run_itself_is_one_of_those_in_it(tmp_path):
    run_folder(tmp_path / "runs")
    assert run_of(tmp_path / "runs", HERE).game == "tictactoe"


@pytest.mark.parametrize("key", ["../first", "", "first/../first", "/"])
def test_only_what_is_listed_is_opened(tmp_path, key):
    run_folder(tmp_path / "runs" / "first")
    with pytest.raises(UnknownNameError, match="run of learning"):
        run_of(tmp_path / "runs", key)


def test_whoever_learns_in_a_folder_is_seen(tmp_path):
    path = run_folder(tmp_path / "first")
    lease = Lease(path / LOCKED)
    assert lease.take()
    try:
        assert runs(tmp_path)[0].running
    finally:
        lease.give_back()
    assert not runs(tmp_path)[0].running


@pytest.mark.parametrize("told", ["", "{", "[]", '{"game": 1}', '"x"', "9" * 5000])
def test_what_cannot_be_read_is_left_out(tmp_path, told):
    run_folder(tmp_path / "first")
    (run_folder(tmp_path / "second") / NOW).write_text(told)
    assert [run.key for run in runs(tmp_path)] == ["first"]


def test_numbers_that_are_none_are_left_out(tmp_path):
    run_folder(tmp_path / "first", seconds=float("nan"))
    assert runs(tmp_path) == []


def test_lines_of_the_log_that_make_no_sense_are_left_out(tmp_path):
    path = run_folder(tmp_path / "first")
    bad = [
        json.dumps(entry) for entry in (line(float("nan"), 1.0), {"seconds": 3}, {"gate": {}, "seconds": 2}, 7, None)
    ]
    half = json.dumps(gate(3, 30.0, None))[:-9]
    good = json.dumps(gate(4, 31.0, None))
    (path / LOG).write_text("\n".join([*bad, good, half]))
    (entry,) = read_log(path)
    assert entry["gate"]["number"] == 4 and entry["gate"]["elo"] is None


def test_the_newest_game_is_followed_to_its_end(tmp_path):
    run_folder(tmp_path / "first")
    shown = Shown(loaded("tictactoe"), runs(tmp_path)[0])
    assert " ".join(shown.names) == MOVES and shown.plies == 7 and len(shown.states) == 8
    assert shown.states[-1].is_terminal() and shown.states[-1].returns() == [1.0, -1.0]
    assert shown.searched(0) == pytest.approx(0.4) and shown.searched(6) == 1.0 and shown.searched(7) is None


def test_every_network_judges_the_legal_moves_of_every_position(tmp_path):
    pytest.importorskip("onnxruntime", reason='networks play with the extra "net"')
    run_folder(tmp_path / "first")
    shown = Shown(loaded("tictactoe"), runs(tmp_path)[0])
    for number in (0, 2):
        whole = shown.whole_game(number)
        assert whole[-1] is None and whole[3] == shown.judged(3, number)
        for state, judged in zip(shown.states, whole[:-1], strict=False):
            assert set(judged.priors) == set(state.legal_actions()) and sum(judged.priors.values()) == pytest.approx(
                1.0
            )
            assert 0.0 <= judged.value <= 1.0 and judged.priors[judged.best] == max(judged.priors.values())


def test_a_game_in_plain_python_plays_as_the_compiled_one():
    game = loaded("tictactoe")
    plain = in_plain(game)
    one, other = game.new_initial_state(), RecordState.initial(plain)
    for _ in range(6):
        assert one.legal_actions() == other.legal_actions()
        action = one.legal_actions()[-1]
        one.apply_action(action)
        other.apply_action(action)
    assert str(one) == str(other) and plain.rules is not game.rules


def replaced(**columns):
    return game_of_moves() | columns


@pytest.mark.parametrize(
    "arrays",
    [
        {"records": np.zeros(3)},
        replaced(records=np.zeros(7, np.uint8)),
        replaced(actions=np.zeros(6, np.int32)),
        replaced(results=np.zeros(3)),
        replaced(actions=np.full(7, 99, np.int32)),
        replaced(actions=np.full(7, 4, np.int32)),
        replaced(players=np.array(["x"] * 7)),
        {name: column[:0] for name, column in game_of_moves().items()},
    ],
)
def test_a_game_that_is_none_is_refused_in_words(tmp_path, arrays):
    path = run_folder(tmp_path / "first")
    write_arrays(path / GAME, arrays)
    with pytest.raises(FileError, match="game"):
        Shown(loaded("tictactoe"), runs(tmp_path)[0])


def test_states_that_no_game_leads_to_are_asked_in_python_alone(tmp_path):
    path, arrays = run_folder(tmp_path / "first"), game_of_moves()
    wild = np.frombuffer(b"\xff" * arrays["records"].nbytes, arrays["records"].dtype)
    write_arrays(path / GAME, arrays | {"records": wild})
    with pytest.raises(FileError, match="cannot be shown"):
        Shown(loaded("tictactoe"), runs(tmp_path)[0])
