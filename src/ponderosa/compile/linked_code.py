"""A compiler for functions that only compiled code calls. Start at LinkedCompiler.

Numba links the intermediate code of such a function into its callers, and they into theirs. At every step of the way it
optimizes all of that anew, and makes machine code of the function alone, which nobody runs; here both are left out, and
all is optimized together, once, in the function that Python calls.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of the variables begin that Numba sets for each function."""


class LinkedCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, with intermediate code for a result."""

    def define_pipelines(self) -> Any:
        self.state.library = _LinkedLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code, to be linked into others."""

    def _optimize_final_module(self) -> None:
        if self._in_a_circle():
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._in_a_circle():
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        names = [value.name for value in self._final_module.global_variables]
        variables = [f"@{name} = common global i8* null" for name in names if name.startswith(ENVIRONMENT)]
        empty = self._codegen._create_empty_module(f"{self.name}.environment")
        self._codegen._add_module(binding.parse_assembly("\n".join([str(empty), *variables])))
        self._finalized = True

    def _in_a_circle(self) -> bool:
        """Whether this is of functions that call each other in a circle: they do so by their addresses."""
        return any(value.name.startswith(RuntimeLinker.PREFIX) for value in self._final_module.global_variables)
