"""The works whose experiments are run again, and agents set up as theirs. Start at KIM.

Figures come from them; where they contradict themselves, the experiment says so.
"""

from __future__ import annotations

KIM = "Hyunwoo Kim, Game playing with Monte-Carlo search (final year project, Royal Holloway, 2023)"
KENYON = "William Kenyon, A Monte Carlo tree search library in Haskell (Part II project, Cambridge, 2012)"
LIU = "Cong Liu and Man Liu, Implementation of Monte Carlo search tree using tic tac toe (IIT, CS584)"
LIN = "a midterm project on Gomoku with Monte Carlo tree search by three students (2016 or later)"

KIM_AGENT = "mcts:expand=all,choose=max,solve=false,reuse=false"
"""All children at once, the move with the best mean, nothing proven and nothing kept from move to move."""
OUR_AGENT = "mcts"

LIKE_KIM, OUR_STYLE = "as the original", "ours"
STYLES = {LIKE_KIM: KIM_AGENT, OUR_STYLE: OUR_AGENT}
"""Both are measured: what is the method's, and what is our own search's."""
KIM_UNLIKE = (
    "Settings as the original's are expand=all, choose=max, solve=false and reuse=false; what its report does not say, "
    "such as how the winners of several rollouts are counted together, may still differ. With ours, a result of "
    "several rollouts is their mean, and counts as one visit."
)
