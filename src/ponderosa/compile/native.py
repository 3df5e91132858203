"""Python functions into machine code, kept on disk between runs. Start at compiled.

It knows how Numba works inside, as linked_code.py, known_calls.py, desk.py and code_on_disk.py do; others need of it
`compiled`, the types that signatures are made of, `records`, `function_at` and `address`.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import importlib.util
import os
import re
import sys
import threading
import types as python_types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from ponderosa.compile.code_on_disk import kept_code, place_of
from ponderosa.compile.fingerprint import fingerprint, reached_names
from ponderosa.compile.functions import place, reached_functions
from ponderosa.compile.known_calls import calls_remembered
from ponderosa.compile.linked_code import LinkedCompiler
from ponderosa.compile.progress import compiling
from ponderosa.errors import PonderosaError, RuleError
from ponderosa.system.delegation import errand
from ponderosa.system.interrupts import interrupts_waiting
from ponderosa.system.lease import Lease


def _put_off_scipy() -> None:
    """Let Numba load SciPy when a rule multiplies matrices, not at every start, of which it takes a fifth."""
    if importlib.util.find_spec("scipy") is not None and "numba.np.arraymath" not in sys.modules:
        from numba.np import linalg

        ensured, linalg.ensure_blas = linalg.ensure_blas, lambda: None  # asked when arraymath is loaded, and later
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = ensured


_put_off_scipy()

INT = types.int64
FLOAT = types.float64
BOOL = types.boolean
VOID = types.void
INTS = types.int64[::1]
INT_ROWS = types.int64[:, ::1]
FLOAT_ROWS = types.float64[:, ::1]
STATE = types.uint8[::1]
STATES = types.uint8[:, ::1]
ACTIONS = types.int32[::1]
ACTION_ROWS = types.int32[:, ::1]
PLACES = types.int32[::1]
VALUES = types.float64[::1]
PARAMS = types.float64[::1]
PLANES = types.float32[:, :, ::1]
PLANE_ROWS = types.float32[:, :, :, ::1]
SHARES = types.float32[::1]
SHARE_ROWS = types.float32[:, ::1]
RNG = types.uint64[::1]
WORDS = types.uint64[:, ::1]
SPARE = types.uint8[:, :, ::1]
PATH = types.int64[::1]
FIXED_SHORTS = types.Array(types.uint16, 1, "C", readonly=True)
"""Numbers that nobody writes to."""

LONGEST_COMPILATION = 30.0
"""Seconds that are waited for another process that compiles the same function."""
HELPER_OPTIONS = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": LinkedCompiler,
}
"""A helper is only ever called from compiled code: without the wrappers it compiles in half of the time."""

array_at = numba.carray
"""`array_at(pointer(address), length, kind)`: the numbers at an address as an array."""

Named = TypeVar("Named", bound=NamedTuple)

_compiled: dict[str, Any] = {}
_helpers: dict[str, Any] = {}
_linking = threading.RLock()
"""Helpers are known before they are linked: another thread must not find one of those."""


def compiled(
    function: Callable[..., Any], signature: Any, inline: bool = False, scope: str = "", **options: Any
) -> Any:
    """The function as machine code for one signature: from memory, else from disk, else compiled now.

    Plain Python functions that it calls by name are compiled with it; `inline` puts their code in the place of every
    call, which is fast for functions of many arrays and slow to compile for large ones. Helpers are shared within a
    scope: games of different dtypes must not share one, because Numba takes a longer record for a kind of a shorter.
    """
    mark = _mark(function, signature, inline, scope, options)
    if mark not in _compiled:
        with _linking:
            linked = _link(_copied(function, mark), inline, scope)
        dispatcher = numba.njit(nogil=True, no_cfunc_wrapper=True, **options)(linked)
        kept = kept_code(function, mark, dispatcher)
        try:
            with errand.at_work(), _alone(kept), _told(function, kept), _compiler_alone():
                dispatcher.compile(signature)
        except PonderosaError:
            raise
        except Exception as error:  # the compiler fails in many ways, and none of them means anything to an author
            raise RuleError(explained(error, function)) from None
        dispatcher.disable_compile()
        _compiled[mark] = dispatcher
    return _compiled[mark]


def _told(function: Callable[..., Any], kept: Path | None) -> contextlib.AbstractContextManager[None]:
    """Whoever listens is told of what is not on disk."""
    ready = kept is not None and kept.exists()
    return contextlib.nullcontext() if ready else compiling(function.__name__)


@contextlib.contextmanager
def _compiler_alone() -> Iterator[None]:
    """The compiler remembers what it has looked up, leaves garbage lying, and is not interrupted."""
    with _garbage_left(), calls_remembered(), interrupts_waiting():
        yield


def _spelled(signature: Any) -> str:
    """A signature with the names in its named tuples, which Numba leaves out: code that reads them depends on them."""
    names = [name for kind in signature.args for name in _field_names(kind)]
    return f"{signature} {names}" if names else str(signature)


def _field_names(kind: Any) -> list[str]:
    if not isinstance(kind, types.BaseNamedTuple):
        return []
    return [*kind.fields, *(name for inner in kind.types for name in _field_names(inner))]


def record(dtype: np.dtype[Any]) -> Any:
    """The type of a record."""
    return numba.from_dtype(dtype)


def records(dtype: np.dtype[Any]) -> Any:
    """The type of an array of records."""
    return record(dtype)[::1]


def rows(kind: Any) -> Any:
    """The type of a table of something."""
    return kind[:, ::1]


def named_type(named: type[NamedTuple], kinds: Mapping[str, Any]) -> Any:
    """The type of a named tuple whose fields are of these types; what has none is None."""
    return types.BaseTuple.from_types([kinds.get(name, types.none) for name in named._fields], named)


def is_ready(
    function: Callable[..., Any], signature: Any, inline: bool = False, scope: str = "", **options: Any
) -> bool:
    """Whether there is machine code of a function, in memory or on disk; the arguments are those of `compiled`."""
    mark = _mark(function, signature, inline, scope, options)
    if mark in _compiled:
        return True
    path, _ = place_of(function, mark)
    return path is not None and path.exists()


def _mark(function: Callable[..., Any], signature: Any, inline: bool, scope: str, options: dict[str, Any]) -> str:
    """What tells the machine code of a function from all other."""
    return fingerprint((function, _spelled(signature), inline, scope, str(sorted(options.items()))))


@contextlib.contextmanager
def _alone(kept: Path | None) -> Iterator[None]:
    """Compile nothing that another process is about to put into a file: wait, and find it there."""
    if kept is None:
        yield
        return
    lease = Lease(kept)
    if errand.run is not None and not kept.exists():
        errand.run()
    if not kept.exists():
        with contextlib.suppress(OSError):  # a folder that cannot be written is shared with nobody
            lease.take(LONGEST_COMPILATION)
    try:
        yield
    finally:
        lease.give_back()


@contextlib.contextmanager
def _garbage_left() -> Iterator[None]:
    """Look for no garbage meanwhile: the compiler makes a million objects, and most of them are needed to its end."""
    looking = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looking:
            gc.enable()


def address(dispatcher: Any, signature: Any) -> int:
    """Where the machine code of a compiled function begins."""
    result = dispatcher.get_compile_result(signature)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def functions_at(signatures: Mapping[str, Any]) -> Any:
    """An intrinsic that takes a named tuple, and turns the addresses in it into first-class functions.

    A field is an address if it is a whole number and there is a signature of its name; other fields stay as they are.
    """
    functions = {name: types.FunctionType(signature) for name, signature in signatures.items()}

    def linked(context: Any, named: Any) -> Any:
        fields = zip(named.fields, named.types, strict=True)
        kinds = [functions[name] if name in functions and kind == INT else kind for name, kind in fields]
        made = types.BaseTuple.from_types(kinds, named.instance_class)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = cgutils.unpack_tuple(builder, arguments[0], len(kinds))
            for index, kind in enumerate(kinds):
                if isinstance(kind, types.FunctionType):
                    function = cgutils.create_struct_proxy(kind)(context, builder)
                    function.jit_addr = builder.inttoptr(values[index], cgutils.voidptr_t)
                    values[index] = function._getvalue()
            # its arrays are those of the other tuple, and counted once more
            return impl_ret_borrowed(context, builder, made, context.make_tuple(builder, made, values))

        return made(named), generate

    linked.__name__ = "_".join(["linked", *functions])  # a part of the fingerprint of whoever uses it
    return intrinsic(linked)


def addressed(named: Named, signatures: Mapping[str, Any]) -> Named:
    """A named tuple with addresses in the place of compiled functions, by their signatures; 0 where there is none."""

    def where(name: str, value: Any) -> Any:
        if name not in signatures:
            return value
        return 0 if value is None else address(value, signatures[name])

    return named._make(where(name, value) for name, value in zip(named._fields, named, strict=True))


def functions_in(named: Any, signatures: Mapping[str, Any]) -> Any:
    """An intrinsic that makes a named tuple of first-class functions from an array of addresses.

    The addresses are in the order of the signatures. Fields without a signature are taken from a second named tuple;
    what is in neither is None. In an array, addresses take no registers from a loop that is passed many of them.
    """
    functions = {name: types.FunctionType(signature) for name, signature in signatures.items()}
    places = {name: index for index, name in enumerate(functions)}

    def linked(context: Any, addresses: Any, others: Any) -> Any:
        kinds = dict(zip(others.fields, others.types, strict=True)) | functions
        made = types.BaseTuple.from_types([kinds.get(name, types.none) for name in named._fields], named)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin = context.make_array(addresses)(context, builder, arguments[0]).data
            values = dict(zip(others.fields, cgutils.unpack_tuple(builder, arguments[1], len(others)), strict=True))
            for name in named._fields:
                if name in functions:
                    where = builder.gep(begin, [context.get_constant(INT, places[name])])
                    function = cgutils.create_struct_proxy(functions[name])(context, builder)
                    function.jit_addr = builder.inttoptr(builder.load(where), cgutils.voidptr_t)
                    values[name] = function._getvalue()
            fields = [values.get(name, context.get_dummy_value()) for name in named._fields]
            # its arrays are those of the other tuple, and counted once more
            return impl_ret_borrowed(context, builder, made, context.make_tuple(builder, made, fields))

        return made(addresses, others), generate

    linked.__name__ = "_".join(["linked", *named._fields, "at", *functions])  # its name is in fingerprints
    return intrinsic(linked)


@intrinsic  # type: ignore[untyped-decorator]
def pointer(context: Any, where: Any) -> Any:
    """An integer address as a pointer, for array_at."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(where), generate


