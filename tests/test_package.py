"""The package as people first meet it."""

from __future__ import annotations

import pytest

import ponderosa
from tests.helpers import LookAlike, run_python


def test_every_public_name_is_there():
    for name in ponderosa.__all__:
        assert getattr(ponderosa, name) is not None
    assert set(dir(ponderosa)) >= set(ponderosa.__all__)
    with pytest.raises(AttributeError, match="module 'ponderosa' has no attribute 'serch'"):
        _ = ponderosa.serch


def test_the_import_is_quick_because_it_leaves_the_compiler_alone():
    code = "import json, sys, ponderosa; print(json.dumps(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules))))"
    assert run_python(code) == []


def test_search_is_a_function_and_a_package():
    from ponderosa.mcts.search import search

    assert ponderosa.search(LookAlike(5), iterations=50).best_action == "take 1"
    assert search(LookAlike(5), iterations=50).best_action == "take 1"
    assert ponderosa.mcts.search.search is search


def test_one_error_type_stands_above_all():
    from ponderosa import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) >= 7
    assert all(issubclass(kind, ponderosa.PonderosaError) for kind in kinds)
