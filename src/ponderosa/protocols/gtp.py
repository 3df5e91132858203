"""The Go Text Protocol, version 2, as a program speaks it that plays. Start at Session.

A controller sends a command a line, with a number before it if it likes; the answer begins with = or, if the command
failed, with ?, repeats the number and ends with an empty line. (https://www.lysator.liu.se/~gunnar/gtp/)
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, TextIO

from ponderosa.core.budget import MOST_SECONDS
from ponderosa.core.clock import Clock, moves_to_come
from ponderosa.core.state import State
from ponderosa.errors import IllegalActionError, PonderosaError
from ponderosa.protocols import gtp_clock
from ponderosa.protocols.gtp_analysis import Analysis, line
from ponderosa.protocols.gtp_games import COLOUR_NAMES, COLOURS, PASS, GtpGame, player_of
from ponderosa.protocols.gtp_handicap import HANDICAP, handicap_points, most_handicap
from ponderosa.protocols.listening import GoneError, Inbox
from ponderosa.protocols.thought import Think, Thought


class RefusedError(PonderosaError):
    """A command that cannot be obeyed; the controller gets the message, and nothing has changed."""


class Session:
    """Plays for a controller: one game after the other, of those that it knows."""

    def __init__(
        self,
        games: Mapping[str, GtpGame],
        first: str,
        new_state: Callable[[str, GtpGame], State],
        think: Think,
        output: TextIO,
        remarks: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`new_state` makes the first position of a game, which is written as text; remarks are for people."""
        self._games, self._new_state, self._think = games, new_state, think
        self._output, self._remarks, self._clock = output, remarks, clock
        self.game = games[first]
        self.size: int | None = None
        self.komi: float | None = None
        """What the controller has asked for; None: as the game usually is."""
        self._begun: State | None = None
        self._past: list[State] = []
        """The position before each move that was played."""
        self.clocks: list[Clock | None] = [None, None]
        self._inbox = Inbox(clock=clock)
        self._number = ""
        self._open = False
        """Whether the answer to the command has begun."""

    def run(self, lines: Iterable[str]) -> None:
        """Obey a controller's lines until it says quit, or until there are no more."""
        self._inbox.listen(lines)
        with contextlib.suppress(GoneError, BrokenPipeError):
            while True:
                _, heard = self._inbox.next()
                words = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", heard.partition("#")[0]).replace("\t", " ").split()
                if words:
                    self._obey(words)

    def _obey(self, words: list[str]) -> None:
        self._number = words.pop(0) if words[0].isdigit() else ""
        self._open = False
        name = words[0] if words else ""
        command = COMMANDS.get(name)
        try:
            if command is None:
                raise RefusedError("unknown command")
            self._answer(command(self, words[1:]))
        except PonderosaError as error:
            self._answer(" ".join(str(error).split()), "?")
        except (ValueError, IndexError):
            self._answer("syntax error", "?")
        if name == "quit":
            raise GoneError

    def _answer(self, text: str, sign: str = "=") -> None:
        """The answer's end, and its beginning if nothing of it was said yet."""
        lines = [each.rstrip() for each in text.splitlines() if each.strip()]
        if not self._open:
            lines[:1] = [f"{sign}{self._number} {lines[0] if lines else ''}".rstrip()]
        self._write("".join(each + "\n" for each in [*lines, ""]))

    def _say(self, text: str) -> None:
        """A line of an answer that goes on."""
        self._write(text + "\n")

    def _begin(self) -> None:
        """The first line of an answer that goes on."""
        self._write(f"={self._number}\n")
        self._open = True

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()

    # what there is

    def _protocol_version(self, words: list[str]) -> str:
        return "2"

    def _name(self, words: list[str]) -> str:
        return "Ponderosa"

    def _version(self, words: list[str]) -> str:
        return version("ponderosa")

    def _known_command(self, words: list[str]) -> str:
        return "true" if words[0] in COMMANDS else "false"

    def _list_commands(self, words: list[str]) -> str:
        return "\n".join(COMMANDS)

    def _quit(self, words: list[str]) -> str:
        return ""

    # which game

    def _list_games(self, words: list[str]) -> str:
        return "\n".join(game.label for game in self._games.values())

    def _set_game(self, words: list[str]) -> str:
        wanted = words[0].lower()
        found = next((game for key, game in self._games.items() if wanted in (key, game.label.lower())), None)
        if found is None:
            raise RefusedError(f"unknown game; there are {', '.join(game.label for game in self._games.values())}")
        self._set_up(game=found, size=None, komi=None)
        return ""

    def _boardsize(self, words: list[str]) -> str:
        sizes = {int(word) for word in words[:2]}
        if not sizes:
            raise ValueError(words)
        if len(sizes) > 1:
            raise RefusedError("unacceptable size: a board is as wide as it is high")
        try:
            self._set_up(size=sizes.pop())
        except PonderosaError as error:
            raise RefusedError(f"unacceptable size: {error}") from None
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self._begun, self._past = self._empty(), []
        return ""

    def _komi(self, words: list[str]) -> str:
        komi = float(words[0])
        if not self.game.komi:
            return ""  # programs send it with every game
        positions = [*self._past, self._state()]
        try:
            self._set_up(komi=komi)
        except PonderosaError as error:
            raise RefusedError(f"unacceptable komi: {error}") from None
        *self._past, self._begun = [self._after(state.history()) for state in positions]
        return ""

    def _set_up(self, **changes: Any) -> None:
        """An empty board with other settings; if there can be none, all is as before."""
        before = {key: getattr(self, key) for key in changes}
        vars(self).update(changes)
        try:
            self._begun, self._past = self._empty(), []
        except PonderosaError:
            vars(self).update(before)
            raise

    def _empty(self) -> State:
        return self._new_state(self.game.spec(self.size, self.komi), self.game)

    def _after(self, actions: Sequence[Any]) -> State:
        """The position that these actions lead to from an empty board, whatever passes were among them."""
        state = self._empty()
        for action in actions:
            if state.is_terminal():
                self.game.forget_passes(state)
            state.apply_action(action)
        return state

    def _state(self) -> State:
        if self._begun is None:
            self._begun = self._empty()
        return self._begun

    # moves

    def _play(self, words: list[str]) -> str:
        player, vertex = _player(words[0]), words[1]
        if vertex.lower() != "resign":
            self._place(player, vertex)
        return ""

    def _place(self, player: int, vertex: str) -> None:
        after = self._with_turn(player)
        try:
            after.apply_action(self.game.name(vertex))
        except IllegalActionError:
            raise RefusedError("illegal move") from None
        self._past.append(self._state())
        self._begun = after

    def _with_turn(self, player: int) -> State:
        """A copy of the position in which a player is to move.

        Whoever was to move has passed, where that can be; nobody has said so, and it ends no game.
        """
        state = self._played_on()
        if state.is_terminal():
            raise RefusedError("illegal move: the game is over")
        if state.to_move() != player:
            passing = [action for action in state.legal_actions() if state.action_to_string(action) == PASS]
            if not passing:
                raise RefusedError(f"illegal move: it is {COLOUR_NAMES[1 - player]}'s turn")
            state.apply_action(passing[0])
            self.game.forget_passes(state)
            if state.is_terminal():
                raise RefusedError("illegal move: the game is over")
        return state

    def _played_on(self) -> State:
        """A copy of the position; where passes have ended the game, of the one before them: people may go on."""
        state = self._state()
        if not (state.is_terminal() and self.game.komi):
            return state.clone()
        actions = state.history()
        while actions and state.action_to_string(actions[-1]) == PASS:
            del actions[-1]
        return self._after(actions)

    def _undo(self, words: list[str]) -> str:
        times = int(words[0]) if words else 1
        if not 0 < times <= len(self._past):
            raise RefusedError("cannot undo")
        self._begun = self._past[-times]
        del self._past[-times:]
        return ""

    def _genmove(self, words: list[str]) -> str:
        return self._generated(Analysis.asked(words[:1], False))

    def _reg_genmove(self, words: list[str]) -> str:
        return self._generated(Analysis.asked(words[:1], False), keep=False)

    def _generated(self, asked: Analysis, keep: bool = True, tell: bool = False) -> str:
        """Think, place the stone unless it is only asked for, and say where."""
        player = self._state().to_move() if asked.player is None else asked.player
        if self._state().is_terminal():
            if self.game.kind not in ("go", "othello"):
                raise RefusedError("the game is over")
            return PASS
        begun, state = self._clock(), self._with_turn(player)
        seconds, most = self._seconds(state, player) if keep else (None, None)
        thought = self._thought(state, seconds, asked if tell else None, most=most)
        vertex = self.game.vertex(state.action_to_string(thought.action))
        if keep:
            self._place(player, vertex)
            clock = self.clocks[player]
            self.clocks[player] = clock and gtp_clock.after(clock, self._clock() - begun)
        return vertex

    def _thought(
        self,
        state: State,
        seconds: float | None,
        tell: Analysis | None,
        for_ever: bool = False,
        most: float | None = None,
    ) -> Thought:
        """What the agent thinks; lines of analysis are told on the way."""
        shown = [self._clock()]

        def watch(report: Any) -> None:
            if tell is not None and self._clock() - shown[0] >= tell.interval:
                shown[0] = self._clock()
                self._tell(report, tell)

        stop = self._inbox.lines_wait if for_ever else never
        thought = self._think(state, seconds, None, stop, watch, most_seconds=most)
        if tell is not None and thought.report is not None:
            self._tell(thought.report, tell)
        if thought.note and tell is None:
            self._remarks.write(thought.note + "\n")
            self._remarks.flush()
        return thought

    def _tell(self, report: Any, asked: Analysis) -> None:
        text = line(report, self.game.vertex, asked)
        if text:
            self._say(text)

    def _analyze(self, words: list[str], shares: bool) -> str:
        """Think until there is another line, and tell of it all the time."""
        asked = Analysis.asked(words, shares)
        state = self._with_turn(self._state().to_move() if asked.player is None else asked.player)
        self._begin()
        self._thought(state, MOST_SECONDS, asked, for_ever=True)
        self._inbox.wait()
        return ""

    def _genmove_analyze(self, words: list[str], shares: bool) -> str:
        asked = Analysis.asked(words, shares)
        self._state()
        self._begin()
        return "play " + self._generated(asked, tell=True)

    # time

    def _time_settings(self, words: list[str]) -> str:
        clock = gtp_clock.canadian(float(words[0]), float(words[1]), int(words[2]))
        self.clocks = [clock, clock]
        return ""

    def _kinds_of_time(self, words: list[str]) -> str:
        return "\n".join(gtp_clock.KINDS)

    def _time_settings_by_kind(self, words: list[str]) -> str:
        clock = gtp_clock.settings(words)
        self.clocks = [clock, clock]
        return ""

    def _time_left(self, words: list[str]) -> str:
        player = _player(words[0])
        self.clocks[player] = gtp_clock.told(self.clocks[player], float(words[1]), int(words[2]))
        return ""

    def _seconds(self, state: State, player: int) -> tuple[float | None, float | None]:
        """How long to think about a move, and about a hard one; None: there is no clock."""
        clock = self.clocks[player]
        if clock is None:
            return None, None
        moves = moves_to_come(len(state.history()), 2, state.game.max_game_length)
        return clock.plan(moves), clock.most(moves)

    # the board

    def _showboard(self, words: list[str]) -> str:
        return f"\n{self._state()}"

    def _final_score(self, words: list[str]) -> str:
        """By Tromp and Taylor, of the board as it is; elsewhere whoever has won."""
        state = self._state().clone()
        if self.game.komi:
            while not state.is_terminal():
                state.apply_action(PASS)
            margin = float(state.record.margin) / 2
            return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"
        if not state.is_terminal():
            raise RefusedError("cannot score: the game is not over")
        returns = state.returns()
        return "0" if returns[0] == returns[1] else f"{COLOURS[returns[1] > returns[0]].upper()}+"

    def _final_status_list(self, words: list[str]) -> str:
        """What stands on the board is alive."""
        if words[0] not in ("alive", "dead", "seki"):
            raise RefusedError("syntax error: alive, dead or seki")
        if words[0] != "alive":
            return ""
        return " ".join(vertex for row in self._rows() for vertex, stone in row if stone)

    def _fixed_handicap(self, words: list[str]) -> str:
        size = len(self._state().game.row_labels())
        stones = int(words[0])
        if self._past or not self.game.komi:
            raise RefusedError("board not empty" if self._past else "this game has no handicap")
        if stones not in HANDICAP or stones > most_handicap(size):
            raise RefusedError("invalid number of stones")
        return self._put(handicap_points(stones, size))

    def _set_free_handicap(self, words: list[str]) -> str:
        if self._past or not self.game.komi:
            raise RefusedError("board not empty" if self._past else "this game has no handicap")
        if len(words) < 2 or len({word.upper() for word in words}) != len(words) or PASS in map(str.lower, words):
            raise RefusedError("bad vertex list")
        return self._put(words)

    def _put(self, vertices: list[str]) -> str:
        """Stones of Black alone, all or none."""
        for vertex in vertices:
            try:
                self._place(0, vertex)
            except PonderosaError:
                self._begun, self._past = self._empty(), []
                raise RefusedError("bad vertex list") from None
        return " ".join(vertices)

    def _rows(self) -> list[list[tuple[str, str]]]:
        """The board as the protocol sees it, the highest row first: each point, and the letter of its stone."""
        state = self._state()
        cells = state.game.cells(state.record)
        assert cells is not None
        rows = zip(state.game.row_labels(), cells, strict=True)
        columns = state.game.column_labels()
        by_row = sorted(rows, key=lambda row: -int(row[0]))
        return [
            [(self.game.vertex(column + label), str(stone)) for column, stone in zip(columns, stones, strict=True)]
            for label, stones in by_row
        ]

    # for GoGui, which shows other games than Go to whoever tells it their rules

    def _game_id(self, words: list[str]) -> str:
        return self.game.label

    def _rules_board(self, words: list[str]) -> str:
        return "\n".join(" ".join(stone or "." for _, stone in row) for row in self._rows())

    def _rules_board_size(self, words: list[str]) -> str:
        return str(len(self._state().game.row_labels()))

    def _rules_legal_moves(self, words: list[str]) -> str:
        state = self._state()
        return " ".join(self.game.vertex(state.action_to_string(action)) for action in state.legal_actions())

    def _rules_side_to_move(self, words: list[str]) -> str:
        return COLOUR_NAMES[max(self._state().to_move(), 0)]

    def _rules_final_result(self, words: list[str]) -> str:
        return self._final_score(words) if self._state().is_terminal() else ""


