"""Trees in files: what is saved comes back, and nothing else is taken for a tree."""

from __future__ import annotations

import json
import sys
import zipfile
from random import Random

import numpy as np
import pytest

from ponderosa import Search, rule
from ponderosa.errors import SettingError, TreeFileError, UnknownNameError
from ponderosa.mcts.policies.expand.counts import expand
from ponderosa.mcts.policies.playout.learned import last_good_reply, mast
from ponderosa.mcts.policies.playout.playouts import decisive, epsilon, majority, random, several
from ponderosa.mcts.tree import archive as archive_of_trees
from ponderosa.mcts.tree.archive import checksum
from ponderosa.mcts.tree.node import NODE
from ponderosa.mcts.tree.storage import SEARCH_TREE
from ponderosa.policies import PlayoutPolicy
from tests.cli.conftest import NIM as NIM_IN_A_FILE
from tests.helpers import LookAlike, Nim, PlainNim, grown, loaded, position, untimed


def greedy_by_hand(nodes, parent, params, rng):
    return nodes[parent]["first"]


def draw_by_hand(game, state, spare, actions, params, rng, values):
    values[:] = 0.5
    return 0


@pytest.fixture
def saved(tmp_path):
    """A search of Connect Four, and the file that it was saved to."""
    search = Search(loaded("connect4"), seed=7)
    search.run(position(loaded("connect4"), "4 4 3"), iterations=60)
    search.save(tmp_path / "tree.npz")
    return search, tmp_path / "tree.npz"


def rewritten(path, sign: bool = False, **changes):
    """The file with arrays or entries of its description replaced; `sign` gives it a checksum that fits."""
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes())
    for name, value in changes.items():
        if name in arrays:
            arrays[name] = value(arrays[name].copy()) if callable(value) else value
        elif value is None:
            del about[name]
        else:
            about[name] = value
    if sign:
        about.pop("checksum")
        about["checksum"] = checksum(about, *(arrays[name] for name in SEARCH_TREE.arrays))
    if "about" not in changes:
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez_compressed(path, **arrays)
    return path


def refused(path, message: str = "", **options) -> str:
    with pytest.raises(TreeFileError) as error:
        Search.load(path, **options)
    assert message in str(error.value)
    assert path.name in str(error.value)
    return str(error.value)


def test_a_search_with_settings_comes_back(tmp_path):
    phases = {"select": "ucb1_tuned", "expand": expand("all", 3), "playout": random(2, 20), "choose": "secure"}
    search = Search(loaded("connect4:rows=4,cols=5"), solve=False, seed=3, **phases)
    search.run(iterations=100)
    search.save(tmp_path / "tree.npz")
    twin = Search.load(tmp_path / "tree.npz")
    assert twin.game.spec == "connect4:rows=4,cols=5"
    assert (twin.policies, twin.solve, twin.seed) == (search.policies, False, 3)
    assert np.array_equal(grown(twin), grown(search))


@pytest.mark.parametrize(
    "playout",
    [
        mast(tau=0.2),
        last_good_reply(2),
        epsilon(0.3, decisive(), "random"),
        pytest.param(several(3, decisive()), marks=pytest.mark.slow),
        pytest.param(majority(3, decisive(), win_first=True), marks=pytest.mark.slow),
    ],
)
def test_playouts_that_learn_or_are_made_of_others_go_on_the_same(tmp_path, playout):
    search = Search(loaded("connect4"), playout=playout, solve=False, seed=3)
    search.run(iterations=300)
    search.save(tmp_path / "tree.npz")
    twin = Search.load(tmp_path / "tree.npz")
    assert str(twin.policies.playout) == str(playout)
    assert np.array_equal(twin.engine.learned(), search.engine.learned())
    assert untimed(twin.run(iterations=300)) == untimed(search.run(iterations=300))


def test_what_was_learned_is_for_the_policy_that_learned_it(tmp_path):
    search = Search(loaded("connect4"), playout=mast())
    search.run(iterations=50)
    search.save(tmp_path / "tree.npz")
    other = Search.load(tmp_path / "tree.npz", playout=last_good_reply(1))
    assert not other.engine.learned().any() and other.run(iterations=50).iterations == 50
    refused(rewritten(tmp_path / "tree.npz", sign=True, learned=np.zeros(3)), "what its playouts have learned")


def test_a_mix_with_a_function_of_ones_own_must_be_given(tmp_path):
    mixed = epsilon(0.5, PlayoutPolicy(draw_by_hand), "random")
    search = Search(loaded("tictactoe"), playout=mixed)
    search.run(iterations=5)
    search.save(tmp_path / "tree.npz")
    refused(tmp_path / "tree.npz", "playout function of your own: Search.load(path, playout=...)")
    assert Search.load(tmp_path / "tree.npz", playout=mixed).run(iterations=5).iterations == 5


