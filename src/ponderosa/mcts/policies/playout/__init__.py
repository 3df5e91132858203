"""From a leaf to a result. Start at playouts.py, then learned.py; a policy's name is the one in POLICIES."""

from __future__ import annotations

from ponderosa.mcts.policies.base import Makers
from ponderosa.mcts.policies.playout import learned as _learned
from ponderosa.mcts.policies.playout import playouts as _playouts
from ponderosa.mcts.policies.playout.learned import last_good_reply as last_good_reply
from ponderosa.mcts.policies.playout.learned import mast as mast
from ponderosa.mcts.policies.playout.learned import nst as nst
from ponderosa.mcts.policies.playout.playouts import decisive as decisive
from ponderosa.mcts.policies.playout.playouts import epsilon as epsilon
from ponderosa.mcts.policies.playout.playouts import informed as informed
from ponderosa.mcts.policies.playout.playouts import majority as majority
from ponderosa.mcts.policies.playout.playouts import random as random
from ponderosa.mcts.policies.playout.playouts import several as several
from ponderosa.mcts.policies.playout.playouts import static as static

POLICIES: Makers = {**_playouts.POLICIES, **_learned.POLICIES}
