"""A memory that lasts: what games teach is counted exactly, comes back from the file, and nothing else is taken."""

from __future__ import annotations

import json
import random
import shutil
import sys
import textwrap
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ponderosa import PonderosaError, Search, load_agent, load_game, train
from ponderosa.agents.memory import FIELDS, GAME_WEIGHT, MEMORY, Memory, forget
from ponderosa.agents.memory_reader import deepest_line, main_line, read_known
from ponderosa.core.bounds import DRAW, LOSS, PROVEN_NAMES, UNPROVEN, WIN, is_settled
from ponderosa.errors import SettingError, TreeFileError
from ponderosa.mcts.tree.archive import read_arrays, write_arrays
from ponderosa.mcts.tree.node import NODE, ROOT
from ponderosa.mcts.tree.tree import Tree
from ponderosa.registry import GAMES, game_class
from ponderosa.system import files
from tests.helpers import (
    EVERY_GAME,
    Exact,
    LookAlike,
    PlainNim,
    loaded,
    random_game,
    run_python,
    running,
    wait_until,
    walk,
)

SAMPLES = Path(__file__).parents[1] / "samples"
OPEN_GAMES = [
    name
    for name in GAMES
    if game_class(name).players >= 2 and not (game_class(name).hidden or game_class(name).simultaneous)
]


def learner(file: Path, more: str = "", game: str = "tictactoe"):
    return load_agent(f"mcts:iterations=20,memory={file}{more}", loaded(game))


def play(agent, opponent, seed: int, first: bool = True, game: str = "tictactoe"):
    """The last state of a game; chance and the seeds are the number's."""
    luck, state = random.Random(seed), loaded(game).new_initial_state()
    seats = [agent, opponent] if first else [opponent, agent]
    for player in seats:
        player.reset(seed)
    while not state.is_terminal():
        outcomes = state.chance_outcomes()
        if outcomes:
            state.apply_action(luck.choices([one for one, _ in outcomes], [chance for _, chance in outcomes])[0])
        else:
            state.apply_action(seats[state.to_move() % 2].step(state))
    return state