def test_a_large_tree_comes_back_and_goes_on_the_same(tmp_path):
    search = Search(loaded("connect6"), seed=1)
    search.run(iterations=500)
    search.save(tmp_path / "tree.npz")
    twin = Search.load(tmp_path / "tree.npz")
    assert untimed(twin.run(iterations=800)) == untimed(search.run(iterations=800))
    assert np.array_equal(grown(twin), grown(search))
    assert search.tree.used > 2**16


def test_a_search_that_never_ran_can_be_saved(tmp_path):
    Search(loaded("connect4")).save(tmp_path / "tree.npz")
    assert Search.load(tmp_path / "tree.npz").run(iterations=50).iterations == 50


def test_actions_of_numpys_kind_can_be_saved(tmp_path):
    state = loaded("connect4").new_initial_state()
    state.apply_action(np.int64(3))
    search = Search(loaded("connect4"))
    search.run(state, iterations=10)
    search.save(tmp_path / "tree.npz")
    assert Search.load(tmp_path / "tree.npz").root_state == state


def test_a_game_of_ones_own_and_phases_of_ones_own_must_be_given(tmp_path):
    path = tmp_path / "tree.npz"
    search = Search(Nim((1, 2)), select=greedy_by_hand)
    search.run(iterations=5)
    search.save(path)
    refused(path, "is of the game 'nim:heaps=1,2', which is not in the registry: Search.load(path, game=...)")
    refused(path, "searched with a select function of your own: Search.load(path, select=...)", game=Nim((1, 2)))
    twin = Search.load(path, game=Nim((1, 2)), select=greedy_by_hand)
    assert np.array_equal(grown(twin), grown(search))


def test_saving_leaves_one_file_and_replaces_the_old_one(saved):
    search, path = saved
    search.run(iterations=50)
    search.save(path)
    search.save(str(path))
    assert [file.name for file in path.parent.iterdir()] == ["tree.npz"]
    assert np.array_equal(grown(Search.load(str(path))), grown(search))


def test_nothing_in_the_file_is_pickled(saved):
    with np.load(saved[1], allow_pickle=False) as file:
        assert all(not file[name].dtype.hasobject for name in file.files)


def test_a_tree_over_python_objects_is_not_saved(tmp_path):
    for game in (LookAlike(), PlainNim()):
        with pytest.raises(TreeFileError, match="lives in memory only; a game with a dtype can be saved"):
            Search(game).save(tmp_path / "tree.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["no/such/folder/tree.npz", "folder"])
def test_a_place_that_cannot_be_written_is_named(saved, tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(TreeFileError, match=f"cannot write .*{place}"):
        saved[0].save(tmp_path / place)


def test_a_place_that_cannot_be_read_is_named(tmp_path):
    refused(tmp_path / "missing.npz", "cannot read")
    (tmp_path / "folder.npz").mkdir()
    refused(tmp_path / "folder.npz", "cannot read")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"PK\x03\x04", b"\x93NUMPY\x01\x00v\x00{", bytes(1000)])
