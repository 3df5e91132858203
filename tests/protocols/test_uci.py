"""The protocol of chess programs as dialogues: what a user interface says, and what it is answered."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ponderosa import Search
from ponderosa.alphabeta.deepening import Deepening
from ponderosa.cli.engines.uci import ChessThinker, move_text
from ponderosa.core.budget import Budget
from ponderosa.games.chess import Chess
from ponderosa.protocols.thought import Thought
from ponderosa.protocols.uci import Session
from ponderosa.protocols.uci_go import Go
from ponderosa.protocols.uci_info import MOST_CENTIPAWNS, centipawns, info_lines, score
from ponderosa.protocols.uci_options import Options
from tests.helpers import PATIENCE, loaded, running
from tests.protocols.dialogue import Clock

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1"
SHORT = "6k1/8/4K3/6N1/8/3B4/8/8 w - - 88 60"
"""A draw by fifty moves is near."""
ENDGAME = "6k1/5ppp/8/8/8/8/1P6/R5K1 b - - 0 1"
MATED = "4R1k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"


def chess(fen: str | None) -> Any:
    return (loaded("chess") if fen is None else Chess(fen)).new_initial_state()


class Player:
    """Plays the moves that it is given, else the first one; waits to be stopped where it is asked to wait."""

    def __init__(self, *moves: str, reports: tuple[Any, ...] = ()) -> None:
        self.moves, self.reports = list(moves), reports
        self.states: list[Any] = []
        self.asked: list[Go] = []
        self.thinks = threading.Event()

    def __call__(self, state: Any, asked: Go, options: Options, should_stop: Any, watch: Any) -> Thought:
        self.states.append(state.clone())
        self.asked.append(asked)
        for report in self.reports:
            watch(report)
        self.thinks.set()
        while asked.waits and not should_stop():
            pass
        return Thought(state.legal_action(self.moves.pop(0)) if self.moves else state.legal_actions()[0])


def dialogue(lines: Any, player: Player | None = None, clock: Any = None) -> list[str]:
    output = io.StringIO()
    options = Options("mcts", lambda text: None)
    Session(chess, player or Player(), lambda options: None, move_text, output, options, clock or Clock()).run(lines)
    return output.getvalue().splitlines()


def asked(line: str, *before: str) -> Go:
    player = Player()
    dialogue([*before, line], player)
    return player.asked[0]


def test_says_who_it_is_and_what_can_be_set() -> None:
    name, author, *options, end = dialogue(["uci"])
    assert name.startswith("id name Ponderosa") and author.startswith("id author") and end == "uciok"
    assert {re.sub(r"option name (.*) type .*", r"\1", line) for line in options} == {
        *("Agent", "Hash", "MultiPV", "Move Overhead", "Ponder")
    }


def test_positions_are_followed_move_by_move() -> None:
    player = Player()
    dialogue(
        [
            "position startpos moves e2e4 e7e5 g1f3",
            "go depth 1",
            f"position fen {MATE_IN_ONE} moves g1h1",
            "go depth 1",
            "ucinewgame",
            "go depth 1",
        ],
        player,
    )
    fens = [state.game.fen(state.record) for state in player.states]
    assert fens == [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        "6k1/5ppp/8/8/8/8/8/4R2K b - - 1 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "position startpos moves e2e5",
        "position fen nonsense",
        "position",
        "position here",
        "setoption name Threads value 4",
        "setoption name MultiPV value 0",
        "setoption value 3",
    ],
)
def test_what_makes_no_sense_is_said_and_changes_nothing(line: str) -> None:
    player = Player()
    said, best = dialogue(["position startpos moves e2e4", line, "go depth 1"], player)
    assert said.startswith("info string ") and line[:60] in said and best.startswith("bestmove ")
    assert [state.history() for state in player.states] == [chess(None).child("e4").history()]


@pytest.mark.parametrize("line", ["go wtime soon", "go sideways"])
def test_who_waits_for_a_move_is_always_answered(line: str) -> None:
    said, best = dialogue([line])
    assert said.startswith("info string ") and best == "bestmove 0000" and "int()" not in said
    assert dialogue([f"position fen {MATED}", "go depth 1"]) == ["bestmove 0000"]


def test_unknown_words_are_passed_over() -> None:
    assert dialogue(["joho", "joho isready", ""]) == ["readyok"]


def test_a_promotion_is_written_with_its_piece() -> None:
    fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    assert dialogue([f"position fen {fen}", "go depth 1"], Player("a7a8n")) == ["bestmove a7a8n"]


# how far to think


def test_every_clock_is_understood() -> None:
    white = asked("go wtime 60000 btime 1000 winc 2000 binc 0").seconds
    black = asked("go wtime 60000 btime 1000 winc 2000 binc 0", "position startpos moves e2e4").seconds
    assert white is not None and 3 < white < 60 / 30 + 2
    assert black is not None and 0 < black < 1 / 30
    last = asked("go wtime 10000 btime 10000 movestogo 1").seconds
    assert last is not None and 8 < last < 9.97
    assert asked("go movetime 500").seconds == pytest.approx(0.47)
    assert asked("go movetime 500", "setoption name Move Overhead value 200").seconds == pytest.approx(0.3)
    assert asked("go wtime 0 btime 0").seconds == pytest.approx(0.001)


def test_limits_without_time() -> None:
    assert asked("go nodes 500") == Go(nodes=500)
    assert asked("go depth 7") == Go(depth=7)
    assert asked("go mate 2") == Go(depth=3)
    only = asked("go searchmoves e2e4 d2d4 nodes 5")
    assert (only.nodes, only.ignored, only.waits) == (5, "searchmoves", False)


def test_it_thinks_until_it_is_stopped_and_listens() -> None:
    for go in ("go infinite", "go"):
        player = Player("e2e4")

        def lines(go: str = go, player: Player = player) -> Iterator[str]:
            yield go
            assert player.thinks.wait(PATIENCE)
            yield "isready"
            yield "stop"

        assert dialogue(lines(), player) == ["readyok", "bestmove e2e4"]


def test_a_stop_that_comes_before_the_thinking_begins_is_not_lost() -> None:
    assert dialogue(["go infinite", "stop", "go infinite", "stop"], Player("e2e4", "d2d4"))[-1] == "bestmove d2d4"


def test_who_is_gone_waits_for_nothing() -> None:
    assert dialogue(["go infinite"], Player("e2e4")) == ["bestmove e2e4"]


def test_a_ponderhit_begins_the_time_of_a_move() -> None:
    class Ticking(Clock):
        def __call__(self) -> float:
            self.now += 0.001
            return self.now

    player, clock = Player("e7e5"), Ticking()

    def lines() -> Iterator[str]:
        yield "position startpos moves e2e4"
        yield "go ponder movetime 1030"
        assert player.thinks.wait(PATIENCE)
        before = clock.now
        yield "ponderhit"
        yield "isready"
        while not done.is_set():
            pass
        assert clock.now > before

    done = threading.Event()

    class Finishing(Player):
        def __call__(self, *given: Any) -> Thought:
            player.thinks.set()
            while not given[3]():
                pass
            done.set()
            return Thought(given[0].legal_action("e7e5"))

    player = Finishing()
    assert dialogue(lines(), player, clock)[-1] == "bestmove e7e5"


# what is told


def test_lines_tell_of_the_best_moves() -> None:
    state = Chess(SHORT).new_initial_state()
    report = Search(state.game, seed=1).run(state, iterations=60)
    asks = "setoption name MultiPV value 3", f"position fen {SHORT}", "go nodes 60"
    said = dialogue(asks, Player(reports=(report,)))
    form = (
        r"info depth \d+ multipv (\d) score cp (-?\d+) nodes 60 nps \d+ time \d+ pv ([a-h][1-8][a-h][1-8][qrbn]? ?)+$"
    )
    assert [re.fullmatch(form, line)[1] for line in said[:-1]] == ["1", "2", "3"]  # type: ignore[index]
    assert said[0].split(" pv ")[1].split()[0] == move_text(state, report.best_action)


def test_no_deeper_than_asked_and_the_best_moves_by_their_own_values() -> None:
    thinker, output = ChessThinker("minimax:branch=none,depth=9"), io.StringIO()
    options = Options("minimax:branch=none,depth=9", lambda text: None)
    lines = f"position fen {ENDGAME}", "go depth 2", "setoption name MultiPV value 3", "go depth 2"
    Session(thinker.new_state, thinker.think, thinker.ready, move_text, output, options).run(lines)
    one, several = output.getvalue().split("bestmove")[:2]
    assert [re.findall(r"depth (\d+) ", told)[-1] for told in (one, several)] == ["2", "2"]
    last = [line for line in several.splitlines() if line.startswith("info depth 2 ")]
    worth = [int(found) for line in last for found in re.findall(r"score cp (-?\d+)", line)]
    alone = {}
    for move in (line.split(" pv ")[1].split()[0] for line in last):
        game = Chess(ENDGAME)
        after = game.new_initial_state().child(move)
        report = Deepening(game, depth=1).run(after, Budget(iterations=10**6))
        alone[move] = centipawns(1 - report.value)
    assert worth == list(alone.values()) == sorted(worth, reverse=True) and len(worth) == 3


def test_a_mate_is_counted_in_moves() -> None:
    state = Chess(MATE_IN_ONE).new_initial_state()
    report = Search(Chess(MATE_IN_ONE), seed=1).run(state, iterations=2000)
    assert report.proven == "win"
    (line,) = info_lines(report, state, move_text, 1, 1.0)
    assert "score mate 1 " in line and line.endswith(" pv e1e8")
    entry = next(entry for entry in report.actions if entry.action == report.best_action)
    assert score(entry, 3) == "mate 2" and score(entry, None) == f"cp {MOST_CENTIPAWNS}"


def test_centipawns_are_those_of_elos_formula() -> None:
    assert (centipawns(0.5), centipawns(0.64), centipawns(0.36)) == (0, 100, -100)
    assert (centipawns(1.0), centipawns(0.0)) == (MOST_CENTIPAWNS, -MOST_CENTIPAWNS)


# the whole program


def test_nodes_and_options_reach_the_agent() -> None:
    thinker, options = ChessThinker("mcts"), Options("mcts")
    state = thinker.new_state(SHORT)
    thought = thinker.think(state, Go(nodes=7), options, lambda: False, lambda report: None)
    assert thought.report is not None and thought.report.iterations == 7
    options.agent = "random"
    assert thinker.think(state, Go(nodes=7), options, lambda: False, lambda report: None).report is None


@pytest.mark.slow
def test_the_program_plays_and_leaves() -> None:
    command = [sys.executable, "-m", "ponderosa", "engine", "uci", "--agent", "mcts:iterations=3"]
    pipe = subprocess.PIPE
    with running(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(f"uci\nposition fen {SHORT} moves e6f6\ngo movetime 60000\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("bestmove"):
            assert line
        assert re.fullmatch(r"bestmove g8[fh]8( ponder \w+)?\n", line)
        process.stdin.write("go infinite\nquit\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0 and process.stderr.read() == ""
