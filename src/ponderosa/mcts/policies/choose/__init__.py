"""The move to play, once the search is over. Start at choices.py; a policy's name is the one in POLICIES."""

from __future__ import annotations

from ponderosa.mcts.policies.base import Makers
from ponderosa.mcts.policies.choose import choices as _choices
from ponderosa.mcts.policies.choose import gumbel as _gumbel
from ponderosa.mcts.policies.choose.choices import best_line as best_line
from ponderosa.mcts.policies.choose.choices import decisive as decisive
from ponderosa.mcts.policies.choose.choices import max_robust as max_robust
from ponderosa.mcts.policies.choose.choices import max_value as max_value
from ponderosa.mcts.policies.choose.choices import mixed as mixed
from ponderosa.mcts.policies.choose.choices import robust as robust
from ponderosa.mcts.policies.choose.choices import secure as secure
from ponderosa.mcts.policies.choose.gumbel import gumbel as gumbel

POLICIES: Makers = {**_choices.POLICIES, **_gumbel.POLICIES}
