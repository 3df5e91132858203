"""The window: the newest positions, and pieces on disk from which it is filled again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ponderosa.errors import FileError
from ponderosa.learning.checkpoints import Folder, read_arrays
from ponderosa.learning.replay import Replay
from ponderosa.learning.selfplay import Lessons
from tests.helpers import Nim

WINDOW = 40


def lessons(first, count):
    """Positions that are told apart by their values."""
    numbers = np.arange(first, first + count)
    return Lessons(np.zeros(count, Nim().dtype), np.ones((count, 2), np.float16), numbers.astype(np.float32))


def filled(*counts):
    replay = Replay(Nim(), 2, WINDOW)
    for count in counts:
        replay.add(lessons(replay.total, count))
    return replay


@pytest.mark.parametrize("counts", [(1,), (3, 4), (30, 30, 7), (100,), (1,) * 90])
def test_only_the_newest_positions_are_drawn_and_each_may_be(counts):
    replay = filled(*counts)
    drawn = set(replay.draw(2000, np.random.default_rng(0)).values.tolist())
    assert drawn == set(range(replay.total - replay.reach, replay.total))
    assert replay.reach <= min(replay.total, WINDOW)


def test_the_window_grows_slower_than_what_was_played():
    shares = [(replay := filled(count)).reach / replay.total for count in (4, 8, 16, 32, 64)]
    assert shares[0] == 1.0 and all(later < sooner for sooner, later in itertools.pairwise(shares))


def test_a_window_is_filled_again_from_the_pieces_of_a_folder(tmp_path):
    folder, replay = Folder(tmp_path), Replay(Nim(), 2, WINDOW)
    for count in (3, 20, 50, 1, 60):
        replay.add(lessons(replay.total, count))
        folder.save({}, {"part": {"numbers": np.arange(count)}}, replay)
    again = Replay(Nim(), 2, WINDOW)
    opened = Folder(tmp_path)
    opened.fill(again)
    assert (again.total, again.reach) == (replay.total, replay.reach)
    drawn = [one.draw(100, np.random.default_rng(1)).values.tolist() for one in (replay, again)]
    assert drawn[0] == drawn[1]
    assert opened.part("part")["numbers"].tolist() == list(range(60))
    named = {*opened.state["files"].values(), *(piece["file"] for piece in opened.state["pieces"]), "state.json"}
    assert {path.name for path in tmp_path.iterdir()} == named


def test_a_damaged_checkpoint_is_an_error_in_words(tmp_path):
    folder = Folder(tmp_path)
    folder.save({}, {"part": {"numbers": np.arange(3)}}, filled(3))
    (tmp_path / folder.state["files"]["part"]).write_bytes(b"PK nothing")
    with pytest.raises(FileError, match=r"part-1\.npz cannot be read"):
        folder.part("part")
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(FileError, match=r"state\.json cannot be read"):
        Folder(tmp_path)


def test_arrays_that_would_need_pickle_are_not_read(tmp_path):
    np.savez(tmp_path / "bad.npz", thing=np.array([object()], dtype=object))
    with pytest.raises(FileError, match="cannot be read"):
        read_arrays(tmp_path / "bad.npz")


def test_records_are_kept_whole_where_the_window_begins_anew():
    replay, kind = Replay(Nim(), 2, WINDOW), np.dtype(Nim().dtype)
    luck = np.random.default_rng(0)
    records = luck.integers(0, 256, (WINDOW * 3, kind.itemsize), np.uint8).view(kind).reshape(-1)
    numbers = np.arange(len(records), dtype=np.float32)
    policies = np.stack([numbers, -numbers], axis=1).astype(np.float16)
    for begin in range(0, len(records), 25):
        replay.add(Lessons(*(column[begin : begin + 25] for column in (records, policies, numbers))))
    drawn = replay.draw(500, luck)
    places = drawn.values.astype(int)
    assert drawn.records.tobytes() == records[places].tobytes()
    assert np.array_equal(drawn.policies, policies[places])
