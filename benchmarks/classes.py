"""Evidence that the search is right, and fast, in every class of games. Start at main.

    pip install ".[bench]" && python benchmarks/classes.py [one many chance hidden simultaneous speed]

Every line is one claim with its figure; seeds are fixed, so a run repeats itself. Shares have a 95 % interval.
"""

from __future__ import annotations

import math
import random
import statistics
import sys

import numpy as np
import pyspiel
from rounds import compare, print_table

from ponderosa import CHANCE, Search, load_agent, load_game
from ponderosa.core.dice import roll, roll_on
from ponderosa.core.rng import new_rng
from ponderosa.mcts.engines.phases import Playout
from ponderosa.mcts.policies.playout.playouts import random as random_playout

C = math.sqrt(2)
SEED = 1


def say(claim: str, reached: str, asked: str) -> None:
    """One row of the table."""
    print(f"| {claim} | {reached} | {asked} |", flush=True)


def share(won: float, games: int) -> str:
    """A share of games with its 95 % interval (Wilson)."""
    z, p = 1.96, won / games
    middle = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    return f"{100 * p:.1f} % of {games} ({100 * (middle - half):.1f} to {100 * (middle + half):.1f})"


def one_player(boards: int = 20, playouts: int = 10_000) -> None:
    """SameGame: the best of so many playouts, with the spread term, without it, and without a tree."""
    scores: dict[str, list[float]] = {"sp_ucb": [], "ucb1": [], "random": []}
    for seed in range(boards):
        game = load_game(f"samegame:seed={seed}")
        for select in ("sp_ucb", "ucb1"):
            scores[select].append(Search(game, select=select, seed=seed).run(iterations=playouts).best_score or 0.0)
        scores["random"].append(best_of_random(game, playouts, seed))
    means = ", ".join(f"{name} {statistics.mean(found):.0f}" for name, found in scores.items())
    for other in ("ucb1", "random"):
        pairs = list(zip(scores["sp_ucb"], scores[other], strict=True))
        better = sum(one > two for one, two in pairs)
        claim = f"one player: sp_ucb over {other} on {boards} SameGame boards, {playouts:,} playouts"
        say(claim, f"{better} boards better, {sum(one < two for one, two in pairs)} worse; means {means}", "beats")


def best_of_random(game, playouts: int, seed: int) -> float:
    """The best score of so many random games."""
    play, rng, values, best = Playout(game, random_playout()), new_rng(seed), np.zeros(1), 0.0
    start = game.new_initial_state().data
    for _ in range(playouts):
        play(start.copy(), rng, values)
        best = max(best, float(values[0]))
    return game.min_utility + best * (game.max_utility - game.min_utility)


def play(game, agents, seed: int) -> list[float]:
    """One game; every agent sees only what it may."""
    luck, state = random.Random(seed), game.new_initial_state()
    for seat, agent in enumerate(agents):
        agent.reset(100 * seed + seat)
    while not state.is_terminal():
        player = state.to_move()
        if player == CHANCE:
            state.apply_action(roll(state, luck))
        else:
            state.apply_action(agents[player].step(state.observation(player) if game.viewed else state))
    return state.returns()


def won_by(game, agents, seat: int, games: int, swap: bool = False) -> float:
    """How many games the agent of a seat wins, ties for the best shared."""
    won = 0.0
    for seed in range(games):
        order = agents[::-1] if swap and seed % 2 else agents
        place = len(agents) - 1 - seat if swap and seed % 2 else seat
        returns = play(game, order, seed)
        best = [index for index, value in enumerate(returns) if value == max(returns)]
        won += (place in best) / len(best)
    return won


def many_players(games: int = 100) -> None:
    """Three in a game of k in a row: one searches, two play at random."""
    game = load_game("connect:m=6,n=6,k=4,players=3")
    for paranoid in ("false", "true"):
        won = 0.0
        for seat in range(3):
            agents = [load_agent("random", game) for _ in range(3)]
            agents[seat] = load_agent(f"mcts:iterations=2000,paranoid={paranoid}", game)
            won += won_by(game, agents, seat, games)
        say(
            f"many players: three-player connect against two random, paranoid={paranoid}", share(won, 3 * games), "90 %"
        )


def chance(target: int = 100, states: int = 300) -> None:
    """Pig: does the move agree with the optimal policy?"""
    hold, stakes = pig_values(target)
    game, luck, right, asked = load_game(f"pig:target={target}"), random.Random(SEED), 0, 0
    while asked < states:
        state = game.new_initial_state()
        while not state.is_terminal() and asked < states:
            roll_on(state, luck)
            if state.is_terminal():
                break
            player, record = state.to_move(), state.record
            place = (record.points[player], record.points[1 - player], record.turn)
            open_choice = place[2] > 0 and place[0] + place[2] < target
            gain = stakes[place] - hold[place] if open_choice else 0.0
            if abs(gain) >= 0.005 and luck.random() < 0.2:
                report = Search(game, seed=asked).run(state, iterations=20_000)
                right += report.best_name == ("roll" if gain > 0 else "hold")
                asked += 1
            best = "roll" if gain > 0 or (not open_choice and place[2] == 0) else "hold"
            legal = {state.action_to_string(action): action for action in state.legal_actions()}
            state.apply_action(legal[best] if luck.random() < 0.7 else luck.choice(list(legal.values())))
    say(f"chance: pig to {target}, the optimal move at 20,000 iterations", share(right, states), "95 %")


