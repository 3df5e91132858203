"""Kernels for CUDA cards on disk, a file a kernel and kind of card. Start at KernelsOnDisk.

numba-cuda asks a dispatcher's cache for a kernel before it compiles one, which takes many seconds. A file has the name
that the kernel goes by in its machine code, and that code: nothing is unpickled, and the driver takes it as it is.
Whose files are read, and when they make room, is as for the code of processors: see compile/cache.py, code_on_disk.py.
"""

from __future__ import annotations

import hashlib
import logging
from importlib.metadata import version
from typing import Any

from numba.cuda import codegen, config, dispatcher, runtime, types, typing
from numba.cuda.api import get_current_device
from numba.cuda.cudadrv import driver, nvvm

from ponderosa.compile.cache import CODE, cache_folder
from ponderosa.compile.code_on_disk import OwnFile
from ponderosa.compile.progress import tell

END = b"\n"
"""What follows the name."""

_log = logging.getLogger("ponderosa.compile")


class KernelsOnDisk:
    """What a dispatcher of numba-cuda has for a cache: the kernels of one function, by the types of their arguments."""

    def __init__(self, name: str, mark: str) -> None:
        """`mark`: a fingerprint of the function, and of how it is compiled; `name` is for people."""
        self._name, self._mark = name, mark

    def load_overload(self, kinds: Any, context: Any) -> Any:
        """A kernel that was kept, loaded into the card; None: it has to be compiled, and whoever listens is told."""
        found = self._loaded(kinds)
        if found is None:
            tell(self._name)
        return found

    def _loaded(self, kinds: Any) -> Any:
        file = self._file(kinds)
        content = None if file is None else file.read()
        if file is None or content is None:
            return None
        try:
            return _in_card(content, kinds)
        except Exception as error:  # whatever is the matter with it: compile again
            _log.warning("a kernel that was kept cannot be loaded, and is compiled again: %s", error)
            file.remove()
            return None

    def save_overload(self, kinds: Any, kernel: Any) -> None:
        """Keep a kernel that was compiled, if it is nothing but machine code."""
        file, library = self._file(kinds), kernel.library
        more = library._setup_functions or library._teardown_functions or library.referenced_objects
        if file is None or more or kernel.debug or kernel.cooperative or kernel.launch_config_sensitive:
            return
        try:
            file.write(kernel.entry_name.encode() + END + bytes(library.get_cubin().code))
        except Exception as error:  # a full or vanished disk costs time, not the answer
            _log.warning("a kernel is not kept: %s", error)

    def _file(self, kinds: Any) -> OwnFile | None:
        """Where the kernel is for arguments of these types on this card; None without a cache."""
        folder = cache_folder()
        if folder is None:
            return None
        what = (self._mark, spelled(kinds), get_current_device().compute_capability, made_by())
        identity = repr(what).encode()
        return OwnFile(folder / f"card-{self._mark}-{hashlib.sha256(identity).hexdigest()[:8]}{CODE}", identity)


def _in_card(content: bytes, kinds: Any) -> Any:
    """A kernel as numba-cuda has it when it has compiled one."""
    name, _, code = content.partition(END)
    library = codegen.CUDACodeLibrary(None, name.decode(), entry_name=name.decode())
    library._cubin_cache[library._ensure_cc(None)] = driver.ObjectCode.from_cubin(code)
    library._finalized = True
    kernel = dispatcher._Kernel._rebuild(
        cooperative=False,
        name=name.decode(),
        signature=typing.signature(types.void, *kinds),
        codelibrary=library,
        debug=False,
        lineinfo=False,
        call_helper=None,
        extensions=[],
    )
    kernel.bind()
    return kernel


def spelled(kinds: Any) -> str:
    """Types with the names in their named tuples, which Numba leaves out."""
    return str([(str(kind), _names(kind)) for kind in kinds])


def _names(kind: Any) -> Any:
    inner = getattr(kind, "types", ())
    return [getattr(kind, "fields", ()), *(_names(each) for each in inner)] if isinstance(inner, tuple) else []


def made_by() -> tuple[Any, ...]:
    """The versions of all that takes part in making machine code, and what changes how it is made."""
    return (
        version("numba"),
        version("numba-cuda"),
        runtime.get_version(),
        nvvm.NVVM().get_ir_version(),
        config.CUDA_DEBUGINFO_DEFAULT,
    )
