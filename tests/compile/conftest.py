"""A card that is not there: it takes machine code, memory has addresses, and nothing is run. Start at card."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ponderosa.compile import cache


class StandIn:
    """A card that refuses what is no machine code, and notes what is launched."""

    def __init__(self) -> None:
        self.capability = (9, 0)
        self.loaded: list[bytes] = []
        self.compiled = 0
        self.launched: list[tuple[Any, ...]] = []
        """What was begun: how many blocks, the kernel's name, the numbers that it gets."""
        self._next = 2**40

    @property
    def device(self) -> Any:
        return SimpleNamespace(compute_capability=self.capability, id=len(self.loaded))

    def create_module_image(self, image: Any, setup: Any = None, teardown: Any = None) -> Any:
        if image.code[:4] != b"\x7fELF":
            raise RuntimeError("device kernel image is invalid")
        self.loaded.append(image.code)
        module = SimpleNamespace(initialized=False, setup=lambda: None)
        module.get_function = lambda name: SimpleNamespace(module=module, kernel=name, name=name)
        return module

    def memalloc(self, size: int) -> Any:
        from numba.cuda.cudadrv import driver

        begin, self._next = self._next, self._next + (size + 511) // 512 * 512
        return driver.MemoryPointer(self, driver.binding.CUdeviceptr(begin), size)

    def launch(self, stream: Any, config: Any, kernel: str, *numbers: Any) -> None:
        self.launched.append((config.grid[0], kernel, *(getattr(number, "value", number) for number in numbers)))


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StandIn:
    from numba.cuda import api, compiler, dispatcher
    from numba.cuda.cudadrv import devices

    from ponderosa.compile import cuda_code

    found = StandIn()
    monkeypatch.setattr(devices, "get_context", lambda *which: found)
    monkeypatch.setattr(api, "current_context", lambda *which: found)
    monkeypatch.setattr(devices._runtime, "ensure_context", contextlib.nullcontext)
    monkeypatch.setattr(dispatcher, "launch", found.launch)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cuda_code, "_kernels", {})
    compile_cuda = compiler.compile_cuda

    def counted(*arguments: Any, **options: Any) -> Any:
        found.compiled += 1
        return compile_cuda(*arguments, **options)

    monkeypatch.setattr(compiler, "compile_cuda", counted)
    return found
