"""The tree of a search as DOT and as SVG, for every game; the report that it hangs on."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
import xml.etree.ElementTree as ElementTree
from collections import Counter
from types import SimpleNamespace

import pydot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import Search, load_agent
from ponderosa.core.notation import position
from ponderosa.errors import SettingError
from ponderosa.mcts.report.graphviz import COLOURS, to_dot
from ponderosa.mcts.search import search
from ponderosa.pictures.tree import tree_svg
from tests.helpers import PlainNim, first_decision, loaded, specs

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")


def parsed(dot: str) -> pydot.Dot:
    """The graph, which must be one; labels of HTML must be well-formed."""
    graphs = pydot.graph_from_dot_data(dot)
    assert graphs is not None and len(graphs) == 1
    for node in drawn_nodes(graphs[0]):
        label = node.get("label")
        assert label[0] == "<" and label[-1] == ">"
        ElementTree.fromstring(f"<label>{label[1:-1]}</label>")
    return graphs[0]


def drawn_nodes(graph: pydot.Dot) -> list[pydot.Node]:
    return [node for node in graph.get_nodes() if node.get_name().startswith("n") and node.get("label")]


def words(node: pydot.Node) -> str:
    return "".join(ElementTree.fromstring(f"<a>{node.get('label')[1:-1]}</a>").itertext()).replace("\xa0", " ")


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*specs(), "nim"])
def test_every_game_s_tree_is_drawn(spec):
    game = PlainNim() if spec == "nim" else loaded(spec)
    report = Search(game).run(first_decision(game), iterations=60)
    nodes = report.top()
    graph = parsed(report.to_graphviz())
    assert len(drawn_nodes(graph)) == len(nodes) > 1
    assert len(graph.get_edges()) == len(nodes) - 1
    picture = ElementTree.fromstring(tree_svg(nodes))
    names = [text.text for text in picture if text.get("class") == "name"]
    assert len(names) == len(nodes) and names[0] == "root"
    first = {node.name: (node.visits, node.value, node.proven) for node in nodes if len(node.path) == 1}
    assert first == {entry.name: (entry.visits, entry.value, entry.proven) for entry in report.actions if entry.visits}
    if game.viewed:
        assert max(len(node.path) for node in nodes) == 1, "below, nobody knows the position"


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.integers(0, 30), st.integers(1, 60))
def test_the_most_visited_nodes_within_the_depth_are_drawn(depth, min_visits, most):
    game = loaded("connect4")
    report = Search(game, seed=depth).run(iterations=300)
    everything = report.top(100, 0, 100_000)
    nodes = report.top(depth, min_visits, most)
    fitting = [node for node in everything if len(node.path) <= depth and (node.visits >= min_visits or not node.path)]
    assert len(nodes) == min(most, len(fitting))
    assert sorted(node.visits for node in nodes) == sorted(node.visits for node in fitting)[-len(nodes) :]
    seen = {()}
    for node in nodes:
        assert node.path[:-1] in seen
        seen.add(node.path)
    left = Counter(node.path[:-1] for node in nodes if node.path)
    dot = to_dot(nodes)
    assert dot.count("more>]") == sum(0 < left[node.path] < node.child_count for node in nodes)


def test_what_is_proven_is_in_colour_and_moves_are_named():
    game = loaded("connect4")
    report = Search(game).run(position(game, "4 1 4 1 4 2"), iterations=200)
    graph = parsed(report.to_graphviz(depth=1))
    root, *children = drawn_nodes(graph)
    assert root.get("fillcolor") == f'"{COLOURS["win"]}"' and "proven win" in words(root) and "X" in words(root)
    winning = [edge for edge in graph.get_edges() if edge.get("label") == '"4"']
    assert len(winning) == 1
    child = next(node for node in children if node.get_name() == winning[0].get_destination())
    assert child.get("fillcolor") == f'"{COLOURS["win"]}"'
    assert any(node.get("fillcolor") is None for node in children)
    frames = [part for part in ElementTree.fromstring(tree_svg(report.top(1))) if part.get("class") == "proven"]
    assert len(frames) == sum(node.proven is not None for node in report.top(1))


@pytest.mark.slow
def test_outcomes_of_chance_are_dashed_with_their_probability():
    game = loaded("einstein")
    report = Search(game).run(first_decision(game), iterations=2000)
    nodes = report.top(depth=2, min_visits=0, most=1000)
    outcomes = [node for node in nodes if len(node.path) == 2]
    assert outcomes and all(node.chance == pytest.approx(1 / 6) for node in outcomes)
    assert all(node.chance is None for node in nodes if len(node.path) < 2)
    dot = to_dot(nodes)
    assert dot.count("style=dashed") == dot.count("(16.7 %)") == len(outcomes)
    assert tree_svg(nodes).count('class="edge chance"') == len(outcomes)


def test_texts_of_games_are_escaped():
    odd = '</FONT>"\\\n\x01<b>'
    state = PlainNim().new_initial_state()
    facts = {"state": odd, "visits": 3, "share": 1.0, "value": None, "proven": None, "child_count": 1, "chance": None}
    root = SimpleNamespace(path=(), name="", **facts)
    nodes = [root, SimpleNamespace(path=(1,), name=odd, **facts | {"value": 0.5, "proven": "draw", "child_count": 0})]
    graph = parsed(to_dot(nodes))
    assert '</FONT>"\\' in words(drawn_nodes(graph)[0])
    assert graph.get_edges()[0].get("label") == '"</FONT>\\"\\\\??<b>"'
    ElementTree.fromstring(tree_svg([SimpleNamespace(path=(), name="", **facts | {"state": state})]))


# --- the report ---


def test_a_report_says_the_same_with_and_without_its_tree():
    one, other = (Search(loaded("tictactoe"), clock=lambda: 0.0).run(iterations=50) for _ in range(2))
    assert one == other and one.tree is not other.tree
    assert "tree" not in one.to_dict() and "tree" not in repr(one)
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert twin == one
        with pytest.raises(SettingError, match="has no tree"):
            twin.to_graphviz()
    assert search(loaded("tictactoe").new_initial_state(), iterations=20).to_graphviz().startswith("digraph")


def test_a_report_without_a_tree_says_so():
    game = loaded("tictactoe")
    shown = []
    grown = Search(game)
    report = grown.run(seconds=0.3, iterations=10**9, progress=lambda early: shown.append(early) or False)
    many = Search(game, threads=2).run(iterations=40)
    for poor in (*shown, many):
        with pytest.raises(SettingError, match="has no tree"):
            poor.to_graphviz()
    assert report.to_graphviz()
    grown.advance(report.best_action)
    with pytest.raises(SettingError, match="gone on"):
        report.to_graphviz()


@pytest.mark.parametrize("spec", ["mcts:iterations=30", pytest.param("strong:iterations=30", marks=pytest.mark.slow)])
def test_an_agent_s_report_draws_its_tree_and_does_not_keep_it(spec):
    game = loaded("connect4")
    agent = load_agent(spec, game)
    agent.step(game.new_initial_state())
    report, held = agent.last_report, weakref.ref(agent.search)
    assert report.to_graphviz()
    del agent
    gc.collect()
    assert held() is None
    with pytest.raises(SettingError, match="gone"):
        report.to_graphviz()


@pytest.mark.parametrize("bad", [{"depth": 0}, {"depth": 1.5}, {"min_visits": -1}, {"most": 0}, {"depth": 10**6}])
def test_nonsense_is_refused_in_words(bad):
    with pytest.raises(SettingError, match=next(iter(bad))):
        Search(loaded("tictactoe")).run(iterations=10).to_graphviz(**bad)
