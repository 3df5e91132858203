"""Games as SGF (FF[4], red-bean.com/sgf): Go, Othello, Gomoku, Connect6, Hex. Start at written and read.

A point is two letters, column and row from the upper left corner; in Hex, as that game's specification has it, a letter
and a number, which is how the game itself writes moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ponderosa.core.notation import read_action, replay
from ponderosa.core.spec import split_spec
from ponderosa.errors import IllegalActionError, PonderosaError
from ponderosa.transcripts.sgf_tree import Node, escaped, main_lines, node
from ponderosa.transcripts.transcript import Load, Transcript, TranscriptError, one_line

if TYPE_CHECKING:
    from ponderosa.core.game import Game
    from ponderosa.core.state import State

LABEL = "SGF"
COLOURS = "BW"
OWN = "PONDEROSA"
"""A property of our own, as the format allows: the game with all its settings, so that nothing gets lost."""
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SWAPS = {"swap-pieces": "swap"}
"""Moves of Hex that SGF writes otherwise than the game here."""
GIVEN_UP = ("resign", "forfeit")
"""What stands in Hex where a move would be, when somebody gives up."""
WRITTEN_POINT = re.compile(r"[a-zA-Z]+\d+")


@dataclass(frozen=True)
class Kind:
    """A game that SGF knows."""

    number: str
    """Its number there (GM); empty: it has none."""
    games: tuple[str, ...]
    """Its names here."""
    size: int
    """The size of its usual board."""
    spelled: bool = False
    """Whether moves are written as the game itself does."""

    def spec(self, columns: int, rows: int, root: Node) -> str:
        """The game here with this board."""
        if self.games[0] == "gomoku":
            return "gomoku" if columns == rows == 15 else f"connect:m={rows},n={columns},k=5,p=1,q=1"
        if columns != rows:
            raise TranscriptError(f"{self.games[0]} is played here on square boards, not on {columns} x {rows}")
        if self.games[0] == "connect6":
            return "connect6" if columns == 19 else f"connect:m={rows},n={columns},k=6,p=2,q=1"
        komi = root.get("KM", [""])[0].strip()
        return f"{self.games[0]}:size={columns}" + (f",komi={komi}" if komi and self.games[0] == "go" else "")


KINDS = (
    Kind("1", ("go",), 19),
    Kind("2", ("othello",), 8),
    Kind("4", ("gomoku",), 15),
    Kind("11", ("hex",), 11, spelled=True),
    Kind("", ("connect6",), 19),
)


def holds(transcript: Transcript) -> bool:
    """Whether this is one of the games that the format is for."""
    return _kind_of(transcript.game) is not None


def written(transcript: Transcript) -> str:
    """The game as a file."""
    kind = _kind_of(transcript.game)
    if kind is None:
        raise TranscriptError(f"{transcript.spec} cannot be written as SGF")
    state = transcript.game.new_initial_state()
    rows = _board(state)
    names = dict(zip(("PB", "PW"), map(one_line, transcript.players), strict=False))
    settings: Mapping[str, Any] = transcript.game.parameters
    root = {
        "FF": "4",
        "GM": kind.number,
        "CA": "UTF-8",
        "AP": "Ponderosa",
        "SZ": str(len(rows)) if len(rows) == len(rows[0]) else f"{len(rows[0])}:{len(rows)}",
        "KM": str(settings["komi"]) if "komi" in settings else "",
        "RU": "Tromp-Taylor" if kind.games[0] == "go" else transcript.game.people_call_it(),
        **names,
        "DT": transcript.date[:10],
        "RE": _result(transcript),
    }
    moves = []
    actions = transcript.state.history()
    for before, action in zip(replay(transcript.game, actions), actions, strict=True):
        moves.append(f";{COLOURS[before.to_move()]}[{_point_of(before, action, kind)}]")
    lines = ["".join(moves[at : at + 10]) for at in range(0, len(moves), 10)]
    return "\n".join([f"({node(**root)}{OWN}[{escaped(transcript.spec)}]", *lines]) + ")\n"


def looks_so(text: str) -> bool:
    """Whether a file begins like this format."""
    return re.match(r"\s*\(\s*;", text) is not None


def read(text: str, load: Load) -> Iterator[Transcript]:
    """The games of a file, one after the other."""
    for nodes in main_lines(text):
        if nodes:
            yield _one(nodes, load)


def _one(nodes: Sequence[Node], load: Load) -> Transcript:
    root = nodes[0]
    kind, spec = _game_of(nodes)
    state = load(spec).new_initial_state()
    _check_setup(nodes, state, kind)
    loser = None
    for colour, point in _moves_in(nodes):
        if point.lower() in GIVEN_UP:
            loser = COLOURS.index(colour)
            break
        _play(state, colour, point, kind)
    players = tuple(one_line(name) for name in (*root.get("PB", ["?"])[:1], *root.get("PW", ["?"])[:1]))
    transcript = Transcript(spec, state, players, date=root.get("DT", [""])[0])
    told = re.match(r"([BW])\+(R|T)", root.get("RE", [""])[0].strip(), re.IGNORECASE)
    if transcript.over or (told is None and loser is None):
        return transcript
    if told is not None:
        loser = 1 - COLOURS.index(told[1].upper())
    return replace(transcript, lost_by=loser, on_time=told is not None and told[2].upper() == "T")


def _moves_in(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Colour and point of every move."""
    for found in nodes:
        for colour in COLOURS:
            for value in found.get(colour, ()):
                for point in _points_in(value):
                    yield colour, point


