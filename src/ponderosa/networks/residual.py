"""The networks of the package: a residual tower over boards, a dense one over all else. Start at Convolutional.

Blocks are pre-activated (He et al. 2016). What enters a block is normalised by the root mean square of the position's
features (Zhang & Sennrich 2019), which keeps no running state: training, playing and the file compute the same. Means
over the whole board are joined to both heads (Wu 2019, global pooling). Each network is described once, in operations
(operations.py): those of JAX compute it, and those of ONNX write it down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ponderosa.networks.extras import need
from ponderosa.networks.network import Parameters, Shape
from ponderosa.networks.operations import JaxOperations, Layer, OnnxOperations, Operations

SIZES = {"tiny": (32, 3), "small": (64, 6), "medium": (128, 10)}
"""Channels and blocks of each size; a dense network is twice as wide as a board's has channels."""
POLICY, NARROW, HIDDEN = 32, 8, 64
"""Features: of a cell in the policy, of a cell where all cells are read at once, and hidden ones of the value."""
LAST = 0.1
"""The last layer of a block, or of a head, begins as much smaller: at first, all moves are nearly alike."""


class Described:
    """A network by its description, which is computed or written down. One's own may be a frozen dataclass of it."""

    def describe(self, do: Operations, params: Parameters, planes: Any) -> tuple[Any, Any]:
        """The network, in operations."""
        raise NotImplementedError

    def judge(self, params: Parameters, planes: Any) -> tuple[Any, Any]:
        """Logits and values: in bfloat16 on accelerators, in float32 on processors; float32 comes out."""
        return self.describe(JaxOperations(), params, planes)

    def rounded(self, params: Parameters) -> Parameters:
        """Parameters as `judge` computes with them, rounded once for many batches."""
        kind = JaxOperations().kind
        rounded: Parameters = need("jax", "learn").tree.map(lambda part: part.astype(kind), params)
        return rounded

    def export(self, params: Parameters, shape: Shape) -> bytes:
        """The network as an ONNX model, in float32."""
        do = OnnxOperations(shape)
        return do.model(*self.describe(do, params, do.planes))


@dataclass(frozen=True)
class Convolutional(Described):
    """A tower of 3x3 convolutions for boards."""

    channels: int = 64
    """How many features each cell has."""
    blocks: int = 6
    """How many residual blocks there are, of two convolutions each."""

    def init(self, key: Any, shape: Shape) -> Parameters:
        """New parameters, from a key of jax.random."""
        make, width = Maker(key), self.channels
        rows, columns, planes = shape.observation
        return {
            "stem": make.layer(3, 3, planes, width),
            "blocks": [make.block(3, 3, width, width) for _ in range(self.blocks)],
            "norm": make.ones(width),
            "policy": board_policy(make, shape, width),
            "value": {
                "cells": make.layer(1, 1, width, NARROW),
                "flat": make.layer(rows * columns * NARROW, HIDDEN),
                "mean": make.layer(width, HIDDEN),
                "last": make.layer(HIDDEN, shape.values, scale=LAST),
            },
        }

    def describe(self, do: Operations, params: Parameters, planes: Any) -> tuple[Any, Any]:
        """The network, in operations."""
        x = tower(do, do.conv, do.conv(do.board(planes), params["stem"]), params)
        mean, value = do.mean(x), params["value"]
        cells = do.flat(do.relu(do.conv(x, value["cells"])))
        hidden = do.relu(do.add(do.dense(cells, value["flat"]), do.dense(mean, value["mean"])))
        logits = board_logits(do, params["policy"], x, mean)
        return do.logits(logits), do.values(do.tanh(do.dense(hidden, value["last"])))


