"""What CONTRIBUTING.md promises to notice: a line that was forgotten, a page that names a file which is gone."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ponderosa import policies
from ponderosa.lab.experiment_names import EXPERIMENTS
from ponderosa.mcts.policies import backup, choose, expand, playout, select
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.registry import AGENTS, GAMES

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "ponderosa"
MODULES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = sorted({module.parent for module in MODULES})
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

FILE = re.compile(r"(?<![\w./*-])((?:[\w-]+/)*\w+\.(?:py|md))\b(?!:)")
"""A file that a text names, but none of a user's own, as in `./nim.py:Nim`."""
OTHERS = {"nim.py", "domineering.py", "mine.py", "report.md", "games/lines.py"}
"""Files of a reader's own, and of a report of the lab; and one that a docstring goes on naming, because saved trees and
memories are bound to the text of the rules that reach it."""
PLACEHOLDER = re.compile(r"NAME|PHASE|FILE|DIR")
"""What stands for a name of the reader's."""
DOTTED = re.compile(r"\bponderosa(?:\.[A-Za-z_]\w*)+")
NOT_MODULES = {"ponderosa.db", "ponderosa.browser", "ponderosa.looks"}
"""What reads like a module and is a file, a cookie, a name in JavaScript."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def docstring(module: Path) -> str:
    return ast.get_docstring(ast.parse(module.read_text())) or ""


def missing_files(text: str, folders: list[Path]) -> list[str]:
    """The files that a text names and that are in none of the folders."""
    whole = re.sub(r"(?<=[\w])-\n *(?=\w)", "-", text)  # a name that was broken after a hyphen
    named = [name for name in FILE.findall(whole) if name not in OTHERS and not PLACEHOLDER.search(name)]
    return [name for name in named if not any((folder / name).is_file() for folder in folders)]


def missing_names(text: str) -> list[str]:
    """The modules, and names in modules, of the package that a text names and that are not there."""
    named = [name for name in DOTTED.findall(text) if name not in NOT_MODULES and not PLACEHOLDER.search(name)]
    return [name for name in named if not exists(name)]


def exists(dotted: str) -> bool:
    place, rest = PACKAGE, dotted.split(".")[1:]
    while rest and ((place / rest[0]).is_dir() or (place / f"{rest[0]}.py").is_file()):
        place /= rest.pop(0)
    module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return not rest or rest[0].startswith("__") or rest[0] in names_in(module)


@functools.cache
def names_in(module: Path) -> set[str]:
    """Everything that a module defines or imports, and, of the package itself, what it exports lazily."""
    tree = ast.parse(module.read_text())
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    found |= {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return found | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_and_name_that_a_page_names_exists(page):
    text = page.read_text()
    assert missing_files(text, [ROOT, PACKAGE, page.parent]) == []
    assert missing_names(text) == []


def test_what_contributing_adds_a_line_to_is_in_that_file():
    rows = re.findall(r"^\| `([\w/]+\.py)` \|(.*)$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    tables = [(name, table) for name, line in rows for table in re.findall(r"\bin `([A-Z_]+|_\w+)`", line)]
    assert len(tables) >= 8
    for name, table in tables:
        file = next(folder / name for folder in (PACKAGE, ROOT) if (folder / name).is_file())
        assert table in names_in(file), f"{name} has no {table}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_of_a_page_leads_somewhere(page):
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_file_and_name_that_a_module_names_exists(module):
    text = module.read_text()
    above = [folder for folder in module.parents if folder.is_relative_to(PACKAGE)]
    assert missing_files(text, [*above, ROOT]) == []
    assert missing_names(text) == []


@pytest.mark.parametrize("module", [module for module in MODULES if module.name != "__init__.py"], ids=name_of)
def test_a_module_says_what_it_is_and_where_to_start(module):
    first = docstring(module).partition("\n")[0]
    assert first.endswith("."), "the first line is a sentence"
    starts = re.search(r"Start\s+at ([^.;]+)", docstring(module))
    assert starts, "the docstring says where to start reading"
    assert set(re.findall(r"\w+", starts[1])) & names_in(module), f"there is no {starts[1]}"


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_says_what_is_in_it_and_where_to_start(folder):
    text = docstring(folder / "__init__.py")
    assert 1 <= len(text.splitlines()) <= 10, "a few lines"
    assert re.search(r"\bStart\s+at\b", text)
    if folder != PACKAGE and not (folder / "__init__.py").read_text().count("POLICIES"):
        assert re.search(r"\bimport(s|ed)?\b", text), "it says what the folder may import"


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md"])
def test_the_table_of_folders_has_every_folder_in_the_order_of_the_layers(page):
    layers = re.findall(r'"ponderosa\.(\w+)(?: \| ([^"]*))?"', (ROOT / "pyproject.toml").read_text())
    ranks = {
        name: rank
        for rank, layer in enumerate(layers)
        for name in re.findall(r"\w+", " ".join(layer))
        if name != "ponderosa"
    }
    text = (ROOT / page).read_text()
    table = text[text.index("in dependency order") :]
    rows = re.findall(r"^\| `(?:src/ponderosa/)?(\w+)(?:/|\.py)?`", table, re.MULTILINE)
    rows = [name for name in rows if name in ranks]
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()}
    assert packages <= set(rows)
    assert [ranks[name] for name in rows] == sorted((ranks[name] for name in rows), reverse=True)


def makers(phase: str) -> Iterator[str]:
    """The makers of policies that the files of a phase define, by their names in Python."""
    for module in (PACKAGE / "mcts" / "policies" / phase).glob("*.py"):
        for node in ast.parse(module.read_text()).body:
            public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if public and isinstance(node.returns, ast.Name) and node.returns.id.endswith("Policy"):
                yield node.name


@pytest.mark.parametrize("package", [select, expand, playout, backup, choose], ids=lambda package: package.__name__)
def test_every_policy_has_a_name_and_is_exported_by_its_phase(package):
    phase = package.__name__.rpartition(".")[2]
    named = {maker.__name__ for maker in NAMED[phase].values()}
    assert set(makers(phase)) == named
    assert all(inspect.isfunction(getattr(package, name)) for name in named)


def test_users_find_every_maker_whose_name_is_of_one_phase_alone():
    everywhere = Counter(maker.__name__ for makers in NAMED.values() for maker in makers.values())
    alone = {name for name, phases in everywhere.items() if phases == 1} - set(NAMED)
    assert {name for name in alone if not inspect.isfunction(getattr(policies, name, None))} == set()


def test_every_agent_is_registered_or_a_part_of_one_that_is():
    folder = PACKAGE / "agents"
    registered = {target.partition(":")[0] for target in AGENTS.values()}
    users = [*folder.rglob("*.py"), PACKAGE / "registry.py"]
    imported = {name for module in users for name in re.findall(r"from ([\w.]+) import", module.read_text())}
    for module in set(folder.rglob("*.py")) - {folder / "agent.py"}:  # the protocol
        name = ".".join(module.relative_to(PACKAGE.parent).with_suffix("").parts)
        if re.search(r"^    def step\(", module.read_text(), re.MULTILINE):
            assert name in registered | imported, f"{name} has an agent that nobody can name"


def test_every_game_is_a_file_of_its_own_or_a_kind_of_another():
    registered = {target.partition(":")[0].rpartition(".")[2] for target in GAMES.values()}
    assert registered == {module.stem for module in (PACKAGE / "games").glob("*.py")} - {"__init__"}


def test_every_experiment_is_in_the_docs():
    text = (ROOT / "docs" / "experiments.md").read_text()
    assert [name for name in EXPERIMENTS if f"`{name}`" not in text] == []


def test_every_view_is_shown_by_somebody():
    views = PACKAGE / "web" / "views"
    shown = "".join(module.read_text() for module in [PACKAGE / "web" / "server.py", *views.glob("*.py")])
    for view in views.glob("*_view.py"):
        assert f"from ponderosa.web.views.{view.stem} import" in shown, f"nobody shows {view.name}"


def test_every_link_of_the_header_has_a_page():
    layout = ast.parse((PACKAGE / "web" / "views" / "layout.py").read_text())
    header = next(
        node.value for node in layout.body if isinstance(node, ast.Assign) and "VIEWS" in ast.unparse(node.targets[0])
    )
    pages = set(re.findall(r'@ui\.page\("([^"]+)"\)', (PACKAGE / "web" / "server.py").read_text()))
    assert set(ast.literal_eval(header)) <= pages | {"/docs", "/api/docs"}


def test_tests_have_the_folders_of_the_package():
    packages = {folder.relative_to(PACKAGE) for folder in FOLDERS}
    data = {Path("golden"), Path("web/browsers"), Path("typing")}
    tested = {module.parent.relative_to(ROOT / "tests") for module in (ROOT / "tests").rglob("test_*.py")}
    assert tested - data <= packages