def _kind_of(game: Game) -> Kind | None:
    """What SGF calls a game; five in a row on any board is Gomoku."""
    name, settings = game.title(), game.parameters
    if name == "connect":
        five = [settings[key] for key in ("k", "p", "q", "players")] == [5, 1, 1, 2]
        six = [settings[key] for key in ("k", "p", "q", "players")] == [6, 2, 1, 2]
        name = "gomoku" if five else "connect6" if six else name
    return next((kind for kind in KINDS if name in kind.games), None)


def _game_of(nodes: Sequence[Node]) -> tuple[Kind, str]:
    """What game a file is of: what it says itself comes first, then its number."""
    root = nodes[0]
    own = root.get(OWN, [""])[0].strip()
    number = root.get("GM", [""])[0].strip()
    said = split_spec(own)[0] if own else ""
    if not number and not said:
        pairs = any(len(_points_in(value)) == 2 for found in nodes for name in COLOURS for value in found.get(name, ()))
        said = "connect6" if pairs or "connect6" in " ".join([*root.get("RU", ()), *root.get("EV", ())]).lower() else ""
        number = number or ("" if said else "1")
    kind = next((kind for kind in KINDS if (said in kind.games if said else kind.number == number)), None)
    if kind is None and said == "connect":
        kind = next((kind for kind in KINDS if kind.number == number), None)
    if kind is None:
        known = ", ".join(f"{kind.number} ({kind.games[0]})" for kind in KINDS if kind.number)
        raise TranscriptError(f"SGF files of the game GM[{number}] are not read here; those that are: {known}")
    if own:
        return kind, own
    size = root.get("SZ", [str(kind.size)])[0].strip()
    numbers = re.fullmatch(r"(\d{1,3})(?::(\d{1,3}))?", size)
    if numbers is None:
        raise TranscriptError(f"SZ, the size of the board, is a number such as {kind.size}, not [{size}]")
    return kind, kind.spec(int(numbers[1]), int(numbers[2] or numbers[1]), root)


def _check_setup(nodes: Sequence[Node], state: State, kind: Kind) -> None:
    """Games begin at their beginning: stones that are set up are refused, unless they are those of the beginning."""
    stones = [_points(found, name, kind) for found in nodes for name in ("AB", "AW", "AE") if name in found]
    if not stones:
        return
    cells = state.game.cells(state.record) or ()
    there: dict[str, set[tuple[int, int]]] = {}
    for row, line in enumerate(cells):
        for column, text in enumerate(line):
            if text:
                there.setdefault(str(text), set()).add((row, column))
    if sorted(map(sorted, stones)) != sorted(map(sorted, there.values())):
        raise TranscriptError(
            "stones are set up on the board (AB, AW), as for a handicap or a problem: "
            "only games that are told from their first move can be read"
        )


