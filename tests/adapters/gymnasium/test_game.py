"""Gymnasium's environments as games: as they go there, again from their history, and without a view of the future."""

from __future__ import annotations

import copy
import pickle
import random

import gymnasium
import pytest

from ponderosa import Search, load_agent, load_game
from ponderosa.core.turns import CHANCE
from ponderosa.errors import SettingError, UnknownNameError

NAMES = [
    "FrozenLake-v1",
    "FrozenLake-v1(is_slippery=false)",
    "Taxi-v4",
    "CliffWalking-v1",
    "Blackjack-v1",
    "CartPole-v1",
]


def played(name, seed, most=30):
    rng, state = random.Random(seed), load_game(f"gymnasium:{name}").new_initial_state()
    while not state.is_terminal() and len(state.history()) < most:
        state.apply_action(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", NAMES)
def test_a_game_goes_the_same_way_again_and_survives_a_pickle(name):
    state = played(name, seed=4)
    again = load_game(state.game.spec).new_initial_state()
    for action in state.history():
        again.apply_action(action)
    for twin in (again, state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state and str(twin) == str(state) and twin.world.returns() == state.world.returns()
    assert "reward so far" in str(state)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_search_moves_in_it(name):
    state = played(name, seed=2, most=3)
    while state.to_move() == CHANCE:
        state.apply_action(state.legal_actions()[0])
    if not state.is_terminal():
        action = load_agent("mcts:iterations=20", state.game).step(state.observation(0))
        assert action in state.legal_actions()


def test_the_dice_are_those_of_the_table():
    state = load_game("gymnasium:FrozenLake-v1").new_initial_state()
    state.apply_action("right")
    words = {state.action_to_string(outcome): chance for outcome, chance in state.chance_outcomes()}
    assert words == pytest.approx({"to 4": 1 / 3, "to 1": 1 / 3, "to 0": 1 / 3})
    firm = load_game("gymnasium:FrozenLake-v1(is_slippery=false)").new_initial_state()
    for move in ["down", "down", "right", "right", "down", "right"]:
        assert not firm.game.chance
        firm.apply_action(move)
    assert firm.is_terminal() and firm.returns() == [1.0]


def test_an_episode_brings_what_it_brings_in_gymnasium():
    env = gymnasium.make("Taxi-v4")
    seen, _ = env.reset(seed=3)
    state, total, rng = load_game("gymnasium:Taxi-v4").new_initial_state(), 0.0, random.Random(1)
    state.apply_action(int(seen))
    for _ in range(25):
        action = rng.randrange(6)
        total += env.step(action)[1]
        state.apply_action(action)
    assert state.world.returns() == [total]


def test_a_discount_makes_late_rewards_small():
    state = load_game("gymnasium:FrozenLake-v1(is_slippery=false),discount=0.5").new_initial_state()
    for move in ["down", "down", "right", "right", "down", "right"]:
        state.apply_action(move)
    assert state.returns() == [0.5**5]


def test_what_comes_next_is_hidden_from_who_searches():
    state = load_game("gymnasium:Blackjack-v1").new_initial_state()
    state.apply_action(11)
    view = state.observation(0)
    assert view.history() == [] and view == state.clone().observation(0)
    same = 0
    for seed in range(40):  # a view that is played on goes another way than the game
        deal = state.game.new_initial_state()
        deal.apply_action(seed)
        ahead = deal.observation(0)
        ahead.apply_action("hit")
        deal.apply_action("hit")
        same += ahead.world._kept["player"] == deal.world._kept["player"]
    assert same < 20
    after, dealers = set(), set()
    for seed in range(60):
        guess = view.resample_from_infostate(0, seed)
        assert guess.world.seen() == view.world.seen()
        guess.apply_action("stick")
        dealers.add(tuple(guess.world._kept["dealer"]))
    for seed in range(60):
        guess = view.resample_from_infostate(0, seed)
        guess.apply_action("hit")
        after.add(sum(guess.world._kept["player"]))
    assert len(after) >= 6
    assert len({cards[1] for cards in dealers}) >= 6 and len({cards[0] for cards in dealers}) == 1


def test_the_search_finds_the_way_over_firm_ice():
    report = Search(load_game("gymnasium:FrozenLake-v1(is_slippery=false)")).run(iterations=1_500)
    assert report.best_score == 1.0 and report.best_name in ("down", "right")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("FrozenLak-v1", UnknownNameError, "did you mean 'FrozenLake-v1'"),
        ("", SettingError, "say which environment"),
        ("FrozenLake-v1(slippery=false)", SettingError, "does not make"),
        ("FrozenLake-v1(map_name=9x9)", SettingError, "there is no '9x9'"),
        ("Pendulum-v1", SettingError, "can be listed"),
        ("FrozenLake-v1,discount=2", SettingError, "discount must be"),
        ("FrozenLake-v1(is_slippery=false", SettingError, "closing bracket"),
    ],
)
def test_what_cannot_be_a_game_is_said_in_words(name, error, words):
    with pytest.raises(error, match=words):
        load_game(f"gymnasium:{name}")


def test_rewards_of_unknown_size_must_be_said():
    class Walk(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(4), gymnasium.spaces.Discrete(2)

        def __init__(self):
            self.place = 0

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place = 0
            return 0, {}

        def step(self, action):
            self.place += 1
            return self.place, float(self.np_random.random() * action), self.place == 3, False, {}

    gymnasium.register("Walk-v0", Walk)
    try:
        with pytest.raises(SettingError, match="least=0,most=100"):
            load_game("gymnasium:Walk-v0")
        game = load_game("gymnasium:Walk-v0,least=0,most=3")
        state = game.new_initial_state()
        state.apply_action(7)
        assert Search(game).run(state.observation(0), iterations=300).best_action == 1
    finally:
        gymnasium.registry.pop("Walk-v0")
