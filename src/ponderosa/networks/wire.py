"""Looking into an ONNX file before any runtime does. Start at inspect.

A model is a message of Protocol Buffers: fields with numbers, some of which are messages again. Whoever plays with a
network has no package that reads them, and a runtime follows what a model says: it opens other files for weights that
lie outside, and loops as often as it is told. So the bytes are walked here, and what is no plain network is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
MOST_NODES = 100_000
# the numbers of fields, from onnx.proto
GRAPH, OPSETS, METADATA, TRAINING, FUNCTIONS = 7, 8, 14, 20, 25
NODES, WEIGHTS, SPARSE_WEIGHTS = 1, 5, 15
OPERATOR, ATTRIBUTES, DOMAIN = 4, 5, 7
TENSOR, SUBGRAPH, TENSORS, SUBGRAPHS, SPARSE, SPARSES = 5, 6, 10, 11, 22, 23
OUTSIDE, PLACE = 13, 14
STANDARD = ("", "ai.onnx")
OPERATORS = """
Abs Add AveragePool BatchNormalization Cast Ceil Clip Concat Constant Conv Div Dropout Elu Equal Erf Exp Flatten Floor
Gather Gelu Gemm GlobalAveragePool GlobalMaxPool Greater GroupNormalization HardSigmoid HardSwish Identity
InstanceNormalization LayerNormalization LeakyRelu Less Log LogSoftmax MatMul Max MaxPool Min Mish Mul Neg PRelu Pad Pow
RMSNormalization Reciprocal ReduceMax ReduceMean ReduceMin ReduceSum Relu Reshape Selu Shape Sigmoid Slice Softmax
Softplus Split Sqrt Squeeze Sub Sum Tanh Transpose Unsqueeze Where
"""
"""What networks are made of. Not among them: loops, branches, random numbers, and what makes much of little."""

_OPERATORS = frozenset(OPERATORS.split())


class Refused(Exception):  # noqa: N818  it is caught where the file has a name
    """What is wrong with a model, in words."""


class Inspected(NamedTuple):
    """What is known of a model that is a plain network."""

    metadata: dict[str, str]
    checksum: str
    """Of the graph with its weights."""


def inspect(model: bytes) -> Inspected:
    """What a model says of itself, if it is a plain network; raises Refused."""
    metadata: dict[str, str] = {}
    digest, graphs = hashlib.sha256(), 0
    for number, value in fields(memoryview(model)):
        if number in (TRAINING, FUNCTIONS):
            raise Refused("it has functions of its own")
        if number == GRAPH:
            graphs += 1
            digest.update(_message(value))
            _check_graph(_message(value))
        elif number == OPSETS:
            _check_domain(dict(fields(_message(value))).get(1, b""))
        elif number == METADATA:
            entry = dict(fields(_message(value)))
            metadata[_text(entry.get(1, b""))] = _text(entry.get(2, b""))
    if graphs != 1:
        raise Refused("it is not an ONNX file")
    return Inspected(metadata, digest.hexdigest())


def with_metadata(model: bytes, key: str, text: str) -> bytes:
    """The model with one more entry of metadata: messages that follow each other are one message."""
    entry = _field(1, key.encode()) + _field(2, text.encode())
    return model + _field(METADATA, entry)


def fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a message: numbers as int, all else as bytes."""
    place = 0
    while place < len(message):
        tag, place = _number(message, place)
        kind, length = tag & 7, 0
        if kind == VARINT:
            value, place = _number(message, place)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            length, place = _number(message, place)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            length = 8 if kind == EIGHT_BYTES else 4
        else:
            raise Refused("it is not an ONNX file")
        if place + length > len(message):
            raise Refused("it is not an ONNX file, or not whole")
        yield tag >> 3, message[place : place + length]
        place += length


def _check_graph(graph: memoryview) -> None:
    nodes = 0
    for number, value in fields(graph):
        if number == NODES:
            nodes += 1
            _check_node(_message(value))
        elif number == WEIGHTS:
            _check_tensor(_message(value))
        elif number == SPARSE_WEIGHTS:
            raise Refused("it has sparse weights")
    if nodes > MOST_NODES:
        raise Refused(f"it has {nodes:,} nodes, and never more than {MOST_NODES:,}")


def _check_node(node: memoryview) -> None:
    operator = domain = ""
    for number, value in fields(node):
        if number == OPERATOR:
            operator = _text(value)
        elif number == DOMAIN:
            _check_domain(value)
        elif number == ATTRIBUTES:
            _check_attribute(_message(value))
    if operator not in _OPERATORS:
        raise Refused(f"it has the operator {domain}{operator[:40]!r}, which no plain network needs")


def _check_attribute(attribute: memoryview) -> None:
    for number, value in fields(attribute):
        if number in (SUBGRAPH, SUBGRAPHS):
            raise Refused("it has a graph inside a node")
        if number in (SPARSE, SPARSES):
            raise Refused("it has sparse weights")
        if number in (TENSOR, TENSORS):
            _check_tensor(_message(value))


def _check_tensor(tensor: memoryview) -> None:
    for number, value in fields(tensor):
        if number == OUTSIDE or (number == PLACE and value != 0):
            raise Refused("its weights lie in another file: save it in one")


def _check_domain(value: Any) -> None:
    if _text(value) not in STANDARD:
        raise Refused(f"it has operators of its own ({_text(value)[:40]!r})")


def _message(value: Any) -> memoryview:
    if not isinstance(value, memoryview):
        raise Refused("it is not an ONNX file")
    return value


def _text(value: Any) -> str:
    try:
        return bytes(value).decode() if not isinstance(value, int) else ""
    except UnicodeDecodeError:
        raise Refused("it is not an ONNX file") from None


def _number(message: memoryview, place: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, the lowest first; and the place behind it."""
    found = shift = 0
    while place < len(message) and shift < 70:
        byte = message[place]
        place += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found, place
        shift += 7
    raise Refused("it is not an ONNX file, or not whole")


def _field(number: int, content: bytes) -> bytes:
    return _written(number << 3 | BYTES) + _written(len(content)) + content


def _written(number: int) -> bytes:
    """A whole number, seven bits a byte."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _written(rest) if rest else bytes([low])
