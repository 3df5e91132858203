"""Running the command line in this process. Start at ponderosa."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ponderosa.cli import main
from tests.plain_python import compiled, in_plain_python  # noqa: F401

NIM = '''
from ponderosa import Game, rule

class Nim(Game):
    """Take from one [b]heap[/b]; whoever takes the last stone wins."""

    def __init__(self, heaps: tuple = (1, 2)):
        self.heaps = heaps

    def setup(self, s):
        s.heaps, s.player = list(self.heaps), 0

    def action_to_string(self, s, a):
        return f"take {a[1]} from {a[0]}"

    def draw(self, s):
        return f"[b]{s.heaps}[/b] :smile:"

    @rule
    def current_player(s):
        return s.player

    @rule
    def legal_actions(s):
        return [(heap, take) for heap, stones in enumerate(s.heaps) for take in range(1, stones + 1)]

    @rule
    def apply_action(s, a):
        s.heaps[a[0]] -= a[1]
        s.player = 1 - s.player

    @rule
    def is_terminal(s):
        return sum(s.heaps) == 0

    @rule
    def returns(s):
        return (-1.0, 1.0) if s.player == 0 else (1.0, -1.0)

class Three(Nim):
    """Three take turns; whoever takes the last stone gets 6, the others lose 3."""

    players, min_utility, max_utility = 3, -3.0, 6.0

    @rule
    def apply_action(s, a):
        s.heaps[a[0]] -= a[1]
        s.player = (s.player + 1) % 3

    @rule
    def returns(s):
        return [6.0 if player == (s.player - 1) % 3 else -3.0 for player in range(3)]

class Alone(Nim):
    """One player takes stones until there are none."""

    players = 1

    @rule
    def apply_action(s, a):
        s.heaps[a[0]] -= a[1]

    @rule
    def returns(s):
        return [0.5]

class Broken(Nim):
    """Pays more than it declares."""

    @rule
    def returns(s):
        return (-7.0, 7.0)
'''


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    """Its exit code."""
    out: str
    """Its results."""
    err: str
    """Its messages."""

    @property
    def moves(self) -> str:
        """The moves of the game that was played."""
        return self.out.rpartition("Moves: ")[2].strip()


Run = Callable[..., Ran]


@pytest.fixture
def ponderosa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with what a person types; no command may ever show a traceback."""

    def run(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as left:
            main(arguments)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(int(left.value.code or 0), out, err)

    return run


@pytest.fixture
def nim(tmp_path: Path) -> str:
    """A file with games of one's own: Nim, Three, Alone and Broken."""
    file = tmp_path / "nim.py"
    file.write_text(NIM)
    return str(file)
