"""Backgammon against its rules written down a second time, and against OpenSpiel's: what a roll may lead to."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from ponderosa import CHANCE, check_game, match
from ponderosa.errors import IllegalActionError, SettingError
from ponderosa.games.backgammon import BAR, OFF, PIPS_A_ROLL, PLACES, VARIANCE, find_moves, put
from tests.helpers import in_python, loaded, position

Side = tuple[int, ...]
"""How many checkers a player has at each place, as that player counts them."""
Board = tuple[Side, Side]
"""The player's to move, and the other's."""


def steps(board: Board, die: int) -> set[Board]:
    """Every position after one checker has moved by a die."""
    own, other = board
    found = set()
    far = max((place for place in range(1, BAR + 1) if own[place]), default=0)
    for place in [BAR] if own[BAR] else [place for place in range(1, BAR) if own[place]]:
        target = place - die
        if target <= OFF and (far > 6 or (target < OFF and far > place)):
            continue
        if target > OFF and other[25 - target] > 1:
            continue
        mine, theirs = list(own), list(other)
        mine[place] -= 1
        mine[max(target, OFF)] += 1
        if target > OFF and theirs[25 - target] == 1:
            theirs[25 - target], theirs[BAR] = 0, theirs[BAR] + 1
        found.add((tuple(mine), tuple(theirs)))
    return found


def ways(board: Board, dice: tuple[int, ...]) -> dict[tuple[int, ...], set[Board]]:
    """What comes of every row of dice that can be used in this order, none at all too."""
    found: dict[tuple[int, ...], set[Board]] = {(): {board}}
    for count in range(1, len(dice) + 1):
        for row in set(itertools.permutations(dice, count)):
            after = {end for start in found.get(row[:-1], ()) for end in steps(start, row[-1])}
            if after:
                found[row] = after
    return found


def after_roll(board: Board, one: int, other: int) -> set[Board]:
    """All positions that a whole turn may lead to: as many dice as possible are used, of one alone the higher."""
    found = ways(board, (one,) * 4 if one == other else (one, other))
    longest = max(map(len, found))
    rows = [row for row in found if len(row) == longest]
    if longest == 1 and len(rows) == 2:
        rows = [max(rows)]
    return set().union(*(found[row] for row in rows))


def sides(state: Any, player: int) -> Board:
    count = tuple(map(int, state.record.count))
    both = count[:PLACES], count[PLACES:]
    return both[player], both[1 - player]


def ends_of_turn(state: Any) -> dict[Board, Any]:
    """The states in which the turn of the player to move may end, by their positions."""
    player, found, seen, open_ones = state.to_move(), {}, set(), [state]
    turn = state.record.turn
    while open_ones:
        now = open_ones.pop()
        for action in now.legal_actions():
            after = now.child(action)
            if after.is_terminal() or after.to_move() != player:
                assert after.record.turn >= turn
                found[sides(after, player)] = after
            elif after not in seen:
                seen.add(after)
                open_ones.append(after)
    return found


def set_up(white: dict[int, int], black: dict[int, int], player: int = 0, spec: str = "backgammon") -> Any:
    """A state in which the player to move rolls, with these checkers; all others are borne off."""
    state = in_python(spec).new_initial_state()
    s = state.record
    s.count[:], s.held[:], s.barred[:] = 0, 0, 0
    for seat, side in enumerate((white, black)):
        for place, count in {**side, OFF: 15 - sum(side.values())}.items():
            for _ in range(count):
                put(s, seat, place)
    s.turn, s.player = 1, player
    return state


def names(state: Any) -> set[str]:
    return {state.action_to_string(action) for action in state.legal_actions()}


def random_board(rng: random.Random) -> tuple[dict[int, int], dict[int, int]]:
    """Checkers anywhere, mostly near home, so that dice that cannot be used and bearing off are frequent."""
    taken: tuple[dict[int, int], dict[int, int]] = ({}, {})
    reach = rng.choice((6, 8, 14, 25))
    for seat in rng.sample((0, 1), 2):
        for _ in range(rng.randint(1, 15)):
            place = rng.randint(1, reach) if rng.random() < 0.8 else rng.randint(1, 25)
            if place == BAR or 25 - place not in taken[1 - seat]:
                taken[seat][place] = taken[seat].get(place, 0) + 1
    return taken if all(taken) else random_board(rng)


@pytest.mark.parametrize("count", [40, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_turn_may_end_where_the_rules_say_from_random_positions(count):
    rng = random.Random(count)
    kinds: Counter[int] = Counter()
    for _ in range(count):
        state = set_up(*random_board(rng), player=rng.randrange(2))
        player = state.record.player
        one, other = sorted((rng.randint(1, 6), rng.randint(1, 6)), reverse=True)
        board = sides(state, player)
        state.apply_action(f"{one}-{other}")
        expected = after_roll(board, one, other)
        assert set(ends_of_turn(state)) == expected, f"{state}"
        kinds[max(map(len, ways(board, (one,) * 4 if one == other else (one, other))))] += 1
    assert set(kinds) == {0, 1, 2, 3, 4} or count < 100


def theirs_of(state: Any, player: int) -> Board:
    """Our way to count the checkers of OpenSpiel's state; its first player goes up, its second down."""
    found = []
    for seat in (player, 1 - player):
        side = [0] * PLACES
        for at in range(24):
            side[24 - at if seat == 0 else at + 1] = state.board(seat, at)
        side[BAR] = state.board(seat, 100)
        side[OFF] = 15 - sum(side)
        found.append(tuple(side))
    return found[0], found[1]


