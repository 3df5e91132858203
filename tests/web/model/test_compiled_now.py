"""Whoever waits on the page for a game is told what is compiled, and how far that is."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ponderosa.compile.progress import listening, tell
from ponderosa.compile.waiting import HowFar
from ponderosa.registry import load_game
from ponderosa.system.delegation import errand
from ponderosa.web.drawing.waiting import compiling_words, preparing
from ponderosa.web.model import elsewhere
from ponderosa.web.model.compiled_now import Compiled, compiled_now
from ponderosa.web.model.elsewhere import Helper, wanted

pytest.importorskip("nicegui")

from ponderosa.web.views.waiting import told_meanwhile


def test_what_a_thread_compiles_is_known_meanwhile_and_forgotten_afterwards():
    gomoku, chess = load_game("gomoku"), load_game("chess")
    with wanted(gomoku), errand.at_work():
        assert compiled_now() is None
        tell("is_terminal")
        found = compiled_now()
        assert found is not None and found.game == "Gomoku" and found.far.share == 0
        tell("apply_action")
        assert compiled_now(gomoku).far.share > 0
        assert compiled_now(chess) is None
    assert compiled_now() is None


def test_an_agent_that_thinks_after_something_was_compiled_compiles_nothing_any_more():
    with wanted(load_game("gomoku"), "mcts"):
        with errand.at_work():
            tell("play")
            assert compiled_now() is not None
        assert compiled_now() is None


def test_what_another_thread_compiles_is_told_of_its_own_game():
    others, go = threading.Event(), threading.Event()

    def other() -> None:
        with wanted(load_game("chess")), errand.at_work():
            tell("is_terminal")
            others.set()
            go.wait()

    thread = threading.Thread(target=other)
    thread.start()
    others.wait()
    with wanted(load_game("gomoku")), errand.at_work():
        tell("is_terminal")
        assert compiled_now(load_game("gomoku")).game == "Gomoku"
    assert compiled_now().game == "Chess"
    go.set()
    thread.join()


def test_what_a_helper_compiles_is_told_part_by_part(monkeypatch):
    heard = []
    helper, process = Helper(), type("Program", (), {})()
    process.stdin, process.stdout = io.StringIO(), io.StringIO("part is_terminal\npart done\ndone\n")
    helper._process = process
    with listening(heard.append):
        assert helper._ask(["gomoku", ""])
    assert heard == ["is_terminal", "done"] and json.loads(process.stdin.getvalue()) == ["gomoku", ""]


def test_a_helper_says_every_part_before_it_is_done(monkeypatch, tmp_path):
    said = tmp_path / "said"
    monkeypatch.setattr(elsewhere, "prepare", lambda game, agent: (tell(game), tell(agent)))
    monkeypatch.setattr(elsewhere.sys, "stdin", io.StringIO('["one", "two"]\n["three", "four"]\n'))
    monkeypatch.setattr(elsewhere.os, "dup", lambda _: said.open("w"))
    monkeypatch.setattr(elsewhere.os, "fdopen", lambda file, _: file)
    monkeypatch.setattr(elsewhere.os, "dup2", lambda *_: None)
    # the process that tests is as large as it is, and nothing may end it when nobody has asked for long
    monkeypatch.setattr(elsewhere, "_grown_to", lambda: 0)
    monkeypatch.setattr(elsewhere, "_patience", lambda: threading.Timer(0, print))
    elsewhere.main()
    assert said.read_text().splitlines() == ["part one", "part two", "done", "part three", "part four", "done"]


def test_the_line_above_the_board_names_the_game_and_the_time_and_has_a_bar():
    assert "Preparing" in preparing(None)
    line = preparing(Compiled("Tic & tac", HowFar(0.4, 8.7)))
    assert "Compiling Tic &amp; tac, once, about 9 s in all" in line and "width:40%" in line
    assert "about" not in preparing(Compiled("Go", HowFar(0.0, None)))


def test_beside_a_board_its_own_name_is_not_said_again():
    made = Compiled("Gomoku", HowFar(0.5, 3.0))
    assert compiling_words(made, load_game("gomoku")) == "compiling, once, about 3 s in all"
    assert compiling_words(made, load_game("chess")) == "compiling Gomoku, once, about 3 s in all"


class Status:
    """What a status line was told to show."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def show(self, content: str) -> None:
        self.shown.append(content)


@pytest.mark.parametrize("fails", [False, True])
def test_a_view_tells_how_far_it_is_until_its_game_is_ready(fails):
    status, told = Status(), threading.Event()

    def make() -> str:
        with wanted(load_game("gomoku")), errand.at_work():
            tell("is_terminal")
            told.wait()
        if fails:
            raise ValueError("no game")
        return "a game"

    async def look() -> str:
        work = asyncio.get_running_loop().run_in_executor(None, make)

        async def patient() -> str:
            while not any("Compiling Gomoku" in shown for shown in status.shown):
                await asyncio.sleep(0.01)
            told.set()
            return await work

        return await told_meanwhile(status, patient())  # type: ignore[arg-type]

    with ThreadPoolExecutor(1) as pool:  # where no browser's loop runs
        found = pool.submit(lambda: asyncio.run(look()))
    if fails:
        with pytest.raises(ValueError, match="no game"):
            found.result()
    else:
        assert found.result() == "a game"
