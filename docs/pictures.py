"""The pictures of docs/iteration.md, drawn by the searches that the page tells of. Start at pictures.

python docs/pictures.py
"""

from __future__ import annotations

from pathlib import Path

from ponderosa import Report, Search, State, load_game
from ponderosa.pictures.alone import picture_alone
from ponderosa.pictures.tree import tree_svg

IMAGES = Path(__file__).parent / "images"
MOVES = "b2 a1 a2 c2 b3"
"""The position of the page: X threatens b1."""
STEPS = (1, 4, 5, 30)
"""After how many iterations the tree is drawn."""


def position() -> State:
    """Where the page's search begins: O is to move, and four cells are empty."""
    state = load_game("tictactoe").new_initial_state()
    for move in MOVES.split():
        state.apply_action(move)
    return state


def grown(iterations: int, solve: bool = False) -> Report:
    """The page's search after so many iterations."""
    return Search(load_game("tictactoe"), solve=solve, seed=4).run(position(), iterations=iterations)


def pictures() -> dict[str, str]:
    """Every picture by the name of its file."""
    drawn = {f"iteration-{number}.svg": tree_svg(grown(number).top(2)) for number in STEPS}
    drawn["iteration-proven.svg"] = tree_svg(grown(1000, solve=True).top(2))
    drawn["iteration-overlay.svg"] = picture_alone(position(), grown(30)) or ""
    return drawn


if __name__ == "__main__":
    for name, text in pictures().items():
        (IMAGES / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text) / 1000:.0f} kB")
