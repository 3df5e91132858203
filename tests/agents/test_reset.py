"""An agent that is reset plays as a new one does."""

from __future__ import annotations

from typing import Any

import pytest

from ponderosa import Agent, load_agent
from ponderosa.registry import AGENTS, agent_class, split_spec, takes
from tests.agents.test_connect import BOARD
from tests.helpers import loaded, others_slow
from tests.networks.small import SAMPLE

SEED = 12345
SPECS = {"mcts": "mcts:iterations=60", "fast": "fast:iterations=60", "clever": "clever:iterations=60"}
SPECS |= {"lazy": "lazy:iterations=60", "random": "random", "threads": "mcts:iterations=60,threads=2"}
SPECS |= {"slow": "slow:iterations=9", "medium": "medium:iterations=60", "voting": "voting:iterations=60"}
SPECS |= {"blind": "blind", "scripted": "scripted", "strong": "strong:iterations=60"}
SPECS |= {"minimax": "minimax:depth=2,table=1024", "perfect": "perfect:table=1024"}
SPECS |= {"net": f"net:file={SAMPLE},iterations=60"}
GAMES = {"scripted": "tictactoe", SPECS["perfect"]: "tictactoe", SPECS["net"]: "tictactoe"}
GAMES |= {SPECS["strong"]: "gomoku", SPECS["minimax"]: "gomoku"}
"""What agents play that do not play BOARD, or that other tests compile for this game."""
COSTLY = ("strong", "clever", "lazy", "voting")
LEFT_OUT = {"engine", "determinized"}
"""Another program, which would have to be there, and an agent for hidden games: tests/agents/test_determinized.py."""


def moves(agent: Any, game: Any, length: int) -> list[Any]:
    state = game.new_initial_state()
    for _ in range(length):
        state.apply_action(agent.step(state))
    return list(state.history())


def test_no_agent_with_a_reset_was_forgotten() -> None:
    assert {name for name in AGENTS if agent_class(name).reset is not Agent.reset} - LEFT_OUT <= set(SPECS)


@pytest.mark.parametrize("spec", others_slow(SPECS.values(), [SPECS[name] for name in SPECS if name not in COSTLY]))
def test_a_reset_agent_plays_like_a_new_one(spec: str) -> None:
    game = loaded(GAMES.get(spec, BOARD))
    used = load_agent(spec, game)
    moves(used, game, 5)
    used.reset(SEED)
    name, settings = split_spec(spec)
    seed = f"{',' if settings else ':'}seed={SEED}" if takes(agent_class(name), "seed") else ""
    assert moves(used, game, 6) == moves(load_agent(spec + seed, game), game, 6)
