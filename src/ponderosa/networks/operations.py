"""What networks are made of, twice: computed by JAX, or written down as ONNX. Start at Operations.

A network that is described in these operations cannot differ between training and playing. Layers are dicts with a
`kernel`, in JAX's order of axes (rows, columns, in, out), and a `bias`. A board is (batch, rows, columns, features);
ONNX has features first, which only OnnxOperations knows.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ponderosa.networks.extras import need
from ponderosa.networks.network import Shape

TINY = 1e-5
"""Keeps the norm of a position without features from being zero."""
OPSET, IR_VERSION = 17, 8
"""Of ONNX: what every runtime since 2022 reads."""

Layer = dict[str, Any]


class Operations(Protocol):
    """What a description of a network may use; `x` is what an operation returned."""

    def board(self, planes: Any) -> Any:
        """The observation of a board, ready for convolutions."""

    def conv(self, x: Any, layer: Layer, whole: bool = False) -> Any:
        """A convolution; the board keeps its size, or, `whole`, the kernel goes only where all of it fits."""

    def dense(self, x: Any, layer: Layer) -> Any:
        """A dense layer of features without a board."""

    def norm(self, x: Any, scale: Any) -> Any:
        """Divided by the root of the mean square of all features of a position; then every feature has a scale."""

    def relu(self, x: Any) -> Any:
        """Nothing below zero."""

    def tanh(self, x: Any) -> Any:
        """From -1 to 1."""

    def add(self, x: Any, y: Any) -> Any:
        """The sum."""

    def spread(self, x: Any, y: Any) -> Any:
        """Features of a board, with the features `y` of all of it added to each cell."""

    def mean(self, x: Any) -> Any:
        """The mean of each feature over the board."""

    def flat(self, x: Any) -> Any:
        """All in a row: by row, by column, by feature."""

    def joined(self, x: Any, y: Any) -> Any:
        """Two rows, one behind the other."""

    def logits(self, x: Any) -> Any:
        """The first result."""

    def values(self, x: Any) -> Any:
        """The second result: (batch, values), or (batch,) of one value."""


class JaxOperations:
    """Computes at once: in bfloat16 on accelerators, where it is many times as fast, in float32 on processors."""

    def __init__(self) -> None:
        self._jax = need("jax", "learn")
        self._np = need("jax.numpy", "learn")
        self.kind = self._np.float32 if self._jax.default_backend() == "cpu" else self._np.bfloat16
        """The numbers that it computes with."""

    def board(self, planes: Any) -> Any:
        return planes.astype(self.kind)

    def conv(self, x: Any, layer: Layer, whole: bool = False) -> Any:
        kernel, axes = layer["kernel"].astype(self.kind), ("NHWC", "HWIO", "NHWC")
        fit = "VALID" if whole else "SAME"
        y = self._jax.lax.conv_general_dilated(x, kernel, (1, 1), fit, dimension_numbers=axes)
        return y + layer["bias"].astype(self.kind)

    def dense(self, x: Any, layer: Layer) -> Any:
        return x @ layer["kernel"].astype(self.kind) + layer["bias"].astype(self.kind)

    def norm(self, x: Any, scale: Any) -> Any:
        every = tuple(range(1, x.ndim))
        size = self._np.mean(self._np.square(x.astype(self._np.float32)), axis=every, keepdims=True)
        return x * self._jax.lax.rsqrt(size + TINY).astype(self.kind) * scale.astype(self.kind)

    def relu(self, x: Any) -> Any:
        return self._jax.nn.relu(x)

    def tanh(self, x: Any) -> Any:
        return self._np.tanh(x.astype(self._np.float32))

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def spread(self, x: Any, y: Any) -> Any:
        return x + y[:, None, None, :]

    def mean(self, x: Any) -> Any:
        return self._np.mean(x, axis=(1, 2))

    def flat(self, x: Any) -> Any:
        return x.reshape(x.shape[0], -1).astype(self.kind)

    def joined(self, x: Any, y: Any) -> Any:
        return self._np.concatenate([x, y], axis=1)

    def logits(self, x: Any) -> Any:
        return x.astype(self._np.float32)

    def values(self, x: Any) -> Any:
        return x.astype(self._np.float32)[:, 0] if x.shape[1] == 1 else x.astype(self._np.float32)


class OnnxOperations:
    """Writes nodes of an ONNX graph; an operation returns the name of what it computes."""

    def __init__(self, shape: Shape) -> None:
        self._helper = need("onnx.helper", "learn")
        self._arrays = need("onnx.numpy_helper", "learn")
        self._shape = shape
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._boards: set[str] = set()
        self.planes = "planes"

    def board(self, planes: Any) -> Any:
        return self._on_board(self._node("Transpose", planes, perm=[0, 3, 1, 2]))

    def conv(self, x: Any, layer: Layer, whole: bool = False) -> Any:
        kernel = np.transpose(np.asarray(layer["kernel"]), (3, 2, 0, 1))
        pads = [0] * 4 if whole else [side for _ in range(2) for side in ((n - 1) // 2 for n in kernel.shape[2:])]
        weights = self._constant(kernel), self._constant(layer["bias"])
        return self._on_board(self._node("Conv", x, *weights, pads=pads))

    def dense(self, x: Any, layer: Layer) -> Any:
        return self._node("Gemm", x, self._constant(layer["kernel"]), self._constant(layer["bias"]))

    def norm(self, x: Any, scale: Any) -> Any:
        features = np.asarray(scale)
        axes = [1, 2, 3] if x in self._boards else [1]
        size = self._node("ReduceMean", self._node("Mul", x, x), axes=axes, keepdims=1)
        size = self._node("Sqrt", self._node("Add", size, self._constant(np.float32(TINY))))
        scale = self._constant(features[:, None, None] if x in self._boards else features)
        return self._as(x, self._node("Mul", self._node("Div", x, size), scale))

    def relu(self, x: Any) -> Any:
        return self._as(x, self._node("Relu", x))

    def tanh(self, x: Any) -> Any:
        return self._node("Tanh", x)

    def add(self, x: Any, y: Any) -> Any:
        return self._as(x, self._node("Add", x, y))

    def spread(self, x: Any, y: Any) -> Any:
        axes = self._constant(np.array([2, 3]))
        return self._as(x, self._node("Add", x, self._node("Unsqueeze", y, axes)))

    def mean(self, x: Any) -> Any:
        return self._node("ReduceMean", x, axes=[2, 3], keepdims=0)

    def flat(self, x: Any) -> Any:
        if x in self._boards:
            x = self._node("Transpose", x, perm=[0, 2, 3, 1])
        return self._node("Flatten", x, axis=1)

    def joined(self, x: Any, y: Any) -> Any:
        return self._node("Concat", x, y, axis=1)

    def logits(self, x: Any) -> Any:
        return self._node("Identity", x, named="logits")

    def values(self, x: Any) -> Any:
        if self._shape.values > 1:
            return self._node("Identity", x, named="values")
        return self._node("Squeeze", x, self._constant(np.array([1])), named="values")

    def model(self, logits: str, values: str) -> bytes:
        """The whole of it, from the input `planes` to these two results."""
        tell, size = self._helper.make_tensor_value_info, self._shape
        number = 1  # onnx.TensorProto.FLOAT
        out = ["batch"] if size.values == 1 else ["batch", size.values]
        given = [tell(self.planes, number, ["batch", *size.observation])]
        found = [tell(logits, number, ["batch", size.actions]), tell(values, number, out)]
        graph = self._helper.make_graph(self._nodes, "network", given, found, self._constants)
        opset = [self._helper.make_opsetid("", OPSET)]
        model = self._helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="ponderosa")
        written: bytes = model.SerializeToString(deterministic=True)
        return written

    def _node(self, kind: str, *inputs: str, named: str = "", **attributes: Any) -> str:
        output = named or f"{kind.lower()}{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _constant(self, array: Any) -> str:
        array = np.asarray(array)
        array = array.astype(np.int64 if array.dtype.kind in "iu" else np.float32)
        name = f"constant{len(self._constants)}"
        self._constants.append(self._arrays.from_array(np.ascontiguousarray(array), name))
        return name

    def _on_board(self, name: str) -> str:
        self._boards.add(name)
        return name

    def _as(self, x: str, name: str) -> str:
        """The name of something that has the axes of `x`."""
        return self._on_board(name) if x in self._boards else name
