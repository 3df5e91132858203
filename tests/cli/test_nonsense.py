"""Every command with nonsense: a message on stderr that says what would be right, an exit code, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from ponderosa.core.rules import jit_enabled
from tests.cli.conftest import Run

MANY_DIGITS = "9" * 400
WITH_GAME = {
    "play": ["play", "{}"],
    "watch": ["watch", "{}", "random", "random"],
    "analyze": ["analyze", "{}", "--iterations", "50"],
    "bench": ["bench", "{}", "--seconds", "0.01"],
    "check": ["check", "{}", "--games", "5"],
}
WITH_AGENT = {
    "play": ["play", "tictactoe", "--agent", "{}"],
    "watch": ["watch", "tictactoe", "random", "{}"],
    "analyze": ["analyze", "tictactoe", "--agent", "{}"],
}
BAD_GAMES = {
    "conect4": "did you mean 'connect4'?",
    "": "''",
    "[red]x[/red]": "unknown game '[red]x[/red]'",
    "connect4:rowz=3": "did you mean 'rows'?",
    "connect4:rows=x": "must be a whole number, not 'x'",
    "connect4:rows": "not of the form key=value",
    "connect4:rows=3,rows=4": "twice",
    "connect4:rows=-3": "rows",
    "tictactoe:n=0": "0 x 0",
    "./nope.py:Nim": "there is no file './nope.py'",
}
BAD_AGENTS = {
    "mtcs": "did you mean 'mcts'?",
    "": "''",
    "mcts:seconds=soon": "must be a number, not 'soon'",
    "mcts:seconds=-1": "seconds must be more than 0",
    "mcts:iterations=0": "iterations must be more than 0",
    "mcts:select=usb1": "did you mean 'ucb1'?",
    "mcts:epsilon=0.1": "'epsilon'",
    "mcts:c=-1": "c must be a number of at least 0",
    "mcts:c=nan": "c must be a number of at least 0, not nan",
    "mcts:select=puct,c=inf": "c must be a number from 0 to 1e+12, not inf",
    "mcts:iterations=-1": "iterations must be more than 0, not -1",
    "mcts:seconds=1e400": "seconds must be more than 0, and at most 86,400, not inf",
    "mcts:rollouts=1000000000": "rollouts must be a whole number from 1 to 10000",
}


def filled(arguments: list[str], value: str) -> list[str]:
    return [value if argument == "{}" else argument for argument in arguments]


@pytest.mark.parametrize("command", WITH_GAME)
@pytest.mark.parametrize("game", BAD_GAMES)
def test_a_game_that_cannot_be(ponderosa: Run, command: str, game: str) -> None:
    ran = ponderosa(*filled(WITH_GAME[command], game))
    assert (ran.code, ran.out) == (2, "")
    assert BAD_GAMES[game] in ran.err


@pytest.mark.parametrize("command", WITH_AGENT)
@pytest.mark.parametrize("agent", BAD_AGENTS)
def test_an_agent_that_cannot_be(ponderosa: Run, command: str, agent: str) -> None:
    ran = ponderosa(*filled(WITH_AGENT[command], agent))
    assert (ran.code, ran.out) == (2, "")
    assert BAD_AGENTS[agent] in ran.err


@pytest.mark.parametrize("command", WITH_GAME)
@pytest.mark.parametrize("text", ["class Nim(:\n", "1 / 0\n", "import nowhere_at_all\n"])
def test_a_file_that_is_no_python(ponderosa: Run, tmp_path: Path, command: str, text: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    ran = ponderosa(*filled(WITH_GAME[command], f"{file}:Nim"))
    assert (ran.code, ran.out) == (1, "")
    assert "cannot be loaded" in ran.err


@pytest.mark.parametrize("command", WITH_GAME)
def test_a_file_without_that_class(ponderosa: Run, nim: str, command: str) -> None:
    ran = ponderosa(*filled(WITH_GAME[command], f"{nim}:Nothing"))
    assert (ran.code, ran.out) == (2, "")
    assert "Nim" in ran.err


@pytest.mark.parametrize("command", ["play", "watch", "analyze"])
@pytest.mark.parametrize(
    ("moves", "complaint"),
    [
        ("4 9", "move 2: '9' is not a legal action here; legal: 1, 2"),
        ("hello", "move 1: 'hello'"),
        ("4 4 4 4 4 4 4", "7"),
    ],
)
def test_moves_that_cannot_be_made(ponderosa: Run, command: str, moves: str, complaint: str) -> None:
    ran = ponderosa(*filled(WITH_GAME[command], "connect4"), "--moves", moves)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze", "connect4", "--seconds", "-1"],
        ["analyze", "connect4", "--seconds", "0"],
        ["analyze", "connect4", "--seconds", "nan"],
        ["analyze", "connect4", "--seconds", "inf"],
        ["analyze", "connect4", "--seconds", "soon"],
        ["analyze", "connect4", "--iterations", "0"],
        ["analyze", "connect4", "--iterations", "-5"],
        ["analyze", "connect4", "--iterations", "2.5"],
        ["analyze", "connect4", "--seed", "-1"],
        ["analyze", "connect4", "--seed", "x"],
        ["analyze", "connect4", "--agent", "random"],
        ["analyze", "connect4", "--agent", "random", "--seconds", "1"],
        ["bench", "tictactoe", "--seconds", "-1"],
        ["bench", "tictactoe", "--seconds", "nan"],
        ["check", "tictactoe", "--games", "0"],
        ["check", "tictactoe", "--games", "-3"],
        ["check", "tictactoe", "--games", "many"],
        ["play", "tictactoe", "--first", "you"],
        ["play"],
        ["watch", "tictactoe", "random"],
        ["match", "tictactoe", "random", "random", "--games", "2", "--seed", MANY_DIGITS],
        ["match", "tictactoe", "random", "random", "--games", "2", "--iterations", MANY_DIGITS],
        ["cache", "show", "--all"],
        ["warmup", "now"],
        ["new", "My Game"],
        ["new", "class"],
        ["games", "--yaml"],
        ["pley", "tictactoe"],
    ],
    ids=lambda arguments: " ".join(arguments)[:60],
)
def test_options_that_cannot_be(ponderosa: Run, arguments: list[str]) -> None:
    ran = ponderosa(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.strip()


@pytest.mark.parametrize("agent", ["mcts", "strong", "minimax"])
def test_a_game_that_is_over_cannot_be_analyzed(ponderosa: Run, agent: str) -> None:
    ran = ponderosa("analyze", "tictactoe", "--moves", "a1 a2 b1 b2 c1", "--agent", agent, "--seconds", "0.05")
    assert (ran.code, ran.out) == (1, "")
    assert "the game is over" in ran.err


@pytest.mark.parametrize("content", [None, b"", b"hello", b"PK\x03\x04 not a real archive"])
def test_a_file_that_is_no_tree(ponderosa: Run, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "tree.npz"
    if content is not None:
        file.write_bytes(content)
    ran = ponderosa("analyze", "connect4", "--tree", str(file), "--iterations", "50")
    assert (ran.code, ran.out) == (1, "")
    assert str(file) in ran.err


def test_a_folder_is_no_tree(ponderosa: Run, tmp_path: Path) -> None:
    assert ponderosa("analyze", "connect4", "--tree", str(tmp_path), "--iterations", "50").code == 1


def test_a_tree_of_another_game(ponderosa: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "tree.npz")
    assert ponderosa("analyze", "tictactoe", "--iterations", "50", "--save", file).code == 0
    for game in ("connect4", "tictactoe:n=4"):
        ran = ponderosa("analyze", game, "--tree", file, "--iterations", "50")
        assert (ran.code, ran.out) == (1, "")
        assert "'tictactoe'" in ran.err


def test_a_folder_is_no_place_for_a_tree(ponderosa: Run, tmp_path: Path) -> None:
    ran = ponderosa("analyze", "tictactoe", "--iterations", "50", "--save", str(tmp_path))
    assert ran.code == 1
    assert "cannot write" in ran.err


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
@pytest.mark.usefixtures("compiled")
def test_a_rule_that_cannot_be_compiled(ponderosa: Run, nim: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    source = (
        Path(nim).read_text().split("class Three")[0].replace("class Nim(Game):", "class Odd(Game):\n    dtype = D")
    )
    file.write_text("import numpy as np\nD = np.dtype([('heaps', 'i4', 2), ('player', 'i1')])\n" + source)
    for command, arguments in WITH_GAME.items():
        ran = ponderosa(*filled(arguments, f"{file}:Odd"))
        assert ran.code == 1, command
        assert "legal_actions" in ran.out + ran.err or "cannot be compiled" in ran.out + ran.err
