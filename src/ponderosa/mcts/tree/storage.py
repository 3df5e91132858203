"""Search trees in files. Start at save.

The arrays of a file (mcts/tree/archive.py) are the nodes, the root's state, the random numbers' state, and what
playouts have learned; its description names the game, the moves to the root, and the policies. Nothing in a file runs
code: a game of one's own, and functions in the place of phases, are given by whoever loads it.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ponderosa.compile.fingerprint import fingerprint
from ponderosa.core.game import Game
from ponderosa.core.rng import STUCK
from ponderosa.core.state import RecordState
from ponderosa.errors import PonderosaError, SettingError, TreeFileError, unknown
from ponderosa.mcts.policies.base import PHASES, Policy, as_policy
from ponderosa.mcts.settings import BOUNDED
from ponderosa.mcts.tree.archive import Kind, read_arrays, write_arrays
from ponderosa.mcts.tree.graph import Graph
from ponderosa.mcts.tree.soundness import check_nodes, replayed
from ponderosa.mcts.tree.tree import Tree

if TYPE_CHECKING:
    from ponderosa.mcts.search import Search
    from ponderosa.mcts.tree_search import TreeSearch

FORMAT = 1
SEARCH_TREE = Kind(
    "a search tree",
    FORMAT,
    ("nodes", "root", "rng", "learned"),
    ("game", "rules", "history", "seed", "solve", "policies"),
)


def save(search: TreeSearch, path: Path) -> None:
    """Write the search to a file."""
    game = search.game
    if not isinstance(game, Game) or game.dtype is None:
        raise TreeFileError("a tree over Python objects lives in memory only; a game with a dtype can be saved")
    if game.viewed:
        raise TreeFileError("a tree of what players see lives in memory only; one of a game open to all can be saved")
    if isinstance(search.tree, Graph):
        raise TreeFileError("a graph of positions lives in memory only: a search without transpositions can be saved")
    if search.policies.playout.judged:
        raise TreeFileError("a search with an evaluator needs it to go on, and a file cannot keep it")
    root = search.root_state
    nodes = search.tree.nodes[: search.tree.used]
    about = {
        "format": FORMAT,
        "ponderosa": version(),
        "game": game.spec,
        "rules": rules_fingerprint(game),
        "history": [int(action) for action in root.history()],
        "seed": search.seed,
        "symmetry": search.settings.symmetry,
        "solve": BOUNDED if search.settings.bounded else search.solve,
        "policies": {phase: _described(policy) for phase, policy in search.policies.by_phase().items()},
    }
    write_arrays(
        path, about, {"nodes": nodes, "root": root.data, "rng": search.rng, "learned": search.engine.learned()}
    )


def load(
    path: Path,
    game: Any,
    phases: dict[str, Any],
    trust: bool = False,
    solve: bool | str | None = None,
    seed: int | None = None,
) -> Search:
    """Read a search from a file, or say why it is not one; `trust` takes a position that its moves do not lead to."""
    from ponderosa.mcts.search import Search

    given = _given_policies(phases)
    arrays, about = read_arrays(path, SEARCH_TREE)
    game = _game_of(path, about, game)
    root = _root_of(path, about, arrays["root"], game, trust)
    if solve is not None and (solve == BOUNDED) != (about["solve"] == BOUNDED):
        raise SettingError(f"{path} was searched with solve={about['solve']}")
    try:
        manner = {
            "solve": about["solve"] if solve is None else solve,
            "seed": about["seed"] if seed is None else seed,
            "symmetry": about.get("symmetry", False),
        }
        search = Search(game, **manner, **_policies_of(path, about, given))
    except (SettingError, TypeError, AttributeError) as error:
        raise TreeFileError(f"{path} is damaged: its settings make no search ({error})") from None
    if arrays["nodes"].dtype != search.engine.layout:
        raise TreeFileError(f"{path} is damaged: its nodes are not those of its select policy")
    if int(arrays["rng"][0]) in STUCK:
        raise TreeFileError(f"{path} is damaged: its random numbers would all be the same")
    check_nodes(path, arrays["nodes"], root)
    search.adopt(root, tree_of(path, arrays["nodes"]))
    if seed is None:
        search.rng[:] = arrays["rng"]
    if "playout" not in given:
        _remember(path, search, arrays["learned"])
    return search


def tree_of(path: Path, nodes: Any) -> Tree:
    """A tree of nodes that were read, and checked."""
    tree = Tree(0, nodes.dtype)
    if len(nodes) >= len(tree.nodes):
        raise TreeFileError(f"{path} holds {len(nodes):,} nodes, more than fit into this machine's memory")
    tree.nodes[: len(nodes)] = nodes
    tree.used = len(nodes)
    return tree


def _root_of(path: Path, about: dict[str, Any], data: Any, game: Any, trust: bool) -> Any:
    """The state that the moves of a file lead to; rules trust what is in a state, so its bytes are not believed."""
    if data.shape != (game.state_bytes,):
        raise TreeFileError(f"{path} holds a state of another shape than {game.spec} has")
    state = replayed(path, game, about["history"])
    told = RecordState(game, data.copy(), about["history"])
    if told == state:
        return state
    if not trust:
        raise TreeFileError(
            f"{path} begins with a position that its moves do not lead to: if it was set up so, and is yours, "
            "Search.load(path, trust=True)"
        )
    return told


def rules_fingerprint(game: Game) -> str:
    """Changes when a rule of the game changes."""
    rules = [function for name, function in sorted(game.own_rules().items()) if name != "observe"]
    return fingerprint((*rules, game.dtype, game.players, game.min_utility, game.max_utility))


def _described(policy: Policy) -> dict[str, Any]:
    """A policy as plain data; a setting may be a policy itself."""
    settings = {
        key: _described(value) if isinstance(value, Policy) else value for key, value in policy.settings.items()
    }
    return {"name": policy.name, "settings": settings}


def _made(phase: str, described: dict[str, Any]) -> Policy | None:
    """The policy that was described; None, if it, or one in its settings, is a function of the user's own."""
    from ponderosa.mcts.policies.registry import NAMED

    if described.get("name") not in NAMED[phase]:
        return None
    settings = dict(described.get("settings", {}))
    for key, value in settings.items():
        if isinstance(value, dict):
            settings[key] = _made(phase, value)
            if settings[key] is None:
                return None
    return NAMED[phase][described["name"]](**settings)


