"""The folder for machine code: nothing of others is read, what was swapped is compiled again, and it has a bound."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ponderosa.compile import cache
from ponderosa.core.rules import jit_enabled
from ponderosa.errors import SettingError
from tests.cli.conftest import Run, ponderosa  # noqa: F401  a fixture
from tests.compile.small_functions import EXPECTED, answers_apart
from tests.helpers import PATIENCE

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
owned = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders are protected otherwise here")

PLANT = """
import pickle, pathlib
from ponderosa.compile import code_on_disk
class Planted:
    def __reduce__(self):
        return pathlib.Path.touch, (pathlib.Path({ran!r}),)
code_on_disk.dumps = lambda data: pickle.dumps(Planted())
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the machine code of some functions."""
    folder = tmp_path_factory.mktemp("made")
    assert answers_apart(folder) == EXPECTED
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy of the cache, to spoil."""
    return Path(shutil.copytree(made, tmp_path / "cache"))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a cache whose files are whole, and make the file `ran` beside it when they are read."""
    folder = tmp_path_factory.mktemp("evil")
    assert answers_apart(folder / "cache", PLANT.format(ran=str(folder / "ran"))) == EXPECTED
    assert code_in(folder / "cache") and not (folder / "ran").exists()
    return folder


@pytest.fixture
def planted(evil: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of that cache, and what shows that it was read."""
    (evil / "ran").unlink(missing_ok=True)
    return Path(shutil.copytree(evil / "cache", tmp_path / "cache")), evil / "ran"


def code_in(base: Path) -> list[Path]:
    return sorted(base.glob("native-*/*.nbc"))


def native(base: Path) -> Path:
    [folder] = base.glob("native-*")
    return folder


