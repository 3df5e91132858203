"""The list of moves and the list of the worst ones: turns by who moved, and one numbering for both."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.compile.waiting import HowFar
from ponderosa.core.turns import CHANCE
from ponderosa.web.drawing.summary import curve_words, move_list, status_line, turns_of, worst_moves
from ponderosa.web.model.catalogue import PERSON
from ponderosa.web.model.compiled_now import Compiled
from ponderosa.web.model.director import Director
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.place import Place
from ponderosa.web.model.runner import Job, Runner, Thinker
from ponderosa.web.model.session import GameSession, Mistake
from ponderosa.web.model.sight import Sight
from ponderosa.web.views.thinking_view import considered, legend_of, table
from tests.helpers import in_python, loaded

GAMES = ("connect6", "connect4", "einstein", "pig", "2048", "connect:m=4,n=4,k=3,players=3", "goofspiel:cards=3")


def played(spec: str, moves: str = "", seed: int = 0) -> GameSession:
    """A game after some moves, or one that chance plays to its end."""
    game = loaded(spec)
    session = GameSession.after(spec, game, [PERSON] * game.players, moves)
    luck = random.Random(seed)
    while not moves and not session.finished and session.plies < 300:
        session.play(luck.choice(session.state.legal_actions()))
    return session


def shown(session: GameSession) -> str:
    """The list of moves as a reader sees it; whose turn begins is a letter."""
    found = []
    for count, player, name in re.findall(
        r'class="count">(\d+\.)|class="swatch p(\d)|<button[^>]*>(.*?)</button>', move_list(Place(session))
    ):
        found.append(count or ("ABCD"[int(player)] if player else re.sub("<.*?>", "", name).strip()))
    return " ".join(found)


def test_in_connect6_a_turn_has_two_stones_and_the_first_one_has_one() -> None:
    assert shown(played("connect6", "j10 j11 k10 k11 l12 h8 h9")) == "1. A j10 B j11 k10 2. A k11 l12 B h8 h9"


def test_where_every_turn_is_one_move_the_list_is_plain() -> None:
    assert shown(played("connect4", "4 4 3")) == "1. 4 4 2. 3"
    assert shown(played("connect:m=4,n=4,k=3,players=3", "a1 a2 a3 b1 b2")) == "1. a1 a2 a3 2. b1 b2"


def test_who_plays_alone_has_a_turn_with_every_move() -> None:
    assert turns_of(1, [CHANCE, CHANCE, 0, CHANCE, 0]) == [(0, False), (0, False), (1, True), (1, False), (2, True)]


def test_who_rolls_again_goes_on_with_the_turn() -> None:
    assert turns_of(2, [0, CHANCE, 0, CHANCE, 1, CHANCE, 0]) == [
        (1, True), (1, False), (1, False), (1, False), (1, True), (1, False), (2, True),
    ]  # fmt: skip


@given(st.integers(2, 4), st.lists(st.integers(-1, 3), max_size=30))
def test_a_round_has_at_most_one_turn_of_everybody(players: int, movers: list[int]) -> None:
    turns = turns_of(players, [min(mover, players - 1) for mover in movers])
    begun = [(number, min(mover, players - 1)) for mover, (number, begins) in zip(movers, turns, strict=True) if begins]
    assert len(set(begun)) == len(begun)
    numbers = [number for number, _ in turns]
    assert numbers == sorted(numbers) and set(numbers) - {0} == set(range(1, max(numbers, default=0) + 1))


@pytest.mark.parametrize("spec", GAMES)
def test_the_worst_moves_are_numbered_like_the_moves(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session, number, numbers = played(spec), 0, {}
    session.resigned = session.resigned or 0
    director = Director(session, Runner(Limits(max_searches=1)))
    monkeypatch.setattr(director, "unreviewed", list)
    for count, ply in re.findall(r'class="count">(\d+)\.|data-go="(\d+)"', move_list(Place(session))):
        number = int(count or number)
        if ply:
            numbers[int(ply) - 1] = number
    for ply, name in enumerate(session.names):
        player = session.states[ply].to_move()
        if player >= 0:
            worst = {player: [Mistake(ply, player, name, name, 0.5)]}
            monkeypatch.setattr(session, "mistakes", lambda worst=worst: worst)
            assert f'<button data-go="{ply}">{numbers[ply]}. ' in worst_moves(director)


@pytest.mark.parametrize(
    ("spec", "words"),
    [("connect4", "win probability of Red"), ("samegame", "expected score of"), ("kuhn_poker", "expected score of")],
)
def test_where_nobody_wins_it_is_about_the_score(spec, words):
    session = GameSession(spec, in_python(spec), [PERSON] * in_python(spec).players)
    assert curve_words(session).startswith(words)
    assert ("win probability" in legend_of(session.game)) == words.startswith("win")


def test_an_earlier_position_says_which_one_it_is_and_only_a_machine_that_waits_is_said_to_wait() -> None:
    session = GameSession.after("connect4", loaded("connect4"), ["random", "random"], "4 1 4 1 4 1")
    director = Director(session, Runner(Limits(max_searches=1)))
    sight = Sight(director, None)
    director.pause(True)
    assert "Red <" in status_line(sight) and "to move; the machine waits" in status_line(sight)
    sight.place.go_to(3)
    assert "Yellow <" in status_line(sight) and "to move, after 3 of 6 moves" in status_line(sight)
    session.play_text("4")  # the game is over: nobody waits for anything
    director.pause(False)
    assert "to move, after 3 of 7 moves" in status_line(sight)


def test_a_search_that_leaves_moves_out_has_no_rows_for_them() -> None:
    report = Search(in_python("tictactoe"), solve=False).run(iterations=3)
    assert sum(entry.visits == 0 for entry in report.actions) > 4
    names = [entry.name for entry in considered(report)]
    assert 0 < len(names) <= 3 and re.findall('data-move="(.*?)"', table(report)) == names
    assert table(report).count("<tr") == table(None).count("<tr")


def test_who_looks_back_in_a_game_of_ones_own_reads_how_far() -> None:
    session = GameSession.after("connect4", loaded("connect4"), [PERSON, "random"], "4 1 4 1")
    sight = Sight(Director(session, Runner(Limits(max_searches=1))), None)
    assert "your turn<" in status_line(sight)
    sight.place.go_to(2)
    assert "your turn, after 2 of 4 moves<" in status_line(sight)
    alone = GameSession("samegame", loaded("samegame"), [PERSON])
    for _ in range(2):
        alone.play(alone.state.legal_actions()[0])
    sight = Sight(Director(alone, Runner(Limits(max_searches=1))), None)
    sight.place.go_to(1)
    assert status_line(sight) == "Your turn, after 1 of 2 moves"


def test_whoever_asked_for_a_hint_reads_that_it_comes_or_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    session = GameSession.after("connect4", loaded("connect4"), [PERSON, "random"])
    director = Director(session, Runner(Limits(max_searches=1)))
    sight = Sight(director, None)
    job = Job(Thinker("mcts", session.game), session.state)
    monkeypatch.setattr(director, "_job", job)
    assert "your turn" in status_line(sight)
    monkeypatch.setattr(director, "_hinting", sight.place)
    assert "the adviser thinks of a hint" in status_line(sight)
    monkeypatch.setattr(Job, "compiled", Compiled("Connect Four", HowFar(0.25, 4.0)))
    assert "waits: compiling, once, about 4 s in all" in status_line(sight) and "width:25%" in status_line(sight)
