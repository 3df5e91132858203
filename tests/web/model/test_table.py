"""Tables without a page: one game is one table, seats belong to browsers, and a clock that stands still."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ponderosa import Search
from ponderosa.core.clock import TimeControl
from ponderosa.errors import LimitError, PonderosaError
from ponderosa.web.drawing.summary import known_moves, status_line
from ponderosa.web.model.catalogue import PERSON, Catalogue
from ponderosa.web.model.clocks import GameClocks
from ponderosa.web.model.entrance import Address, Entrance, address_of
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.saved_games import SavedGames
from ponderosa.web.model.session import GameSession
from ponderosa.web.model.shares import Visitor
from ponderosa.web.model.sight import Sight
from ponderosa.web.model.table import Guest
from tests.helpers import loaded

HOUR = 3600.0


class Room:
    """A server without a page, whose time is told."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.now, self.folder = 0.0, folder
        given = {"max_searches": 1, "max_sessions": 3} | limits
        self.hub = Hub(Catalogue(), Limits(**given), SavedGames(folder / "games.sqlite"), clock=lambda: self.now)
        self.tables = self.hub.tables

    def begin(
        self, spec: str = "tictactoe", seats: tuple[str, ...] = (PERSON, PERSON), tab: str = "a1", moves: str = ""
    ) -> Guest:
        """A game that the browser named like its tab, without the number, begins."""
        session = GameSession.after(spec, loaded(spec), list(seats), moves)
        return self.tables.lay(self.hub.open(session), tab, tab[0])

    def come(self, guest: Guest, tab: str, player: int | None = None) -> Guest:
        """A tab opens the address of a game."""
        return self.tables.join(guest.table.session.id, tab, tab[0], player)

    def leave(self, guest: Guest, *tabs: str) -> None:
        """Tabs are closed."""
        for tab in tabs:
            self.tables.leave(guest.table, tab)

    def is_open(self, guest: Guest) -> bool:
        """Whether a game is still there."""
        return self.tables.find(guest.table.session.id) is guest.table


