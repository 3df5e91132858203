"""Plans in Gymnasium's environments, against their known optimum; and that no plan sees the future."""

from __future__ import annotations

import math

import gymnasium
import numpy as np
import pytest

from ponderosa.adapters.gymnasium import ACTIONS, HISTORY, SEEN, Planner, plan, play
from ponderosa.adapters.gymnasium.copying import REPLAY, STATE
from ponderosa.adapters.gymnasium.recorded import Recorded
from ponderosa.errors import GameError, SettingError

CARDS = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}


def backed_up(table, values, state, action, discount=1.0):
    """The expected value of an action, by the environment's own table of transitions."""
    return sum(p * (r + (0.0 if over else discount * values[then])) for p, then, r, over in table[state][action])


def optimum(table, steps, discount=1.0):
    """The best values of all states with so many steps left."""
    values = dict.fromkeys(table, 0.0)
    for _ in range(steps):
        values = {s: max(backed_up(table, values, s, a, discount) for a in table[s]) for s in table}
    return values


def worth(table, policy, steps):
    """The values of a policy, a dictionary of actions, with so many steps left."""
    values = dict.fromkeys(table, 0.0)
    for _ in range(steps):
        values = {s: backed_up(table, values, s, policy.get(s, 0)) for s in table}
    return values


def best_of(position, actions):
    tried = [(value, action) for value, action, n in zip(position.values, actions, position.tried, strict=True) if n]
    return max(tried)[1] if tried else actions[0]


def learnt(name, iterations, seed=0, **settings):
    """The policy that one plan from the start has learnt, the value it expects, the environment and its start."""
    env = gymnasium.make(name, **settings)
    seen, _ = env.reset(seed=1)
    planner = Planner(env, seed=seed, horizon=100)
    found = planner.plan(seen, iterations=iterations)
    policy = {key: best_of(position, planner.actions) for key, position in planner._known.items()}
    return policy, found, env.unwrapped.P, int(seen)


@pytest.mark.parametrize(
    ("name", "settings", "iterations", "steps", "short"),
    [
        ("Taxi-v4", {}, 150, 30, 0.0),
        ("CliffWalking-v1", {}, 500, 30, 0.0),
        ("FrozenLake-v1", {"is_slippery": False}, 400, 100, 0.0),
        ("FrozenLake-v1", {"is_slippery": True}, 500, 100, 0.04),
    ],
)
def test_a_plan_has_learnt_a_policy_that_is_as_good_as_any(name, settings, iterations, steps, short):
    policy, _, table, start = learnt(name, iterations, **settings)
    best = optimum(table, steps)[start]
    got = worth(table, policy, steps)[start]
    assert best - short - 1e-9 <= got <= best + 1e-9


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_no_plan_on_slippery_ice_is_worth_more_than_any_policy_gets(seed):
    _, found, table, start = learnt("FrozenLake-v1", 1000, seed)
    best = optimum(table, 1000, discount=0.99)[start]
    assert abs(found.value - best) < 0.08  # a copy that knows where it will slip would say 0.9


def blackjack_optimum():
    """What a new game of Gymnasium's Blackjack is worth: an endless deck, the dealer sticks at 17, no doubling."""

    def dealt(total, ace, card):
        total, ace = total + card, ace or card == 1
        return total, ace

    def best_sum(total, ace):
        return total + 10 if ace and total + 10 <= 21 else total

    def dealer(total, ace, memory):
        if (total, ace) not in memory:
            now = best_sum(total, ace)
            if now >= 17:
                memory[total, ace] = {now if now <= 21 else 0: 1.0}
            else:
                found: dict[int, float] = {}
                for card, chance in CARDS.items():
                    for end, part in dealer(*dealt(total, ace, card), memory).items():
                        found[end] = found.get(end, 0.0) + chance * part
                memory[total, ace] = found
        return memory[total, ace]

    def sticks(total, ace, shown, memory):
        mine = best_sum(total, ace)
        return sum(chance * np.sign(mine - end) for end, chance in dealer(shown, shown == 1, memory).items())

    def value(total, ace, shown, memory, known):
        if total > 21:
            return -1.0
        if (total, ace) not in known:
            hit = sum(chance * value(*dealt(total, ace, card), shown, memory, known) for card, chance in CARDS.items())
            known[total, ace] = max(hit, sticks(total, ace, shown, memory))
        return known[total, ace]

    whole, memory = 0.0, {}
    for shown, chance in CARDS.items():
        known: dict = {}
        for one, first in CARDS.items():
            for other, second in CARDS.items():
                state = dealt(*dealt(0, False, one), other)
                whole += chance * first * second * value(*state, shown, memory, known)
    return whole


def blackjack_policy(seed, trials, rounds):
    """One planner over many deals; what it plays then."""
    env = gymnasium.make("Blackjack-v1", sab=False, natural=False)
    planner = Planner(env, discount=1.0, seed=seed)
    for deal in range(rounds):
        seen, _ = env.reset(seed=1000 * seed + deal)
        planner.plan(seen, iterations=trials)
    return env, planner


@pytest.mark.slow
def test_blackjack_is_played_within_the_interval_of_its_optimum():
    best = blackjack_optimum()
    assert -0.06 < best < -0.03
    env, planner = blackjack_policy(seed=1, trials=40, rounds=900)
    policy = {key: best_of(position, planner.actions) for key, position in planner._known.items()}
    results = []
    for deal in range(4000):
        seen, _ = env.unwrapped.reset(seed=10**6 if not deal else None)
        over = False
        while not over:
            seen, reward, over, _, _ = env.unwrapped.step(policy.get(tuple(map(int, seen)), 0))
        results.append(reward)
    error = np.std(results) / math.sqrt(len(results))
    assert abs(np.mean(results) - best) < 3.0 * error + 0.03


