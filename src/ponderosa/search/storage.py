"""Search trees in files. Start at save.

An .npz archive of plain arrays: nodes, the root's state, the random numbers' state, what playouts have learned, and a
JSON text that says what they are. Nothing in it is pickled, a checksum covers all of it, and the file is written beside
and renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ponderosa.core.errors import PonderosaError, SettingError, TreeFileError, unknown
from ponderosa.core.fingerprint import fingerprint
from ponderosa.core.game import Game
from ponderosa.core.state import RecordState
from ponderosa.search.classes import BOUNDED
from ponderosa.search.graph_tree import Graph
from ponderosa.search.loop import USED
from ponderosa.search.node import DRAW, LOSS, NODE, NOT_LOSS, NOT_WIN, UNPROVEN, UNTRIED, WIN
from ponderosa.search.policy import PHASES, Policy, as_policy
from ponderosa.search.tree import Tree

if TYPE_CHECKING:
    from ponderosa.search.search import Search

FORMAT = 1


class Kind(NamedTuple):
    """A kind of file: what people call it, and what is in it."""

    name: str
    format: int | str
    arrays: tuple[str, ...]
    facts: tuple[str, ...]
    """What its description tells."""


SEARCH_TREE = Kind(
    "a search tree",
    FORMAT,
    ("nodes", "root", "rng", "learned"),
    ("game", "rules", "history", "seed", "solve", "policies"),
)


def save(search: Search, path: Path) -> None:
    """Write the search to a file."""
    game = search.game
    if not isinstance(game, Game) or game.dtype is None:
        raise TreeFileError("a tree over Python objects lives in memory only; a game with a dtype can be saved")
    if game.viewed:
        raise TreeFileError("a tree of what players see lives in memory only; one of a game open to all can be saved")
    if isinstance(search.tree, Graph):
        raise TreeFileError("a graph of positions lives in memory only: a search without transpositions can be saved")
    if search.policies["playout"].name == "evaluator":
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
        "symmetry": search.symmetry,
        "solve": BOUNDED if search.bounded else search.solve,
        "policies": {phase: _described(policy) for phase, policy in search.policies.items()},
    }
    write_arrays(
        path, about, {"nodes": nodes, "root": root.data, "rng": search.rng, "learned": search.engine.learned()}
    )


def write_arrays(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write arrays, a description of them and a checksum of all, beside the path, and put the file there whole."""
    text = json.dumps(about | {"checksum": _checksum(about, *arrays.values())})
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            np.savez_compressed(file, **arrays, about=np.frombuffer(text.encode(), np.uint8))
            file.flush()
            os.fsync(file.fileno())  # else a machine that loses its power may keep the new name with nothing in it
        beside.replace(path)
    except OSError as error:
        raise TreeFileError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def load(path: Path, game: Any, phases: dict[str, Any]) -> Search:
    """Read a search from a file, or say why it is not one."""
    from ponderosa.search.search import Search

    given = _given_policies(phases)
    arrays, about = read_arrays(path, SEARCH_TREE)
    game = _game_of(path, about, game)
    check_nodes(path, arrays["nodes"], game)
    try:
        manner = {"solve": about["solve"], "seed": about["seed"], "symmetry": about.get("symmetry", False)}
        search = Search(game, **manner, **_policies_of(path, about, given))
    except (SettingError, TypeError, AttributeError) as error:
        raise TreeFileError(f"{path} is damaged: its settings make no search ({error})") from None
    if arrays["nodes"].dtype != search.engine.layout:
        raise TreeFileError(f"{path} is damaged: its nodes are not those of its select policy")
    if arrays["root"].shape != (game.dtype.itemsize,):
        raise TreeFileError(f"{path} holds a state of another shape than {game.spec} has")
    if not isinstance(about["history"], list) or not all(isinstance(action, int) for action in about["history"]):
        raise TreeFileError(f"{path} is damaged: its list of moves cannot be read")
    search.engine.set_root(RecordState(game, arrays["root"].copy(), about["history"]))
    search.rng[:] = arrays["rng"]
    if "playout" not in given:
        _remember(path, search, arrays["learned"])
    tree = Tree(0, search.engine.layout)
    used = len(arrays["nodes"])
    if used >= len(tree.nodes):
        raise TreeFileError(f"{path} holds {used} nodes, more than fit into this machine's memory")
    tree.nodes[:used] = arrays["nodes"]
    tree.counters[USED] = used
    search._tree = tree
    return search


def rules_fingerprint(game: Game) -> str:
    """Changes when a rule of the game changes."""
    rules = [function for _, function in sorted(game.own_rules().items())]
    return fingerprint((*rules, game.dtype, game.players, game.min_utility, game.max_utility))


