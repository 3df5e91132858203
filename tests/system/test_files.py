"""Files are written whole or not at all; devices, pipes and links stay what they are; nothing is read without end."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ponderosa.errors import FileError, PonderosaError
from ponderosa.system.files import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    read_text,
    read_toml,
    reading,
    write_bytes,
    write_private,
    write_text,
    writing,
)
from tests.helpers import PATIENCE

needs_devices = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such devices")


def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "first")
    write_text(tmp_path / "a.txt", "später")
    assert (tmp_path / "a.txt").read_text() == "später"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt(), ValueError("nonsense")])
def test_what_was_there_stays_whole_when_writing_is_broken_off(tmp_path: Path, error: BaseException) -> None:
    write_text(tmp_path / "a.txt", "first")
    with pytest.raises(FileError if isinstance(error, OSError) else type(error)), writing(tmp_path / "a.txt") as file:
        file.write(b"second")
        raise error
    assert (tmp_path / "a.txt").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_who_may_read_a_file_stays_as_it_is(tmp_path: Path) -> None:
    write_text(tmp_path / "secret", "first")
    (tmp_path / "secret").chmod(0o600)
    write_text(tmp_path / "secret", "second")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_of_a_link_the_file_that_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "link to link").symlink_to(tmp_path / "link")
    for text in ("made", "replaced"):
        write_text(tmp_path / "link to link", text)
        assert (tmp_path / "link to link").is_symlink() and (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "file").read_text() == text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder", "link", "link to link"]


def test_links_that_lead_nowhere_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    for path in (tmp_path / "one", tmp_path, tmp_path / "no" / "folder"):
        with pytest.raises(FileError, match="cannot write"):
            write_text(path, "text")
    assert (tmp_path / "one").is_symlink()


@needs_devices
def test_a_device_is_written_to_and_stays_a_device() -> None:
    write_bytes(Path("/dev/null"), b"nothing")
    with pytest.raises(FileError, match="cannot write /dev/full: No space left"):
        write_bytes(Path("/dev/full"), bytes(100_000))
    assert all(stat.S_ISCHR(os.stat(path).st_mode) for path in ("/dev/null", "/dev/full"))
    assert not list(Path("/dev").glob("*.part"))


@needs_devices
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    write_bytes(tmp_path / "link", b"through the pipe")
    reader.join(PATIENCE)
    assert found == [b"through the pipe"] and (tmp_path / "pipe").is_fifo()


@needs_devices
@pytest.mark.parametrize("to", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into_file", [False, True])
def test_the_standard_output_can_be_named(tmp_path: Path, to: str, into_file: bool) -> None:
    code = f"from pathlib import Path; from ponderosa.system.files import *; write_text(Path({to!r}), 'hello')"
    with (tmp_path / "out").open("w+b") as out:
        done = subprocess.run([sys.executable, "-c", code], stdout=out if into_file else subprocess.PIPE, check=True)
        out.seek(0)
        assert (out.read() if into_file else done.stdout) == b"hello"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@needs_devices
def test_what_has_no_end_is_not_read_to_it(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="it has more than 1,000 bytes"):
        read_text(Path("/dev/zero"), 1000)
    with pytest.raises(OSError, match="it is no regular file"), reading(Path("/dev/zero")):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is no regular file"), reading(tmp_path / "pipe"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_private_file_is_its_owners_alone_whatever_was_there(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 50)
    path.write_bytes(b"first")
    path.chmod(0o666)
    write_private(path, b"second")
    assert path.read_bytes() == b"second" and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


KEYS = {"name": TEXT, "games": WHOLE, "seconds": NUMBER, "strict": FLAG}


def test_a_toml_file_says_what_its_keys_allow(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('name = "Max"\ngames = 3\nseconds = 2\nstrict = true\n')
    assert read_toml(path, KEYS) == {"name": "Max", "games": 3, "seconds": 2, "strict": True}
    path.write_text("[anything]\ngoes = 1\n")
    assert read_toml(path) == {"anything": {"goes": 1}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gamez = 3", "did you mean 'games'"),
        ('games = "3"', "games must be a whole number, not '3'"),
        ("games = true", "games must be a whole number, not True"),
        ("games = 1.5", "games must be a whole number, not 1.5"),
        ("seconds = false", "seconds must be a number, not False"),
        ("strict = 1", "strict must be true or false, not 1"),
        ("name = []", r"name must be text, not \[\]"),
        ("name", "is not TOML"),
    ],
)
def test_a_toml_file_that_says_something_else_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(line)
    with pytest.raises(PonderosaError, match=message):
        read_toml(path, KEYS)
