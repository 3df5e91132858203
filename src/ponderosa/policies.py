"""The policies of the search, for whoever composes one: `from ponderosa.policies import select, ucb1, SelectPolicy`.

Start at select: each phase has a package here (select, expand, playout, backup, choose) with a maker for each of its
policies, as in `select.ucb1(c=1.4)`. Makers whose name is that of one phase alone can be imported directly.
`ponderosa docs policies` lists all; `ponderosa docs add-a-phase` shows the classes for your own, SelectPolicy,
ExpandPolicy, ...
"""

from __future__ import annotations

from ponderosa.mcts.policies import backup as backup
from ponderosa.mcts.policies import choose as choose
from ponderosa.mcts.policies import expand as expand
from ponderosa.mcts.policies import playout as playout
from ponderosa.mcts.policies import select as select
from ponderosa.mcts.policies.backup import best as best
from ponderosa.mcts.policies.backup import discounted as discounted
from ponderosa.mcts.policies.backup import late_weighted as late_weighted
from ponderosa.mcts.policies.backup import maximum as maximum
from ponderosa.mcts.policies.backup import mean as mean
from ponderosa.mcts.policies.backup import mixmax as mixmax
from ponderosa.mcts.policies.base import BackupPolicy as BackupPolicy
from ponderosa.mcts.policies.base import ChoosePolicy as ChoosePolicy
from ponderosa.mcts.policies.base import ExpandPolicy as ExpandPolicy
from ponderosa.mcts.policies.base import PlayoutPolicy as PlayoutPolicy
from ponderosa.mcts.policies.base import Policies as Policies
from ponderosa.mcts.policies.base import Policy as Policy
from ponderosa.mcts.policies.base import SelectPolicy as SelectPolicy
from ponderosa.mcts.policies.choose import best_line as best_line
from ponderosa.mcts.policies.choose import max_robust as max_robust
from ponderosa.mcts.policies.choose import max_value as max_value
from ponderosa.mcts.policies.choose import mixed as mixed
from ponderosa.mcts.policies.choose import robust as robust
from ponderosa.mcts.policies.choose import secure as secure
from ponderosa.mcts.policies.expand import all_children as all_children
from ponderosa.mcts.policies.expand import widening as widening
from ponderosa.mcts.policies.playout import epsilon as epsilon
from ponderosa.mcts.policies.playout import informed as informed
from ponderosa.mcts.policies.playout import last_good_reply as last_good_reply
from ponderosa.mcts.policies.playout import majority as majority
from ponderosa.mcts.policies.playout import mast as mast
from ponderosa.mcts.policies.playout import nst as nst
from ponderosa.mcts.policies.playout import random as random
from ponderosa.mcts.policies.playout import several as several
from ponderosa.mcts.policies.playout import static as static
from ponderosa.mcts.policies.select import available_ucb as available_ucb
from ponderosa.mcts.policies.select import decoupled_ucb as decoupled_ucb
from ponderosa.mcts.policies.select import epsilon_greedy as epsilon_greedy
from ponderosa.mcts.policies.select import exp3 as exp3
from ponderosa.mcts.policies.select import grave as grave
from ponderosa.mcts.policies.select import greedy as greedy
from ponderosa.mcts.policies.select import implicit_minimax as implicit_minimax
from ponderosa.mcts.policies.select import late_ucb1 as late_ucb1
from ponderosa.mcts.policies.select import progressive_bias as progressive_bias
from ponderosa.mcts.policies.select import puct as puct
from ponderosa.mcts.policies.select import rave as rave
from ponderosa.mcts.policies.select import regret_matching as regret_matching
from ponderosa.mcts.policies.select import scaled_ucb as scaled_ucb
from ponderosa.mcts.policies.select import sp_ucb as sp_ucb
from ponderosa.mcts.policies.select import thompson as thompson
from ponderosa.mcts.policies.select import ucb1 as ucb1
from ponderosa.mcts.policies.select import ucb1_tuned as ucb1_tuned
