"""A user's script under a strict type checker: no error, and types that say something."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ponderosa

SCRIPT = Path(__file__).with_name("user_script.py")
TYPES = {
    "game": "user_script.Nim",
    'load_game("connect4")': "ponderosa.core.game.Game",
    "state": "ponderosa.core.state.State",
    "state.legal_actions()": "list[Any]",
    "state.returns()": "list[float]",
    "state.child(1)": "ponderosa.core.state.State",
    "state.current_player()": "int",
    "search": "ponderosa.mcts.search.Search",
    "report": "ponderosa.mcts.report.report.Report",
    "report.value": "float",
    "report.proven": "str | None",
    "report.best_name": "str",
    "report.best_action": "Any",
    "report.actions": "tuple[ponderosa.mcts.report.report.ActionReport, ...]",
    "report.actions[0].visits": "int",
    "ponderosa.search(state, iterations=10)": "ponderosa.mcts.report.report.Report",
    "report.tree.root": "ponderosa.mcts.report.reader.TreeNode",
    "report.tree.root.best_line": "tuple[ponderosa.mcts.report.reader.TreeNode, ...]",
    "node": "ponderosa.mcts.report.reader.TreeNode",
    "agent": "ponderosa.agents.agent.Agent",
    "agent.last_report": "ponderosa.mcts.report.report.Report | None",
    "result": "ponderosa.arena.match.MatchResult",
    "result.elo": "ponderosa.arena.results.statistics.Estimate | None",
    "budget.seconds": "float | None",
    "select.ucb1(c=1.4)": "ponderosa.mcts.policies.base.SelectPolicy",
    "search.settings": "ponderosa.mcts.settings.SearchSettings",
    "error": "ponderosa.errors.PonderosaError",
}
"""What mypy makes of each `reveal_type(...)` in the script."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says about the script, as somebody who has installed the package runs it."""
    source = Path(ponderosa.__file__).parent.parent
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--cache-dir", tmp_path_factory.mktemp("mypy")]
    command = [sys.executable, "-m", "mypy", *map(str, options), str(SCRIPT)]
    environment = {**os.environ, "MYPYPATH": str(source)}
    result = subprocess.run(command, cwd=SCRIPT.parent, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


@pytest.mark.slow
def test_a_users_script_has_no_error_under_the_strict_checker(said):
    assert said[-1] == "Success: no issues found in 1 source file"


@pytest.mark.slow
def test_the_types_that_a_user_sees_say_something(said):
    lines = SCRIPT.read_text().splitlines()
    found = {}
    for text in said[:-1]:
        place, shown = re.fullmatch(r'.*?:(\d+): note: Revealed type is "(.*)"', text).groups()
        asked = lines[int(place) - 1].strip().removeprefix("reveal_type(").removesuffix(")")
        found[asked] = re.sub(r"Union\[(\S+), None\]", r"\1 | None", shown.replace("builtins.", ""))
    assert {asked: kind.removeprefix("tests.typing.") for asked, kind in found.items()} == TYPES


def test_the_package_says_that_it_has_types():
    assert (Path(ponderosa.__file__).parent / "py.typed").exists()
