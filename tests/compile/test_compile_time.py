"""What makes compiling quick: nothing is looked up or optimized twice."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.codegen import CPUCodeLibrary
from numba.core.typing.templates import _OverloadFunctionTemplate

from ponderosa.compile import native
from ponderosa.compile.enabled import jit_enabled
from ponderosa.compile.native import INT

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")


@pytest.fixture
def no_cache(monkeypatch):
    monkeypatch.setattr("ponderosa.compile.code_on_disk.cache_folder", lambda: None)


def tripled(number):
    return number * 3


def tripled_and_more(number):
    return tripled(number) + 1


def sum_of_all(number):
    return tripled_and_more(number) + tripled(number)


def test_only_what_python_calls_is_optimized_as_a_whole(no_cache, monkeypatch):
    optimized = []
    optimize = CPUCodeLibrary._optimize_final_module
    monkeypatch.setattr(
        CPUCodeLibrary, "_optimize_final_module", lambda self: (optimized.append(self.name), optimize(self))[1]
    )
    compiled = native.compiled(sum_of_all, INT(INT), scope="optimized once")
    assert compiled(5) == 31
    assert [name for name in optimized if "sum_of_all" in name]
    assert not [name for name in optimized if "tripled" in name]


def test_what_a_sum_of_two_types_is_was_looked_up_once(no_cache, monkeypatch):
    tries = []
    find = _OverloadFunctionTemplate._get_impl
    monkeypatch.setattr(
        _OverloadFunctionTemplate, "_get_impl", lambda self, *types: (tries.append(self), find(self, *types))[1]
    )

    def added(first, second):
        return first + second

    def added_twice(first, second):
        return first + second + second

    native.compiled(added, INT(INT, INT), scope="looked up")
    tries.clear()
    assert native.compiled(added_twice, INT(INT, INT), scope="looked up")(1, 2) == 5
    assert not tries


def test_a_function_that_numba_compiles_itself_follows_the_options_of_each_caller(no_cache):
    def least(numbers):
        return np.int64(np.array([numbers, 7]).min() // (numbers - numbers))

    by_numpy = native.compiled(least, INT(INT), scope="by numpy", error_model="numpy")
    by_python = native.compiled(least, INT(INT), scope="by python")
    assert by_numpy(3) == 0
    with pytest.raises(ZeroDivisionError):
        by_python(3)