@pytest.fixture
def new_room(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    rooms = []

    def make(**limits: Any) -> Room:
        rooms.append(Room(tmp_path, **limits))
        return rooms[-1]

    yield make
    for room in rooms:
        room.hub.shut()


@pytest.fixture
def room(new_room: Callable[..., Room]) -> Room:
    return new_room()


def sight(guest: Guest) -> Sight:
    return Sight(guest.table.director, guest.player, guest)


def test_two_people_at_one_screen_until_another_browser_comes(room: Room) -> None:
    first = room.begin()
    assert first.plays(0) and first.plays(1) and not first.in_company and first.table.free_seats() == [1]
    second = room.come(first, "b1")
    assert second.table is first.table
    assert first.plays(0) and not first.plays(1) and second.plays(1) and not second.plays(0)
    third = room.come(first, "c1")
    assert not third.sits and not third.plays(0) and not third.plays(1)


def test_a_second_tab_of_a_browser_has_the_same_seat(room: Room) -> None:
    first = room.begin()
    again = room.come(first, "a2")
    assert again.seats == [0] and first.table.free_seats() == [1] and again.plays(1)


def test_who_opens_a_game_against_a_machine_watches(room: Room) -> None:
    first = room.begin(seats=(PERSON, "random"))
    second = room.come(first, "b1")
    assert first.plays(0) and not second.sits
    watching = sight(second)
    assert not watching.acts() and "you watch" in status_line(watching) and sight(first).acts()


@pytest.mark.parametrize("game", ["tictactoe", "kuhn_poker", "blind_tictactoe", "rps"])
def test_a_seat_is_kept_for_an_hour_and_found_again(room: Room, game: str) -> None:
    first = room.begin(game)
    first.table.director.roll()
    second = room.come(first, "b1")
    room.leave(first, "b1", "a1")  # both are away: a phone's lock
    room.now = HOUR
    room.tables.sweep()
    assert room.is_open(first)
    assert not room.come(first, "c1").sits
    assert room.come(first, "b2").seats == second.seats == [1]
    assert room.come(first, "a2").seats == [0]


def test_a_seat_is_free_when_its_browser_stayed_away_longer(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    room.leave(first, "b1")
    room.now = HOUR + 1
    assert first.table.free_seats() == [1] and first.plays(1)  # whoever is left plays on alone
    assert room.come(first, "b2").seats == [1]  # nobody has taken it: it is there again
    room.leave(first, "b2")
    room.now += HOUR + 1
    assert room.come(first, "c1").seats == [1] and not room.come(first, "b3").sits
    assert second.table is first.table


def test_a_seat_is_not_lost_while_a_tab_is_open(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    room.now = 100 * HOUR
    assert first.table.free_seats() == [] and second.plays(1)


def test_an_abandoned_game_is_closed_after_an_hour_and_saved(room: Room) -> None:
    first = room.begin()
    first.table.session.play_text("b2")
    room.leave(first, "a1")
    name = first.table.session.id
    assert room.is_open(first) and room.hub.store.find(name).moves == "b2"
    room.now = HOUR + 1
    assert room.tables.sweep() == 1 and room.hub.open_games == 0
    record = room.hub.store.find(name)
    again = room.hub.reopened(record)
    assert again.id == name and again.names == ["b2"] and not again.touched


def test_when_nobody_looks_searches_end_and_trees_are_freed(room: Room) -> None:
    first = room.begin("connect4", (PERSON, "mcts:seconds=60"), moves="4")
    director = first.table.director
    director.tick()
    job = director.job
    room.leave(first, "a1")
    assert job.finished.wait(600) and room.hub.runner.busy == 0 and room.hub.runner.kept_nodes == 0


def test_what_was_thought_is_kept_in_short_when_nobody_looks(room: Room) -> None:
    session = room.begin("connect4:rows=4,cols=9", moves="4 4 3").table.session
    session.play_text("5")
    search = Search(session.game)
    for ply in range(5):
        session.note(ply, search.run(session.states[ply], iterations=200), advice=True)
    values = session.curve()[:4]
    room.leave(next(iter(room.tables.find(session.id).tabs.values())), "a1")
    assert session.curve() == [*values, None]  # the last position is looked at anew
    assert all(len(report.actions) == 8 for report in session.thoughts.values())


def test_a_game_in_which_nothing_has_happened_ends_with_its_tab(room: Room) -> None:
    alone, people = room.begin(seats=(PERSON, "random")), room.begin()
    room.leave(alone, "a1")
    room.leave(people, "a1")
    assert not room.is_open(alone) and room.is_open(people)  # somebody may have the link
    assert room.hub.store.listed() == []


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel", "blind_tictactoe"])
@pytest.mark.parametrize("ends", ["left", "swept", "no room", "shut"])
def test_what_is_hidden_is_not_listed_while_the_game_can_go_on(room: Room, game: str, ends: str) -> None:
    first = room.begin(game)
    session = first.table.session
    while not session.touched:
        first.table.director.roll()
        for player in session.waiting_for():
            session.choose(player, next(iter(session.state.legal_actions(player))))
    moves = list(session.names)
    if ends == "shut":
        room.hub.close(first.table.director)
    else:
        room.leave(first, "a1")
        room.now = HOUR + 1 if ends == "swept" else 1.0
        assert (ends != "swept" or room.tables.sweep()) and (ends != "no room" or room.tables.make_room())
    store = room.hub.store
    assert store.listed() == [] and not store.find(session.id).finished
    again = room.hub.reopened(store.find(session.id))
    assert again.id == session.id and again.names == moves and not again.finished
    again.resign(0)
    room.hub.keep(again)
    assert [record.id for record in store.listed()] == [session.id]


def test_the_game_that_was_left_longest_ago_makes_room(room: Room) -> None:
    games = []
    for number in range(3):
        games.append(room.begin(tab=f"a{number}"))
        games[-1].table.session.play_text("b2")
    with pytest.raises(LimitError):
        room.begin(tab="b1")
    for number in (1, 0):
        room.now += 1
        room.leave(games[number], f"a{number}")
    room.begin(tab="b1")
    assert [room.is_open(game) for game in games] == [True, False, True]
    assert room.hub.store.find(games[1].table.session.id).moves == "b2"


def test_many_visits_leave_nothing_behind(new_room: Callable[..., Room]) -> None:
    room = new_room(max_sessions=5)
    for number in range(50):
        guest = room.begin(tab=f"{chr(200 + number)}1")
        room.come(guest, "w1")
        guest.table.session.play_text("b2")
        room.leave(guest, f"{chr(200 + number)}1", "w1")
    assert room.hub.open_games <= 5 and len(room.hub.store.listed()) >= 50
    room.now = HOUR + 1
    room.tables.sweep()
    assert room.hub.open_games == 0


def test_without_a_wish_a_browser_comes_to_its_unfinished_game(room: Room) -> None:
    first, second = room.begin(), room.begin()
    assert room.tables.last_of("a") == second.table.session.id
    room.come(first, "a2")
    assert room.tables.last_of("a") == first.table.session.id
    first.table.session.resign(0)
    assert room.tables.last_of("a") == second.table.session.id
    assert room.tables.last_of("b") is None


def test_a_key_is_good_for_one_browser_and_for_it_again(room: Room) -> None:
    first = room.begin("kuhn_poker")
    key = first.table.key(1)
    assert first.player == 0 and first.table.free_seats() == [1]
    assert room.tables.join_by_key(key, "b1", "b").player == 1
    with pytest.raises(PonderosaError, match="taken"):
        room.tables.join_by_key(key, "c1", "c")
    room.leave(first, "b1")
    assert room.tables.join_by_key(key, "b2", "b").player == 1
    with pytest.raises(PonderosaError, match="taken"):
        room.tables.join_by_key("nonsense", "b3", "b")


def test_opening_one_s_own_link_to_the_other_seat_keeps_it_free_for_others(room: Room) -> None:
    first = room.begin()
    again = room.tables.join_by_key(first.table.key(1), "a2", "a")
    assert again.seats == [0] and first.table.free_seats() == [1] and again.plays(1)
    assert room.tables.join_by_key(first.table.key(1), "b1", "b").seats == [1] and not again.plays(1)


def test_one_browser_may_have_both_seats_of_a_hidden_game_in_two_tabs(room: Room) -> None:
    first = room.begin("kuhn_poker")
    second = room.tables.join_by_key(first.table.key(1), "a2", "a")
    assert (first.player, second.player) == (0, 1)
    assert room.come(first, "a3", 1).player == 1 and room.come(first, "a4", 0).player == 0
    room.leave(first, "a1", "a4")
    assert room.come(first, "a5").player == 0  # the seat without a tab


def test_nobody_sees_from_a_seat_that_is_not_theirs(room: Room) -> None:
    first = room.begin("kuhn_poker")
    first.table.director.roll()
    room.come(first, "b1")
    third = room.come(first, "c1", 0)
    blind = sight(third)
    assert third.player is None and blind.blind and not blind.acts() and blind.entries() == []
    shown = status_line(blind) + known_moves(blind)
    assert "hidden" in shown and not any(name in shown for name in first.table.session.names)
    first.table.session.resign(0)
    assert not blind.blind and blind.entries()


def test_seats_of_others_stay_theirs(room: Room) -> None:
    first = room.begin()
    first.set_seat(1, "random")
    first.set_seat(1, PERSON)
    second = room.come(first, "b1")
    with pytest.raises(PonderosaError, match="keep their seats"):
        first.set_seat(1, "random")
    second.set_seat(1, "random")
    second.set_seat(1, PERSON)
    assert second.plays(1) and not first.plays(1)


def test_sides_are_swapped_with_those_who_sit_there_before_the_first_move(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    first.swap_seats()
    assert first.seats == [1] and second.seats == [0] and second.plays(0)
    first.table.session.play_text("b2")
    with pytest.raises(PonderosaError, match="keep their seats"):
        first.swap_seats()


def test_a_rematch_is_for_all_who_sat_there_one_seat_further_on(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    watcher = room.come(first, "c1")
    first.table.session.resign(0)
    entrance = Entrance(room.hub, "a1", Visitor("here", "a"))
    again = entrance.next_game(first)
    assert again.seats == [1] and again.table is room.tables.find(first.table.next)
    assert Entrance(room.hub, "b1", Visitor("here", "b")).next_game(second).seats == [0]
    assert not Entrance(room.hub, "c1", Visitor("here", "c")).next_game(watcher).sits
    assert again.table.watchers == 1 and room.tables.last_of("b") == again.table.session.id


def test_the_seat_of_whoever_did_not_come_to_the_rematch_waits_for_an_hour(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    first.table.session.resign(0)
    room.leave(second, "b1")
    again = Entrance(room.hub, "a1", Visitor("here", "a")).next_game(first)
    assert again.table.is_away(0) and again.table.free_seats() == []
    room.now += HOUR + 1
    assert again.table.free_seats() == [0] and not again.table.is_away(0)


def test_a_rematch_is_the_same_game_with_the_same_clock_and_seats_that_moved_on(room: Room) -> None:
    session = GameSession.after("tictactoe", loaded("tictactoe"), [PERSON, "random"], "b2 a1", seed=3)
    session.clocks = GameClocks(TimeControl.of("1m+1"), session.game)
    again = session.rematch(seed=4)
    assert (again.seats, again.names, again.seed, again.id == session.id) == (["random", PERSON], [], 4, False)
    assert again.clocks is not session.clocks and again.clocks.control == session.clocks.control


def test_the_adviser_s_numbers_are_wanted_by_a_browser_and_not_by_a_table(room: Room) -> None:
    first = room.begin()
    second = room.come(first, "b1")
    first.want_advice(True)
    assert room.come(first, "a2").advised and not second.advised
    room.come(first, "a2").want_advice(False)
    assert not first.advised


def test_machines_belong_to_the_browser_that_began_their_game(room: Room) -> None:
    first = room.begin(seats=("random", "random"))
    second = room.come(first, "b1")
    assert first.sits and not second.sits
    first.set_seat(1, PERSON)
    assert first.plays(1) and room.come(first, "c1").plays(1) and not first.plays(1)


def test_a_move_in_the_past_takes_back_only_where_one_is_alone(room: Room) -> None:
    first = room.begin(moves="a1 a2 b1")
    alone = sight(first)
    alone.place.go_to(1)
    assert alone.acts() and not alone.branches()
    second = room.come(first, "b1")
    other = sight(second)
    other.place.go_to(1)
    assert alone.branches() and other.branches() and other.acts() and "game of your own" in status_line(other)
    other.place.go_to(3)
    assert not other.branches() and other.acts() and "your turn" in status_line(other)


def test_a_finished_game_is_looked_through_and_every_move_in_it_is_another_game(room: Room) -> None:
    first = room.begin(moves="a1 a2 b1 b2 c1")
    for guest in (first, room.come(first, "b1"), room.come(first, "c1")):
        eyes = sight(guest)
        assert not eyes.acts()
        eyes.place.go_to(2)
        assert eyes.acts() and eyes.branches() and "game of your own" in status_line(eyes)
        with pytest.raises(PonderosaError, match="the game is over"):
            eyes.choose(eyes.actions()[-1])
    assert first.table.session.moves_text() == "a1 a2 b1 b2 c1"


def test_a_finished_game_is_reopened_as_it_ended(room: Room) -> None:
    for moves, ends in (("a1 a2 b1 b2 c1", None), ("a1 a2", 1)):
        guest = room.begin()
        for move in moves.split():
            guest.table.session.play_text(move)
        if ends is not None:
            guest.table.session.resign(ends)
        name, result = guest.table.session.id, guest.table.session.result()
        room.leave(guest, "a1")
        assert not room.is_open(guest)  # it is in the store: nobody need keep it in memory
        again = room.hub.reopened(room.hub.store.find(name))
        assert again.finished and again.result() == result and again.moves_text() == moves and again.id == name


def test_after_a_restart_everybody_asks_for_the_seat_they_had(room: Room) -> None:
    first = room.begin("kuhn_poker")
    first.table.director.roll()
    second = room.come(first, "b1")
    asked = [parse_qs(urlsplit(address_of(sight(guest))).query) for guest in (first, second)]
    assert [facts["player"] for facts in asked] == [["0"], ["1"]] and "moves" not in asked[0]
    session = first.table.session
    session.choose(0, 0)
    room.hub.close(first.table.director)
    again = Room(room.folder)
    record = again.hub.store.find(session.id)
    opened = again.tables.lay(again.hub.open(again.hub.reopened(record)), "b2", "b", 1)
    assert opened.player == 1 and again.come(opened, "a2", 0).player == 0
    assert not again.come(opened, "c1", 0).sits
    again.hub.shut()


@pytest.mark.parametrize("moves", ["a1 a2 b1 b2 c1", "a1 b2", "a1", "c3 b2", ""])
def test_an_address_plays_no_moves_in_a_saved_game(room: Room, moves: str) -> None:
    guest = room.begin()
    guest.table.session.play_text("a1")
    name = guest.table.session.id
    room.hub.tables._clear(guest.table)
    asked = Address(game="tictactoe", moves=moves, id=name)
    coming = Entrance(room.hub, "b1", Visitor(browser="b")).come_in(asked)
    with ThreadPoolExecutor(1) as elsewhere:  # a browser's loop may run here
        again = elsewhere.submit(asyncio.run, coming).result()
    assert again.table.session.id == name and again.table.session.names == ["a1"]


EVENTS = st.tuples(
    st.sampled_from(["move", "move", "come", "leave", "wait", "resign", "swap", "machine", "person", "sweep"]),
    st.sampled_from("aabc"),
    st.integers(0, 8),
)


@given(events=st.lists(EVENTS, min_size=10, max_size=60), game=st.sampled_from(["tictactoe", "rps", "blind_tictactoe"]))
def test_whatever_people_do_seats_are_theirs_and_finished_games_stay(
    events: list[tuple[str, str, int]], game: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    room = Room(tmp_path_factory.mktemp("room"))
    table = room.begin(game).table
    seen: dict[str, float] = {"a": 0.0}
    ended = None
    for what, browser, number in events:
        guest = next((guest for guest in table.tabs.values() if guest.browser == browser), None)
        if what == "wait":
            room.now += 700.0 * number
        elif what == "sweep":
            room.tables.sweep()
        elif what == "come":
            mine = table.seats_of(browser)
            guest = room.tables.join(table.session.id, f"{browser}{number}", browser)
            if browser in seen and room.now - seen[browser] <= HOUR:
                assert guest.seats == mine
        elif what == "leave":
            room.tables.leave(table, f"{browser}{number}")
        elif guest is not None:
            with contextlib.suppress(PonderosaError):
                act(guest, what, number)
        for guest in table.tabs.values():
            seen[guest.browser] = room.now
        now = (table.session.moves_text(), table.session.result(), tuple(table.session.seats))
        assert ended in (None, now)
        ended = now if table.session.finished else None
        if room.tables.find(table.session.id) is not table:
            assert table.session.finished or all(room.now - seen[holder] > HOUR for holder in holders(table))
            break
    room.hub.shut()


def holders(table: Any) -> list[str]:
    return [browser for browser in "abc" if table.seats_of(browser)]


def act(guest: Guest, what: str, number: int) -> None:
    """What somebody tries to do, as the page would do it."""
    session, eyes = guest.table.session, sight(guest)
    if what == "move":
        if number % 2 and not session.secret:
            eyes.place.go_to(number)
        if eyes.acts():
            assert eyes.branches() or guest.plays(guest.player if guest.player is not None else eyes.place.mover)
            eyes.choose(eyes.actions()[number % len(eyes.actions())])
    elif what == "resign" and guest.sits:
        session.resign(guest.seats[0])
    elif what == "swap" and guest.sits and not session.secret:
        guest.swap_seats()
    elif what in ("machine", "person") and guest.sits and not session.secret:
        guest.set_seat(number % session.game.players, "random" if what == "machine" else PERSON)
