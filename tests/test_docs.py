"""Every code block of README and docs is run: Python blocks in one namespace a page, `ponderosa` lines as commands."""

from __future__ import annotations

import inspect
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import ponderosa
from ponderosa.mcts.policies.registry import NAMED
from tests.helpers import PATIENCE, running
from tests.plain_python import plainly

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONG = {
    "arena.md",
    "classes-of-games.md",
    "concepts.md",
    "first-steps.md",
    "evaluators.md",
    "forest.md",
    "learn.md",
    "memory.md",
    "policies.md",
    "worlds.md",
}
"""Pages whose examples take many seconds to compile."""
SHORT = {"classes-of-games.md", "evaluators.md"}
"""Those of them that take few seconds without the compiler."""
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.name, marks=pytest.mark.slow if page.name in LONG else ()) for page in PAGES]
)
def test_the_python_blocks_of_a_page_run(page):
    run_blocks(page)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name in SHORT], ids=lambda page: page.name)
def test_the_python_blocks_of_a_long_page_run_without_the_compiler(page):
    with plainly():
        run_blocks(page)


def run_blocks(page: Path) -> None:
    source = [text for language, text in blocks(page) if language == "python"]
    namespace: dict[str, object] = {"__name__": page.stem}
    for text in source:
        exec(compile(text, str(page), "exec", dont_inherit=True), namespace)


@pytest.mark.parametrize("name", sorted({name for makers in NAMED.values() for name in makers}))
def test_every_policy_is_explained(name):
    assert re.search(rf'[`"]{name}\b', (ROOT / "docs" / "policies.md").read_text())


@pytest.mark.parametrize("phase", NAMED)
def test_the_table_of_concepts_lists_the_policies_of_each_phase_and_their_settings(phase):
    page = (ROOT / "docs" / "concepts.md").read_text()
    row = re.search(rf"^\| {phase} \| (.*) \|$", page, re.MULTILINE)
    assert row
    listed = dict(re.findall(r"`(\w+)(?:\(([^)]*)\))?`", row[1]))
    for name, maker in NAMED[phase].items():
        assert name in listed, f"{name} is missing"
        settings = ", ".join(inspect.signature(maker).parameters)
        assert listed[name] in (settings, "..."), f"{name} takes {settings}"


def test_every_public_name_is_in_the_docs():
    page = (ROOT / "docs" / "concepts.md").read_text()
    listed = set(re.findall(r"`(\w+)`", page[page.index("## Public names") :]))
    assert set(ponderosa.__all__) - listed == set()


COMMANDS = [
    (page.name, line)
    for page in PAGES
    for language, text in blocks(page)
    if language == "sh"
    for line in text.splitlines()
    if line.startswith("ponderosa ")
]


COMPILED = (
    "watch tictactoe mcts:iterations",
    "analyze tictactoe",
    "bench connect4",
    "match connect4 mcts:iterations=200 random",
    "train tictactoe",
)
LISTING = ("games", "levels", "lab list", "serve ./nim.py:Nim")
"""Commands that run with the compiler whenever tests run; the others do so when long tests run."""
BIG = ("--iterations 20000", "--perft", "play gomoku", "sweep tictactoe", "learn tictactoe")
"""What takes long without it, too."""


def quick(line: str) -> bool:
    return line.removeprefix("ponderosa ").startswith(COMPILED + LISTING)


@pytest.mark.parametrize(
    ("page", "line"),
    [pytest.param(*found, marks=() if quick(found[1]) else pytest.mark.slow) for found in COMMANDS],
)
def test_the_commands_of_a_page_run(page, line, tmp_path):
    run_command(line, tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        line
        for page, line in COMMANDS
        if page == "README.md" and not quick(line) and not any(long in line for long in BIG)
    ],
)
def test_the_commands_of_the_first_page_run_without_the_compiler(line, tmp_path):
    run_command(line, tmp_path, NUMBA_DISABLE_JIT="1")


def run_command(line: str, tmp_path: Path, **environment: str) -> None:
    nim = next(text for _, text in blocks(ROOT / "docs" / "add-a-game.md") if "class Nim" in text)
    (tmp_path / "nim.py").write_text(nim.partition("\nassert")[0])
    command = line.partition("#")[0].strip().replace("ponderosa ", f'"{sys.executable}" -m ponderosa ', 1)
    if line.startswith("ponderosa serve"):
        starts_and_ends(command, tmp_path)
        return
    result = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        input="quit\n",
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", **environment},
    )
    assert result.returncode == 0, result.stderr


def starts_and_ends(command: str, folder: Path) -> None:
    """A server says where it is, and ends at Ctrl-C."""
    pytest.importorskip("nicegui", reason='the page needs the extra "web"')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = f"exec {command} --no-open --port {port} --data {folder}"
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with running(command, shell=True, cwd=folder, **output) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        more, _ = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0, said + more
    assert said.startswith("Ponderosa is at http://")


def test_every_block_has_a_language_that_is_run_or_shown():
    for page in PAGES:
        for language, text in blocks(page):
            assert language in ("python", "sh", "text"), f"{page.name}: {language!r} {text[:60]!r}"


ODD = re.compile(r"\b(so many|told|choices at once|hidden things|refused in words|broken off)\b", re.IGNORECASE)
"""Words that make readers stop; the field says this many, reported, simultaneous moves, hidden information, cut off."""


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "experiments" not in page.parts], ids=lambda page: page.name
)
def test_a_page_uses_the_words_of_the_field(page):
    assert ODD.findall(page.read_text()) == []