def _remember(path: Path, search: Search, learned: Any) -> None:
    """Give the playout policy back what it had learned."""
    room = search.engine.learned()
    if learned.shape != room.shape or not np.isfinite(learned).all():
        raise TreeFileError(f"{path} is damaged: what its playouts have learned cannot be read")
    room[:] = learned


def _game_of(path: Path, about: dict[str, Any], game: Any) -> Any:
    if game is None:
        try:
            # the registry stands above the search; only a file that names its game leads up to it
            game = importlib.import_module("ponderosa.registry").registered_game(about["game"])
        except PonderosaError:
            raise TreeFileError(
                f"{path} is of the game {about['game']!r}, which is not in the registry: Search.load(path, game=...)"
            ) from None
    if not isinstance(game, Game) or game.spec != about["game"]:
        raise TreeFileError(f"{path} is of the game {about['game']!r}, not of {getattr(game, 'spec', game)!r}")
    if rules_fingerprint(game) != about["rules"]:
        raise TreeFileError(f"{path} was searched with other rules of {about['game']!r} than there are now")
    return game


def _given_policies(phases: dict[str, Any]) -> dict[str, Any]:
    """The phases that the caller gives, checked before anything in the file can be blamed."""
    from ponderosa.mcts.policies.registry import NAMED

    for phase in phases:
        if phase not in PHASES:
            raise unknown("phase", phase, PHASES)
    return {phase: as_policy(phase, value, NAMED[phase]) for phase, value in phases.items()}


def _policies_of(path: Path, about: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    policies = dict(given)
    for phase in PHASES:
        if phase in policies:
            continue
        made = _made(phase, about["policies"].get(phase, {}))
        if made is None:
            raise TreeFileError(
                f"{path} was searched with a {phase} function of your own: Search.load(path, {phase}=...)"
            )
        policies[phase] = made
    return policies


def version() -> str:
    """The version of this package."""
    from importlib.metadata import version

    return version("ponderosa")