def private(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where machine code goes that cannot go to its place."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path / "tmp" / f"ponderosa-{os.geteuid()}"


@pytest.mark.slow
def test_what_is_planted_in_a_folder_of_ones_own_would_run(planted: tuple[Path, Path]) -> None:
    """So the tests below can fail: whoever can write here is trusted."""
    assert answers_apart(planted[0]) == EXPECTED
    assert planted[1].exists()


@owned
@pytest.mark.parametrize("mode", [0o777, pytest.param(0o770, marks=pytest.mark.slow)])
def test_a_folder_that_others_can_write_is_not_read(
    planted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: int
) -> None:
    base, ran = planted
    before = code_in(base)
    native(base).chmod(mode)
    instead = private(monkeypatch, tmp_path)
    assert answers_apart(base) == EXPECTED
    assert not ran.exists() and code_in(base) == before
    assert code_in(instead) and stat.S_IMODE(native(instead).stat().st_mode) == 0o700


@pytest.mark.slow
@owned
def test_a_folder_whose_parent_everybody_can_write_is_not_read(
    planted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    base, ran = planted
    base.chmod(0o777)
    private(monkeypatch, tmp_path)
    assert answers_apart(base) == EXPECTED
    assert not ran.exists()
    base.chmod(0o1777)  # sticky: nobody can put another folder there
    assert answers_apart(base) == EXPECTED
    assert ran.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser gives folders away")
@pytest.mark.parametrize("whole", [True, False])
def test_what_belongs_to_another_user_is_not_read(
    planted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, whole: bool
) -> None:
    base, ran = planted
    for path in [native(base)] if whole else code_in(base):
        os.chown(path, 12345, 12345)
    private(monkeypatch, tmp_path)
    assert answers_apart(base) == EXPECTED
    assert not ran.exists()


@owned
def test_a_file_that_others_can_write_or_that_is_a_link_is_not_read(planted: tuple[Path, Path]) -> None:
    base, ran = planted
    for number, path in enumerate(code_in(base)):
        if number % 2:
            path.chmod(0o666)
        else:
            path.rename(path.with_suffix(".moved"))
            path.symlink_to(path.with_suffix(".moved"))
    assert answers_apart(base) == EXPECTED
    assert not ran.exists()


@pytest.mark.slow
def test_files_that_stand_in_for_each_other_are_compiled_again(copied: Path) -> None:
    files = code_in(copied)
    contents = [path.read_bytes() for path in files]
    assert len(files) > 5
    for path, content in zip(files, contents[1:] + contents[:1], strict=True):
        path.write_bytes(content)
    assert answers_apart(copied) == EXPECTED
    assert code_in(copied) == files
    assert answers_apart(copied) == EXPECTED


@owned
def test_another_folder_is_told_of_in_a_sentence(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native(copied).chmod(0o777)
    instead = private(monkeypatch, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "ponderosa", "cache", "show", "--json"],
        env={**os.environ, "PONDEROSA_CACHE_DIR": str(copied)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert json.loads(done.stdout)["folder"] == str(native(instead))
    assert done.stderr.startswith(f"Note: {native(copied)} can be written by others")
    assert "PONDEROSA_CACHE_DIR" in done.stderr and len(done.stderr.splitlines()) == 1


def code(name: str) -> str:
    """The name of a file of machine code."""
    return f"{name}-{'0' * 32}-{'1' * 8}.nbc"


def filled(base: Path, sizes: dict[str, int]) -> Path:
    """A cache of files, the one that was used longest ago first."""
    folder = base / "native-1"
    folder.mkdir(parents=True)
    for age, (name, size) in enumerate(reversed(sizes.items())):
        (folder / name).write_bytes(bytes(size))
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    return folder


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    folder = filled(tmp_path, {code("a"): 500, code("b"): 300, code("c"): 200, code("d"): 100, "e.txt": 5000})
    assert cache.prune(tmp_path, 1100) == 1100
    assert cache.prune(tmp_path, 1099) == 600
    assert sorted(path.name for path in folder.iterdir()) == [code("b"), code("c"), code("d"), "e.txt"]
    assert cache.clear(tmp_path) == 600
    assert [path.name for path in folder.iterdir()] == ["e.txt"]


def test_what_killed_processes_leave_behind_is_removed_after_a_day(tmp_path: Path) -> None:
    part, lock, index = f"{code('a')}.0123.part", f"{code('a')}.lock", code("a").replace("nbc", "nbi")
    folder = filled(tmp_path, {part: 5, lock: 0, index: 5, code("a"): 7})
    (folder / f"{code('new')}.0123.part").write_bytes(b"half")
    assert cache.prune(tmp_path, 100) == 7
    assert sorted(path.name for path in folder.iterdir()) == [code("a"), f"{code('new')}.0123.part"]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    theirs = ("Cargo.lock", "poetry.lock", "movie.part", "thing.nbi", "app.nbc")
    for name in ("native-app", "native-1"):
        for file in theirs:
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / file).write_bytes(b"theirs")
            os.utime(tmp_path / name / file, (1e9, 1e9))
    (tmp_path / "native-app" / code("a")).write_bytes(b"theirs")
    (tmp_path / "native-2").symlink_to(tmp_path / "native-app")
    assert cache.prune(tmp_path, 0) == 0 and cache.clear(tmp_path) == 0
    assert {path.name for path in (tmp_path / "native-1").iterdir()} == set(theirs)
    assert {path.name for path in (tmp_path / "native-app").iterdir()} == {*theirs, code("a")}


def test_a_use_is_noted(tmp_path: Path) -> None:
    folder = filled(tmp_path, {code("a"): 1, code("b"): 1})
    for path in folder.iterdir():
        path.chmod(0o600)
    assert cache.read_own(folder / code("a")) == b"\0"
    assert [found.path.name for found in cache.kept_in(tmp_path)] == [code("b"), code("a")]


def test_several_may_read_write_and_prune_at_once(tmp_path: Path) -> None:
    """A file is there, whole, or not there."""
    folder = filled(tmp_path, {})

    def work(worker: int) -> set[Any]:
        found = set()
        for step in range(60):
            path = folder / code(str((worker + step) % 7))
            cache.write_own(path, bytes([step]) * 1000)
            found.add(len(cache.read_own(path) or b""))
            cache.prune(tmp_path, 3000)
        return found

    with ThreadPoolExecutor(6) as pool:
        assert set().union(*pool.map(work, range(6))) <= {0, 1000}
    assert cache.prune(tmp_path, 3000) <= 3000
    assert all(path.suffix == ".nbc" for path in folder.iterdir())


@pytest.mark.slow
def test_a_bound_is_kept_while_code_is_written(tmp_path: Path) -> None:
    assert answers_apart(tmp_path / "cache", PONDEROSA_CACHE_MB="0") == EXPECTED
    assert len(code_in(tmp_path / "cache")) <= 1
    assert answers_apart(tmp_path / "cache", PONDEROSA_CACHE_MB="nonsense") == EXPECTED


@pytest.mark.parametrize("given", ["nonsense", "-1", "1e3", "9" * 400, "٣"])
def test_a_bound_that_is_none_is_told(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PONDEROSA_CACHE_MB", given)
    with pytest.raises(SettingError, match="must be a whole number of megabytes"):
        cache.most_bytes()


def test_the_cache_is_shown_and_cleared(
    ponderosa: Run,  # noqa: F811
    copied: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PONDEROSA_CACHE_DIR", str(copied))
    number = len(code_in(copied))
    assert json.loads(ponderosa("cache", "show", "--json").out)["functions"] == number
    shown = ponderosa("cache", "show").out
    assert str(native(copied)) in shown and f"Functions: {number}" in shown and "at most 1,024.0 MB" in shown
    assert "are removed" in ponderosa("cache", "clear").out
    assert not code_in(copied) and "Functions: 0" in ponderosa("cache", "show").out
