"""Kernels for cards are kept on disk. There is no card here: a stand-in takes machine code, and runs none."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ponderosa.compile import cache
from ponderosa.core.rules import jit_enabled
from tests.compile.conftest import StandIn

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is missing"),
    pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled"),
]


def doubling(factor: float = 2.0) -> Callable[..., None]:
    """The function of a small kernel."""
    from ponderosa.compile.cuda_code import card

    def kernel(numbers: Any) -> None:
        place = card.grid(1)
        if place < len(numbers):
            numbers[place] = factor * numbers[place] + 1.0

    return kernel


def made(function: Any, kinds: Any = None) -> Any:
    """The kernel as a new process gets it."""
    from ponderosa.compile import cuda_code
    from ponderosa.compile.native import VALUES

    cuda_code._kernels.clear()
    kernel = cuda_code.kernel(function)
    with cuda_code.our_way():
        return kernel._dispatcher.compile(kinds or (VALUES,))


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").rglob(f"card-*{cache.CODE}"))


def test_a_second_process_finds_the_kernel_and_compiles_nothing(card: StandIn, tmp_path: Path) -> None:
    first = made(doubling())
    assert card.compiled == 1 and len(kept(tmp_path)) == 1
    second = made(doubling())
    assert card.compiled == 1
    assert card.loaded[0] == card.loaded[1] and len(card.loaded) == 2
    assert second.entry_name == first.entry_name and second.argument_types == first.argument_types
    assert cache.OUR_FILE.fullmatch(kept(tmp_path)[0].name)


def test_another_function_other_types_or_another_card_are_compiled(card: StandIn, tmp_path: Path) -> None:
    from ponderosa.compile.native import INTS

    made(doubling())
    made(doubling(3.0))
    made(doubling(), (INTS,))
    card.capability = (8, 0)
    made(doubling())
    assert card.compiled == 4 == len(kept(tmp_path))


def test_other_names_in_a_named_tuple_are_another_type() -> None:
    from collections import namedtuple

    from ponderosa.compile.kernels_on_disk import spelled
    from ponderosa.compile.native import INT, named_type

    one, other = namedtuple("Pair", "a b"), namedtuple("Pair", "b a")
    kinds = [named_type(named, {"a": INT, "b": INT}) for named in (one, other)]
    assert str(kinds[0]) == str(kinds[1]) and spelled(kinds[:1]) != spelled(kinds[1:])


def test_another_version_of_the_compiler_compiles_again(card: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from ponderosa.compile import kernels_on_disk

    made(doubling())
    there = kernels_on_disk.made_by()
    monkeypatch.setattr(kernels_on_disk, "made_by", lambda: (*there, "newer"))
    made(doubling())
    assert card.compiled == 2


@pytest.mark.parametrize(
    "spoil", [lambda code: code[:-1], lambda code: b"", lambda code: code[:99] + b"x" + code[100:]]
)
def test_a_damaged_file_is_replaced(card: StandIn, tmp_path: Path, spoil: Any) -> None:
    made(doubling())
    (file,) = kept(tmp_path)
    file.write_bytes(spoil(file.read_bytes()))
    made(doubling())
    assert card.compiled == 2
    made(doubling())
    assert card.compiled == 2 and kept(tmp_path) == [file]


def test_a_kernel_in_anothers_place_is_not_loaded(card: StandIn, tmp_path: Path) -> None:
    made(doubling())
    (file,) = kept(tmp_path)
    made(doubling(3.0))
    other = next(each for each in kept(tmp_path) if each != file)
    other.write_bytes(file.read_bytes())
    made(doubling(3.0))
    assert card.compiled == 3


def test_what_the_card_refuses_is_compiled_again_and_logged(
    card: StandIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from ponderosa.compile.code_on_disk import OwnFile

    write, OwnFile.write = OwnFile.write, lambda self, content: write(self, content.replace(b"\x7fELF", b"none", 1))
    try:
        made(doubling())
    finally:
        OwnFile.write = write
    with caplog.at_level(logging.WARNING, "ponderosa.compile"):
        made(doubling())
    assert card.compiled == 2 and "device kernel image is invalid" in caplog.text
    made(doubling())
    assert card.compiled == 2


def test_a_cache_that_cannot_be_written_only_costs_time(
    card: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from ponderosa.compile import code_on_disk

    def full(path: Path, content: bytes) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(code_on_disk, "write_own", full)
    with caplog.at_level(logging.WARNING, "ponderosa.compile"):
        assert made(doubling()).entry_name
    assert "no space left" in caplog.text


def test_without_a_cache_kernels_are_compiled(card: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from ponderosa.compile import kernels_on_disk

    monkeypatch.setattr(kernels_on_disk, "cache_folder", lambda: None)
    made(doubling())
    made(doubling())
    assert card.compiled == 2
