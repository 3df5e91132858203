"""Files that commands write and read: devices, pipes and links stay what they are, and nothing is read without end."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ponderosa import match
from tests.cli.conftest import Run
from tests.helpers import PATIENCE

needs_devices = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such devices")
TRAIN = ("train", "tictactoe", "--games", "2", "--agent", "mcts:iterations=5", "--against", "random")
ANALYZE = ("analyze", "tictactoe", "--iterations", "50")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a match of two games."""
    path = tmp_path_factory.mktemp("store") / "games.db"
    match("tictactoe", "random", "random:seed=1", 2, out=path)
    return str(path)


def writers(store: str, memory: Path, file: Path) -> dict[str, tuple[str, ...]]:
    """Commands that write a file."""
    return {
        "export": ("games-db", "export", str(file), "--store", store),
        "csv": (*TRAIN, "--memory", str(memory), "--csv", str(file)),
        "save": (*ANALYZE, "--save", str(file)),
        "graph": (*ANALYZE, "--graph", str(file)),
        "trace": ("analyze", "tictactoe", "--iterations", "500", "--trace", str(file)),
    }


@needs_devices
@pytest.mark.parametrize("command", ["export", "csv", "save", "graph", "trace"])
def test_a_device_behind_a_link_is_written_to_and_stays(
    ponderosa: Run, store: str, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "link.svg"
    file.symlink_to("/dev/full")
    ran = ponderosa(*writers(store, tmp_path / "a.memory", file)[command])
    assert ran.code == 1 and "No space left on device" in ran.err
    assert file.is_symlink() and stat.S_ISCHR(file.stat().st_mode)


@pytest.mark.parametrize("command", ["export", "csv", "save", "graph", "trace"])
def test_a_link_leads_to_what_is_written(ponderosa: Run, store: str, tmp_path: Path, command: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link.svg").symlink_to("elsewhere/file")
    assert ponderosa(*writers(store, tmp_path / "a.memory", tmp_path / "link.svg")[command]).code == 0
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "elsewhere" / "file").read_bytes()


def test_a_memory_behind_a_link_is_kept_where_the_link_leads(ponderosa: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to("elsewhere/file")
    for games in (2, 4):
        assert ponderosa(*TRAIN, "--memory", str(link)).code == 0
        assert link.is_symlink()
        assert json.loads(ponderosa("memory", "show", str(link), "--json").out)["games"] == games
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["file"]


READERS = [
    ["memory", "show", "/dev/zero"],
    [*TRAIN, "--memory", "/dev/zero"],
    [*ANALYZE, "--agent", "mcts:memory=/dev/zero,learn=false"],
    [*ANALYZE, "--tree", "/dev/zero"],
    ["games-db", "list", "--store", "/dev/zero"],
    ["match", "tictactoe", "random", "random", "--games", "2", "--out", "/dev/zero"],
    ["match", "tictactoe", "random", "random", "--games", "2", "--openings", "/dev/zero"],
    ["tournament", "/dev/zero"],
    ["--presets", "/dev/zero", "agents"],
    ["check", "samegame:board=/dev/zero"],
    ["check", "/dev/zero"],
]


@needs_devices
@pytest.mark.parametrize("arguments", READERS, ids=" ".join)
def test_a_file_without_an_end_is_refused_in_a_sentence(ponderosa: Run, arguments: list[str]) -> None:
    ran = ponderosa(*arguments)
    assert ran.code in (1, 2) and "/dev/zero" in ran.err
    assert stat.S_ISCHR(Path("/dev/zero").stat().st_mode)


def test_what_goes_to_the_standard_output_goes_on_where_it_is(store: str, tmp_path: Path) -> None:
    command = f"(echo HEADER; {sys.executable} -m ponderosa games-db export /dev/stdout --store {store}; echo FOOTER)"
    done = subprocess.run(["sh", "-c", f"{command} > {tmp_path}/out.txt"], timeout=PATIENCE)
    lines = (tmp_path / "out.txt").read_text().splitlines()
    assert done.returncode == 0 and lines[0] == "HEADER" and lines[-1] == "FOOTER"
    assert [json.loads(line)["number"] for line in lines[1:-1] if line.startswith("{")]


def test_an_analysis_leaves_no_lock_behind(ponderosa: Run, tmp_path: Path) -> None:
    assert ponderosa(*ANALYZE, "--agent", f"mcts:memory={tmp_path / 'm.memory'}").code == 0
    assert not list(tmp_path.glob("*.lock"))


def test_a_long_name_can_be_written(ponderosa: Run, tmp_path: Path) -> None:
    assert ponderosa(*ANALYZE, "--graph", str(tmp_path / ("n" * 240 + ".svg"))).code == 0
