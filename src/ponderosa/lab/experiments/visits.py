"""Where the visits go with little and with much exploration, and what a move costs. Start at Visits.run."""

from __future__ import annotations

import time
from typing import Any

from ponderosa.agents.mcts import MctsAgent
from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import elsewhere
from ponderosa.lab.published.speed import CLOCK, mean_of
from ponderosa.lab.published.works import KIM, KIM_UNLIKE, LIKE_KIM, STYLES, capital
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import Mean
from ponderosa.registry import load_agent, load_game

GAME = "connect4"
COLUMNS = 7
ITERATIONS, ROLLOUTS = 50, 20
LITTLE, MUCH = 0.1, 10.0
CONSTANTS = [LITTLE, 0.5, 1.0, 1.4, 1.5, 2.0, MUCH]
"""Those whose visits are published as pictures, and those that played each other."""
EVEN = 1.5
"""Visits are even when the most visited column has no more than so many times its share."""


class Visits(Experiment):
    """Visits by column, nodes and time, by the exploration constant."""

    name, title = "visits", "Visits, nodes and time by the exploration constant"
    plays = False
    question = (
        "How are the visits of a first move at Connect Four spread over the seven columns with little and with much "
        "exploration, how many nodes has the tree, and how long does a move take?"
    )
    original = (
        f"{KIM}, section 6.1: with {ITERATIONS} iterations of {ROLLOUTS} rollouts, c = {LITTLE:g} visits only a few "
        f"columns and c = {MUCH:g} all of them about evenly; the numbers are in pictures alone. The nodes visited in a "
        "game and the time of a move are said to be measured for every constant, and are not given."
    )

    def run(self, work: Work) -> Findings:
        """The same move many times, and some games of the agent against itself."""
        budget = work.pick(tiny=5, quick=ITERATIONS, full=ITERATIONS)
        moves = work.pick(tiny=3, quick=100, full=1000)
        games = work.pick(tiny=2, quick=20, full=200)
        constants = work.pick(tiny=[LITTLE, MUCH], quick=CONSTANTS, full=CONSTANTS)
        settings = {"iterations": str(budget), "rollouts": str(ROLLOUTS)}
        columns: dict[float, list[Mean]] = {}
        most: dict[float, Mean] = {}
        costs: dict[float, tuple[Mean, Mean]] = {}
        for done, c in enumerate(constants):
            work.tell(f"c = {c:g}", done, len(constants))
            agent = with_settings(STYLES[LIKE_KIM], settings | {"c": f"{c:g}"})
            seen = work.kept(visits_of, agent=agent, game=GAME, moves=moves, seed=work.seed)
            shares = [[100 * count / sum(one) for count in one] for one in seen]
            columns[c] = [mean_of([max(one[column], 1e-9) for one in shares]) for column in range(COLUMNS)]
            most[c] = mean_of([max(one) for one in shares])
            efforts = work.kept(effort_of, agent=agent, game=GAME, games=games, seed=work.seed)
            costs[c] = (mean_of([nodes for nodes, _ in efforts]), mean_of([seconds for _, seconds in efforts]))
        return Findings(
            _summary(most, costs),
            elsewhere(_claims(most), f"{budget} iterations", f"{ITERATIONS} iterations"),
            [_table(columns), _costs(most, costs)],
            [_figure(columns), _cost_figure(costs)],
            [f"Means over {moves} first moves, and {games} games of {budget} iterations a move.", CLOCK, KIM_UNLIKE],
        )


def visits_of(agent: str, game: str, moves: int, seed: int) -> list[list[float]]:
    """The visits of each action on the first move, in the order of the actions, again and again."""
    rules, found = load_game(game), []
    player = load_agent(agent, rules)
    for number in range(moves):
        player.reset(seed + number)
        player.step(rules.new_initial_state())
        assert player.last_report is not None
        visits = {each.action: float(each.visits) for each in player.last_report.actions}
        found.append([visits.get(action, 0.0) for action in sorted(rules.new_initial_state().legal_actions())])
    return found