def test_other_files_are_not_trees(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    refused(path)


def test_other_archives_are_not_trees(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, nodes=np.zeros(3))
    refused(path, "is not a search tree")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("nodes.npy", "text")
    refused(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(5))
    refused(path)


def test_a_pickle_inside_is_never_opened(saved):
    class Bomb:
        def __reduce__(self):
            return exec, ("raise SystemExit('unpickled')",)

    for name in ("nodes", "root", "rng", "about"):
        path = rewritten(saved[1], **{name: np.array([Bomb()], dtype=object)})
        refused(path, "has the wrong type")
        saved[0].save(path)


def test_a_file_names_a_game_and_no_code_to_run(saved, tmp_path):
    """Whatever the class in the file is: looking at it would run the file."""
    evil = tmp_path / "evil.py"
    evil.write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n" + NIM_IN_A_FILE)
    for name in (f"{evil}:Nim", str(evil), f"{evil}:Nim:heaps=1,2", f" {evil}:Nim"):
        refused(rewritten(saved[1], sign=True, game=name), "not in the registry: Search.load(path, game=...)")
    assert not (tmp_path / "ran").exists()
    assert evil.name not in str(sys.modules.keys())


def test_a_position_that_no_moves_lead_to_needs_consent(tmp_path):
    state = Nim((3, 4)).new_initial_state()
    state.record.heaps[0] = 1
    search = Search(Nim((3, 4)))
    search.run(state, iterations=50)
    search.save(tmp_path / "tree.npz")
    refused(tmp_path / "tree.npz", "that its moves do not lead to", game=Nim((3, 4)))
    twin = Search.load(tmp_path / "tree.npz", game=Nim((3, 4)), trust=True)
    assert twin.root_state == state and untimed(twin.run(iterations=50)) == untimed(search.run(iterations=50))


class Bomb:
    """Endless zeros, as np.savez packs them: it is asked for its bytes and never has them all at once."""

    def __init__(self, kind, length):
        self.kind, self.length = kind, length

    def write(self, archive, name):
        header = {"descr": np.lib.format.dtype_to_descr(self.kind), "fortran_order": False, "shape": (self.length,)}
        with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array_header_1_0(file, header)
            zeros, left = bytes(2**24), self.length * self.kind.itemsize
            while left:
                left -= file.write(zeros[: min(left, len(zeros))])


@pytest.mark.parametrize(
    ("name", "bomb"),
    [
        ("nodes", Bomb(NODE, 2**24)),
        ("nodes", Bomb(NODE, 10**15)),
        ("root", Bomb(np.dtype(np.uint8), 2**28)),
        ("learned", Bomb(np.dtype(np.float64), 2**25)),
        ("about", Bomb(np.dtype(np.uint8), 2**28)),
    ],
)
def test_what_unpacks_to_far_more_than_is_right_is_refused_by_its_header(saved, name, bomb, monkeypatch):
    """Nothing of it is unpacked but its header; the largest only claims to be so large."""
    path = saved[1]
    with np.load(path) as file:
        arrays = dict(file)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for other in arrays.keys() - {name}:
            with archive.open(f"{other}.npy", "w") as file:
                np.save(file, arrays[other])
        if bomb.length > 2**40:
            with archive.open(f"{name}.npy", "w") as file:
                header = {"descr": np.lib.format.dtype_to_descr(NODE), "fortran_order": False, "shape": (bomb.length,)}
                np.lib.format.write_array_header_1_0(file, header)
        else:
            bomb.write(archive, name)
    unpacked = []
    monkeypatch.setattr(archive_of_trees, "_fill", lambda name, room, file: unpacked.append((name, file.read(1) and 0)))
    refused(path)
    assert name not in dict(unpacked)


def test_a_truncated_file_is_refused(saved):
    content = saved[1].read_bytes()
    for length in range(0, len(content), 29):
        saved[1].write_bytes(content[:length])
        refused(saved[1])


def test_flipped_bits_are_noticed_or_do_not_matter(saved):
    search, path = saved
    content, before = path.read_bytes(), grown(search)
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ (1 << place % 8)]) + content[place + 1 :])
        try:
            twin = Search.load(path)
        except TreeFileError:
            continue
        assert np.array_equal(grown(twin), before), place
        assert twin.root_state == search.root_state, place
        assert (twin.rng == search.rng).all(), place


def test_a_tree_of_another_game_is_refused(saved):
    refused(saved[1], "is of the game 'connect4', not of 'tictactoe'", game=loaded("tictactoe"))
    refused(
        saved[1], "is of the game 'connect4', not of 'connect4:rows=4,cols=5'", game=loaded("connect4:rows=4,cols=5")
    )
    refused(saved[1], "is of the game 'connect4'", game="connect4")


def test_a_tree_of_other_rules_is_refused(tmp_path):
    class Misere(Nim):
        name = "nim"

        @rule
        def returns(s):
            return (1.0, -1.0) if s.player == 0 else (-1.0, 1.0)

    search = Search(Nim((1, 2)))
    search.run(iterations=5)
    search.save(tmp_path / "tree.npz")
    refused(tmp_path / "tree.npz", "was searched with other rules of 'nim:heaps=1,2'", game=Misere((1, 2)))


def test_another_format_is_refused(saved):
    refused(rewritten(saved[1], format=99), "has format 99, and this version reads format 1")


@pytest.mark.parametrize("key", ["game", "rules", "history", "seed", "solve", "policies", "checksum"])
@pytest.mark.parametrize("value", [None, 12345, "nonsense", [], {}])
@pytest.mark.parametrize("sign", [False, True])
def test_a_description_that_makes_no_sense_is_refused(saved, key, value, sign):
    if (key, value, sign) == ("seed", 12345, True):
        assert np.array_equal(grown(Search.load(rewritten(saved[1], sign, **{key: value}))), grown(saved[0]))
    elif key != "checksum" or not sign:
        refused(rewritten(saved[1], sign, **{key: value}))


def test_a_description_that_is_not_json_is_refused(saved):
    for text in (b"", b"nonsense", b"[]", b"3", b"\xff\xfe"):
        refused(rewritten(saved[1], about=np.frombuffer(text, np.uint8)))
        saved[0].save(saved[1])


def change(field: str, index: int, value):
    def apply(nodes):
        nodes[field][index] = value
        return nodes

    return apply


