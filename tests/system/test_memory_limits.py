"""All limits of memory are read, and the smallest counts. The control groups are made of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa.system.memory_limits import group_limits, machine_memory, own_limits
from tests.helpers import run_python

ENDLESS = str(2**63 - 4096)
"""What version 1 says where there is no limit."""


def process_in(folder: Path, mounts: list[str], groups: list[str]) -> Path:
    """A process's folder in /proc; its mounts are named as (type, the group that is seen, where, options)."""
    process = folder / "proc"
    process.mkdir()
    lines = [f"{number} 1 0:{number} {mount}" for number, mount in enumerate(mounts, 30)]
    (process / "mountinfo").write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + "\n".join(lines) + "\n")
    (process / "cgroup").write_text("\n".join(groups) + "\n")
    return process


def group(folder: Path, name: str, limit: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"{limit}\n")


def version_2(folder: Path, seen: str = "/") -> str:
    return f"{seen} {folder} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


def version_1(folder: Path, seen: str = "/", controller: str = "memory") -> str:
    return f"{seen} {folder} rw,nosuid - cgroup cgroup rw,{controller}"


def test_the_group_of_the_process_and_all_around_it_count(tmp_path):
    top = tmp_path / "cgroup"
    group(top / "user" / "me" / "shell", "memory.max", "max")
    group(top / "user" / "me", "memory.max", 5 * 2**30)
    group(top / "user" / "me", "memory.high", 3 * 2**30)
    group(top / "user", "memory.max", 4 * 2**30)
    group(top / "other", "memory.max", 1)
    process = process_in(tmp_path, [version_2(top)], ["0::/user/me/shell"])
    assert sorted(group_limits(process)) == [3 * 2**30, 4 * 2**30, 5 * 2**30]


def test_version_1_is_read_where_its_memory_controller_is(tmp_path):
    top = tmp_path / "memory"
    group(top / "docker" / "abc", "memory.limit_in_bytes", 2**30)
    group(top / "docker", "memory.limit_in_bytes", ENDLESS)
    group(top, "memory.limit_in_bytes", ENDLESS)
    group(tmp_path / "cpu" / "docker" / "abc", "memory.limit_in_bytes", 7)
    mounts = [version_1(tmp_path / "cpu", controller="cpu"), version_1(top), version_2(tmp_path / "unified")]
    process = process_in(tmp_path, mounts, ["9:cpu:/docker/abc", "4:memory:/docker/abc", "0::/docker/abc"])
    assert min(group_limits(process)) == 2**30 and 7 not in group_limits(process)


@pytest.mark.parametrize("seen", ["/docker/abc", "/elsewhere"])
def test_a_container_that_sees_only_its_own_group_reads_it_there(tmp_path, seen):
    group(tmp_path / "memory", "memory.limit_in_bytes", 2**29)
    process = process_in(tmp_path, [version_1(tmp_path / "memory", seen)], ["4:memory:/docker/abc"])
    assert group_limits(process) == [2**29]


def test_a_container_with_a_name_space_of_its_own_reads_the_top(tmp_path):
    group(tmp_path / "cgroup", "memory.max", 2**30)
    assert group_limits(process_in(tmp_path, [version_2(tmp_path / "cgroup", "/../../x")], ["0::/"])) == [2**30]


def test_nothing_outside_of_the_mounted_folder_is_read(tmp_path):
    group(tmp_path, "memory.max", 1)
    (tmp_path / "cgroup").mkdir()
    assert group_limits(process_in(tmp_path, [version_2(tmp_path / "cgroup")], ["0::/../../../x"])) == []


@pytest.mark.parametrize("text", ["max", "", "-1", "much"])
def test_what_is_no_number_is_no_limit(tmp_path, text):
    group(tmp_path / "cgroup", "memory.max", text)
    assert group_limits(process_in(tmp_path, [version_2(tmp_path / "cgroup")], ["0::/"])) == []


def test_systems_without_groups_have_no_limits_of_groups(tmp_path):
    assert group_limits(tmp_path / "nowhere") == []
    assert group_limits(process_in(tmp_path, ["nonsense"], ["nonsense"])) == []


def test_a_machine_has_some_memory():
    assert machine_memory() > 2**27


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process_itself_count(name):
    pytest.importorskip("resource")
    code = f"""
        import json, resource
        resource.setrlimit(resource.{name}, (3 * 2**30, 3 * 2**30))
        from ponderosa.system.memory_limits import most_memory, own_limits
        print(json.dumps([own_limits(), most_memory()]))
    """
    limits, most = run_python(code)
    assert limits == [*own_limits(), 3 * 2**30] and most <= 3 * 2**30