def test_the_dealers_face_down_card_is_not_seen_in_advance():
    expected = set()
    for hidden in (6, 10):  # with 6 and 10 the dealer must draw and often busts; with two tens it stands on 20
        env = gymnasium.make("Blackjack-v1", sab=False, natural=False)
        env.reset(seed=3)
        env.unwrapped.player, env.unwrapped.dealer = [10, 9], [10, hidden]
        found = plan(env, (19, 10, 0), iterations=800, discount=1.0)
        expected.add(round(found.value, 9))
    assert len(expected) == 1


def test_a_copy_has_random_numbers_of_its_own_and_leaves_the_environment_as_it_was():
    env = gymnasium.make("FrozenLake-v1")
    seen, _ = env.reset(seed=5)
    before = env.unwrapped.np_random.bit_generator.state
    plans = [plan(env, seen, iterations=40, seed=7) for _ in range(2)]
    assert plans[0].actions == plans[1].actions  # the same seed, the same plan
    assert env.unwrapped.np_random.bit_generator.state == before and env.unwrapped.s == 0
    env.reset(seed=6)  # other numbers to come: nothing of them is in the plan
    assert plan(env, seen, iterations=40, seed=7).actions == plans[0].actions


@pytest.mark.parametrize("name", ["FrozenLake-v1", "Blackjack-v1", "CartPole-v1"])
def test_both_ways_to_copy_plan_the_same(name):
    found = {}
    for way in (STATE, REPLAY):
        env = Recorded(gymnasium.make(name))
        seen, _ = env.reset(seed=2)
        seen = env.step(1)[0] if name == "CartPole-v1" else seen
        found[way] = plan(env, seen, iterations=300, copy=way, horizon=20)
        assert found[way].copied == way
    values = [{entry.action: entry.value for entry in found[way].actions} for way in found]
    if name == "CartPole-v1":
        assert values[0] == values[1]
    for action, value in values[0].items():
        assert abs(value - values[1][action]) < 0.3


def test_an_environment_that_no_copy_can_follow_is_refused_and_one_that_was_recorded_is_repeated():
    class Counting(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(100), gymnasium.spaces.Discrete(2)
        told: dict[str, int] = {"steps": 0}  # beside the object, where no copy sees it

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.told["steps"] = 0
            return 0, {}

        def step(self, action):
            self.told["steps"] += 1
            return self.told["steps"], float(action), self.told["steps"] >= 5, False, {}

    with pytest.raises(GameError, match=r"Recorded\(env\)"):
        env = Counting()
        plan(env, env.reset(seed=1)[0], iterations=10)


def test_a_discount_makes_near_rewards_worth_more():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    seen, _ = env.reset(seed=1)
    found = plan(env, seen, iterations=900, discount=0.9)
    assert found.value == pytest.approx(0.9**5)  # six steps, the last of which brings the reward


def test_positions_are_told_apart_as_one_asks():
    env = gymnasium.make("FrozenLake-v1")
    seen, _ = env.reset(seed=1)
    sizes = {kind: plan(env, seen, iterations=300, nodes=kind).positions for kind in (SEEN, HISTORY, ACTIONS)}
    assert sizes[SEEN] <= 16 < sizes[ACTIONS] and sizes[SEEN] < sizes[HISTORY]
    assert Planner(gymnasium.make("CartPole-v1")).nodes == ACTIONS


@pytest.mark.slow
def test_cartpole_is_kept_up_for_500_steps():
    def towards_the_lean(seen):
        return int(seen[2] + seen[3] > 0)

    env = gymnasium.make("CartPole-v1")
    assert play(env, episodes=2, iterations=4, horizon=60, playout=towards_the_lean) == [500.0, 500.0]


def test_an_episode_of_cliff_walking_takes_thirteen_steps():
    env = gymnasium.make("CliffWalking-v1", max_episode_steps=60)
    planner = Planner(env)
    seen, _ = env.reset(seed=1)
    planner.plan(seen, iterations=700)
    total, over = 0.0, False
    while not over:
        seen, reward, terminated, truncated, _ = env.step(planner.plan(seen, iterations=5).best_action)
        total, over = total + reward, terminated or truncated
    assert total == -13.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"discount": 0.0}, "discount must be"),
        ({"horizon": 0}, "horizon must be"),
        ({"nodes": "all"}, "nodes is"),
        ({"copy": "fork"}, "copy is"),
        ({"copy": REPLAY}, r"Recorded\(env\)"),
    ],
)
def test_what_cannot_be_set_is_said_in_words(settings, words):
    env = gymnasium.make("FrozenLake-v1")
    seen, _ = env.reset(seed=1)
    with pytest.raises(SettingError, match=words):
        plan(env, seen, iterations=10, **settings)


def test_actions_without_number_and_a_missing_observation_are_refused_in_words():
    with pytest.raises(SettingError, match="can be listed"):
        Planner(gymnasium.make("Pendulum-v1"))
    with pytest.raises(SettingError, match="an environment of Gymnasium"):
        Planner(3)
    env = gymnasium.make("FrozenLake-v1")
    for unready in (env, Recorded(gymnasium.make("FrozenLake-v1"))):
        with pytest.raises(GameError, match="reset it first"):
            plan(unready, 0, iterations=10)
    env.reset(seed=1)
    with pytest.raises(SettingError, match="say what is seen"):
        plan(env, iterations=10)