@dataclass(frozen=True)
class Dense(Described):
    """A tower of dense layers for observations that are no board."""

    width: int = 128
    """How many features there are."""
    blocks: int = 6
    """How many residual blocks there are, of two layers each."""

    def init(self, key: Any, shape: Shape) -> Parameters:
        """New parameters, from a key of jax.random."""
        make, width = Maker(key), self.width
        return {
            "stem": make.layer(shape.floats, width),
            "blocks": [make.block(width, width) for _ in range(self.blocks)],
            "norm": make.ones(width),
            "policy": make.layer(width, shape.actions, scale=LAST),
            "value": {"mean": make.layer(width, HIDDEN), "last": make.layer(HIDDEN, shape.values, scale=LAST)},
        }

    def describe(self, do: Operations, params: Parameters, planes: Any) -> tuple[Any, Any]:
        """The network, in operations."""
        x = tower(do, do.dense, do.dense(do.flat(planes), params["stem"]), params)
        hidden = do.relu(do.dense(x, params["value"]["mean"]))
        value = do.tanh(do.dense(hidden, params["value"]["last"]))
        return do.logits(do.dense(x, params["policy"])), do.values(value)


def tower(do: Operations, layer: Callable[[Any, Layer], Any], x: Any, params: Parameters) -> Any:
    """Residual blocks of two layers each, and the last norm."""
    for block in params["blocks"]:
        y = do.relu(layer(active(do, x, block["norm"]), block["first"]))
        x = do.add(x, layer(y, block["second"]))
    return active(do, x, params["norm"])


def active(do: Operations, x: Any, scale: Any) -> Any:
    """Normalised and rectified: what a layer is given."""
    return do.relu(do.norm(x, scale))


def board_policy(make: Maker, shape: Shape, width: int) -> Parameters:
    """The layers of a board's policy: by cell, or by column, if the actions are that, with at most one more.

    A game of as many actions as cells numbers them by row and column; one of as many as columns drops into those.
    """
    rows, columns, _ = shape.observation
    head = {"cells": make.layer(1, 1, width, POLICY), "mean": make.layer(width, POLICY)}
    if shape.actions in (rows * columns, rows * columns + 1):
        head["last"] = make.layer(1, 1, POLICY, 1, scale=LAST)
        if shape.actions > rows * columns:
            head["more"] = make.layer(width, 1, scale=LAST)
    elif shape.actions == columns:
        head["last"] = make.layer(rows, 1, POLICY, 1, scale=LAST)
    else:
        head["narrow"] = make.layer(1, 1, POLICY, NARROW)
        head["flat"] = make.layer(rows * columns * NARROW, shape.actions, scale=LAST)
    return head


def board_logits(do: Operations, head: Parameters, x: Any, mean: Any) -> Any:
    """A number for each action."""
    x = do.relu(do.spread(do.conv(x, head["cells"]), do.dense(mean, head["mean"])))
    if "flat" in head:
        return do.dense(do.flat(do.relu(do.conv(x, head["narrow"]))), head["flat"])
    logits = do.flat(do.conv(x, head["last"], whole=True))
    return do.joined(logits, do.dense(mean, head["more"])) if "more" in head else logits


class Maker:
    """New parameters, drawn one after the other from one key: by NumPy, which compiles nothing for it."""

    def __init__(self, key: Any) -> None:
        self._jax = need("jax", "learn")
        self._rng = np.random.default_rng(np.asarray(self._jax.random.key_data(key)).ravel())

    def layer(self, *sizes: int, scale: float = 1.0) -> Layer:
        """A kernel of these sizes, the features that come out last, drawn as He et al. (2015) do; and a bias."""
        spread = scale * math.sqrt(2.0 / math.prod(sizes[:-1]))
        return {"kernel": self._array(self._rng.normal(0.0, spread, sizes)), "bias": self._array(np.zeros(sizes[-1]))}

    def block(self, *sizes: int) -> Parameters:
        """A residual block of two layers; it changes little at first."""
        layers = {"first": self.layer(*sizes), "second": self.layer(*sizes, scale=LAST)}
        return layers | {"norm": self.ones(sizes[-1])}

    def ones(self, length: int) -> Any:
        """Scales of a norm."""
        return self._array(np.ones(length))

    def _array(self, numbers: Any) -> Any:
        return self._jax.numpy.asarray(numbers, np.float32)