def their_ends(state: Any, player: int) -> tuple[dict[Board, Any], set[Board]]:
    """The states after a turn of theirs, by position, and what comes before the second half of doubles."""
    found, halves = {}, set()
    for action in state.legal_actions():
        after = state.child(action)
        if after.is_terminal() or after.current_player() != player:
            found[theirs_of(after, player)] = after
        else:
            halves.add(theirs_of(after, player))
            found |= {theirs_of(last, player): last for last in map(after.child, after.legal_actions())}
    return found, halves


def same_game_as_openspiels(seed: int, scoring: str, spec: str) -> int:
    """Play a random game beside theirs; how many turns there were."""
    pyspiel = pytest.importorskip("pyspiel")
    rng, game = random.Random(seed), pyspiel.load_game(f"backgammon(scoring_type={scoring})")
    ours, theirs, turns = loaded(spec).new_initial_state(), game.new_initial_state(), 0
    while not ours.is_terminal():
        rolls = {sorted_roll(theirs, outcome): outcome for outcome, _ in theirs.chance_outcomes()}
        name = rng.choice([ours.action_to_string(outcome) for outcome in ours.legal_actions()])
        ours.apply_action(name)
        theirs.apply_action(rolls[name] if turns else first_roll(theirs, name))
        player, one = ours.to_move(), int(name[0])
        assert player == theirs.current_player()
        board = sides(ours, player)
        assert board == theirs_of(theirs, player)
        found, (told, _) = ends_of_turn(ours), their_ends(theirs, player)
        if name[0] == name[2]:  # theirs plays doubles in two halves, and may leave a die unused that could be used
            expected = after_roll(board, one, one)
            assert set(found) == expected and expected <= set(told)
        else:
            assert set(found) == set(told), f"{ours}\n{theirs}"
        choice = rng.choice(sorted(found))
        ours, theirs, turns = found[choice], told[choice], turns + 1
        assert ours.is_terminal() == theirs.is_terminal()
    assert ours.returns() == theirs.returns()
    return turns


def sorted_roll(theirs: Any, outcome: int) -> str:
    shown = theirs.action_to_string(CHANCE, outcome).split()[-1].rstrip(")")
    return "-".join(sorted(shown, reverse=True))


