"""Every policy with a name, by phase. Start at NAMED; a new policy is a line in the POLICIES of its file."""

from __future__ import annotations

from ponderosa.mcts.policies import backup, choose, expand, playout, select
from ponderosa.mcts.policies.base import Makers

NAMED: dict[str, Makers] = {
    "select": select.POLICIES,
    "expand": expand.POLICIES,
    "playout": playout.POLICIES,
    "backup": backup.POLICIES,
    "choose": choose.POLICIES,
}
