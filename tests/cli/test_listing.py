"""The commands that list, and what the whole command line promises."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import ponderosa.cli
from ponderosa.cli import app
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.presets import PRESETS, VARIABLE
from ponderosa.registry import AGENTS, GAMES
from tests.cli.conftest import Run
from tests.helpers import PATIENCE, POLICIES, running

COMMANDS = [
    "agents",
    "analyze",
    "bench",
    "check",
    "docs",
    "engine",
    "games",
    "learn",
    "levels",
    "match",
    "new",
    "play",
    "serve",
    "sweep",
    "tournament",
    "train",
    "tune",
    "warmup",
    "watch",
]
GROUPS = ["cache", "games-db", "lab", "memory"]
"""Commands that have commands of their own."""
REPORTING_NUMBA = """
import sys
from ponderosa.cli import main
try:
    main()
finally:
    print("numba is", "loaded" if "numba" in sys.modules else "asleep", file=sys.stderr)
"""


def in_a_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", REPORTING_NUMBA, *arguments]
    known = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        command, env=known | environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_no_command_was_forgotten() -> None:
    files = (Path(ponderosa.cli.__file__).parent / "commands").glob("*.py")
    own = [file.stem.replace("_", "-") for file in files if file.read_text().startswith('"""`ponderosa ')]
    assert sorted(own) == sorted([*COMMANDS, *GROUPS])


def test_help_of_commands_fits_into_eighty_columns_without_broken_lines() -> None:
    for command in app.registered_commands:
        _, _, more = (inspect.getdoc(command.callback) or "").partition("\n\n")  # its lines are kept as they are
        assert [line for line in more.splitlines() if len(line) > 78] == [], command.callback


def test_every_command_has_a_file_of_its_name() -> None:
    callbacks = [command.callback for command in app.registered_commands]
    assert sorted(function.__name__ for function in callbacks if function) == COMMANDS
    homes = {function.__name__: function.__module__ for function in callbacks if function}
    assert homes == {name: f"ponderosa.cli.commands.{name}" for name in homes}


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([command, "--help"] for command in COMMANDS + GROUPS)])
def test_help_is_printed(ponderosa: Run, arguments: list[str]) -> None:
    ran = ponderosa(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "Usage: ponderosa" in ran.out


def test_without_a_command_the_page_opens(ponderosa: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("ponderosa.cli.commands.serve.installed", lambda: True)
    monkeypatch.setattr("ponderosa.cli.commands.serve.serve", lambda: opened.append("page"))
    assert ponderosa().code == 0
    assert opened == ["page"]


def test_without_the_page_s_extra_the_usage_is_shown_and_how_to_install_it(
    ponderosa: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ponderosa.cli.commands.serve.installed", lambda: False)
    ran = ponderosa()
    assert ran.code == 0
    assert all(command in ran.out for command in COMMANDS)
    assert 'pip install "ponderosa[web]"' in ran.err
    assert ponderosa("serve").code == 2


def test_the_version_is_that_of_the_package(ponderosa: Run) -> None:
    assert ponderosa("--version").out == f"ponderosa {version('ponderosa')}\n"


def test_games_lists_every_game_with_its_defaults(ponderosa: Run) -> None:
    ran = ponderosa("games")
    assert ran.code == 0
    assert all(name in ran.out for name in GAMES)
    assert "rows=6, cols=7, k=4," in ran.out
    assert "early_draw=false" in ran.out


def test_games_as_json(ponderosa: Run) -> None:
    rows = json.loads(ponderosa("games", "--json").out)
    assert [row["name"] for row in rows] == list(GAMES)
    four = next(row for row in rows if row["name"] == "connect4")
    assert four["parameters"] == {"rows": 6, "cols": 7, "k": 4, "early_draw": False}
    assert four["about"].startswith("Drop stones")


def test_agents_lists_every_agent_and_every_policy(ponderosa: Run) -> None:
    out = ponderosa("agents").out
    assert all(name in out for name in AGENTS)
    assert all(name in out for _, name in POLICIES)
    assert "epsilon=0.1" in out


def test_agents_says_who_is_the_strongest_in_each_game_and_what_shows_it(ponderosa: Run) -> None:
    rows = json.loads(ponderosa("agents", "--json").out)["strongest"]
    assert [row["game"] for row in rows] == list(GAMES)
    hex_row = next(row for row in rows if row["game"] == "hex")
    assert hex_row["strong"] == "mcts:select=rave,playout=informed"
    assert hex_row["agent"].startswith(hex_row["strong"]) and hex_row["against"] == "level:hard"
    assert json.loads(ponderosa("agents", "hex", "--json").out) == hex_row
    table = ponderosa("agents").out
    assert "The strongest agent of each game" in table
    assert all(row["game"] in table for row in rows)
    told = ponderosa("agents", "othello").out
    assert "othello is minimax" in told and "level:hard" in told and "strong, which is minimax there" in told
    assert "was not measured" in ponderosa("agents", "rps").out
    assert "unknown game 'tictacto'" in ponderosa("agents", "tictacto").err


def test_agents_says_what_is_strong_in_a_game_of_ones_own(ponderosa: Run, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("from ponderosa.games.pig import Pig\nclass Mine(Pig):\n    pass\n")
    told = ponderosa("agents", f"{file}:Mine").out
    assert "was not measured" in told and "which is mcts there" in told


def test_agents_lists_presets_and_one_s_own(ponderosa: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[presets]\nmine = "rave:k=9"\n')
    expected = [*({"name": name, "agent": text} for name, text in PRESETS.items())]
    assert json.loads(ponderosa("agents", "--json").out)["presets"] == expected
    with_own = [*expected, {"name": "mine", "agent": "mcts:select=rave,k=9"}]
    assert json.loads(ponderosa("--presets", str(file), "agents", "--json").out)["presets"] == with_own
    assert json.loads(ponderosa("agents", "--json").out)["presets"] == expected, "the option is for one command"
    monkeypatch.setenv(VARIABLE, str(file))
    assert json.loads(ponderosa("agents", "--json").out)["presets"] == with_own
    assert "rave" in (out := ponderosa("agents").out) and "mcts:select=rave,k=9" in out


@pytest.mark.parametrize(
    "command",
    [
        ["watch", "tictactoe", "mine", "uct:iterations=5"],
        ["match", "tictactoe", "mine", "random", "--games", "2"],
        ["analyze", "tictactoe", "--agent", "mine"],
    ],
)
def test_presets_of_one_s_own_work_in_every_command(ponderosa: Run, tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[presets]\nmine = "mcts:playout=decisive,iterations=20"\n')
    more = ["--out", str(tmp_path / "games.sqlite")] if command[0] == "match" else []
    assert ponderosa("--presets", str(file), *command, *more).code == 0
    refused = ponderosa(*command, *more)
    assert refused.code == 2 and "unknown agent 'mine'" in refused.err
    missing = ponderosa("--presets", str(tmp_path / "none.toml"), *command, *more)
    assert missing.code == 2 and "cannot be read" in missing.err


def test_agents_as_json(ponderosa: Run) -> None:
    listed = json.loads(ponderosa("agents", "--json").out)
    assert [row["name"] for row in listed["agents"]] == list(AGENTS)
    assert [(row["phase"], row["name"]) for row in listed["policies"]] == [
        (phase, name) for phase, makers in NAMED.items() for name in makers
    ]
    mcts = next(row for row in listed["agents"] if row["name"] == "mcts")
    assert "game" not in mcts["parameters"]
    assert mcts["parameters"]["backup"] == "mean"


@pytest.mark.parametrize("argument", ["--help", "--version", "games", "agents"])
def test_what_only_lists_does_not_load_the_compiler(argument: str) -> None:
    ran = in_a_process(argument)
    assert ran.returncode == 0
    assert ran.stderr == "numba is asleep\n"


def test_exit_codes_and_streams_of_a_real_process() -> None:
    ran = in_a_process("play", "conect4")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "did you mean 'connect4'" in ran.stderr


def test_colour_is_left_out_when_asked() -> None:
    red = "\x1b[1;31m"
    assert red in in_a_process("play", "conect4", FORCE_COLOR="1").stderr
    assert red not in in_a_process("play", "conect4", FORCE_COLOR="1", NO_COLOR="1").stderr


@pytest.mark.parametrize("argument", ["--help", "games", "agents"])
def test_a_reader_that_goes_away_is_no_error(argument: str) -> None:
    command = [sys.executable, "-c", "from ponderosa.cli import main; main()", argument]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_surprise(closed: str) -> None:
    program = f"{sys.executable} -c 'from ponderosa.cli import main; main()' play tictactoe --two-players"
    ran = subprocess.run(
        ["sh", "-c", f"{program} {closed}"], input=b"b2", capture_output=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode == 0
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk at hand")
@pytest.mark.parametrize("argument", ["games", "--version"])
def test_a_full_disk_is_said(argument: str) -> None:
    command = [sys.executable, "-c", "from ponderosa.cli import main; main()", argument]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 1
    assert "No space left" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_letter_that_the_terminal_lacks_is_replaced() -> None:
    ran = in_a_process("play", "köni", PYTHONIOENCODING="ascii")
    assert ran.returncode == 2
    assert "unknown game 'k?ni'" in ran.stderr


def test_only_settings_that_can_be_typed_are_listed(ponderosa: Run) -> None:
    listed = json.loads(ponderosa("agents", "--json").out)
    settings = {name for agent in listed["agents"] for name in agent["parameters"]}
    assert "threads" in settings
    assert "clock" not in settings


def test_levels_lists_who_plays_at_which(ponderosa) -> None:
    every = json.loads(ponderosa("levels", "--json").out)
    assert list(every) == list(GAMES)
    assert every["connect4"]["strongest"] == "strong:seconds=5"
    shown = ponderosa("levels", "connect4").out
    assert "level:hard" in shown
    assert "gomoku" not in shown