def _points(found: Node, name: str, kind: Kind) -> set[tuple[int, int]]:
    """The cells of a property, of which some may be rectangles."""
    cells: set[tuple[int, int]] = set()
    for value in found[name]:
        corners = [_cell(corner) for corner in value.split(":")]
        if None in corners:
            raise TranscriptError(f"{name}[{value}] is no point")
        (top, left), (bottom, right) = corners[0] or (0, 0), corners[-1] or (0, 0)
        cells |= {(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)}
    return cells


def _points_in(value: str) -> list[str]:
    """The points of a move: two stones of Connect6 may be in one."""
    text = value.strip()
    several = WRITTEN_POINT.findall(text)
    return several if len(several) == 2 and "".join(several) == text else [text]


def _play(state: State, colour: str, point: str, kind: Kind) -> None:
    """Make a move; whoever can only pass may be left out of a file."""
    where = f"move {len(state.history()) + 1}: {colour}[{point}]"
    if state.is_terminal():
        if _passes(point, state):
            return
        raise TranscriptError(f"{where} comes after the end of the game")
    legal = state.legal_actions()
    if colour != COLOURS[state.to_move()]:
        if len(legal) != 1 or _place_of(state, legal[0]) is not None:
            raise TranscriptError(f"{where} is out of turn: it is {state.game.player_name(state.to_move())}'s move")
        state.apply_action(legal[0])
    try:
        state.apply_action(_action_of(state, point, kind))
    except IllegalActionError as error:
        raise IllegalActionError(f"{where}: {error}") from None
    except PonderosaError as error:
        raise TranscriptError(f"{where}: {error}") from None


def _action_of(state: State, point: str, kind: Kind) -> Any:
    """The action that a point means."""
    if not kind.spelled and _passes(point, state):
        passing = [action for action in state.legal_actions() if _place_of(state, action) is None]
        if not passing:
            raise TranscriptError("nobody can pass here")
        return passing[0]
    cell = None if kind.spelled else _cell(point)
    if cell is None:
        return read_action(state.game, SWAPS.get(point.lower(), point), state)
    rows = _board(state)
    if cell[0] >= len(rows) or cell[1] >= len(rows[0]):
        raise TranscriptError(f"the board has {len(rows[0])} columns and {len(rows)} rows")
    action = rows[cell[0]][cell[1]]
    if action is None or action not in state.legal_actions():
        raise IllegalActionError("there is no legal move at this point")
    return action


def _passes(point: str, state: State) -> bool:
    """Whether a move is to pass: nothing, or a point off the board on boards up to 19 x 19."""
    return not point or (point == "tt" and len(_board(state)) <= 19)


def _point_of(state: State, action: Any, kind: Kind) -> str:
    """How a move is written; to pass is to write nothing."""
    if kind.spelled:
        name = state.action_to_string(action)
        return escaped({here: there for there, here in SWAPS.items()}.get(name, name))
    place = _place_of(state, action)
    return "" if place is None else LETTERS[place[1]] + LETTERS[place[0]]


def _cell(point: str) -> tuple[int, int] | None:
    """Row and column from the upper left corner of a point in two letters."""
    if len(point) != 2 or not (point.isascii() and point.isalpha()):
        return None
    return LETTERS.index(point[1]), LETTERS.index(point[0])


def _place_of(state: State, action: Any) -> tuple[int, int] | None:
    """Row and column of an action on the board, from above; None: it has no cell there."""
    for row, line in enumerate(_board(state)):
        for column, there in enumerate(line):
            if there is not None and there == action:
                return row, column
    return None


def _board(state: State) -> Sequence[Sequence[Any]]:
    rows = state.game.cell_actions(state.record)
    assert rows is not None
    return rows


def _result(transcript: Transcript) -> str:
    """How SGF tells a result; empty while the game goes on."""
    if not transcript.over:
        return ""
    winner = transcript.winner()
    if winner is None:
        return "0"
    if transcript.lost_by is not None:
        return f"{COLOURS[winner]}+{'T' if transcript.on_time else 'R'}"
    margin = getattr(transcript.state.record, "margin", None) if transcript.game.title() == "go" else None
    return f"{COLOURS[winner]}+" + ("" if margin is None else f"{abs(int(margin)) / 2:g}")
