"""Networks: their shapes, and that what is trained and what is played are the same."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import PonderosaError
from ponderosa.core.observation import observed
from ponderosa.errors import SettingError, UnknownNameError
from ponderosa.networks import extras
from ponderosa.networks.network import Exports, Network, Shape, named
from ponderosa.networks.operations import JaxOperations, OnnxOperations, Operations
from ponderosa.networks.residual import SIZES, Convolutional, Dense
from tests.helpers import loaded
from tests.networks.small import drawn, small

jax = pytest.importorskip("jax", reason='networks need the extra "learn"')
onnxruntime = pytest.importorskip("onnxruntime", reason='networks need the extra "net"')

EXACT = 1e-4
BOARD = (3, 4, 2)
SHAPES = {
    "cells": Shape(BOARD, 12),
    "cells and one more": Shape(BOARD, 13, 1),
    "columns": Shape(BOARD, 4, 3),
    "other actions": Shape(BOARD, 5, 2),
    "numbers": Shape((7,), 4, 4),
}
"""A shape for every kind of head."""


def planes_of(shape, count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, *shape.observation)).astype(np.float32)


def by_onnx(network, params, shape, planes):
    session = onnxruntime.InferenceSession(network.export(params, shape))
    return session.run(["logits", "values"], {"planes": planes})


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_batch_is_judged_alike_by_jax_and_by_onnx(shape):
    check_alike(small(shape), shape, 0)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3)) | st.tuples(st.integers(1, 20)),
    st.integers(0, 3),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_any_shape_is_judged_alike_by_jax_and_by_onnx(observation, more, players, seed):
    cells = observation[0] * (observation[1] if len(observation) == 3 else 1)
    actions = (cells, cells + 1, observation[-2] if len(observation) == 3 else 3, cells + 2)[more]
    shape = Shape(observation, actions, players)
    check_alike(small(shape), shape, seed)


def check_alike(network, shape, seed):
    params, planes = drawn(network, shape, seed), planes_of(shape, 3, seed)
    logits, values = jax.jit(network.judge)(params, planes)
    assert logits.shape == (3, shape.actions)
    assert values.shape == ((3,) if shape.players <= 2 else (3, shape.players))
    assert logits.dtype == values.dtype == np.float32
    assert (np.abs(values) <= 1).all()
    more_logits, more_values = by_onnx(network, params, shape, planes)
    assert np.abs(logits - more_logits).max() < EXACT
    assert np.abs(values - more_values).max() < EXACT


@pytest.mark.parametrize("size", SIZES)
def test_sizes_by_name_fit_boards_and_numbers_and_begin_nearly_without_a_preference(size):
    shape = Shape((3, 3, 2), 9)
    network, other = named(size, shape), named(size, Shape((5,), 2))
    assert (network.channels, network.blocks) == SIZES[size]
    assert (other.width, other.blocks) == (2 * SIZES[size][0], SIZES[size][1])
    if size == "tiny":
        logits, values = by_onnx(network, network.init(jax.random.key(0), shape), shape, planes_of(shape, 4))
        assert 0 < np.ptp(logits, axis=1).max() < 2
        assert np.abs(values).max() < 0.9


def test_what_a_position_is_judged_to_be_does_not_depend_on_the_rest_of_the_batch():
    shape = Shape((4, 3, 2), 3)
    network = small(shape)
    params, planes = drawn(network, shape), planes_of(shape, 5)
    logits, values = by_onnx(network, params, shape, planes)
    alone, value = by_onnx(network, params, shape, planes[2:3])
    assert np.abs(logits[2] - alone[0]).max() < EXACT
    assert abs(values[2] - value[0]) < EXACT


def test_the_policy_by_columns_sees_a_column_where_it_stands():
    shape = Shape((4, 7, 1), 7)
    network = Convolutional(4, 0)
    params, planes = drawn(network, shape), np.zeros((1, *shape.observation), np.float32)
    planes[0, 1, 3] = 1.0
    logits, _ = by_onnx(network, params, shape, planes)
    mirrored, _ = by_onnx(network, _mirrored(params), shape, planes[:, :, ::-1])
    assert np.abs(logits[0] - mirrored[0, ::-1]).max() < EXACT
    assert abs(logits[0, 3] - logits[0, 6]) > EXACT, "it has a preference"


def _mirrored(params):
    """The same network, seen in a mirror."""
    stem = params["stem"] | {"kernel": params["stem"]["kernel"][:, ::-1]}
    return params | {"stem": stem}


def test_a_network_is_compiled_and_has_gradients_everywhere():
    shape = Shape((3, 3, 2), 10)
    network = small(shape)
    planes = planes_of(shape, 4)

    def loss(params):
        logits, values = network.judge(params, planes)
        return (logits**2).mean() + (values**2).mean()

    slopes = jax.jit(jax.grad(loss))(drawn(network, shape))
    assert all(np.abs(slope).max() > 0 for slope in jax.tree.leaves(slopes))


def test_both_kinds_of_operations_have_all_of_them():
    wanted = {name for name in vars(Operations) if not name.startswith("_")}
    assert len(wanted) > 10
    for kind in (JaxOperations, OnnxOperations):
        assert wanted <= set(vars(kind))


def test_the_networks_of_the_package_keep_the_contract():
    for network in (Convolutional(), Dense()):
        assert isinstance(network, Network)
        assert isinstance(network, Exports)
        assert dataclasses.replace(network) == network
        assert repr(network).startswith(type(network).__name__)


@pytest.mark.parametrize("wrong", [((), 2, 2), ((3, 3), 2, 2), ((3, 3, 0), 2, 2), ((4,), 0, 2), ((4,), 2, 0)])
def test_shapes_that_make_no_sense_are_refused(wrong):
    with pytest.raises(SettingError, match="a network sees"):
        Shape(*wrong)


def test_an_unknown_size_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'small'"):
        named("smal", Shape((4,), 2))


@pytest.mark.parametrize("extra", extras.PURPOSES)
def test_a_missing_package_is_named_by_its_extra(extra):
    with pytest.raises(PonderosaError, match=rf'pip install "ponderosa\[{extra}\]"'):
        extras.need("a_package_that_nobody_has", extra)


@pytest.mark.parametrize("spec", ["tictactoe", "connect:m=4,n=5,k=3,p=2,q=1"])
def test_the_policy_by_cells_has_the_numbers_of_a_boards_actions(spec):
    for state, seen in positions(loaded(spec)):
        empty = np.flatnonzero(seen[:, :, :2].sum(axis=2) == 0)
        assert sorted(state.legal_actions()) == empty.tolist()


def test_the_policy_by_columns_has_the_numbers_of_connect_fours_actions():
    for state, seen in positions(loaded("connect4:rows=4,cols=5")):
        assert sorted(state.legal_actions()) == np.flatnonzero(seen[:, :, :2].sum(axis=(0, 2)) < 4).tolist()


def positions(game):
    """Random positions, and what is seen of each."""
    draw, state = random.Random(1), game.new_initial_state()
    while not state.is_terminal():
        yield state, observed(game, state.data.view(game.dtype))[0]
        state.apply_action(draw.choice(state.legal_actions()))


@pytest.mark.parametrize("shape", [SHAPES["cells"], SHAPES["numbers"]], ids=["cells", "numbers"])
def test_parameters_that_are_rounded_beforehand_judge_as_they_do_unrounded(shape, monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")  # where networks compute with shorter numbers
    network = small(shape)
    params, planes = drawn(network, shape), planes_of(shape, 3)
    rounded = network.rounded(params)
    assert all(part.dtype == jax.numpy.bfloat16 for part in jax.tree.leaves(rounded))
    for one, other in zip(network.judge(params, planes), network.judge(rounded, planes), strict=True):
        assert np.array_equal(one, other)
