"""Opponents by difficulty: one table for the page, the terminal and the library. Start at LADDERS, then levels.

Each level scored 75 % or more against the one below it (`ponderosa docs levels`, benchmarks/levels.py). Where luck
decides, or a game is soon played perfectly, there is no room for five such steps, and a game has fewer levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import unknown

NAMES = ("beginner", "easy", "medium", "hard", "strongest")
"""All levels, from the weakest."""
USUAL, STRONGEST = "medium", NAMES[-1]
"""Whom people play against on the page, and in the terminal, unless they ask for somebody else."""
PREFIX = "level:"
"""`level:hard` is the text of a level wherever an agent is asked for."""
STRONG = "strong"
"""The agent of the Connect family whose name stands for the strongest agent of any other game."""
LIMITS = ("seconds", "iterations", "positions")
"""Settings that say how long to think."""

Ladder = Mapping[str, str]
"""The agents of the levels that a game has, from the weakest."""

ONE_STONE: Ladder = {
    "beginner": "clever:near=2,iterations=10",
    "easy": "clever:near=2,iterations=500",
    "medium": "clever:near=2,iterations=5000",
    "hard": "minimax:depth=4",
    "strongest": "strong:seconds=5",
}
SEVERAL_STONES: Ladder = {
    "beginner": "clever:near=2,iterations=20",
    "easy": "clever:near=2,iterations=500",
    "medium": "minimax:depth=1",
    "hard": "minimax:depth=4",
    "strongest": "strong:seconds=5",
}
"""The Connect family for two players, by the stones of a turn."""

LADDERS: Mapping[str, Ladder] = {
    "tictactoe": {
        "beginner": "mcts:iterations=1",
        "medium": "mcts:iterations=8",
        "strongest": "mcts:iterations=20000",
    },
    "connect4": {
        "beginner": "mcts:iterations=15",
        "easy": "mcts:iterations=100",
        "medium": "mcts:iterations=800",
        "hard": "mcts:iterations=20000",
        "strongest": "strong:seconds=5",
    },
    "go": {
        "beginner": "mcts:playout=informed,iterations=10",
        "easy": "mcts:playout=informed,iterations=100",
        "medium": "mcts:select=rave,playout=informed,iterations=300",
        "hard": "mcts:select=rave,k=1500,c=0.05,playout=informed,iterations=2000",
        "strongest": "mcts:select=rave,k=1500,c=0.05,playout=informed,iterations=20000",
    },
    "hex": {
        "beginner": "mcts:iterations=30",
        "easy": "mcts:iterations=300",
        "medium": "mcts:select=rave,playout=informed,iterations=300",
        "hard": "mcts:select=rave,playout=informed,iterations=3000",
        "strongest": "mcts:select=rave,playout=informed,iterations=30000",
    },
    "samegame": {
        "beginner": "mcts:iterations=1",
        "easy": "mcts:iterations=8",
        "medium": "mcts:iterations=80",
        "strongest": "mcts:seconds=1",
    },
    "2048": {
        "beginner": "mcts:iterations=1",
        "easy": "mcts:iterations=5",
        "medium": "mcts:iterations=30",
        "strongest": "mcts:iterations=1000",
    },
    "pig": {
        "beginner": "mcts:iterations=1",
        "easy": "mcts:iterations=30",
        "medium": "mcts:iterations=160",
        "strongest": "mcts:iterations=20000",
    },
    "einstein": {
        "beginner": "mcts:iterations=1",
        "medium": "mcts:iterations=35",
        "strongest": "mcts:seconds=1",
    },
    "blind_tictactoe": {"beginner": "mcts:iterations=5", "strongest": "mcts:seconds=1"},
    "liars_dice": {"beginner": "mcts:iterations=1", "strongest": "mcts:seconds=1"},
    "goofspiel": {"beginner": "mcts:iterations=1", "strongest": "mcts:iterations=20000"},
    "pacman": {
        "beginner": "mcts:iterations=1",
        "easy": "mcts:iterations=5",
        "medium": "mcts:iterations=25",
        "strongest": "mcts:iterations=20000",
    },
    "othello": {
        "beginner": "mcts:iterations=5",
        "easy": "mcts:iterations=50",
        "medium": "mcts:iterations=500",
        "hard": "minimax:depth=4",
        "strongest": "minimax:seconds=1",
    },
    "renju": {
        "beginner": "mcts:iterations=300",
        "medium": "mcts:iterations=3000",
        "strongest": "mcts:iterations=20000",
    },
    "checkers": {
        "beginner": "mcts:iterations=10",
        "easy": "mcts:iterations=100",
        "medium": "mcts:iterations=1000",
        "strongest": "mcts:iterations=10000",
    },
    "breakthrough": {
        "beginner": "mcts:iterations=10",
        "easy": "mcts:iterations=100",
        "medium": "mcts:playout=informed,iterations=1000",
        "hard": "mcts:playout=informed,iterations=10000",
        "strongest": "mcts:playout=informed,iterations=100000",
    },
    "lines_of_action": {
        "beginner": "mcts:iterations=5",
        "easy": "mcts:iterations=200",
        "medium": "minimax:depth=2",
        "hard": "minimax:depth=4",
        "strongest": "minimax:seconds=1",
    },
    "chess": {
        "beginner": "mcts:iterations=20",
        "easy": "mcts:iterations=1000",
        "medium": "minimax:depth=1,branch=none",
        "hard": "minimax:depth=3,branch=none",
        "strongest": "minimax:depth=30,branch=none,seconds=1",
    },
    "kriegspiel": {
        "beginner": "mcts:playout=static,iterations=20",
        "strongest": "mcts:playout=static,c=0.3,iterations=2000",
    },
    "backgammon": {
        "beginner": "mcts:iterations=1",
        "easy": "mcts:iterations=40",
        "strongest": "mcts:iterations=600",
    },
    "kuhn_poker": {"beginner": "random", "strongest": "mcts:select=regret_matching,seconds=1"},
    "rps": {"strongest": "mcts:select=regret_matching,seconds=1"},
}
"""The other registered games; in Kuhn poker and rock, paper, scissors no skill shows in who wins."""

SHOWN: Mapping[str, tuple[int, int, int]] = {
    "tictactoe": (76, 44, 0),
    "connect4": (23, 1, 0),
    "gomoku": (21, 0, 3),
    "connect6": (24, 0, 0),
    "renju": (10, 0, 0),
    "go": (7, 0, 1),
    "hex": (6, 0, 2),
    "samegame": (12, 0, 0),
    "2048": (6, 0, 2),
    "pig": (80, 0, 20),
    "einstein": (78, 0, 22),
    "blind_tictactoe": (34, 8, 6),
    "liars_dice": (36, 0, 4),
    "goofspiel": (75, 12, 13),
    "pacman": (46, 23, 6),
    "othello": (12, 0, 0),
    "checkers": (39, 1, 0),
    "breakthrough": (7, 0, 1),
    "lines_of_action": (8, 0, 0),
    "chess": (8, 0, 0),
    "kriegspiel": (9, 7, 0),
    "backgammon": (19, 0, 1),
    "kuhn_poker": (24, 0, 24),
}
"""What shows that the strongest level is that: games that it won, drew and lost against the level below it."""

NETWORKS: Mapping[str, tuple[str, tuple[int, int, int]]] = {"hex": ("net:seconds=1", (26, 0, 6))}
"""Games in which the network that comes with the package is stronger than all else: who plays at the strongest level
where ONNX Runtime is installed, and the games that it won, drew and lost against the level below it."""

JUDGING = "mcts:playout=static,c=0.3,seconds=1"
ADVISERS = {"chess": JUDGING, "kriegspiel": JUDGING}
"""Who gives advice where random games to the end say little of a position."""

SMALL_BOARD = 16
"""Tic-tac-toe on more cells is a game like Gomoku."""

OWN_GAME: Ladder = {
    "beginner": "mcts:iterations=10,seconds=1",
    "easy": "mcts:iterations=100,seconds=1",
    "medium": "mcts:iterations=1000,seconds=1",
    "hard": "mcts:iterations=10000,seconds=2",
    "strongest": "mcts:seconds=5",
}
"""A game of anybody's own, where nothing was measured; the seconds are for rules that are slow."""


