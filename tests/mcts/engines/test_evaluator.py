"""Evaluators: batches of leaves, judged outside of the loop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ponderosa import Search, load_agent, load_game, observed
from ponderosa.errors import PonderosaError, SettingError, TreeFileError
from ponderosa.mcts.policies.select.puct import puct
from ponderosa.mcts.tree.node import ROOT
from tests.helpers import LookAlike, children, grown, loaded
from tests.small_games import Doubling

TICTACTOE = "tictactoe"


def undecided(states):
    """Nothing is known of any state."""
    return None, np.zeros(len(states))


def scattered(states):
    """Values and priors that differ from state to state, from the stones alone."""
    boards = observed(loaded(TICTACTOE), states).reshape(len(states), -1)
    weights = np.random.default_rng(1).normal(size=(boards.shape[1], 10))
    out = boards @ weights
    return np.exp(out[:, :9]), np.tanh(out[:, 9])


@pytest.mark.parametrize("batch", [1, 3, 32])
def test_every_iteration_is_counted_once_and_no_leaf_is_left_waiting(batch):
    search = Search(loaded(TICTACTOE), evaluator=scattered, batch=batch, solve=False)
    for total in (1, 50, 333):
        before = int(search.tree.nodes[ROOT]["visits"])
        report = search.run(iterations=total)
        nodes = grown(search)
        assert report.iterations == total
        assert nodes[ROOT]["visits"] == max(before, 1) + total  # the root was judged once, on its own
    assert (nodes["first"] >= -1).all()
    for node in np.flatnonzero((nodes["first"] > 0) & (nodes["count"] > 0)):
        below = nodes[children(nodes, int(node))]
        assert nodes[node]["visits"] == 1 + below["visits"].sum()
        assert below["prior"].sum() == pytest.approx(1.0)


def test_the_evaluator_sees_full_batches_of_different_leaves():
    sizes = []

    def noted(states):
        sizes.append(len(states))
        assert len({state.tobytes() for state in observed(loaded(TICTACTOE), states)}) > len(states) // 2
        return scattered(states)

    Search(loaded(TICTACTOE), evaluator=noted, batch=16, solve=False).run(iterations=1_500)
    assert sizes[0] == 1 and max(sizes) == 16
    assert np.mean(np.array(sizes[5:-1]) == 16) > 0.9


def test_a_batch_of_one_is_the_textbook():
    """PUCT in a few lines of plain Python, on dictionaries, visits the same moves."""
    game, iterations, c = load_game(TICTACTOE), 200, 1.5

    def judge(state):
        priors, values = scattered(np.frombuffer(state.data.tobytes(), game.dtype))
        legal = state.legal_actions()
        whole = sum(priors[0][action] for action in legal)
        return {action: priors[0][action] / whole for action in legal}, (values[0] + 1) / 2

    class Node:
        def __init__(self, prior):
            self.prior, self.visits, self.value, self.children = prior, 0, 0.0, {}

    def visit(node, state, mover):
        """The value for the player who moved to the state."""
        if state.is_terminal():
            value = (state.returns()[mover] + 1) / 2
        elif not node.children:
            priors, worth = judge(state)
            node.children = {action: Node(prior) for action, prior in priors.items()}
            value = 1 - worth
        else:
            usual = 1 - node.value / node.visits
            worths = {
                action: (child.value / child.visits if child.visits else usual)
                + c * child.prior * np.sqrt(node.visits) / (1 + child.visits)
                for action, child in node.children.items()
            }
            action = max(worths, key=worths.get)
            value = 1 - visit(node.children[action], state.child(action), state.current_player())
        node.visits += 1
        node.value += value
        return value

    root = Node(1.0)
    for _ in range(iterations + 1):
        visit(root, game.new_initial_state(), 1)
    report = Search(game, evaluator=scattered, batch=1, solve=False, select=puct(c)).run(iterations=iterations)
    found = {entry.action: entry.visits for entry in report.actions}
    assert found == {action: child.visits for action, child in root.children.items()}


def test_the_same_seed_gives_the_same_tree_whatever_the_clock_says():
    trees = []
    for clock in (itertools.count(0.0, 1e-4), itertools.count(0.0, 0.5)):
        search = Search(loaded(TICTACTOE), evaluator=scattered, batch=8, clock=lambda clock=clock: next(clock), seed=4)
        search.run(iterations=700)
        trees.append(grown(search).tobytes())
    assert trees[0] == trees[1]


def test_proofs_work_with_an_evaluator_that_knows_nothing():
    report = Search(loaded(TICTACTOE), evaluator=undecided, batch=16).run(iterations=200_000)
    assert report.proven == "draw" and report.stopped == "solved"


def test_dice_and_one_player_are_judged_too():
    game = Doubling()
    with pytest.raises(SettingError, match="scores without bounds"):
        Search(game, evaluator=undecided)
    seen = []

    def even(states):
        seen.append(states)
        return None, np.full((len(states), 2), 0.0)

    search = Search(load_game("pig:target=20"), evaluator=even, batch=4)
    assert search.run(iterations=300).iterations == 300
    assert all(not states["rolling"].any() for states in seen)  # nobody moves while the die rolls


def test_python_states_are_judged_as_they_are():
    asked = []

    def judge(states):
        asked.extend(states)
        return [dict.fromkeys(state.legal_actions(), 1.0) for state in states], [[0.0, 0.0]] * len(states)

    state = LookAlike(12)
    report = Search(state, evaluator=judge, batch=4).run(iterations=20_000)
    assert report.stopped == "solved" and report.proven == "loss"
    assert asked and all(type(one) is LookAlike for one in asked)
    with pytest.raises(SettingError, match="no prior for the action 'take 1'"):
        Search(state, evaluator=lambda states: ([{}] * len(states), [0.0] * len(states))).run(iterations=5)


class Network:
    """Two layers of NumPy, trained by plain gradient descent."""

    def __init__(self, seed, hidden=32):
        random = np.random.default_rng(seed)
        self.one = random.normal(size=(19, hidden)) / 4
        self.two = random.normal(size=(hidden, 10)) / 8

    def forward(self, states):
        boards = np.moveaxis(observed(loaded(TICTACTOE), states), 3, 1).reshape(len(states), -1)
        self.inputs = np.hstack([boards, np.ones((len(boards), 1))])
        self.inner = np.tanh(self.inputs @ self.one)
        return self.inner @ self.two

    def __call__(self, states):
        out = self.forward(states)
        return np.exp(out[:, :9] - out[:, :9].max(axis=1, keepdims=True)), np.tanh(out[:, 9])

    def train(self, states, policies, values, steps=300, rate=1.0):
        for _ in range(steps):
            out = self.forward(states)
            shares = np.exp(out[:, :9] - out[:, :9].max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            worth = np.tanh(out[:, 9])
            slope = np.hstack([shares - policies, ((worth - values) * (1 - worth**2))[:, None] * 4]) / len(states)
            back = (slope @ self.two.T) * (1 - self.inner**2)
            self.two -= rate * self.inner.T @ slope
            self.one -= rate * self.inputs.T @ back


def solved_positions():
    """Every position of tic-tac-toe that is not over, with its value for the player to move and its best moves."""
    game, known = load_game(TICTACTOE), {}

    def solve(state):
        key = str(state)
        if key not in known:
            mover, best = state.current_player(), {}
            for action in state.legal_actions():
                after = state.clone()
                after.apply_action(action)
                best[action] = after.returns()[mover] if after.is_terminal() else -solve(after)[1]
            value = max(best.values())
            known[key] = state, value, [action for action, worth in best.items() if worth == value]
        return known[key]

    solve(game.new_initial_state())
    return list(known.values())


def test_a_small_network_guides_the_search_to_moves_that_keep_the_result():
    positions = solved_positions()[::3]
    game = positions[0][0].game
    states = np.frombuffer(b"".join(state.data.tobytes() for state, _, _ in positions), game.dtype)
    policies = np.array([[1 / len(best) if cell in best else 0.0 for cell in range(9)] for _, _, best in positions])
    values = np.array([value for _, value, _ in positions])
    network = Network(seed=1)
    sample = positions[:: max(1, len(positions) // 150)]

    def share_kept():
        search = Search(game, evaluator=network, batch=4, solve=False)
        kept = [search.run(state, iterations=12).best_action in best for state, _, best in sample]
        return sum(kept) / len(kept)

    untrained = share_kept()
    network.train(states, policies, values)
    assert share_kept() > max(0.9, untrained + 0.1)


def test_an_evaluator_in_a_file_is_an_agents_setting(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("import numpy as np\n\n\ndef judge(states):\n    return None, np.zeros(len(states))\n")
    game = load_game(TICTACTOE)
    agent = load_agent(f"mcts:evaluator={file}:judge,batch=4,iterations=60", game)
    assert agent.step(game.new_initial_state()) in range(9)
    assert agent.last_report.iterations == 60
    with pytest.raises(PonderosaError, match="judge"):
        load_agent(f"mcts:evaluator={file}:jugde,iterations=60", game)
    with pytest.raises(PonderosaError, match="its file and its name"):
        load_agent("mcts:evaluator=judge,iterations=60", game)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n: np.zeros(n), r"returns \(priors, values\)"),
        (lambda n: (None, np.zeros(n + 1)), "shape"),
        (lambda n: (None, np.zeros((n, 3))), "shape"),
        (lambda n: (None, np.full(n, 7.0)), "from -1 to 1"),
        (lambda n: (None, np.full(n, np.nan)), "from -1 to 1"),
        (lambda n: (np.zeros(n), np.zeros(n)), "one row for each state"),
        (lambda n: (np.full((n, 9), -1.0), np.zeros(n)), "softmax"),
        (lambda n: (np.ones((n, 4)), np.zeros(n)), "columns"),
        (lambda n: (None, ["a"] * n), "array of numbers"),
        (lambda n: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_wrong_answers_are_named_and_leave_the_tree_whole(answer, words):
    good = [True]
    search = Search(loaded(TICTACTOE), evaluator=lambda s: scattered(s) if good[0] else answer(len(s)), batch=4, seed=1)
    search.run(iterations=40)
    before = grown(search).copy()
    good[0] = False
    with pytest.raises(PonderosaError, match=words):
        search.run(iterations=40)
    after = grown(search)
    assert (after["first"] >= -1).all() and (after["visits"][: len(before)] >= before["visits"]).all()
    good[0] = True
    assert search.run(iterations=10).iterations == 10


def test_ctrl_c_in_the_evaluator_ends_the_search_with_what_it_has():
    calls = itertools.count()

    def interrupted(states):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return scattered(states)

    search = Search(loaded(TICTACTOE), evaluator=interrupted, batch=8, solve=False)
    report = search.run(iterations=1_000)
    assert report.stopped == "interrupted" and 0 < report.iterations < 1_000
    assert grown(search)[ROOT]["visits"] == 1 + report.iterations


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("kuhn_poker", {}, "all players see"),
        ("connect4", {"playout": "decisive"}, "place of playouts"),
        ("connect4", {"select": "rave"}, "needs playouts"),
        ("connect4", {"batch": 0}, "batch"),
        ("connect4", {"threads": 2}, "larger batch"),
        ("connect4", {"evaluator": 3}, "function"),
    ],
)
def test_what_does_not_go_with_an_evaluator_is_said(game, options, words):
    with pytest.raises(SettingError, match=words):
        Search(load_game(game), **({"evaluator": undecided} | options))


def test_a_search_with_an_evaluator_is_not_saved(tmp_path):
    search = Search(loaded(TICTACTOE), evaluator=undecided)
    search.run(iterations=10)
    with pytest.raises(TreeFileError, match="evaluator"):
        search.save(tmp_path / "tree.npz")


class Tensor:
    """What a tensor of PyTorch is to NumPy: no array before it has left its gradient and its device."""

    def __init__(self, numbers, ready=False):
        self.numbers, self.ready = numbers, ready

    def detach(self):
        return Tensor(self.numbers)

    def cpu(self):
        return Tensor(self.numbers, ready=True)

    def __array__(self, dtype=None, copy=None):
        if not self.ready:
            raise TypeError("can't convert a tensor that requires grad, or is elsewhere")
        return np.asarray(self.numbers, dtype)


def test_tensors_are_taken_as_they_are():
    def judge(states):
        return tuple(Tensor(part) for part in scattered(states))

    taken = Search(loaded(TICTACTOE), evaluator=judge, batch=4, seed=1).run(iterations=60)
    assert taken.actions == Search(loaded(TICTACTOE), evaluator=scattered, batch=4, seed=1).run(iterations=60).actions