@functools.cache
def _instruction(name: str) -> Any:
    """An LLVM instruction on one 64-bit integer as a function; see compile/bits.py."""

    @intrinsic  # type: ignore[untyped-decorator]
    def run(context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            more = () if name == "ctpop" else (cgutils.false_bit,)
            return getattr(builder, name)(*arguments, *more)

        return types.int64(types.int64), generate

    return run


def explained(error: Exception, function: Callable[..., Any]) -> str:
    """What a compiler error means to the author of a rule or phase: which function, which line, what is wrong."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    author = _authored(function)
    if isinstance(error, KeyError):  # what Numba makes of an unknown field of a record
        text = f"the state has no field {text}"
    part, line = _place(text, author)
    inside = "" if part is author else f", in {part.__name__}"
    return (
        f"{author.__qualname__!r} cannot be compiled: {place(part.__code__, line)}{inside}: {_reason(text)}. "
        "Numba compiles numbers, tuples, NumPy arrays and calls of other such functions; "
        "a game without `dtype` runs as plain Python, with nothing compiled"
    )


def explained_among(error: Exception, functions: Iterable[Any]) -> str:
    """The same of an error in something larger that is made of several functions: that of the function it names."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    for function in functions:
        part = _named_place(text, reached_functions(function))
        if part is not None:
            return f"{function.__qualname__!r}: {place(part[0].__code__, part[1])}: {_reason(text)}"
    return _reason(text)


def _place(text: str, author: Any) -> tuple[Any, int]:
    """The function and line that an error is about: the innermost of those it names, else where a quoted name is."""
    own = reached_functions(author)
    named = _named_place(text, own)
    if named is not None:
        return named
    for name in re.findall(r"'(\w+)'", text):
        for attribute in (True, False):
            for part in own:
                for step in dis.get_instructions(part):
                    if step.argval == name and ("ATTR" in step.opname or not attribute) and step.positions:
                        return part, step.positions.lineno or part.__code__.co_firstlineno
    return author, author.__code__.co_firstlineno


def _named_place(text: str, own: list[Any]) -> tuple[Any, int] | None:
    """The first of the places that a text names which is in one of the functions."""
    for found in re.finditer(r"""([^\s"'(][^\n"'(]*?) \((\d+)\)|"([^"]+)", line (\d+)""", text):
        file, line = found[1] or found[3], int(found[2] or found[4])
        for part in own:
            if _speaks_of(file, part.__code__.co_filename) and line in _lines(part):
                return part, line
    return None


def _speaks_of(said: str, file: str) -> bool:
    """Whether Numba speaks of a file: by its whole path, or by the way to it from the folder that one is in."""
    return said.endswith(file) or os.path.abspath(said) == os.path.abspath(file)


def _lines(function: Any) -> range:
    """The lines of a function's code, and of what is inside of it."""
    lines = [step.positions.lineno for step in dis.get_instructions(function) if step.positions]
    known = [line for line in lines if line is not None]
    return range(function.__code__.co_firstlineno, max(known, default=function.__code__.co_firstlineno) + 1)


UNSUPPORTED = (
    (re.compile(r"format spec in f-strings.*|Use of unsupported opcode \((FORMAT\w+|CONVERT_VALUE)\) found.*"),
     "formatting in f-strings is not supported"),
    (re.compile(r"Use of unsupported opcode \((\w+)\) found.*"), r"what this line does (\1) is not supported"),
)  # fmt: skip
"""How Numba names what it does not know, which differs with Python's version, and what people are told."""


def _reason(text: str) -> str:
    """The sentence of Numba's message that says what is wrong."""
    noise = re.compile(r"^(Failed in|During:|File |Rejected|There are \d+|Of which|Overload|Note|Raised from|- |>+ )")
    telling = re.compile(r"Unknown attribute|Untyped global|undefined|Cannot|cannot|not supported|Unsupported|Invalid")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not noise.match(line.strip())]
    lines = [line for line in lines if not line.startswith(("def ", "^", "<source"))]
    best = next((line for line in lines if telling.search(line)), lines[0] if lines else text)
    for said, in_words in UNSUPPORTED:
        best = said.sub(in_words, best)
    return re.sub(r"\. Raised from .*", "", best).rstrip(".:")


