"""Backing a result up the visited path. Start at averages.py; a policy's name is the one in POLICIES."""

from __future__ import annotations

from ponderosa.mcts.policies.backup import averages as _averages
from ponderosa.mcts.policies.backup import mixmax as _mixmax
from ponderosa.mcts.policies.backup.averages import best as best
from ponderosa.mcts.policies.backup.averages import discounted as discounted
from ponderosa.mcts.policies.backup.averages import late_weighted as late_weighted
from ponderosa.mcts.policies.backup.averages import mean as mean
from ponderosa.mcts.policies.backup.mixmax import maximum as maximum
from ponderosa.mcts.policies.backup.mixmax import mixmax as mixmax
from ponderosa.mcts.policies.base import Makers

POLICIES: Makers = {**_averages.POLICIES, **_mixmax.POLICIES}
