"""One golden search a game, so that a change of behaviour is noticed.

When a change is meant, write the file anew and look at the difference: `python -m tests.mcts.test_signature`.
"""

from __future__ import annotations

import json

import pytest

from ponderosa import Search
from tests.helpers import EVERY_GAME, GOLDEN, all_but_large, first_decision, loaded, visits

FILE = GOLDEN / "signatures.json"


def signature(name: str) -> dict[str, object]:
    """The game after 300 iterations with seed 0: nodes, the sum of all results, the root actions' visits."""
    search = Search(loaded(EVERY_GAME[name]), seed=0)
    report = search.run(first_decision(search.game), iterations=300)
    total = float(search.tree.nodes[0]["value"])
    return {"game": EVERY_GAME[name], "nodes": report.nodes, "total": total, "visits": list(visits(report).values())}


@pytest.mark.parametrize("name", all_but_large())
def test_a_search_behaves_as_it_did(name):
    golden = json.loads(FILE.read_text())
    assert name in golden, f"{name} has no golden search yet: python -m tests.mcts.test_signature"
    assert signature(name) == golden[name]


def test_every_golden_search_is_of_a_registered_game():
    assert set(json.loads(FILE.read_text())) == set(EVERY_GAME)


if __name__ == "__main__":
    lines = [f"  {json.dumps(name)}: {json.dumps(signature(name))}" for name in EVERY_GAME]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