def _described(policy: Policy) -> dict[str, Any]:
    """A policy as plain data; a setting may be a policy itself."""
    settings = {
        key: _described(value) if isinstance(value, Policy) else value for key, value in policy.settings.items()
    }
    return {"name": policy.name, "settings": settings}


def _made(phase: str, described: dict[str, Any]) -> Policy | None:
    """The policy that was described; None, if it, or one in its settings, is a function of the user's own."""
    from ponderosa.search.named import NAMED

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


def _checksum(about: dict[str, Any], *arrays: Any) -> str:
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def read_arrays(path: Path, kind: Kind) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a file and what it says about them, if it is whole and of the kind that is expected."""
    arrays = _read(path, kind)
    about = _about(path, arrays["about"], kind)
    if about.pop("checksum") != _checksum(about, *(arrays[name] for name in kind.arrays)):
        raise TreeFileError(f"{path} is damaged: its checksum does not fit")
    return arrays, about


def _read(path: Path, kind: Kind) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in (*kind.arrays, "about")}
    except OSError as error:
        raise TreeFileError(f"cannot read {path}: {error.strerror or f'it is not {kind.name}'}") from None
    except Exception as error:  # what is no archive, or a damaged one, fails in many ways
        raise TreeFileError(f"{path} is not {kind.name}, or it is damaged ({type(error).__name__})") from None
    nodes = arrays["nodes"].dtype
    layout = nodes if set(NODE.names or ()) <= set(nodes.names or ()) else NODE
    expected = {"nodes": layout, "root": np.uint8, "rng": np.uint64, "about": np.uint8, "learned": np.float64}
    for name, array in arrays.items():
        if array.dtype != expected[name] or array.ndim != 1:
            raise TreeFileError(f"{path} is not {kind.name} of this version: {name} has the wrong type")
    if len(arrays["nodes"]) == 0 or ("rng" in arrays and arrays["rng"].shape != (1,)):
        raise TreeFileError(f"{path} is not {kind.name}: it is empty")
    return arrays


def _about(path: Path, text: Any, kind: Kind) -> dict[str, Any]:
    try:
        about = json.loads(text.tobytes())
    except ValueError:
        raise TreeFileError(f"{path} is damaged: its description cannot be read") from None
    found = about.get("format") if isinstance(about, dict) else None
    if found != kind.format:
        raise TreeFileError(f"{path} has format {found}, and this version reads format {kind.format} ({kind.name})")
    missing = {*kind.facts, "checksum"} - about.keys()
    if missing:
        raise TreeFileError(f"{path} is damaged: its description lacks {sorted(missing)}")
    return dict(about)


def _game_of(path: Path, about: dict[str, Any], game: Any) -> Any:
    if game is None:
        try:
            # the registry stands above the search; only a file that names its game leads up to it
            game = importlib.import_module("ponderosa.registry").load_game(about["game"])
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
    from ponderosa.search.named import NAMED

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


def check_nodes(path: Path, nodes: Any, game: Game) -> None:
    """The links stay inside the tree and the numbers inside their ranges."""
    first, count = nodes["first"].astype(np.int64), nodes["count"].astype(np.int64)
    sound = (
        (first >= UNTRIED)
        & (count >= 0)
        & (first + count <= len(nodes))
        & ((first > 0) | (count == 0))
        & ((first != 0) | (count == 0))
        & (first < len(nodes))
        & (nodes["visits"] >= 0)
        & (nodes["mover"] >= 0)
        & (nodes["mover"] < game.players)
        & np.isin(nodes["proven"], (UNPROVEN, NOT_LOSS, WIN, NOT_WIN, DRAW, LOSS))
        & (nodes["value"] >= 0)
        & (nodes["value"] <= nodes["visits"] * (1 + 1e-9))
    )
    # links only lead forward, so that no walk goes round
    forward = (first <= 0) | (first > np.arange(len(nodes)))
    if not (sound & forward).all() or not _are_apart(first, count):
        raise TreeFileError(f"{path} is damaged: its nodes do not form a tree")


def _are_apart(first: Any, count: Any) -> bool:
    """Whether every slot is the child of one node at most, and no child is untried."""
    begins, ends = first[count > 0], (first + count)[count > 0]
    parents = np.cumsum(np.bincount(begins, minlength=len(first) + 1) - np.bincount(ends, minlength=len(first) + 1))
    return bool((parents <= 1).all() and (first[parents[:-1] == 1] != UNTRIED).all())


def version() -> str:
    """The version of this package."""
    from importlib.metadata import version

    return version("ponderosa")
