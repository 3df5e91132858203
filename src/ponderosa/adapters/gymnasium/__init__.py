"""Environments of Gymnasium: planned in as they are (planner.py), by one of two honest copies (copying.py).

Start at planner.py. It imports the registry and what is below it; Gymnasium itself only where it must.
"""

from ponderosa.adapters.gymnasium.copying import STATE as STATE
from ponderosa.adapters.gymnasium.planner import Plan as Plan
from ponderosa.adapters.gymnasium.planner import Planner as Planner
from ponderosa.adapters.gymnasium.planner import plan as plan
from ponderosa.adapters.gymnasium.planner import play as play
from ponderosa.adapters.gymnasium.spaces import ACTIONS as ACTIONS
from ponderosa.adapters.gymnasium.spaces import HISTORY as HISTORY
from ponderosa.adapters.gymnasium.spaces import SEEN as SEEN
