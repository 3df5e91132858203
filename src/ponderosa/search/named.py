"""Every policy with a name, by phase. Start at NAMED; a new policy is a line here."""

from __future__ import annotations

from ponderosa.search import amaf, grave, gumbel, implicit, learned, mixed, mixmax, priors
from ponderosa.search import backup as backups
from ponderosa.search import choose as choices
from ponderosa.search import expand as expansions
from ponderosa.search import playout as playouts
from ponderosa.search import select as selections
from ponderosa.search.policy import Makers

NAMED: dict[str, Makers] = {
    "select": {
        **selections.POLICIES,
        **priors.POLICIES,
        **gumbel.POLICIES,
        **amaf.POLICIES,
        **grave.POLICIES,
        **implicit.POLICIES,
        **mixed.POLICIES,
    },
    "expand": expansions.POLICIES,
    "playout": {**playouts.POLICIES, **learned.POLICIES},
    "backup": {**backups.POLICIES, **mixmax.POLICIES},
    "choose": {**choices.POLICIES, **gumbel.CHOICES},
}