def _authored(function: Callable[..., Any]) -> Any:
    """The function that a person wrote: the rule or phase inside the adapter that is being compiled."""
    for cell in getattr(function, "__closure__", None) or ():
        if getattr(cell.cell_contents, "authored", False):
            return cell.cell_contents
    return function


def _copied(function: Any, mark: str) -> Any:
    """The same code with globals and closure of its own, so that they can be linked to compiled helpers.

    Its mark becomes a part of the symbol's name, as a precaution: code that two processes compiled under one name must
    not meet in a third (core/rules.py: this happened with the modules of rules).
    """
    closure = tuple(python_types.CellType(cell.cell_contents) for cell in function.__closure__ or ())
    copy = python_types.FunctionType(
        function.__code__, dict(function.__globals__), function.__name__, function.__defaults__, closure or None
    )
    copy.__qualname__ = f"{function.__qualname__}_{mark}"
    copy.__module__ = function.__module__
    return copy


def _link(copy: Any, inline: bool, scope: str) -> Any:
    """Put a compiled twin in the place of every plain Python function that a copied function reaches."""
    for name in reached_names(copy.__code__) & copy.__globals__.keys():
        copy.__globals__[name] = _helper(copy.__globals__[name], inline, scope)
    for cell in copy.__closure__ or ():
        cell.cell_contents = _helper(cell.cell_contents, inline, scope)
    return copy


def _helper(value: Any, inline: bool, scope: str) -> Any:
    if not isinstance(value, python_types.FunctionType) or (value.__module__ or "").partition(".")[0] == "numba":
        return value
    if hasattr(value, "instruction"):
        return _instruction(value.instruction)
    if hasattr(value, "atomic"):
        from ponderosa.compile.atomic_code import atomic

        return atomic(*value.atomic)
    mark = fingerprint((value, inline, scope))
    if mark not in _helpers:
        copy = _copied(value, mark)
        _helpers[mark] = numba.njit(forceinline=inline or getattr(value, "inlined", False), **HELPER_OPTIONS)(
            copy
        )  # known before it is linked: it may call itself
        _link(copy, inline, scope)
    return _helpers[mark]
