"""Walking through the tree of a search."""

from __future__ import annotations

import pytest

from ponderosa import Search
from ponderosa.core.notation import position
from ponderosa.errors import IllegalActionError, SettingError
from tests.helpers import LookAlike, PlainNim, first_decision, loaded, specs
from tests.plain_python import plain_and_compiled  # noqa: F401


@pytest.mark.parametrize("game", [*specs(), "nim", "look-alike"])
def test_the_children_of_the_root_say_what_the_report_says(game):
    rules = {"nim": PlainNim, "look-alike": lambda: LookAlike(9)}.get(game, lambda: loaded(game))()
    state = rules if game == "look-alike" else first_decision(rules)
    report = Search(rules).run(state, iterations=80)
    root = report.tree.root
    told = {entry.action: entry for entry in report.actions}
    assert (root.depth, root.parent, root.action, root.name, root.proven) == (0, None, None, "", report.proven)
    assert root.mover == report.player and root.child_count == len(root.children) > 0
    assert [child.visits for child in root.children] == sorted((child.visits for child in root.children), reverse=True)
    for child in root.children:
        entry = told[child.action]
        assert (child.name, child.visits, child.value, child.proven) == (
            entry.name,
            entry.visits,
            entry.value,
            entry.proven,
        )
        assert (child.depth, child.parent) == (1, root)


def test_the_walk_visits_every_node_once_and_parents_before_their_children():
    search = Search(loaded("connect4"))
    nodes = list(search.run(iterations=300).tree)
    assert len({node.path for node in nodes}) == len(nodes) == 1 + sum(node.child_count for node in nodes)
    seen = set()
    for node in nodes:
        assert node.parent is None or id(node.parent) in seen
        assert node.state.history() == [above.action for above in _ancestors(node)]
        assert node.visits >= sum(child.visits for child in node.children)
        seen.add(id(node))
    assert max(node.depth for node in nodes) > 2


def _ancestors(node):
    """The node and those above it, without the root, from the top."""
    return [] if node.parent is None else [*_ancestors(node.parent), node]


def test_values_are_for_the_player_who_moved_there():
    """X is to move and wins with 4; after any other move, O has to stop it."""
    game = loaded("connect4")
    root = Search(game).run(position(game, "4 1 4 1 4 2"), iterations=2000).tree.root
    assert (root.mover, root.proven, root.value) == (0, "win", 1.0)
    win = root.child("4")
    assert (win.mover, win.proven, win.value) == (0, "win", 1.0)
    root = Search(game, solve=False).run(position(game, "4 1 4 1 4 2"), iterations=2000).tree.root
    waits = root.child("7")
    assert waits.mover == 0 and {reply.mover for reply in waits.children} == {1}
    assert max(waits.children, key=lambda reply: reply.value).name == "4", "the best that O can do"


def test_the_best_line_is_the_report_s():
    report = Search(loaded("connect4"), seed=3).run(iterations=2000)
    best = report.tree.root.child(report.best_action)
    names = (best.name, *(node.name for node in best.best_line))
    assert names[: len(report.pv)] == report.pv and len(report.pv) > 3
    assert best.best_line[0].parent is best and not best.best_line[-1].children


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"solve": "bounded"}, {"select": "rave"}, {"transpositions": True}])
def test_trees_with_more_in_their_nodes_are_walked_too(settings):
    report = Search(loaded("tictactoe"), **settings).run(iterations=300)
    told = {entry.action: (entry.visits, entry.value, entry.proven) for entry in report.actions}
    assert {node.action: (node.visits, node.value, node.proven) for node in report.tree.root.children} == told
    assert max(node.depth for node in report.tree) > 1


def test_what_dice_show_has_a_probability():
    game = loaded("einstein")
    root = Search(game).run(first_decision(game), iterations=2000).tree.root
    outcomes = root.children[0].children
    assert outcomes and all(outcome.chance == pytest.approx(1 / 6) for outcome in outcomes)
    assert root.chance is None and root.children[0].chance is None


def test_where_players_see_different_things_the_actions_have_no_nodes_below_them():
    game = loaded("kuhn_poker")
    root = Search(game).run(first_decision(game), iterations=300).tree.root
    assert root.children and all(child.state is None and child.children == () for child in root.children)
    assert all(len(child.best_line) == 0 for child in root.children) and len(root.best_line) == 1


def test_a_tree_that_grows_is_read_as_it_is_now():
    search = Search(loaded("connect4"))
    report = search.run(iterations=50)
    before = report.tree.root
    search.run(iterations=200)
    assert report.tree.root.visits == before.visits + 200
    assert sum(child.visits for child in before.children) > before.visits


def test_nodes_of_a_tree_that_is_gone_say_so():
    search = Search(loaded("connect4"))
    report = search.run(iterations=50)
    root = report.tree.root
    assert search.report().tree.root.visits == root.visits
    search.advance(report.best_action)
    for look in (lambda: report.tree.root, lambda: root.children, lambda: root.best_line, lambda: list(root)):
        with pytest.raises(SettingError, match="gone on to another position"):
            look()
    assert "gone" in repr(report.tree)


def test_a_child_is_found_by_its_action_or_its_name():
    root = Search(loaded("tictactoe")).run(iterations=100).tree.root
    assert root.child("B2").action == root.child(4).action == 4
    with pytest.raises(IllegalActionError, match=r"'z9' leads to no node of the tree here; its actions: .*b2"):
        root.child("z9")


def test_trees_nodes_and_reports_are_shown_in_a_line():
    game = loaded("connect4")
    report = Search(game, clock=lambda: 0.0).run(position(game, "4 1 4 1 4 2"), iterations=200)
    assert repr(report) == f"<report on connect4: 4 (proven win), {report.iterations} iterations in 0.00 s>"
    winning = report.tree.root.child("4")
    assert repr(winning) == f"<node 4: {winning.visits} visits, 100.0 %, proven win, 0 children>"
    assert repr(report.tree).startswith(f"<tree: <node root: {report.tree.root.visits} visits, 100.0 %, proven win, ")