def pig_values(target: int, sides: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Value iteration: the chance to win of holding and of rolling, by own points, the other's, and the turn's."""
    win = np.full((target, target, target + sides), 0.5)
    points = np.arange(target)[:, None]
    while True:
        passed = 1.0 - win[:, :, 0].T
        hold, stakes = np.zeros_like(win), np.zeros_like(win)
        for turn in range(target):
            kept = np.minimum(points[:, 0] + turn, target - 1)
            hold[:, :, turn] = np.where(points + turn >= target, 1.0, passed[kept])
            after = [np.where(points + turn + die >= target, 1.0, win[:, :, turn + die]) for die in range(2, sides + 1)]
            stakes[:, :, turn] = (passed + sum(after)) / sides
        better = np.maximum(hold, stakes)
        better[:, :, 0] = stakes[:, :, 0]
        if np.abs(better - win)[:, :, :target].max() < 1e-6:
            return hold, stakes
        win = better


def hidden(games: int = 400) -> None:
    """Blind tic-tac-toe: against random, and against the same search without information sets."""
    game = load_game("blind_tictactoe")
    for observers in ("multiple", "single"):
        searcher = f"mcts:iterations=2000,observers={observers}"
        agents = [load_agent(searcher, game), load_agent("random", game)]
        claim = f"hidden: blind tic-tac-toe as first player against random, observers={observers}"
        say(claim, share(won_by(game, agents, 0, games), games), "85 %")
        agents = [load_agent(searcher, game), load_agent("determinized:iterations=2000", game)]
        claim = f"hidden: the same against determinized UCT, both seats, observers={observers}"
        say(claim, share(won_by(game, agents, 0, 2 * games, swap=True), 2 * games), "significantly over 50 %")


def simultaneous(games: int = 200) -> None:
    """Rock-paper-scissors with skewed payoffs against its equilibrium; goofspiel against random."""
    for select in ("regret_matching", "exp3"):
        report = Search(load_game("rps:wins=3,1,1"), select=select).run(iterations=200_000)
        found = {entry.name: entry.strategy for entry in report.actions}
        off = max(abs(found[name] - right) for name, right in (("rock", 0.2), ("paper", 0.6), ("scissors", 0.2)))
        say(f"simultaneous: skewed rock-paper-scissors, {select}, distance from the equilibrium", f"{off:.3f}", "0.05")
    game = load_game("goofspiel:cards=13")
    for select in ("select=decoupled_ucb,c=5", "select=regret_matching"):
        agents = [load_agent(f"mcts:iterations=5000,{select}", game), load_agent("random", game)]
        claim = f"simultaneous: goofspiel with 13 cards against random, {select}"
        say(claim, share(won_by(game, agents, 0, games), games), "90 %")


def ours(name: str, simulations: int, **options):
    """A search from scratch, from the first decision on."""
    game = load_game(name)
    search, state = Search(game, solve=False, seed=SEED, **options), game.new_initial_state()
    roll_on(state, random.Random(SEED))

    def run() -> int:
        search.reset()
        return search.run(state, iterations=simulations).iterations

    return run


def theirs(name: str, simulations: int, information_sets: bool):
    """OpenSpiel's C++ bot, from the first decision on."""
    game, luck = pyspiel.load_game(name), random.Random(SEED)
    state, evaluator = game.new_initial_state(), pyspiel.RandomRolloutEvaluator(1, SEED)
    while state.is_chance_node():
        state.apply_action(luck.choice([outcome for outcome, _ in state.chance_outcomes()]))

    def run() -> int:
        if information_sets:
            bot = pyspiel.ISMCTSBot(SEED, evaluator, C, simulations)
        else:
            bot = pyspiel.MCTSBot(game, evaluator, C, simulations, 4000, False, SEED, False)
        bot.step(state)
        return simulations

    return run


def speed() -> None:
    """Iterations a second against OpenSpiel's bots."""
    contests = [
        ("pig, MCTS", "pig", "pig", False),
        ("goofspiel, 6 cards, MCTS on its turn-based form", "goofspiel:cards=6",
         "turn_based_simultaneous_game(game=goofspiel(num_cards=6,points_order=random))", False),
        ("phantom tic-tac-toe, MCTS (its ISMCTS cannot draw states of it)", "blind_tictactoe", "phantom_ttt", False),
        ("kuhn poker, ISMCTS", "kuhn_poker", "kuhn_poker", True),
    ]  # fmt: skip
    rows = [
        (title, compare(ours(mine, 20_000), theirs(other, 5_000, sets)), 20) for title, mine, other, sets in contests
    ]
    print_table("game", rows)


PARTS = {
    "one": one_player,
    "many": many_players,
    "chance": chance,
    "hidden": hidden,
    "simultaneous": simultaneous,
    "speed": speed,
}


def main() -> None:
    """Print the tables of the parts that are named, or of all."""
    wanted = sys.argv[1:] or list(PARTS)
    if set(wanted) - set(PARTS):
        raise SystemExit(f"parts are {', '.join(PARTS)}")
    if wanted != ["speed"]:
        print("| claim | reached | asked |\n| --- | --- | --- |")
    for name in wanted:
        PARTS[name]()


if __name__ == "__main__":
    main()