def never() -> bool:
    """A move is thought about to its end; a controller that has gone may have left its commands."""
    return False


def _player(colour: str) -> int:
    player = player_of(colour)
    if player is None:
        raise RefusedError("syntax error: a colour is b, w, black or white")
    return player


COMMANDS: dict[str, Callable[[Session, list[str]], str]] = {
    "protocol_version": Session._protocol_version,
    "name": Session._name,
    "version": Session._version,
    "known_command": Session._known_command,
    "list_commands": Session._list_commands,
    "quit": Session._quit,
    "list_games": Session._list_games,
    "set_game": Session._set_game,
    "boardsize": Session._boardsize,
    "clear_board": Session._clear_board,
    "komi": Session._komi,
    "play": Session._play,
    "undo": Session._undo,
    "gg-undo": Session._undo,
    "genmove": Session._genmove,
    "reg_genmove": Session._reg_genmove,
    "time_settings": Session._time_settings,
    "kata-list_time_settings": Session._kinds_of_time,
    "kata-time_settings": Session._time_settings_by_kind,
    "kgs-time_settings": Session._time_settings_by_kind,
    "time_left": Session._time_left,
    "showboard": Session._showboard,
    "final_score": Session._final_score,
    "final_status_list": Session._final_status_list,
    "fixed_handicap": Session._fixed_handicap,
    "place_free_handicap": Session._fixed_handicap,
    "set_free_handicap": Session._set_free_handicap,
    "lz-analyze": lambda session, words: session._analyze(words, False),
    "kata-analyze": lambda session, words: session._analyze(words, True),
    "lz-genmove_analyze": lambda session, words: session._genmove_analyze(words, False),
    "kata-genmove_analyze": lambda session, words: session._genmove_analyze(words, True),
    "gogui-rules_game_id": Session._game_id,
    "gogui-rules_board": Session._rules_board,
    "gogui-rules_board_size": Session._rules_board_size,
    "gogui-rules_legal_moves": Session._rules_legal_moves,
    "gogui-rules_side_to_move": Session._rules_side_to_move,
    "gogui-rules_final_result": Session._rules_final_result,
}