def levels(game: Any) -> Ladder:
    """The levels that a game has, and who plays them."""
    if (known := _with_network(game)) is not None:
        return {**ladder(game), STRONGEST: known[0]}
    return ladder(game)


def ladder(game: Any) -> Ladder:
    """The same without networks."""
    if not type(game).__module__.startswith("ponderosa.games."):
        return OWN_GAME
    if game.title() in LADDERS and not (game.title() == "tictactoe" and game.max_game_length > SMALL_BOARD):
        return LADDERS[game.title()]
    return (ONE_STONE if game.p == 1 else SEVERAL_STONES) if _of_connect(game) else OWN_GAME


def level_agent(name: str, game: Any) -> str:
    """The agent of a level, as a text; a name that the game has no level for stands for the next higher one."""
    name = name.removeprefix(PREFIX)
    if name not in NAMES:
        raise unknown("level", name, NAMES)
    known = levels(game)
    return next(known[higher] for higher in NAMES[NAMES.index(name) :] if higher in known)


def strong_agent(spec: str, game: Any) -> str:
    """What `strong`, with its settings, is in a game: itself in the Connect family and Connect Four.

    Elsewhere it is the agent of the strongest level, and thinks for as long as is said, or as that agent usually does.
    """
    if _strong_plays(game):
        return spec
    kind, settings = split_spec(level_agent(STRONGEST, game))
    kept = {name: text for name, text in settings.items() if name not in LIMITS}
    return join_spec(kind, kept | split_spec(spec)[1])


