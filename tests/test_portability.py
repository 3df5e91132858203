"""What one system has and others lack is used with care: no call of POSIX alone without a look at where it is.

Windows and macOS are not tested by machines here, so this reads the code, and imports it where those calls are gone.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "ponderosa"
FILES = sorted(PACKAGE.rglob("*.py"))
LACKING = {
    "os": {
        *("fork", "forkpty", "killpg", "getuid", "geteuid", "getgid", "getegid", "sysconf", "statvfs", "mkfifo"),
        *("sched_getaffinity", "sched_setaffinity", "fchmod", "fchown", "chown", "setsid", "setpgid", "getpgid"),
        *(
            "setpriority",
            "nice",
            "getloadavg",
            "uname",
            "openpty",
            "pread",
            "pwrite",
            "waitpid",
            "set_blocking",
            "kill",
        ),
        *("rename", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "WNOHANG", "register_at_fork", "posix_spawn"),
    },
    "signal": {
        *("SIGKILL", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGCHLD", "SIGTSTP", "SIGCONT", "SIGQUIT"),
        *("pthread_sigmask", "pthread_kill", "setitimer", "alarm", "sigwait", "siginterrupt", "pause"),
    },
}
"""What Windows lacks, or does otherwise: `os.rename` does not replace there, `os.kill` always kills."""
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "select", "syslog", "curses", "readline"}
KEYWORDS = {"start_new_session", "preexec_fn", "process_group", "pass_fds", "dir_fd"}
GUARD = re.compile(r"hasattr\(os,|getattr\(os,|sys\.platform|WINDOWS|KEPT|ImportError|AttributeError")
MENTIONED = re.compile(
    rf"\b(?:{'|'.join(LACKING)})\.(?:{'|'.join(sorted({*LACKING['os'], *LACKING['signal']}))})\b|from (?:os|signal) "
    rf"|\b(?:{'|'.join(sorted(KEYWORDS))})=|\b(?:import|from) (?:{'|'.join(sorted(MODULES))})\b"
)
ONLY_ON_POSIX = {"system/program_keeper.py"}
"""Started by system/programs.py where programs have a keeper, and nowhere else."""


def used(node: ast.AST) -> str:
    """What a node uses that not every system has; empty: nothing."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        name, lacking = node.attr, LACKING.get(node.value.id, set())
        return f"{node.value.id}.{name}" if name in lacking else ""
    if isinstance(node, ast.ImportFrom) and node.module in LACKING:
        return ", ".join(alias.name for alias in node.names if alias.name in LACKING[node.module or ""])
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        return ", ".join(name for name in names if name.partition(".")[0] in MODULES)
    return node.arg if isinstance(node, ast.keyword) and node.arg in KEYWORDS else ""


def unguarded(source: str) -> Iterator[str]:
    """What is used outside of functions that look at where they are."""
    if not MENTIONED.search(source):
        return
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lines = source.splitlines()
    careful = [f for f in functions if GUARD.search("\n".join(lines[f.lineno - 1 : f.end_lineno]))]
    inside = {id(node) for function in careful for node in ast.walk(function)}
    for node in ast.walk(tree):
        name = used(node)
        if name and id(node) not in inside:
            yield f"line {getattr(node, 'lineno', 0) or node.value.lineno}: {name}"  # type: ignore[attr-defined]


def test_no_call_of_one_system_is_made_without_a_look_at_where_it_is():
    found = {}
    for path in FILES:
        name = path.relative_to(PACKAGE).as_posix()
        found[name] = [] if name in ONLY_ON_POSIX else list(unguarded(path.read_text(encoding="utf-8")))
    assert {name: calls for name, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "os.kill(1, 9)",
        "signal.SIGALRM",
        "os.rename(a, b)",
        "subprocess.Popen(x, start_new_session=True)",
        "def f():\n    os.fork()",
        "from os import killpg",
    ],
)
def test_such_a_call_is_noticed(line):
    assert len(list(unguarded(line))) == 1
    if not line.startswith("def"):
        careful = f"def f():\n    if sys.platform != 'win32':\n        {line}"
        assert list(unguarded(careful)) == []


SINGLE = re.compile(r"(?:pip install|ponderosa (?:play|serve|match|watch|analyze)) [^\n\"]*'[^'\n]+'")
"""A command in whose text single quotes hold a word together, which cmd on Windows takes for letters."""


def test_commands_in_messages_are_quoted_so_that_cmd_takes_them_too():
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"(?:pip install|ponderosa) [^\n\"]*'[^'\n]*\[\w+\]'", source), path
        if "ponderosa play" in source or "ponderosa serve" in source or "pip install" in source:
            words = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
            assert [text for text in words if isinstance(text, str) and SINGLE.search(text)] == []
    assert SINGLE.search("needs more: pip install 'ponderosa[web]'")


def test_texts_are_read_in_utf8_whatever_the_system_prefers():
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if ".read_text(" in source else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "read_text":
                own = path.name == "memory_limits.py"  # what Linux says of itself
                assert own or any(word.arg == "encoding" for word in node.keywords), f"{path}:{node.lineno}"


ELSEWHERE = r"""
import sys, os, signal
import numpy, numba, typer, rich.console, platformdirs, subprocess, multiprocessing, asyncio, sqlite3, tempfile
GONE = ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "readline", "select")
for name in GONE:
    sys.modules[name] = None
for name in ("fork", "killpg", "geteuid", "getuid", "sysconf", "sched_getaffinity", "setpgid", "setpriority"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGHUP", "SIGPIPE", "SIGCHLD"):
    if hasattr(signal, name):
        delattr(signal, name)
import pkgutil, importlib
import ponderosa
rooms = "system compile core games mcts agents adapters arena cli protocols connect"
for room in rooms.split():
    package = importlib.import_module(f"ponderosa.{room}")
    for found in pkgutil.walk_packages(package.__path__, f"ponderosa.{room}."):
        if not found.name.endswith("program_keeper") and ".templates" not in found.name:
            try:
                importlib.import_module(found.name)
            except ImportError as error:  # other packages, which may not be here
                assert error.name not in GONE, found.name
report = ponderosa.Search(ponderosa.load_game("tictactoe")).run(iterations=50)
print(report.iterations)
"""


@pytest.mark.slow
def test_everything_is_imported_and_a_search_runs_where_posix_is_not():
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.stdout.strip() == "50", done.stderr
