"""What every agent has, and that an object with only `step` gets the rest."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path
from types import SimpleNamespace

import pytest

import ponderosa
from ponderosa import Agent, Budget, Search, load_agent, match
from ponderosa.agents.adapter import Adapted, as_agent
from ponderosa.agents.mcts import MctsAgent
from ponderosa.errors import PonderosaError, SettingError
from ponderosa.registry import AGENTS, agent_class, registered_agent
from tests.helpers import loaded
from tests.plain_python import plain_and_compiled  # noqa: F401


class Bare:
    """Only what is required."""

    def step(self, state):
        return state.legal_actions()[0]


class Full(Bare):
    """All hooks, none of ours."""

    ponders = True
    last_report = "a report"

    def __init__(self):
        self.called, self.budget, self.search = [], Budget(iterations=5), Search(loaded("tictactoe"))

    def step(self, state, progress=None):
        self.called.append(("step", progress))
        return state.legal_actions()[-1]

    def prepare(self):
        self.called.append("prepare")

    def reset(self, seed):
        self.called.append(("reset", seed))

    def finish(self, state):
        self.called.append(("finish", state))

    def close(self):
        self.called.append("close")


HOOKS = {name for name in vars(Agent) if not name.startswith("_")}


def test_only_the_adapter_looks_which_hooks_an_agent_has():
    source, found = Path(ponderosa.__file__).parent, set()
    for file in source.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("getattr", "hasattr")
            ):
                asked = node.args[1]
                if isinstance(asked, ast.Constant) and asked.value in HOOKS:
                    found.add(str(file.relative_to(source)))
    assert found == {"agents/adapter.py"}


@pytest.mark.parametrize("name", AGENTS)
def test_every_registered_agent_is_an_agent(name):
    kind = registered_agent(name)
    assert issubclass(kind, Agent) and kind is agent_class(name)
    assert kind.step is not Agent.step


def test_an_object_with_only_a_step_gets_hooks_that_do_nothing():
    state = loaded("tictactoe").new_initial_state()
    agent = as_agent(Bare())
    assert agent.step(state) == agent.think(state, lambda report: None) == 0
    agent.prepare()
    agent.finish(state)
    agent.close()
    assert not (agent.resets or agent.finishes or agent.ponders)
    assert [agent.last_report, agent.budget, agent.search, agent.memory] == [None] * 4
    with pytest.raises(SettingError, match=r"Bare has no reset\(seed\): make a new one"):
        agent.reset(1)


def test_hooks_of_an_object_that_is_no_agent_are_called():
    state, own = loaded("tictactoe").new_initial_state(), Full()
    agent = as_agent(own)
    tell = lambda report: None  # noqa: E731
    assert agent.step(state) == agent.think(state, tell) == 8
    agent.prepare()
    agent.reset(7)
    agent.finish(state)
    agent.close()
    assert own.called == [("step", None), ("step", tell), "prepare", ("reset", 7), ("finish", state), "close"]
    assert agent.resets and agent.finishes and agent.ponders and agent.last_report == "a report"
    assert agent.search is own.search and agent.budget == Budget(iterations=5)
    agent.budget = Budget(iterations=2)
    assert own.budget == Budget(iterations=2)
    assert agent.called is own.called, "what else it has is there, too"


@pytest.mark.parametrize("name", ["budget", "search", "memory"])
def test_attributes_that_mean_something_else_are_left_alone(name):
    own = Bare()
    setattr(own, name, "mine")
    agent = as_agent(own)
    assert getattr(agent, name) is None and getattr(agent.own, name) == "mine"


def test_an_agent_is_adapted_once_and_its_own_kind_not_at_all():
    bare = Bare()
    agent = as_agent(bare)
    assert as_agent(agent) is agent and as_agent(bare) == agent != as_agent(Bare())
    assert len({agent, as_agent(bare)}) == 1
    ours = load_agent("random", loaded("tictactoe"))
    assert as_agent(ours) is ours


def test_copies_of_an_adapted_agent_are_agents():
    for twin in (copy.deepcopy(as_agent(Bare())), pickle.loads(pickle.dumps(as_agent(Bare())))):
        assert isinstance(twin, Adapted) and isinstance(twin.own, Bare)


def test_what_has_no_step_is_no_agent():
    with pytest.raises(SettingError, match=r"an agent needs a method step\(state\)"):
        as_agent(SimpleNamespace(stepp=1))
    with pytest.raises(NotImplementedError, match=r"Agent has no step\(state\)"):
        Agent(loaded("tictactoe")).step(None)


def test_a_subclass_that_fills_in_a_hook_is_known_to_have_it():
    class Learner(Agent):
        def finish(self, state):
            pass

    class Fresh(Agent):
        def reset(self, seed):
            pass

    game = loaded("tictactoe")
    assert (Learner(game).finishes, Learner(game).resets) == (True, False)
    assert (Fresh(game).finishes, Fresh(game).resets) == (False, True)


def test_a_class_in_a_file_is_loaded_as_an_agent(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "class First:\n"
        "    '''The first legal action.'''\n"
        "    def __init__(self, game, skip: int = 0):\n"
        "        self.skip = skip\n"
        "    def step(self, state):\n"
        "        return state.legal_actions()[self.skip]\n"
    )
    agent = load_agent(f"{file}:First:skip=2", loaded("tictactoe"))
    assert isinstance(agent, Agent) and agent.skip == 2
    assert agent.step(loaded("tictactoe").new_initial_state()) == 2
    with pytest.raises(PonderosaError, match=r"skip of agent .* must be a whole number"):
        load_agent(f"{file}:First:skip=two", loaded("tictactoe"))


@pytest.mark.slow
def test_searching_agents_tell_their_progress():
    for name, spec in (
        ("connect4", "mcts:seconds=20"),
        ("gomoku", "minimax:seconds=20,depth=40"),
        ("connect4", "strong:seconds=20"),
    ):
        told, game = [], loaded(name)
        agent = load_agent(spec, game)
        agent.think(game.new_initial_state(), lambda report, told=told: told.append(report) or False)
        assert len(told) == 1 and told[0].best_name, spec
    assert isinstance(load_agent("mcts", loaded("connect4")), MctsAgent)


def test_an_object_that_has_both_seats_is_shown_the_end_of_a_game_once():
    class Watcher(Bare):
        ends = 0

        def reset(self, seed):
            pass

        def finish(self, state):
            assert state.is_terminal()
            self.ends += 1

    both, other = Watcher(), Watcher()
    assert match("tictactoe", both, both, 2).tally.games == 2
    assert both.ends == 2
    match("tictactoe", both, other, 2)
    assert (both.ends, other.ends) == (4, 2)


def test_an_agent_without_a_reset_is_made_again_for_every_game():
    class Once(Agent):
        made = 0

        def __init__(self, game):
            Once.made += 1
            self.moves = 0

        def step(self, state):
            self.moves += 1
            assert self.moves == (len(state.history()) + 2) // 2, "nothing is left of another game"
            return state.legal_actions()[0]

    assert not match("tictactoe", Once, "random", 4).tally.lines[0].faults
    assert Once.made == 1 + 4, "once to try it"