def first_roll(theirs: Any, name: str) -> int:
    """Their outcome in which the same player begins with the same dice."""
    starts = "X starts" if name[0] > name[2] else "O starts"
    dice = {name[0], name[2]}
    return next(
        outcome
        for outcome, _ in theirs.chance_outcomes()
        if starts in theirs.action_to_string(CHANCE, outcome) and dice == set(sorted_roll(theirs, outcome)) - {"-"}
    )


def test_a_random_game_is_one_by_openspiels_rules():
    assert same_game_as_openspiels(1, "winloss_scoring", "backgammon") > 20


@pytest.mark.slow
@pytest.mark.parametrize(("scoring", "spec"), [("winloss_scoring", ""), ("full_scoring", ":gammons=true")])
def test_random_games_are_ones_by_openspiels_rules(scoring, spec):
    for seed in range(25):
        assert same_game_as_openspiels(seed, scoring, f"backgammon{spec}") > 20


def test_whoever_has_the_higher_die_begins_with_both():
    state = loaded("backgammon").new_initial_state()
    assert len(state.legal_actions()) == 30
    begun = state.child("2-5")
    assert (begun.to_move(), state.child("5-2").to_move()) == (1, 0)
    assert names(begun) == names(state.child("5-2"))
    with pytest.raises(IllegalActionError):
        state.child("3-3")


def test_later_rolls_have_21_outcomes_of_which_doubles_are_half_as_likely():
    outcomes = dict(position(loaded("backgammon"), "3-1 8/5 6/5").chance_outcomes())
    assert len(outcomes) == 21
    assert sorted(outcomes.values()) == [1 / 36] * 6 + [2 / 36] * 15


def test_moves_are_written_as_players_do_and_a_star_may_be_left_out():
    state = position(loaded("backgammon"), "3-1 8/5 6/5 6-4 24/18")
    assert "18/14" in names(state)
    hit = position(loaded("backgammon"), "6-2 24/18 13/11 5-2")
    assert {"13/8", "13/11", "24/22"} <= names(hit)
    hit = position(loaded("backgammon"), "6-2 24/18 13/11 6-1")
    assert "8/7*" in names(hit)
    assert hit.child("8/7") == hit.child("8/7*")
    assert names(hit.child("8/7").child("13/7").child("6-6")) == {"pass"}


def test_both_dice_are_used_if_there_is_a_way():
    """After 10/4 there is no 5: so the 6 is played from 13."""
    state = set_up({13: 1, 10: 1}, {22: 2, 17: 2, 20: 2, 13: 2}).child("6-5")
    assert names(state) == {"13/7"}
    assert names(state.child("13/7")) == {"7/2"}


def test_of_two_dice_that_cannot_both_be_used_the_higher_one_is():
    state = set_up({20: 1}, {13: 2}).child("6-2")  # 20/14 and 20/18 are open, and 12 is not
    assert names(state) == {"20/14"}
    assert state.child("20/14").to_move() == CHANCE


def test_who_is_on_the_bar_comes_in_first_or_passes():
    state = set_up({25: 1, 6: 3}, {2: 2, 4: 2})
    assert names(state.child("3-1")) == {"bar/22", "bar/24"}
    assert names(state.child("4-2")) == {"pass"}
    passed = state.child("4-2").child("pass")
    assert (passed.to_move(), passed.record.player) == (CHANCE, 1)


def test_a_larger_die_bears_off_the_farthest_checker_only():
    state = set_up({4: 1, 2: 1}, {12: 2})
    assert names(state.child("6-5")) == {"4/off(6)", "4/off(5)"}
    assert names(state.child("4-1")) == {"4/off", "4/3", "2/1"}
    assert names(set_up({7: 1, 2: 1}, {12: 2}).child("6-2")) == {"7/1", "7/5"}


def test_wins_count_double_or_threefold_with_gammons():
    def won(black, spec):
        state = set_up({1: 1}, black, spec=spec).child("6-5")
        return state.child(state.legal_actions()[0]).returns()

    for spec, worth in (("backgammon", (1, 1, 1, 1)), ("backgammon:gammons=true", (1, 2, 3, 3))):
        boards = ({6: 14}, {6: 15}, {6: 14, 19: 1}, {6: 14, 25: 1})
        assert [won(black, spec) for black in boards] == [[float(value), -float(value)] for value in worth]


