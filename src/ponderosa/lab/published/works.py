"""The works whose experiments are run again, and agents set up as theirs. Start at KIM.

Figures come from them; where they contradict themselves, the experiment says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ponderosa.lab.sweeps.ranges import with_settings

T = TypeVar("T")

KIM = "Hyunwoo Kim, Game playing with Monte-Carlo search (final year project, Royal Holloway, 2023)"
KENYON = "William Kenyon, A Monte Carlo tree search library in Haskell (Part II project, Cambridge, 2012)"
LIU = "Cong Liu and Man Liu, Implementation of Monte Carlo search tree using tic tac toe (IIT, CS584)"
LIN = "a midterm project on Gomoku with Monte Carlo tree search by three students (2016 or later)"

KIM_AGENT = "mcts:select=late_ucb1,expand=all,playout=majority,win_first=true,choose=decisive,solve=false,reuse=true"
"""All children at once, drawn until each was visited; one winner of all rollouts from a leaf, and a win at once before
any; a winning move, else that with the best mean. The tree is kept from move to move, and nothing is proven (sections
5.3.4 and 5.3.5)."""
OUR_AGENT = "mcts"

LIKE_KIM, OUR_STYLE = "after Kim", "ours"
STYLES = {LIKE_KIM: KIM_AGENT, OUR_STYLE: OUR_AGENT}
"""Both are measured: what is the method's, and what is our own search's."""
KIM_UNLIKE = (
    f"The agent after Kim is {KIM_AGENT}, by sections 5.3.4 and 5.3.5. What is not said there, or differs: what "
    "rollouts without a majority count for (here half a win for each side; there, what has no winner seems to be a "
    "visit without a win), whether rollouts begin at the leaf or at one of its new children (here at the leaf), and "
    "whether both sides of a match grow one tree (here each its own, where nothing else is said). "
    "Ours is mcts as it comes: UCB1, one new child a visit, the mean of all rollouts, the most visited move, proofs, "
    "and a tree that is kept, too."
)

KENYON_SETTINGS = {"c": "0.5", "solve": "false", "reuse": "false"}
"""Its constant is 1, on results from -1 to 1: 0.5 on ours, from 0 to 1. Nothing is proven, and every move begins a new
tree (sections 2.1.1, 2.1.2 and 3.1.2). One child a visit and the most visited move (3.1.3) are our defaults, too."""
OURS = "our "
"""Stands before the names of our agents, where an agent of the original has the same."""
KENYON_UNLIKE = (
    "Slow, medium, fast, clever and lazy are after the original's: c = 0.5 (it has 1, on results from -1 to 1), "
    "solve=false, reuse=false. Those called ours have our defaults instead: c = 1.414, proofs, and a tree that is kept "
    "from move to move. With WinSave, the original calls a game lost as soon as a win cannot be stopped; here it is "
    "played on until the line is there, two moves later with one stone a turn, which a playout of ten moves may miss."
)


def both_ways(names: Iterable[str]) -> dict[str, str]:
    """Agents by name: those of the original, then ours."""
    named = list(names)
    return {name: with_settings(name, KENYON_SETTINGS) for name in named} | {OURS + name: name for name in named}


def originals(found: Mapping[str, T]) -> dict[str, T]:
    """What was found of those that are the original's."""
    return {name: one for name, one in found.items() if not name.startswith(OURS)}


def capital(style: str) -> str:
    """A style at the beginning of a sentence."""
    return style[0].upper() + style[1:]