def shown(game: Any) -> tuple[int, int, int] | None:
    """Games that the strongest level won, drew and lost against the one below; None: it was not measured."""
    if (with_network := _with_network(game)) is not None:
        return with_network[1]
    known = ladder(game)
    if known is OWN_GAME:
        return None
    return SHOWN.get("gomoku" if known is ONE_STONE else "connect6" if known is SEVERAL_STONES else game.title())


def level_of(agent: str, game: Any) -> str | None:
    """The text of the level that an agent plays at, `level:hard`; None if it is nobody's."""
    return next((PREFIX + name for name, text in levels(game).items() if text == agent), None)


def adviser(game: Any) -> str:
    """Whom to ask for advice: a tree, which has an opinion of every move."""
    if game.title() in ADVISERS and type(game).__module__.startswith("ponderosa.games."):
        return ADVISERS[game.title()]
    return "clever:near=2,seconds=1" if _of_connect(game) else "mcts:seconds=1"


def _with_network(game: Any) -> tuple[str, tuple[int, int, int]] | None:
    """Who plays best with a network, and what shows it, if there is one for a game of this size and what runs it."""
    if not type(game).__module__.startswith("ponderosa.games.") or game.title() not in NETWORKS:
        return None
    from ponderosa.networks.file import shipped_for

    return NETWORKS[game.title()] if find_spec("onnxruntime") is not None and shipped_for(game) is not None else None


def _strong_plays(game: Any) -> bool:
    """Whether the agent `strong` was made for a game."""
    from ponderosa.games.connect4 import Connect4

    return isinstance(game, Connect4) or _of_connect(game)


def _of_connect(game: Any) -> bool:
    """Whether the agents of the Connect family play a game."""
    from ponderosa.games.connect import Connect  # with the compiler, which a list of commands does not need

    return isinstance(game, Connect) and game.players == 2
