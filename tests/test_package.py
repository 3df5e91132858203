"""The package as people first meet it."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import inspect
import re
import textwrap
import tomllib
from pathlib import Path

import pytest

import ponderosa
from tests.helpers import LookAlike, run_python

ROOT = Path(__file__).parent.parent


def test_every_public_name_is_there():
    for name in ponderosa.__all__:
        assert getattr(ponderosa, name) is not None
    assert set(dir(ponderosa)) >= set(ponderosa.__all__)
    with pytest.raises(AttributeError, match="module 'ponderosa' has no attribute 'serch'"):
        _ = ponderosa.serch


def test_the_package_tells_its_version():
    assert ponderosa.__version__ == importlib.metadata.version("ponderosa")


def test_all_files_tell_the_same_version_and_the_changelog_goes_back_from_it():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1] == version
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+( \((unreleased|\d{4}-\d\d-\d\d)\))?", heading) for heading in headings)
    versions = [tuple(map(int, heading.split()[0].split("."))) for heading in headings]
    assert versions[0] == tuple(map(int, version.split(".")))
    assert versions == sorted(set(versions), reverse=True)


def test_the_import_is_quick_because_it_leaves_the_compiler_alone():
    code = "import json, sys, ponderosa; print(json.dumps(sorted({'numba', 'numpy', 'llvmlite'} & set(sys.modules))))"
    assert run_python(code) == []


def test_search_is_a_function_and_nothing_else():
    import ponderosa.mcts.search

    assert inspect.isfunction(ponderosa.search) and ponderosa.search is ponderosa.mcts.search.search
    assert importlib.util.find_spec("ponderosa.search") is None
    assert ponderosa.search(LookAlike(5), iterations=50).best_action == "take 1"


PUBLIC = [
    "ActionReport",
    "Agent",
    "Budget",
    "CHANCE",
    "Experiment",
    "Game",
    "Policy",
    "PonderosaError",
    "Report",
    "SIMULTANEOUS",
    "Search",
    "State",
    "TERMINAL",
    "below",
    "check_game",
    "load_agent",
    "load_game",
    "match",
    "rule",
    "search",
    "sweep",
    "tournament",
    "train",
    "tune",
    "uniform",
]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_of_the_documentation_is_public_and_explained(name):
    assert name in ponderosa.__all__
    found = getattr(ponderosa, name)
    assert isinstance(found, int) or (len(found.__doc__.split()) >= 5 and found.__doc__.rstrip().endswith("."))


def test_type_checkers_see_the_same_names_as_everybody_else():
    tree = ast.parse(Path(ponderosa.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {(f"ponderosa.{home}", name) for name, home in ponderosa._HOMES.items()}
    imported = {(line.module, line.names[0].name) for line in block.body}
    assert imported - {("typing", "Any"), ("ponderosa", "policies")} == seen


WITHOUT_THE_LAB = """
    import json, sys
    class Gone:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("optuna", "scipy", "polars", "matplotlib", "statsmodels", "openskill"):
                raise ModuleNotFoundError(name, name=name)
    sys.meta_path.insert(0, Gone())
    import ponderosa
    assert all(hasattr(ponderosa, name) for name in ponderosa.__all__)
    try:
        ponderosa.tune("tictactoe", "mcts:iterations=5", ["c=0.5:2"], 4)
    except ponderosa.PonderosaError as error:
        print(json.dumps(str(error)))
"""


def test_without_the_packages_of_the_lab_its_names_are_there_and_say_what_they_lack():
    assert run_python(textwrap.dedent(WITHOUT_THE_LAB)) == 'tunings need more packages: pip install "ponderosa[lab]"'


def test_one_error_type_stands_above_all():
    from ponderosa import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    kinds = [kind for kind in kinds if not issubclass(kind, Warning)]
    assert len(kinds) >= 7
    assert all(issubclass(kind, ponderosa.PonderosaError) for kind in kinds)