def kept(agent) -> np.ndarray:
    """What a memory knows, in the order in which it is saved."""
    tree = agent.memory.tree.subtree(ROOT)
    return tree.nodes[: tree.used]


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A memory of tic-tac-toe."""
    file = tmp_path_factory.mktemp("memory") / "ttt.memory"
    train("tictactoe", "mcts:iterations=10", ("blind", "scripted"), 240, file, seed=3)
    return file


@pytest.mark.parametrize(
    "name",
    [name if name == "tictactoe" else pytest.param(name, marks=pytest.mark.slow) for name in OPEN_GAMES],
)
def test_every_open_game_is_remembered(name, tmp_path):
    played_and_remembered(EVERY_GAME[name], tmp_path)


@pytest.mark.slow
def test_games_with_and_without_dice_are_remembered_as_plain_python(tmp_path):
    code = f"""
        from pathlib import Path
        from tests.agents.test_memory import played_and_remembered
        for spec in ("pig:target=30", "connect4"):
            folder = Path({str(tmp_path)!r}, spec.partition(":")[0])
            folder.mkdir()
            played_and_remembered(spec, folder)
        print(1)
    """
    assert run_python(code, NUMBA_DISABLE_JIT="1") == 1


def played_and_remembered(spec, tmp_path):
    """Three games come back from the file, counted as they should, and teach the same again."""
    agent, opponent = learner(tmp_path / "a.memory", game=spec), load_agent("random", loaded(spec))
    for number in range(3):
        agent.finish(play(agent, opponent, number, number % 2 == 0, spec))
    before = kept(agent)
    agent.close()
    again = learner(tmp_path / "a.memory", game=spec)
    assert again.memory.games == 3 and np.array_equal(kept(again), before)
    nodes = before
    for _, node in walk(nodes):
        children = nodes[nodes[node]["first"] :][: nodes[node]["count"]] if nodes[node]["first"] > 0 else nodes[:0]
        assert children["games"].sum() in (nodes[node]["games"], 0)  # a game ends where nothing follows
        assert nodes[node]["visits"] >= GAME_WEIGHT * nodes[node]["games"]
    agent = learner(tmp_path / "b.memory", game=spec)  # the same games teach the same
    again.close()
    for number in range(3):
        agent.finish(play(agent, opponent, number, number % 2 == 0, spec))
    assert np.array_equal(kept(agent), before)
    agent.close()


@settings(max_examples=15)
@given(seeds=st.lists(st.integers(0, 30), max_size=25), weight=st.integers(0, 3))
def test_the_results_of_games_are_counted_exactly(tmp_path, seeds, weight):
    file = tmp_path / "a.memory"
    file.unlink(missing_ok=True)
    agent = learner(file, f",game_weight={weight}")
    games, won = Counter(), Counter()
    for seed in seeds:
        states = random_game(loaded("tictactoe"), seed)
        agent.finish(states[-1])
        moves, results = states[-1].history(), [(1 + value) / 2 for value in states[-1].returns()]
        for length in range(len(moves) + 1):
            games[tuple(moves[:length])] += 1
            won[tuple(moves[:length])] += results[(length - 1) % 2 if length else 0]
    agent.close()
    again = learner(file)
    nodes = kept(again)
    again.close()
    assert nodes[ROOT]["games"] == len(seeds)
    found = {path: (nodes[node]["games"], nodes[node]["won"]) for path, node in walk(nodes) if nodes[node]["games"]}
    assert found == {path: (games[path], won[path]) for path in games}


def test_trainings_one_after_the_other_teach_what_one_of_the_same_length_does(tmp_path):
    for games, file in ((10, "a"), (14, "a"), (24, "b")):
        train("tictactoe", "mcts:iterations=10", "blind,self", games, tmp_path / file, seed=1)
    one, other = (read_arrays(tmp_path / file, MEMORY)[0]["nodes"] for file in "ab")
    assert one[ROOT]["games"] == 24 and np.array_equal(one, other)


@pytest.mark.slow
def test_what_is_proven_is_true_and_a_proven_win_is_played(trained):
    game, exact = loaded("tictactoe"), Exact()
    agent = learner(trained, ",learn=false")
    nodes, won = kept(agent), 0
    for path, node in walk(nodes):
        if not is_settled(nodes[node]["proven"]) or nodes[node]["games"] == 0:
            continue
        state = game.new_initial_state()
        for action in path:
            state.apply_action(action)
        value = exact.value(state) * (1 if nodes[node]["mover"] == 0 else -1)
        assert PROVEN_NAMES[int(nodes[node]["proven"])] == {1: "win", 0: "draw", -1: "loss"}[round(value)]
        if not state.is_terminal():
            agent.reset(1)
            action = agent.step(state)
            if agent.last_report.proven == "win":
                won += 1
                assert exact.action_values(state)[action] == 1
    assert won > 5


def test_where_no_win_is_left_real_results_decide():
    """A root that is a proven draw: moves 0 to 4, of which 0 is proven, 1 and 2 were played, 3 is lost, 4 is new."""
    tree = Tree(0, np.dtype([*NODE.descr, *FIELDS]))
    tree.nodes[ROOT]["first"], tree.nodes[ROOT]["count"], tree.nodes[ROOT]["proven"] = 1, 5, DRAW
    tree.nodes["action"][1:6], tree.nodes["visits"][1:6] = range(5), 10
    tree.nodes["value"][1:6], tree.nodes["games"][1:6] = [5, 8, 6, 9, 9], [0, 4, 4, 4, 0]
    tree.nodes["proven"][1:6] = [DRAW, UNPROVEN, UNPROVEN, LOSS, UNPROVEN]
    assert Memory.preferred(tree) == 1
    tree.nodes["value"][2:4] = 4
    assert Memory.preferred(tree) == 0
    for proven in (WIN, UNPROVEN):
        tree.nodes[ROOT]["proven"] = proven
        assert Memory.preferred(tree) is None


def test_a_move_that_was_played_does_not_seem_preferred_for_being_thought_about(tmp_path):
    agent = learner(tmp_path / "a.memory", ",game_weight=0")
    state = loaded("tictactoe").new_initial_state()
    agent.step(state)
    nodes = kept(agent)
    first = int(nodes[1]["action"])
    state.apply_action(first)
    agent.step(state)
    assert np.array_equal(kept(agent)["visits"][1:10], nodes["visits"][1:10])
    assert kept(agent)["visits"].sum() > nodes["visits"].sum()
    agent.close()


def scores(file: Path | None, opponent: str, games: int) -> list[float]:
    """What the agent of a file, or a new one, scores with these seeds."""
    memory = "" if file is None else f",learn=false,memory={file}"
    agent, other = (load_agent(spec, loaded("tictactoe")) for spec in (f"mcts:iterations=10{memory}", opponent))
    found = []
    for number in range(games):
        last = play(agent, other, 1000 + number, number % 2 == 0)
        found.append((1 + last.returns()[number % 2]) / 2)
    return found


@pytest.mark.parametrize("opponent", ["blind", pytest.param("scripted", marks=pytest.mark.slow)])
def test_training_makes_the_agent_significantly_better(trained, opponent):
    games = 300
    gains = np.subtract(scores(trained, opponent, games), scores(None, opponent, games))
    assert gains.mean() > 3 * gains.std() / games**0.5  # three standard errors


def test_who_does_not_learn_changes_nothing_and_plays_the_same_game_again(trained):
    before = trained.read_bytes()
    agent, opponent = learner(trained, ",learn=false"), load_agent("blind", loaded("tictactoe"))
    games = [play(agent, opponent, seed).history() for seed in (5, 6, 5)]
    agent.finish(play(agent, opponent, 7))
    agent.close()
    assert games[0] == games[2]
    assert trained.read_bytes() == before and agent.memory.games == 240


def test_one_agent_learns_in_a_file_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("ponderosa.system.lease.PATIENCE", 0.0)
    file = tmp_path / "a.memory"
    first = learner(file)
    with pytest.raises(TreeFileError, match="learn=false"):
        learner(file)
    first.finish(random_game(loaded("tictactoe"), 1)[-1])
    assert learner(file, ",learn=false").memory.games == 1
    first.close()
    second = learner(file)
    assert second.memory.games == 1
    second.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.memory"]
    with pytest.raises(SettingError, match="closed"):
        second.step(loaded("tictactoe").new_initial_state())


@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_refused(trained, tmp_path, data):
    content = bytearray(trained.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    file = tmp_path / "damaged.memory"
    file.write_bytes(content if data.draw(st.booleans()) else content[:place])
    try:
        agent = learner(file, ",learn=false")
    except TreeFileError as error:
        assert "damaged.memory" in str(error)
    else:  # a byte of the archive that says nothing about what is in it
        assert np.array_equal(kept(agent), read_arrays(trained, MEMORY)[0]["nodes"])


def rewritten(trained: Path, file: Path, **changes) -> Path:
    """The memory with another description or other nodes, and a checksum that fits."""
    arrays, about = read_arrays(trained, MEMORY)
    nodes = changes.pop("nodes", lambda nodes: nodes)(arrays["nodes"].copy())
    write_arrays(file, about | changes, {"nodes": nodes})
    return file


def impossible(nodes):
    nodes["games"][3] = -1
    return nodes


@pytest.mark.slow
def test_files_of_other_kinds_and_versions_are_refused_in_words(trained, tmp_path):
    file = tmp_path / "other.memory"
    for changes, words in [
        ({"format": "memory-2"}, "memory-2"),
        ({"format": "memory-0"}, "memory-0"),
        ({"rules": "x"}, "other rules"),
        ({"nodes": impossible}, "counted"),
        ({"nodes": lambda nodes: nodes["visits"]}, "wrong type"),
        ({"nodes": lambda nodes: nodes[:0]}, "empty"),
    ]:
        with pytest.raises(TreeFileError, match=words):
            learner(rewritten(trained, file, **changes))
    search = Search(loaded("tictactoe"))
    search.run(iterations=10)
    search.save(file)
    with pytest.raises(TreeFileError, match="a memory"):
        learner(file)
    file.write_text("nothing of the kind")
    with pytest.raises(TreeFileError, match="is not a memory"):
        learner(file)
    with pytest.raises(TreeFileError, match=r"tictactoe.*connect:m=3"):
        learner(trained, game="connect:m=3,n=4,k=3")
    with pytest.raises(TreeFileError, match="select=ucb1"):
        learner(trained, ",select=rave")
    with pytest.raises(TreeFileError, match="No such file"):
        learner(tmp_path / "nowhere" / "a.memory")
    assert [path.name for path in tmp_path.iterdir()] == ["other.memory"]


def test_the_games_that_people_play_are_those_that_were_learned(tmp_path):
    agent = learner(tmp_path / "a.memory", game="connect4")
    agent.finish(random_game(loaded("connect4"), 1)[-1])
    agent.close()
    assert learner(tmp_path / "a.memory", ",learn=false", game="connect4:early_draw=true").memory.games == 1
    with pytest.raises(TreeFileError, match="rows=4"):
        learner(tmp_path / "a.memory", ",learn=false", game="connect4:rows=4,cols=5")


@pytest.mark.parametrize(
    ("game", "more", "words"),
    [
        ("kuhn_poker", "", "open to all"),
        ("rps", "", "open to all"),
        ("samegame", "", "two players or more"),
        ("tictactoe", ",threads=2", "one thread"),
        ("tictactoe", ",reuse=false", "reuse"),
        ("connect4", ",select=gumbel", "plans"),
        ("tictactoe", ",solve=bounded", "solve=true"),
        ("connect4", ",transpositions=true", "no graph"),
        ("tictactoe", ",symmetry=true", "by itself"),
        ("tictactoe", ",memory_nodes=3", "memory_nodes"),
        ("tictactoe", ",game_weight=-1", "game_weight"),
    ],
)
def test_where_there_is_no_memory_it_is_said(game, more, words, tmp_path):
    with pytest.raises(SettingError, match=words):
        learner(tmp_path / "a.memory", more, game)


@pytest.mark.slow
def test_trees_over_python_objects_and_agents_that_do_more_have_no_memory(tmp_path):
    from ponderosa.agents.mcts import MctsAgent

    for state in (LookAlike(), PlainNim()):
        with pytest.raises(SettingError, match="dtype"):
            MctsAgent(state, iterations=5, memory=str(tmp_path / "a.memory"))
    with pytest.raises(SettingError, match="mcts does"):
        load_agent(f"strong:memory={tmp_path / 'a'}", load_game("gomoku"))


def test_a_memory_stays_within_its_bounds_and_keeps_what_is_known_best(tmp_path):
    file = tmp_path / "a.memory"
    train("tictactoe", "mcts:iterations=20,memory_nodes=1000", "blind", 60, file)
    nodes = read_arrays(file, MEMORY)[0]["nodes"]
    assert nodes[ROOT]["games"] == 60 and 200 < len(nodes) <= 1000


def test_what_is_given_up_is_what_is_visited_least(trained):
    agent = learner(trained, ",learn=false")
    tree = agent.memory.tree.subtree(ROOT)
    before = {path: tree.nodes[node]["visits"] for path, node in walk(tree.nodes)}
    forget(tree, tree.used // 2)
    tree = tree.subtree(ROOT)
    after = {path: tree.nodes[node]["visits"] for path, node in walk(tree.nodes)}
    assert after.items() <= before.items() and len(after) < len(before)
    parents, still_parents = ({path[:-1] for path in paths} for paths in (before, after))
    cut = {path for path in after if path in parents and path not in still_parents}
    whole = {path for path in after if path in still_parents} - {()}
    reach: dict[tuple[int, ...], int] = {}
    for path, visited in before.items():
        for length in range(len(path) + 1):
            reach[path[:length]] = max(reach.get(path[:length], 0), visited)
    assert max(reach[path] for path in cut) < min(reach[path] for path in whole)


def test_a_crash_while_saving_leaves_the_file_as_it_was(trained, tmp_path, monkeypatch):
    file = tmp_path / "a.memory"
    file.write_bytes(trained.read_bytes())
    agent = learner(file)
    agent.memory._changed = True

    def full(number):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(files.os, "fsync", full)
        with pytest.raises(TreeFileError, match="No space left"):
            agent.close()
    assert file.read_bytes() == trained.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["a.memory"]


@pytest.mark.slow
def test_killing_a_training_leaves_a_file_that_can_be_gone_on_with(tmp_path):
    file = tmp_path / "a.memory"
    code = f"from ponderosa import train; train('tictactoe', 'mcts:iterations=20', 'blind', 1_000_000, {str(file)!r})"
    known = 0
    for _ in range(2):
        with running([sys.executable, "-c", code]) as process:
            wait_until(lambda known=known: file.exists() and learned(file) > known)
            process.kill()
            process.wait()
        known = learned(file)
    (tmp_path / "a.memory.123-0a1b2c3d.part").write_bytes(b"half a file")  # what a killed one may leave
    agent = learner(file)
    assert agent.memory.games == known
    agent.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.memory"]


def learned(file: Path) -> int:
    return int(read_arrays(file, MEMORY)[0]["nodes"][ROOT]["games"])


def test_ctrl_c_saves_what_was_learned(tmp_path):
    def press(curve):
        if len(curve.lessons) == 7:
            raise KeyboardInterrupt

    curve = train("tictactoe", "mcts:iterations=10", "blind", 50, tmp_path / "a.memory", watch=press)
    assert curve.interrupted and len(curve.lessons) == 7 == learned(tmp_path / "a.memory")


def test_thinking_ahead_is_remembered_too(tmp_path):
    agent = learner(tmp_path / "a.memory", ",ponder=true")
    state = loaded("tictactoe").new_initial_state()
    state.apply_action(agent.step(state))
    before = kept(agent)["visits"].sum()
    wait_until(lambda: agent.search.tree.used >= 500)
    state.apply_action(state.legal_actions()[0])
    state.apply_action(agent.step(state))
    assert kept(agent)["visits"].sum() > before + 500
    agent.close()


def test_what_a_memory_knows_is_told(trained):
    known = read_known(trained, load_game)
    assert (known.game, known.games, known.format) == ("tictactoe", 240, "memory-1")
    assert sum(move.games for move in known.moves) == 240 and len(known.deepest_line) == 9
    visits = [move.visits for move in known.moves]
    assert visits == sorted(visits, reverse=True) and known.main_line[0] == known.moves[0].name
    assert all(0 <= move.value <= 1 and (move.score is None or 0 <= move.score <= 1) for move in known.moves)
    json.dumps(known.to_dict())


def test_the_lines_of_a_tree_are_found():
    nodes = np.zeros(6, np.dtype([*NODE.descr, *FIELDS]))
    nodes["visits"] = [9, 6, 3, 2, 5, 1]
    nodes["first"] = [1, 0, 3, 0, 5, 0]
    nodes["count"] = [2, 0, 2, 0, 1, 0]
    nodes["action"] = [0, 10, 11, 12, 13, 14]
    assert main_line(nodes) == [10]
    assert deepest_line(nodes) == [11, 13, 14]


def test_a_memory_runs_without_the_compiler(tmp_path):
    code = f"""
        from ponderosa import train
        curve = train("tictactoe", "mcts:iterations=5", "blind,self", 6, {str(tmp_path / "a.memory")!r}, seed=2)
        print([lesson.score for lesson in curve.lessons])
    """
    plain = run_python(textwrap.dedent(code), NUMBA_DISABLE_JIT="1")
    curve = train("tictactoe", "mcts:iterations=5", "blind,self", 6, tmp_path / "b.memory", seed=2)
    assert [lesson.score for lesson in curve.lessons] == plain
    one, other = (read_arrays(tmp_path / f"{name}.memory", MEMORY)[0]["nodes"] for name in "ab")
    assert np.array_equal(one, other)


def test_every_error_is_one_that_people_see():
    assert issubclass(TreeFileError, PonderosaError) and issubclass(SettingError, PonderosaError)


def test_a_memory_of_an_older_version_is_loaded_and_learns_on(tmp_path):
    file = tmp_path / "old.npz"
    shutil.copy(SAMPLES / "memory_tictactoe.npz", file)
    agent = learner(file)
    assert agent.memory.games == 3 and len(kept(agent)) > 100
    agent.finish(play(agent, load_agent("random", loaded("tictactoe")), seed=1))
    agent.close()
    assert read_known(file, load_game).games == 4
