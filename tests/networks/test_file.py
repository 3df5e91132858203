"""The file of a trained network: what is written is read, and what is wrong with a file is said in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ponderosa import Search, load_game
from ponderosa.core.observation import observed
from ponderosa.errors import NetworkFileError, SettingError
from ponderosa.networks import file as files
from ponderosa.networks import player
from ponderosa.networks.conduct import conduct
from ponderosa.networks.file import About, found, load, read, save, shape_for, write_model
from ponderosa.networks.network import Shape
from ponderosa.networks.wire import fields, inspect
from tests.helpers import Nim, loaded
from tests.networks.small import SAMPLE, drawn, small, written

pytest.importorskip("jax", reason='networks need the extra "learn"')
onnx = pytest.importorskip("onnx", reason='networks need the extra "learn"')
ROOT = Path(__file__).parents[2]
TRAINING = {"seed": 7, "command": "ponderosa learn tictactoe", "minutes": 3.5, "games": 100}


@pytest.fixture
def game():
    return loaded("tictactoe")


@pytest.fixture
def path(game, tmp_path):
    return written(tmp_path / "net.onnx", game, 9, TRAINING)


def records(game, count=3):
    state = game.new_initial_state()
    rows = []
    for _ in range(count):
        rows.append(state.data.view(game.dtype)[0].copy())
        state.apply_action(state.legal_actions()[0])
    return np.array(rows, game.dtype)


def told(path):
    return json.loads(inspect(path.read_bytes()).metadata["ponderosa"])


def test_what_is_written_is_read_and_judges_as_before(game, path):
    shape = shape_for(game, 9)
    network = small(shape)
    planes = observed(game, records(game))
    logits, values = network.judge(drawn(network, shape), planes)
    more_logits, more_values = load(path, game).judge(planes)
    assert np.abs(logits - more_logits).max() < 1e-4
    assert np.abs(values - more_values).max() < 1e-4
    about, _ = read(path)
    assert about == About("tictactoe", conduct(game), shape, repr(network), TRAINING)


def test_a_file_is_a_whole_onnx_model(path):
    onnx.checker.check_model(str(path), full_check=True)


def test_a_file_is_opened_once(game, path):
    assert load(path, game)._session is load(path, game)._session


def test_the_sample_of_an_earlier_version_is_read(game):
    assert load(SAMPLE, game).shape.actions == 9


def test_it_fits_a_game_with_the_same_rules_whatever_it_is_called(path):
    assert load(path, load_game("connect:m=3,n=3,k=3")).shape.actions == 9


def test_draws_that_are_called_early_for_people_make_no_difference():
    games = [loaded(f"connect4:rows=4,cols=4{more}") for more in ("", ",early_draw=true")]
    assert conduct(games[0]) == conduct(games[1])


def test_other_rules_are_other_conduct():
    nims = [Nim(heaps) for heaps in ((1, 2, 4), (1, 2, 3))]
    assert conduct(nims[0]) != conduct(nims[1])
    assert conduct(nims[0]) == conduct(Nim((1, 2, 4)))
    assert len({conduct(loaded(spec)) for spec in ("tictactoe", "tictactoe:k=2", "pig", "pig:target=30")}) == 4


def test_conduct_is_the_same_in_plain_python_and_in_another_process():
    code = "from tests.helpers import *; from ponderosa.networks.conduct import conduct;"
    code += "print(conduct(loaded('pig')), conduct(loaded('tictactoe')))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )
    assert result.stdout.split() == [conduct(loaded("pig")), conduct(loaded("tictactoe"))], result.stderr


def refusal(path, game):
    with pytest.raises(NetworkFileError) as caught:
        load(path, game)
    assert str(path) in str(caught.value)
    return str(caught.value)


def rewritten(path, change):
    """The file with another graph, and a description that fits it."""
    model = onnx.load(path)
    change(model)
    path.write_bytes(model.SerializeToString())
    about = told(path) | {"checksum": inspect_only(path)}
    del model.metadata_props[:]
    model.metadata_props.add(key="ponderosa", value=json.dumps(about))
    path.write_bytes(model.SerializeToString())


def inspect_only(path):
    """The checksum of a graph that may be one to refuse."""
    import hashlib

    return hashlib.sha256(
        next(value for number, value in fields(memoryview(path.read_bytes())) if number == 7)
    ).hexdigest()


def redescribed(path, **changes):
    """The file with another description."""
    model = onnx.load(path)
    about = told(path) | changes
    del model.metadata_props[:]
    model.metadata_props.add(key="ponderosa", value=json.dumps(about))
    path.write_bytes(model.SerializeToString())


def test_another_game_is_refused(path):
    assert "is a network of tictactoe, and does not see what connect4 shows" in refusal(path, loaded("connect4"))
    assert "was trained for tictactoe, not tictactoe:k=2" in refusal(path, loaded("tictactoe:k=2"))


def test_other_rules_of_the_same_game_are_refused(game, path):
    redescribed(path, rules="0" * 32)
    assert "was trained for other rules of tictactoe than there are now" in refusal(path, game)


def test_another_version_of_the_format_is_refused(game, path):
    redescribed(path, format=99)
    assert "it has format 99, and this version reads format 1" in refusal(path, game)


def test_another_shape_than_it_says_is_refused(game, path):
    shape = told(path)["shape"]
    redescribed(path, shape=shape | {"actions": 8})
    assert "gives results of the shapes (2, 9) and (2,) for two positions" in refusal(path, game)


@pytest.mark.parametrize("description", ["", "[]", "{}", "{", '{"format": 1}', "[" * 100_000])
def test_a_description_that_says_nothing_is_refused(game, path, description):
    model = onnx.load(path)
    model.metadata_props[0].value = description
    path.write_bytes(model.SerializeToString())
    assert "it is damaged" in refusal(path, game)


def test_a_model_that_says_nothing_of_a_game_is_refused(game, path):
    model = onnx.load(path)
    del model.metadata_props[:]
    path.write_bytes(model.SerializeToString())
    assert "it does not say for which game" in refusal(path, game)


def test_damage_anywhere_is_noticed(game, path):
    content = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, len(content), 40):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        path.write_bytes(bytes(damaged))
        try:
            load(path, game)
        except NetworkFileError:
            continue
        model = inspect(bytes(damaged))  # what is beside the graph may differ in a name that nobody reads
        assert model.checksum == inspect(content).checksum


@pytest.mark.parametrize("length", [0, 1, 100, 0.5, 0.99])
def test_a_file_that_is_not_whole_is_refused(game, path, length):
    content = path.read_bytes()
    path.write_bytes(content[: int(length * len(content)) if isinstance(length, float) else length])
    assert "is not a network" in refusal(path, game)


@pytest.mark.parametrize("content", [b"hello", b"\x80\x04\x95", b"PK\x03\x04", b"\x93NUMPY", b"\xff" * 99, b"\x3a\x00"])
def test_what_is_no_onnx_file_is_refused(game, path, content):
    path.write_bytes(content)
    assert "is not a network" in refusal(path, game)


def test_what_is_no_file_is_refused(game, tmp_path):
    assert "No such file" in refusal(tmp_path / "nowhere.onnx", game)
    assert "cannot read" in refusal(tmp_path, game)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(game, path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    os.utime(path, (1, 1))
    assert "and never more than 1,000" in refusal(path, game)


def weights_outside(model):
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def weights_outside_in_a_node(model):
    tensor = onnx.TensorProto(name="x", data_location=onnx.TensorProto.EXTERNAL)
    model.graph.node.append(onnx.helper.make_node("Constant", [], ["x"], value=tensor))


def own_operator(model):
    model.graph.node[0].domain = "com.example"


def known_name_of_own_operators(model):
    model.opset_import.add(domain="com.microsoft", version=1)


def loop(model):
    model.graph.node.append(onnx.helper.make_node("Loop", ["", ""], ["x"]))


def graph_in_a_node(model):
    model.graph.node.append(onnx.helper.make_node("Identity", ["planes"], ["x"], body=onnx.GraphProto(name="inner")))


def own_function(model):
    model.functions.add(name="Own")


def noise(model):
    model.graph.node.append(onnx.helper.make_node("RandomNormal", [], ["x"], shape=[9]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (weights_outside, "its weights lie in another file"),
        (weights_outside_in_a_node, "its weights lie in another file"),
        (own_operator, "it has operators of its own ('com.example')"),
        (known_name_of_own_operators, "it has operators of its own"),
        (loop, "it has the operator 'Loop', which no plain network needs"),
        (noise, "it has the operator 'RandomNormal'"),
        (graph_in_a_node, "it has a graph inside a node"),
        (own_function, "it has functions of its own"),
    ],
)
def test_what_is_no_plain_network_is_refused_before_a_runtime_sees_it(game, path, change, words, monkeypatch):
    monkeypatch.setattr(player, "need", lambda *names: pytest.fail("a runtime was asked"))
    model = onnx.load(path)
    change(model)
    path.write_bytes(model.SerializeToString())
    assert words in refusal(path, game)


def test_a_model_that_does_not_run_is_refused(game, path):
    def unconnected(model):
        model.graph.node[0].input[0] = "nothing"

    rewritten(path, unconnected)
    assert "does not run" in refusal(path, game)


def test_what_could_not_be_read_is_not_written(game, path, tmp_path):
    about, model = read(path)
    with pytest.raises(NetworkFileError, match="cannot be written as a network: it is not an ONNX file"):
        write_model(tmp_path / "new.onnx", b"", about)
    with pytest.raises(SettingError, match=r"has no export\(params, shape\)"):
        save(tmp_path / "new.onnx", object(), {}, about)
    with pytest.raises(NetworkFileError, match="cannot write"):
        write_model(tmp_path / "nowhere" / "new.onnx", model, about)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["net.onnx"]


def test_without_a_network_that_ships_one_must_be_trained(game, monkeypatch, tmp_path):
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    with pytest.raises(
        SettingError, match="no network of tictactoe comes with the package: train one, ponderosa learn"
    ):
        found(None, game)
    written(tmp_path / "tictactoe.onnx", game, 9)
    assert found(None, game) == found("tictactoe", game) == tmp_path / "tictactoe.onnx"
    assert found("../tictactoe", game) != tmp_path / ".." / "tictactoe.onnx"
    with pytest.raises(SettingError, match="no network of connect4"):
        found(None, loaded("connect4"))


def test_a_game_of_several_sizes_has_a_network_for_each_that_comes_with_one(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    small, large = (loaded(f"connect4:rows=4,cols={columns}") for columns in (4, 5))
    written(tmp_path / "connect4.onnx", small, 4)
    written(tmp_path / "connect4-5.onnx", large, 5)
    written(tmp_path / "connect40.onnx", loaded("connect4"), 7)
    assert found(None, small) == tmp_path / "connect4.onnx" and found(None, large) == tmp_path / "connect4-5.onnx"
    with pytest.raises(SettingError, match="no network of connect4"):
        found(None, loaded("connect4"))


def test_values_are_returns_in_the_order_of_the_seats(tmp_path):
    game = loaded("connect:m=3,n=2,k=2,players=3")
    net = load(written(tmp_path / "three.onnx", game, 6), game)
    states = records(game, 2)
    _, raw = net.judge(observed(game, states))
    _, values = player.evaluator(net, game)(states)
    assert raw.shape == values.shape == (2, 3)
    assert np.allclose(values[0], raw[0])
    assert np.allclose(values[1], raw[1, [2, 0, 1]]), "the second player is to move"


def test_values_are_in_the_games_own_measure(tmp_path):
    game = loaded("samegame:rows=3,columns=3,colours=2")
    net = load(written(tmp_path / "one.onnx", game, 9), game)
    _, raw = net.judge(observed(game, records(game, 1)))
    _, values = player.evaluator(net, game)(records(game, 1))
    assert np.allclose(values, (raw + 1) / 2 * game.max_utility)


def test_scores_without_bounds_and_hidden_cards_are_refused(tmp_path):
    with pytest.raises(SettingError, match="those of 2048 have none"):
        player.evaluator(player.Player(tmp_path, None, Shape((4,), 4)), loaded("2048"))
    with pytest.raises(Exception, match="what is seen depends on who looks"):
        shape_for(loaded("kuhn_poker"), 2)


def test_a_search_asks_the_network(game, path):
    report = Search(game, evaluator=player.evaluator(load(path, game), game), batch=4).run(iterations=50)
    assert sum(entry.visits for entry in report.actions) == 50
    assert sum(entry.prior for entry in report.actions) == pytest.approx(1.0)
    assert len({round(entry.prior, 6) for entry in report.actions}) == 9


def test_a_network_of_pytorch_plays_as_the_page_says(game, tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="this is about networks of PyTorch")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "learn.md").read_text()
    source = next(text for text in re.findall(r"^```text\n(.*?)^```", page, re.M | re.S) if "torch" in text)
    exec(source, {"__name__": "torch_example", "game": game})
    report = Search(game, evaluator=player.evaluator(load("mine.onnx", game), game)).run(iterations=20)
    assert report.iterations == 20