def effort_of(agent: str, game: str, games: int, seed: int) -> list[list[float]]:
    """Of each game of an agent against itself: nodes of the tree and seconds, a move."""
    rules, found = load_game(game), []
    player = load_agent(agent, rules)
    assert isinstance(player, MctsAgent)
    player.step(rules.new_initial_state())  # compiles
    for number in range(games):
        player.reset(seed + number)
        state, nodes, begun = rules.new_initial_state(), 0, time.process_time()
        while not state.is_terminal():
            state.apply_action(player.step(state))
            assert player.last_report is not None
            nodes += player.last_report.nodes
        moves = len(state.history())
        found.append([nodes / moves, (time.process_time() - begun) / moves])
    return found


def _claims(most: dict[float, Mean]) -> list[Claim]:
    little, much, even = most[LITTLE], most[MUCH], 100 / COLUMNS
    few = (
        AGREES
        if little.low > EVEN * even and little.low > much.high
        else OPEN
        if little.high > EVEN * even
        else DIFFERS
    )
    all_of_them = AGREES if much.high < EVEN * even else OPEN if much.low < EVEN * even else DIFFERS
    return [
        Claim(f"With c = {LITTLE:g} only a few columns are visited.", _most(LITTLE, little), few),
        Claim(f"With c = {MUCH:g} all columns are visited about evenly.", _most(MUCH, much), all_of_them),
    ]


def _most(c: float, mean: Mean) -> str:
    return (
        f"With c = {c:g} the most visited column had {mean.value:.1f} % of the visits ({mean.low:.1f} to "
        f"{mean.high:.1f}); {100 / COLUMNS:.1f} % would be even, and up to {EVEN * 100 / COLUMNS:.1f} % counts as that."
    )


def _summary(most: dict[float, Mean], costs: dict[float, tuple[Mean, Mean]]) -> str:
    said = "; ".join(
        f"c = {c:g}: {mean.value:.1f} %, {costs[c][0].value:,.0f} nodes, {1e3 * costs[c][1].value:.2f} ms"
        for c, mean in most.items()
    )
    what = "the visits of the most visited column, the nodes of the tree and the time of a move"
    return f"{capital(LIKE_KIM)}, {what}. {said}."


def _table(columns: dict[float, list[Mean]]) -> Table:
    rows = [
        {"c": c, "column": str(column + 1)} | with_interval("visits", "%", mean)
        for c, means in columns.items()
        for column, mean in enumerate(means)
    ]
    return Table.of("visits", "Visits of the first move by column", rows)


def _costs(most: dict[float, Mean], costs: dict[float, tuple[Mean, Mean]]) -> Table:
    rows = []
    for c, (nodes, seconds) in costs.items():
        row: dict[str, Any] = {"c": c}
        row |= with_interval("most visited", "%", most[c])
        row |= with_interval("nodes of the tree", "number", nodes)
        rows.append(row | with_interval("time a move", "ms", seconds, 1e3))
    return Table.of("costs", "Nodes and time by the exploration constant", rows)


def _figure(columns: dict[float, list[Mean]]) -> Chart:
    names = [str(column + 1) for column in range(COLUMNS)]
    series = [Series.of(f"c = {c:g}", names, means) for c, means in columns.items()]
    axes = Axis("column"), Axis("visits", "% of all", low=0)
    return Chart("visits", "Visits of the first move by column", *axes, series)


def _cost_figure(costs: dict[float, tuple[Mean, Mean]]) -> Chart:
    axes = Axis("exploration constant c", "logarithmic", log=True), Axis("nodes of the tree at a move", "number")
    series = [Series.of(LIKE_KIM, list(costs), [nodes for nodes, _ in costs.values()])]
    return Chart("nodes", "Nodes of the tree by the exploration constant", *axes, series)
