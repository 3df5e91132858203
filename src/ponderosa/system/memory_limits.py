"""How much memory this process may use: the least of all that the machine has and grants. Start at most_memory.

A process that takes more than its control group allows is killed without a word; one that takes more than `ulimit`
allows gets a MemoryError, or a compiler that aborts. So all limits are read, and the smallest one counts.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

UNKNOWN = 4 * 2**30
"""What a machine is taken to have that does not say it."""
GROUP_FILES = {"cgroup2": ("memory.max", "memory.high"), "cgroup": ("memory.limit_in_bytes",)}
"""Where a control group keeps its limits, by the type of the file system: version 2 and version 1."""
OWN_LIMITS = ("RLIMIT_AS", "RLIMIT_DATA")
"""What `ulimit -v` and `ulimit -d` set. There, memory counts from when it is reserved, even if it is never written."""


@functools.cache
def most_memory() -> int:
    """The bytes that this process may use, as far as anybody has said."""
    return min([machine_memory(), *own_limits(), *group_limits()])


def machine_memory() -> int:
    """The bytes of memory that the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return UNKNOWN


def own_limits() -> list[int]:
    """The limits that were set for this process itself."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    found = [resource.getrlimit(getattr(resource, name))[0] for name in OWN_LIMITS if hasattr(resource, name)]
    return [limit for limit in found if limit != resource.RLIM_INFINITY]


def group_limits(process: Path = Path("/proc/self")) -> list[int]:
    """The limits of the control groups that the process is in, and of all groups around them."""
    try:
        mounts = list(_mounts((process / "mountinfo").read_text()))
        groups = dict(_groups((process / "cgroup").read_text()))
    except (OSError, ValueError):  # no Linux, or hidden
        return []
    found = []
    for kind, root, place in mounts:
        if kind in groups:
            found += [limit for folder in _around(groups[kind], root, place) for limit in _limits(kind, folder)]
    return found


def _mounts(mountinfo: str) -> Iterator[tuple[str, PurePosixPath, Path]]:
    """Where groups that limit memory can be read: the type, the group that is seen there, and the folder."""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = [*after.split(" "), "", ""][:3]
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            root, place = before.split(" ")[3:5]
            yield kind, PurePosixPath(root), Path(place.replace("\\040", " "))


def _groups(cgroup: str) -> Iterator[tuple[str, PurePosixPath]]:
    """The group of the process, by the type of the file system where it is found."""
    for line in cgroup.splitlines():
        number, controllers, group = line.split(":", 2)
        if number == "0" and not controllers:
            yield "cgroup2", PurePosixPath(group)
        elif "memory" in controllers.split(","):
            yield "cgroup", PurePosixPath(group)


def _around(group: PurePosixPath, root: PurePosixPath, place: Path) -> list[Path]:
    """The folders of a group and of all that it is in. A container may see no more than its own, at the very place."""
    inside = group.relative_to(root) if group.is_relative_to(root) else PurePosixPath()
    folder = place / inside if ".." not in inside.parts else place
    return [folder, *(above for above in folder.parents if above == place or place in above.parents)]


def _limits(kind: str, folder: Path) -> Iterator[int]:
    for name in GROUP_FILES[kind]:
        try:
            text = (folder / name).read_text().strip()
        except OSError:  # the outermost group has no limits
            continue
        if text.isdecimal():  # and not "max"
            yield int(text)
