"""Which child to descend into. Start at ucb.py; a policy's name is the one in POLICIES."""

from __future__ import annotations

from ponderosa.mcts.policies.base import Makers
from ponderosa.mcts.policies.select import grave as _grave
from ponderosa.mcts.policies.select import gumbel as _gumbel
from ponderosa.mcts.policies.select import implicit_minimax as _implicit_minimax
from ponderosa.mcts.policies.select import mixed_strategies as _mixed_strategies
from ponderosa.mcts.policies.select import puct as _puct
from ponderosa.mcts.policies.select import rave as _rave
from ponderosa.mcts.policies.select import ucb as _ucb
from ponderosa.mcts.policies.select.grave import grave as grave
from ponderosa.mcts.policies.select.gumbel import gumbel as gumbel
from ponderosa.mcts.policies.select.implicit_minimax import implicit_minimax as implicit_minimax
from ponderosa.mcts.policies.select.mixed_strategies import exp3 as exp3
from ponderosa.mcts.policies.select.mixed_strategies import regret_matching as regret_matching
from ponderosa.mcts.policies.select.puct import progressive_bias as progressive_bias
from ponderosa.mcts.policies.select.puct import puct as puct
from ponderosa.mcts.policies.select.rave import rave as rave
from ponderosa.mcts.policies.select.ucb import available_ucb as available_ucb
from ponderosa.mcts.policies.select.ucb import decoupled_ucb as decoupled_ucb
from ponderosa.mcts.policies.select.ucb import epsilon_greedy as epsilon_greedy
from ponderosa.mcts.policies.select.ucb import greedy as greedy
from ponderosa.mcts.policies.select.ucb import late_ucb1 as late_ucb1
from ponderosa.mcts.policies.select.ucb import scaled_ucb as scaled_ucb
from ponderosa.mcts.policies.select.ucb import sp_ucb as sp_ucb
from ponderosa.mcts.policies.select.ucb import thompson as thompson
from ponderosa.mcts.policies.select.ucb import ucb1 as ucb1
from ponderosa.mcts.policies.select.ucb import ucb1_tuned as ucb1_tuned

POLICIES: Makers = {
    **_ucb.POLICIES,
    **_puct.POLICIES,
    **_gumbel.POLICIES,
    **_rave.POLICIES,
    **_grave.POLICIES,
    **_implicit_minimax.POLICIES,
    **_mixed_strategies.POLICIES,
}
