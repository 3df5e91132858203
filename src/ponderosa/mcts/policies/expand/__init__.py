"""How many children to add to a node. Start at counts.py; a policy's name is the one in POLICIES."""

from __future__ import annotations

from ponderosa.mcts.policies.base import Makers
from ponderosa.mcts.policies.expand import counts as _counts
from ponderosa.mcts.policies.expand.counts import all_children as all_children
from ponderosa.mcts.policies.expand.counts import expand as expand
from ponderosa.mcts.policies.expand.counts import widening as widening

POLICIES: Makers = {**_counts.POLICIES}