@pytest.mark.parametrize(
    "nodes",
    [
        change("first", 0, 10**6),
        change("first", 1, 1),
        change("first", 3, -2),
        change("count", 0, 10**4),
        change("count", 0, -1),
        change("visits", 2, -5),
        change("value", 2, np.nan),
        change("value", 2, 1e9),
        change("value", 2, -1.0),
        change("mover", 2, 7),
        change("mover", 2, -1),
        change("proven", 2, 3),
        lambda nodes: nodes[:0],
        lambda nodes: nodes[:5],
        lambda nodes: nodes["visits"],
        lambda nodes: nodes.reshape(1, -1),
    ],
)
def test_nodes_that_form_no_tree_are_refused(saved, nodes):
    with pytest.raises(TreeFileError):
        Search.load(rewritten(saved[1], sign=True, nodes=nodes))


def every_action(action):
    def apply(nodes):
        nodes["action"][1:] = action
        return nodes

    return apply


def one_block_for_two(nodes):
    """Two parents with the same children: a copy of such a tree is larger than the tree."""
    parents = np.flatnonzero(nodes["first"] > 0)
    nodes["first"][parents[1]], nodes["count"][parents[1]] = nodes["first"][parents[2]], nodes["count"][parents[2]]
    return nodes


@pytest.mark.parametrize(
    "nodes",
    [
        *(change("action", index, value) for index in (1, 2, 3, 9) for value in (10**6, -(2**31), 2**31 - 1, 7, -1)),
        every_action(10**6),
        one_block_for_two,
        change("first", 1, -1),
        change("first", 0, -1),
        lambda nodes: np.zeros(len(nodes), np.dtype([*NODE.descr, ("more", "O")])),
        lambda nodes: np.zeros(len(nodes), np.dtype([*NODE.descr, ("more", "f8", 10**4)])),
        lambda nodes: np.zeros(len(nodes), np.dtype([*NODE.descr, ("more", "U9")])),
        lambda nodes: nodes.astype(np.dtype([(name, "f8") for name in NODE.names])),
    ],
)
def test_moves_that_are_not_legal_and_blocks_that_overlap_are_refused(saved, nodes):
    refused(rewritten(saved[1], sign=True, nodes=nodes))


@pytest.mark.parametrize("spec", ["connect4", "tictactoe", "connect6", "samegame:rows=5,columns=4,colours=3"])
def test_a_tree_in_which_one_number_was_changed_is_refused_or_can_be_searched(spec, tmp_path):
    """And its checksum fits, as if somebody had meant to: whatever is believed of it, nothing breaks."""
    search, draw = Search(loaded(spec), seed=1), Random(1)
    search.run(iterations=60)
    search.save(tmp_path / "tree.npz")
    content, taken = (tmp_path / "tree.npz").read_bytes(), 0
    for _ in range(25):
        (tmp_path / "tree.npz").write_bytes(content)
        name, index = draw.choice(NODE.names), draw.randrange(search.tree.used)
        value = draw.choice([-1, 0, 1, 2, 5, 100, 10**4, draw.randrange(search.tree.used)])
        value = value % 100 if name in ("mover", "proven") else value
        try:
            twin = Search.load(rewritten(tmp_path / "tree.npz", sign=True, nodes=change(name, index, value)))
        except TreeFileError:
            continue
        taken += 1
        twin.run(iterations=30)
    assert taken < 25


@pytest.mark.parametrize("word", [0, 4294883355 * 2**32 - 1])
def test_random_numbers_that_never_change_are_refused(saved, word):
    refused(rewritten(saved[1], sign=True, rng=np.array([word], np.uint64)), "random numbers")


@pytest.mark.parametrize("history", [[3, 3, 99], [3, 3, 10**400], [True], ["3"], [3.0], [[]], [-1], [3, 3, 2, 2]])
def test_moves_to_the_root_that_cannot_be_made_are_refused(saved, history):
    refused(rewritten(saved[1], sign=True, history=history))


def test_a_description_that_is_nested_without_end_is_refused(saved):
    refused(rewritten(saved[1], about=np.frombuffer(b"[" * 200_000, np.uint8)))


@pytest.mark.parametrize(
    "changes",
    [
        {"root": lambda root: root[:-1]},
        {"root": lambda root: root ^ 255},
        {"root": lambda root: root[:0]},
        {"rng": lambda rng: np.zeros(0, np.uint64)},
        {"rng": lambda rng: np.zeros(2, np.uint64)},
        {"rng": lambda rng: rng.astype(np.int64)},
    ],
)
def test_a_state_or_generator_of_another_shape_is_refused(saved, changes):
    refused(rewritten(saved[1], sign=True, **changes))


def test_an_option_that_does_not_exist_is_named(saved):
    with pytest.raises(UnknownNameError, match="unknown phase 'selct'; did you mean 'select'"):
        Search.load(saved[1], selct="ucb1")
    with pytest.raises(SettingError, match="is for select, not for expand"):
        Search.load(saved[1], expand=saved[0].policies.select)
