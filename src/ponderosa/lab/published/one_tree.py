"""Two players who grow one tree between them, each in turn. Start at on_one_tree.

Kim's text has one root that is handed on from move to move, and does not say whether each side has its own.
"""

from __future__ import annotations

from ponderosa.agents.mcts import MctsAgent
from ponderosa.core.game import Game
from ponderosa.core.rng import seed_of
from ponderosa.lab.experiment import Work
from ponderosa.lab.published.compare import counted
from ponderosa.lab.sweeps.sweep import Mean
from ponderosa.registry import load_agent, load_game

BUNDLE = 50
"""How many games are kept at once."""


def scores_on_one_tree(work: Work, game: str, agent: str, rival: str, games: int) -> tuple[Mean, Mean]:
    """What an agent scores as first and as second player, half of the games each, where both sides grow one tree."""
    first = _results(work, {"game": game, "first": agent, "second": rival}, games // 2)
    second = _results(work, {"game": game, "first": rival, "second": agent}, games // 2)
    return _score(first, 1.0), _score(second, -1.0)


def _score(results: list[float], win: float) -> Mean:
    return counted(results.count(win), len(results), results.count(0.0))


def _results(work: Work, asked: dict[str, str], games: int) -> list[float]:
    """All results, kept bundle by bundle."""
    results: list[float] = []
    while len(results) < games:
        work.tell(f"{asked['first']} and {asked['second']} on one tree", len(results), games)
        bundle = {"games": min(BUNDLE, games - len(results)), "seed": seed_of(work.seed, len(results))}
        results += work.kept(on_one_tree, **asked, **bundle)
    return results


def on_one_tree(game: str, first: str, second: str, games: int, seed: int) -> list[float]:
    """What the first of two searching agents got in each game: 1, 0 or -1."""
    rules = load_game(game)
    results: list[float] = []
    agents = [_searching(agent, rules) for agent in (first, second)]
    for number in range(games):
        for place, agent in enumerate(agents):
            agent.reset(seed_of(seed, 2 * number + place))
        state = rules.new_initial_state()
        while not state.is_terminal():
            player = state.current_player()
            search, budget = agents[player].search, agents[player].budget
            action = search.run(state, iterations=budget.iterations).best_action
            search.advance(action)
            state.apply_action(action)
            if not state.is_terminal():
                agents[1 - player].search.adopt(state, search.tree)
        results.append(float(state.returns()[0]))
    return results


def _searching(spec: str, game: Game) -> MctsAgent:
    agent = load_agent(spec, game)
    assert isinstance(agent, MctsAgent)
    return agent
