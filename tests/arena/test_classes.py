"""The arena plays every class of games: dice, hidden things, choices at once, one player, three."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ponderosa import CHANCE, PonderosaError, load_game, match, tournament
from ponderosa.alphabeta.deepening import Deepening
from ponderosa.arena.event import Event
from ponderosa.arena.openings import EVEN, opening_state
from ponderosa.arena.results.equal_games import Canon
from ponderosa.arena.results.replay import positions
from ponderosa.arena.results.store import Outcome, Store
from ponderosa.arena.results.stored import stored_result
from ponderosa.arena.running.judge import CRASH, FINISHED, TOO_LONG
from ponderosa.arena.running.referee import Referee
from ponderosa.arena.schedule import fixtures
from ponderosa.arena.solo import together
from ponderosa.core.budget import Budget
from ponderosa.core.dice import roll
from ponderosa.errors import SettingError
from tests.cli.conftest import Run, nim, ponderosa  # noqa: F401  fixtures
from tests.helpers import loaded, plain
from tests.plain_python import plain_and_compiled  # noqa: F401
from tests.small_games import SMALL_GAMES, BlindRow, Doubling, HighCard, Pennies, Race, spec


def event_of(game: Any, agents: tuple[str, ...] | None = None, **more: Any) -> Event:
    return Event(game.spec, agents or ("random",) * max(game.players, 2), **more)


def records(game: Any, count: int = 20, **more: Any) -> list[dict[str, Any]]:
    event = event_of(game, **more)
    referee = Referee(event, game)
    found = zip(range(count), fixtures(event, game.players), strict=False)
    return [referee.play(fixture.number, fixture.seats, fixture.opening, None) for _, fixture in found]


def untimed(record: dict[str, Any]) -> dict[str, Any]:
    thoughts = [[seat] for seat, *_ in record["thoughts"]]
    return record | {"seconds": 0, "thoughts": thoughts, "efforts": [effort[0] for effort in record["efforts"]]}


@pytest.mark.parametrize("kind", SMALL_GAMES)
def test_a_game_of_every_class_is_played_to_its_end_and_can_be_replayed(kind: Any) -> None:
    game = plain(kind())
    for record in records(game):
        assert record["reason"] == FINISHED
        state = game.new_initial_state()
        for move, (seat, *_) in zip(record["moves"], record["thoughts"], strict=True):
            assert seat == state.to_move()
            state.apply_action(move)
        assert state.is_terminal() and state.returns() == record["returns"]


@pytest.mark.parametrize("kind", SMALL_GAMES)
def test_game_number_i_is_a_pure_function_of_event_and_seed(kind: Any) -> None:
    game = plain(kind())
    first, again = records(game), records(game)
    assert [untimed(one) for one in first] == [untimed(one) for one in again]
    event = event_of(game)
    seventh = next(fixture for fixture in fixtures(event, game.players) if fixture.number == 7)
    alone = Referee(event, game).play(7, seventh.seats, seventh.opening, None)
    assert untimed(alone) == untimed(first[7])
    assert [one["moves"] for one in first] != [one["moves"] for one in records(game, seed=1)]


def test_dice_fall_with_the_probabilities_of_the_game() -> None:
    state = plain(Doubling()).new_initial_state().child(1)
    luck = random.Random(5)
    heads = sum(roll(state, luck) for _ in range(10_000))
    assert abs(heads - 6000) < 5 * (10_000 * 0.24) ** 0.5


def test_both_games_of_a_pair_have_the_same_dice() -> None:
    played = records(plain(HighCard()), 40)
    dealt = [record["moves"][:2] for record in played]
    assert dealt[::2] == dealt[1::2] and len({tuple(cards) for cards in dealt}) > 10


class Spy:
    """Keeps what it is shown."""

    shown: list[Any] = []

    def __init__(self, game: Any, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def step(self, state: Any) -> Any:
        Spy.shown.append(state)
        return self._random.choice(state.legal_actions())


@pytest.mark.parametrize("kind", [HighCard, BlindRow, Pennies])
def test_agents_are_handed_what_their_player_sees_and_nothing_else(kind: Any) -> None:
    Spy.shown = []
    match(plain(kind()), Spy, Spy, games=20)
    assert {state.viewer for state in Spy.shown} == {0, 1}
    for state in Spy.shown:
        assert state.history() == []
        assert state == state.observation(state.viewer)  # there is nothing left to conceal
    if kind is HighCard:
        assert all(state.record.card[1 - state.viewer] == -1 for state in Spy.shown)
    if kind is Pennies:
        assert all(state.to_move() == state.viewer and state.chosen() == 0 for state in Spy.shown)


class Crasher:
    def __init__(self, game: Any) -> None:
        pass

    def step(self, state: Any) -> Any:
        raise RuntimeError("no")


def test_a_fault_costs_the_least_that_the_game_pays_and_never_infinity() -> None:
    result = match(plain(HighCard()), Crasher, "random", games=4)
    for outcome in result.tally.counted:
        assert outcome.reason == CRASH
        assert sorted(outcome.returns) == [-2.0, 2.0] and outcome.returns[outcome.fault] == -2.0
    alone = match(plain(Doubling()), Crasher, "random", games=4)
    assert alone.elo is not None and alone.elo.score == 0.0
    json.dumps(alone.to_dict(), allow_nan=False)


def solo(agent: int, reason: str, returned: float, canon: str = "") -> Outcome:
    return Outcome(agent, 0, (agent,), (0.5,), (returned,), reason, None, canon, ((1, 0.0, 0, 0),))


def test_an_endless_game_of_one_is_behind_every_finished_one() -> None:
    table = together([solo(1, FINISHED, -7.0), solo(0, TOO_LONG, 0.0), solo(2, FINISHED, -7.0)])
    assert table.seats == (0, 1, 2) and table.scores == (0.0, 0.75, 0.75)


class Stopper:
    """Stops at once, and has one point every time."""

    def __init__(self, game: Any) -> None:
        pass

    def step(self, state: Any) -> Any:
        return 0


class Flipper:
    """Flips once."""

    def __init__(self, game: Any) -> None:
        pass

    def step(self, state: Any) -> Any:
        return 0 if state.record.flips else 1


def test_in_a_match_of_a_game_for_one_both_play_the_same_game_and_the_higher_score_wins() -> None:
    result = match(plain(Doubling()), Flipper, Stopper, games=400)
    assert result.tally.games == 400 and len(result.tally.counted) == 200
    share = result.tally.lines[0].score / 200  # it wins whenever the coin shows heads: six times of ten
    assert abs(share - 0.6) < 5 * (0.24 / 200) ** 0.5
    assert result.elo is not None and result.elo.score == pytest.approx(share)
    assert sum(result.tally.pentanomial()) == 200
    figures = result.to_dict()["agents"]
    assert figures[1]["mean_return"] == 1.0 and figures[0]["mean_return"] == pytest.approx(2 * share)
    assert "alone" in result.table() and "Mean score" in result.table()


def exact_share(first: Callable[[int], int], second: Callable[[int], int]) -> float:
    """How often the first of two who bet by their card wins, over all hands and both seats."""
    won, game = 0.0, plain(HighCard())
    for cards in itertools.permutations(range(10), 2):
        for mine in (0, 1):
            rules = (first, second) if mine == 0 else (second, first)
            state = game.new_initial_state()
            for action in (*cards, rules[0](cards[0]), rules[1](cards[1])):
                state.apply_action(action)
            won += state.returns()[mine] > 0
    return won / 180


def by_card(rule: Callable[[int], int]) -> Any:
    class ByCard:
        def __init__(self, game: Any) -> None:
            pass

        def step(self, state: Any) -> Any:
            return rule(int(state.record.card[state.viewer]))

    return ByCard


def test_all_games_with_dice_count_so_that_the_score_is_the_true_one() -> None:
    """To count equal hands once would give each line of play the same weight, however likely it is."""
    bold, shy = (lambda card: int(card > 2)), (lambda card: int(card > 6))
    result = match(plain(HighCard()), by_card(bold), by_card(shy), games=1000)
    assert result.tally.repeats == 0 and len(result.tally.counted) == 1000
    assert result.elo is not None
    assert abs(result.elo.score - exact_share(bold, shy)) < 5 * (0.25 / 1000) ** 0.5


@pytest.mark.slow
def test_hidden_games_of_agents_with_seeds_of_their_own_repeat_themselves() -> None:
    fixed = match("blind_tictactoe", "random:seed=1", "random:seed=2", games=6, concurrency=1)
    assert fixed.tally.repeats == 4
    drawn = match("rps", "random", "random", games=40, concurrency=1)
    assert drawn.tally.repeats == 0


def test_a_game_for_one_without_dice_counts_once() -> None:
    table = together([solo(0, FINISHED, 1.0, "a"), solo(1, FINISHED, 2.0, "b")])
    assert table.canon == "a/b"
    assert together([solo(0, FINISHED, 1.0, ""), solo(1, FINISHED, 2.0, "b")]).canon == ""


def test_a_mirrored_game_with_dice_is_an_equal_one_only_if_the_dice_are_mirrored_too() -> None:
    game, draw = load_game("einstein"), random.Random(1)
    (mirror,), state = game.symmetries(), game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(draw.choice(state.legal_actions()))
    moves, laid_out = state.history(), 12
    mirrored = [mirror[move] for move in moves]
    assert Canon(game).of(mirrored) == Canon(game).of(moves)
    assert Canon(game).of(moves[:laid_out] + mirrored[laid_out:]) != Canon(game).of(moves)


def test_random_openings_roll_dice_and_leave_no_choice_half_made() -> None:
    for seed in range(20):
        dealt = opening_state(plain(HighCard()), "random:1", None, seed)
        assert len(dealt.history()) == 3 and dealt.to_move() == 1
        coins = opening_state(plain(Pennies()), "random:1", None, seed)
        assert len(coins.history()) == 2 and coins.chosen() == 0
    shown = Counter(opening_state(plain(HighCard()), "random:1", None, seed).history()[0] for seed in range(200))
    assert set(shown) == set(range(10))


def test_balanced_openings_leave_nobody_ahead() -> None:
    game = loaded("othello:size=4")
    judge = Deepening(game, depth=3, table=0)
    states = [opening_state(game, "balanced:3", None, seed) for seed in range(6)]
    values = [judge.run(state, Budget(iterations=10**5)).value for state in states]
    assert all(len(state.history()) == 3 for state in states) and len(set(states)) > 2
    assert all(value is not None and abs(value - 0.5) <= EVEN for value in values)
    with pytest.raises(SettingError, match=r"no balanced openings.* take random:PLIES"):
        opening_state(plain(HighCard()), "balanced:2", None, 0)


def test_openings_from_a_file_may_say_what_the_dice_show(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("card9 card3\n")
    result = match(plain(HighCard()), Spy, "random", games=4, openings=str(lines), count_repeats=True)
    assert result.tally.games == 4


def test_games_of_all_classes_run_in_processes_and_come_back_from_the_store(
    ponderosa: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    store = str(tmp_path / "games.db")
    for game in (HighCard, Doubling, Pennies):
        done = ponderosa("match", spec(game), "random", "random", "--games", "6", "--out", store, "--json")
        assert done.code == 0 and json.loads(done.out)["games"] == 6
    with Store(store, readonly=True) as opened:
        for game in opened.games():
            stored = opened.game(game.id)
            state, _ = list(positions(stored, trust=True))[-1]
            assert state.is_terminal() and state.returns() == stored["returns"]
        alone = next(entry for entry in opened.events() if "Doubling" in entry.event.game)
        assert stored_result(opened, alone.id).tally.alone
    shown = ponderosa("games-db", "show", "1", "--replay", "--trust", "--store", store)
    assert "(chance)" in shown.out and "card" in shown.out
    listed = ponderosa("games-db", "list", "--event", str(alone.id), "--store", store)
    assert "random got" in listed.out


@pytest.mark.slow
def test_an_agent_that_hangs_in_a_game_with_other_payments_gets_the_least(tmp_path: Path) -> None:
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text("import time\nclass S:\n def __init__(s, g): pass\n def step(s, t): time.sleep(60)\n")
    result = match(spec(HighCard), f"{sleeper}:S", "random", games=2, timeout=0.2, concurrency=1)
    for outcome in result.tally.counted:
        assert outcome.reason == "hang" and outcome.returns[outcome.fault] == -2.0


def test_three_players_with_dice_are_rated() -> None:
    pytest.importorskip("openskill")
    result = tournament(plain(Race()), [Stopper, "random", Spy], games=6, names=("a", "b", "c"))
    assert result.tally.games == 6 and result.ratings is not None


def test_a_tournament_of_a_game_for_one_compares_all_agents_on_the_same_dice() -> None:
    result = tournament(plain(Doubling()), [Stopper, Flipper, "random"], games=10, count_repeats=True)
    assert result.tally.games == 30 and len(result.tally.counted) == 10
    assert all(set(outcome.seats) == {0, 1, 2} for outcome in result.tally.counted)
    assert "Mean score" in result.table()
    with pytest.raises(PonderosaError, match="round robin"):
        tournament(plain(Doubling()), [Stopper, Flipper], kind="gauntlet")
    with pytest.raises(PonderosaError, match="two players"):
        tournament(plain(Doubling()), [Stopper, Flipper], kind="ladder")


def test_dice_are_no_move_of_an_agent() -> None:
    record = records(plain(HighCard()), 1)[0]
    assert [effort[0] for effort in record["efforts"]] == [1, 1]
    assert [seat for seat, *_ in record["thoughts"]] == [CHANCE, CHANCE, 0, 1]