def test_a_game_without_end_is_a_draw():
    state = loaded("backgammon:turns=2").new_initial_state().child("2-1")
    for text in ("6/5", "6/4", "4-1", "24/23"):
        assert not state.is_terminal()
        state.apply_action(text)
    state.apply_action("13/9")
    assert (state.is_terminal(), state.returns()) == (True, [0.0, 0.0])


def test_dice_give_as_many_pips_as_are_reckoned_with():
    rolls = [(one + other) * (2 if one == other else 1) for one in range(1, 7) for other in range(1, 7)]
    mean = sum(rolls) / 36
    assert abs(mean - PIPS_A_ROLL) < 1e-12
    assert abs(sum(roll**2 for roll in rolls) / 36 - mean**2 - VARIANCE) < 1e-9


def test_who_is_ahead_has_the_better_chances():
    value = loaded("backgammon").own_rules()["evaluate"]
    even = set_up({6: 5}, {6: 5}).record
    assert value(even)[0] == -value(even)[1] > 0  # to roll is worth half a roll
    assert value(set_up({6: 5}, {6: 5}, player=1).record)[1] == value(even)[0]
    assert value(set_up({6: 5}, {6: 6}).record)[0] > value(even)[0]
    assert value(set_up({1: 2}, {6: 15}).record)[0] > 0.999


def test_the_same_position_in_the_same_turn_has_the_same_key_by_any_order():
    key = loaded("backgammon").own_rules()["key"]
    one, other = (position(loaded("backgammon"), f"3-1 {moves}") for moves in ("8/5 6/5", "6/5 8/5"))
    assert key(one.record) == key(other.record)
    assert key(one.record) != key(position(loaded("backgammon"), "3-1 8/5 24/23").record)
    assert key(one.child("2-1").record) != key(one.child("3-1").record)


def test_the_moves_of_machine_code_are_those_of_python():
    game, rng = loaded("backgammon"), random.Random(4)
    state = game.new_initial_state()
    while not state.is_terminal():
        again = state.clone().record
        find_moves(again)
        assert list(again.movers) == list(state.record.movers)
        state.apply_action(rng.choice(state.legal_actions()))


def test_the_board_is_drawn_for_whoever_moves():
    state = position(loaded("backgammon"), "3-1 8/5")
    shown = str(state).splitlines()
    assert shown[0].split() == [*map(str, range(13, 19)), "bar", *map(str, range(19, 25)), "off"]
    assert shown[-1] == "White has 164 to go, Black has 167 to go; White plays 1"
    checker = state.game.parse_action("6/5", state)
    assert state.game.action_cells(state.record, checker) == [(7, 7), (10, 8)]
    picture = state.game.picture(state.record)
    assert picture.count("<circle") >= 30 and picture.count("<path") == 24


def test_checkers_on_a_high_stack_and_off_the_board_are_counted():
    rows = str(set_up({1: 7}, {25: 1, 3: 2})).splitlines()
    assert rows[-3].split()[-1] == "1" or rows[-2].split()[-2] == "1"
    assert any("7W" in row for row in rows) and any("8W" in row for row in rows) and any("12B" in row for row in rows)


@pytest.mark.slow
def test_promises_are_kept_and_nonsense_is_refused():
    assert check_game(loaded("backgammon:turns=60"), games=2) == []
    assert check_game(in_python("backgammon:gammons=true,turns=30"), games=1) == []
    with pytest.raises(SettingError, match="turns, after which it is a draw, must be a whole number from 1 to 10000"):
        loaded("backgammon:turns=0")


@pytest.mark.slow
def test_a_search_beats_random_moves():
    result = match("backgammon", "mcts:iterations=200", "random", games=10, seed=1)
    assert result.tally.lines[0].wins.total() == 10
