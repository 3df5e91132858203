"""Two browsers at one table, offline, reloaded, elsewhere and back; finished games that nobody can change."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.web.browser import fetch, wait_for
from tests.web.browsers.test_classes_in_browser import card_of
from tests.web.browsers.test_play_in_browser import moves, play, status, wait_for_status
from tests.web.conftest import OpenPage

PEOPLE = "players=person|person"
WON = ["a1", "a2", "b1", "b2", "c1"]


def here(page: Any) -> str:
    """The address of a page, once the game is in it."""
    return str(wait_for(lambda: page.evaluate("location.href") if "id=" in page.evaluate("location.href") else ""))


def path(page: Any) -> str:
    parts = urlsplit(here(page))
    return f"{parts.path}?{parts.query}"


def fact(page: Any, name: str) -> str:
    return parse_qs(urlsplit(here(page)).query).get(name, [""])[0]


def saved(open_page: OpenPage, name: str) -> list[str]:
    """What the list of saved games says of one now: its players, result and number of moves; nothing: not there yet."""
    page = open_page("/saved")
    page.locator("table.saved").wait_for()
    row = page.locator("table.saved tr", has=page.locator(f'a[href*="{name}"]'))
    texts = [text.strip() for text in row.locator("td").all_inner_texts()][2:5]
    page.context.close()
    return texts


def away(page: Any, seconds: float = 12) -> None:
    """The browser loses its connection for so long, as a phone does in a pocket, and the server lets go of the tab."""
    page.evaluate("window.before = true")
    page.context.set_offline(True)
    page.evaluate("window.socket.io.engine.close()")
    page.wait_for_timeout(1000 * seconds)
    page.context.set_offline(False)
    wait_for(lambda: page.evaluate("window.before === undefined"))


@pytest.mark.slow
def test_one_link_is_one_table(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    second = open_page(path(first))
    wait_for_status(second, "X to move")
    second.get_by_text("This tab plays as O").wait_for()
    first.get_by_text("This tab plays as X").wait_for()
    wait_for(lambda: fact(first, "id") == fact(second, "id"))
    play(first, "b2")
    wait_for(lambda: moves(second) == ["b2"])
    wait_for_status(second, "O your turn")
    wait_for(lambda: first.locator(".legal").count() == 0)  # it is the other's turn
    play(second, "a1")
    wait_for(lambda: moves(first) == ["b2", "a1"])


@pytest.mark.slow
def test_reviewing_moves_nobody_else(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    second = open_page(path(first))
    wait_for_status(second, "X to move")
    play(first, "b2")
    wait_for_status(second, "your turn")
    play(second, "a1")
    wait_for_status(first, "your turn")
    second.get_by_role("button", name="First position").click()
    wait_for(lambda: second.locator(".picture .mark").count() == 0)
    wait_for(lambda: first.locator(".picture .mark").count() == 2)
    play(first, "c3")
    wait_for(lambda: len(moves(second)) == 3)
    wait_for(lambda: second.locator(".picture .mark").count() == 0)
    second.get_by_role("button", name="Last position").click()
    wait_for(lambda: second.locator(".picture .mark").count() == 3)


@pytest.mark.slow
def test_others_watch_and_are_told_so(open_page: OpenPage) -> None:
    first = open_page("/?game=tictactoe&players=person|random")
    wait_for_status(first, "your turn")
    watcher = open_page(path(first))
    wait_for_status(watcher, "X to move; you watch")
    watcher.get_by_text("You watch this game.").wait_for()
    words = watcher.get_by_text("You watch this game: only those who sit at its table can change it")
    for what in (
        lambda: watcher.locator('.cell[data-move="b2"]').click(),
        lambda: watcher.get_by_role("button", name="Resign").click(),
        lambda: watcher.get_by_role("button", name="Swap sides").click(),
        lambda: watcher.get_by_role("button", name="Hint").click(),
        lambda: watcher.get_by_role("button", name="A person steps in").click(),
    ):
        what()
        words.wait_for()
        watcher.get_by_role("button", name="Last position").click()  # looking takes the words away
        words.wait_for(state="detached")
    play_one = first.locator('.legal[data-move="b2"]')
    play_one.click()
    wait_for(lambda: len(moves(watcher)) == 2)
    wait_for(lambda: moves(first) == moves(watcher))


@pytest.mark.slow
def test_nobody_changes_a_finished_game(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    play(first, *WON)
    wait_for_status(first, "X wins.")
    name, link = fact(first, "id"), path(first)
    wait_for(lambda: saved(open_page, name) == ["person : person", "X wins.", "5"])
    second = open_page(link)
    wait_for_status(second, "X wins.")
    for _ in range(3):
        second.get_by_role("button", name="Back", exact=True).click()
    wait_for_status(second, "a move here begins a game of your own, and this one stays as it is")
    second.locator('.legal[data-move="a3"]').click()
    wait_for(lambda: moves(second) == ["a1", "a2", "a3"])
    wait_for(lambda: fact(second, "id") != name)
    second.get_by_text("It began as a variation of another game.").wait_for()
    wait_for(lambda: name in second.get_by_role("link", name="another game").get_attribute("href"))
    wait_for(lambda: moves(first) == WON and "X wins." in status(first))
    wait_for(lambda: saved(open_page, name) == ["person : person", "X wins.", "5"])
    play(second, "b1")  # the variation goes on
    second.go_back()
    wait_for(lambda: moves(second) == WON and fact(second, "id") == name)
    wait_for_status(second, "X to move")


@pytest.mark.slow
def test_one_s_own_finished_game_stays_too(open_page: OpenPage) -> None:
    page = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(page, "X to move")
    play(page, *WON)
    name = fact(page, "id")
    page.get_by_role("button", name="Undo").click()
    wait_for_status(page, "begins a game of your own")
    page.locator('.legal[data-move="c3"]').click()
    wait_for(lambda: moves(page) == [*WON[:4], "c3"])
    wait_for(lambda: fact(page, "id") != name)
    wait_for(lambda: saved(open_page, name)[1:] == ["X wins.", "5"])
    page.get_by_role("button", name="Undo").click()  # in a game of one's own that goes on, moves are taken back
    wait_for_status(page, "X to move")
    wait_for(lambda: "your own" not in status(page))
    page.locator('.legal[data-move="c2"]').click()
    wait_for(lambda: moves(page) == [*WON[:4], "c2"])


@pytest.mark.slow
def test_in_company_a_move_in_the_past_leaves_the_others_game_alone(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    second = open_page(path(first))
    wait_for_status(second, "X to move")
    play(first, "b2")
    wait_for_status(second, "your turn")
    play(second, "a1")
    wait_for_status(first, "your turn")
    first.get_by_role("button", name="Undo").click()
    wait_for_status(first, "begins a game of your own")
    first.locator('.legal[data-move="c3"]').click()
    wait_for(lambda: moves(first) == ["c3"])
    wait_for(lambda: moves(second) == ["b2", "a1"])
    first.go_back()
    wait_for(lambda: moves(first) == ["b2", "a1"])
    wait_for_status(first, "your turn")  # still in the same seat


@pytest.mark.slow
@pytest.mark.parametrize("game", ["kuhn_poker", "blind_tictactoe", "rps"])
def test_seats_survive_being_offline_another_view_and_a_reload(open_page: OpenPage, game: str) -> None:
    first = open_page(f"/?game={game}&{PEOPLE}")
    link = first.locator("[data-invite]").get_attribute("href")
    second = open_page(link)
    second.get_by_text("This tab plays as").wait_for()
    wait_for(lambda: first.locator("[data-invite]").count() == 0)
    names = [wait_for(page.locator(".invitations p b").inner_text) for page in (first, second)]
    assert names[0] != names[1]
    seen = [wait_for(page.locator(".picture").inner_text) for page in (first, second)]
    home, address = here(first).partition("/play?")[0], path(second)
    for back in (
        lambda: away(second),
        lambda: second.reload(),
        lambda: (second.get_by_role("link", name="Saved games").click(), second.go_back()),
        lambda: (second.goto(f"{home}/saved"), second.get_by_role("link", name="Play", exact=True).click()),
        lambda: second.goto(home + link),  # the link in the letter once more
        lambda: second.goto(home + address),
    ):
        back()
        wait_for(lambda: second.locator(".invitations p b").inner_text() == names[1])
        wait_for(lambda: second.locator(".picture").inner_text() == seen[1])
        wait_for(lambda: "taken" not in second.locator(".message").inner_text())
    wait_for(lambda: first.locator(".picture").inner_text() == seen[0])
    for page in (first, second):  # and it is played on
        page.locator(".action, .legal").first.click()
    wait_for(lambda: first.locator(".movelist").inner_text() != "No move yet.")


@pytest.mark.slow
def test_an_ordinary_game_goes_on_after_being_offline(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&players=person|random")
    wait_for_status(page, "your turn")
    page.locator('.legal[data-move="4"]').first.click()
    wait_for(lambda: len(moves(page)) == 2)
    name, before = fact(page, "id"), moves(page)
    away(page)
    wait_for(lambda: moves(page) == before and fact(page, "id") == name)
    wait_for_status(page, "your turn")
    page.goto(here(page).partition("?")[0])  # without facts, it leads to one's unfinished game
    wait_for(lambda: moves(page) == before and fact(page, "id") == name)


@pytest.mark.slow
def test_a_stranger_sees_nothing_of_a_hidden_game(open_page: OpenPage) -> None:
    heard: list[str] = []
    first = open_page("/?game=kuhn_poker&players=person|random")
    wait_for_status(first, "your turn")
    card = rf"(?<!mate the )\b{wait_for(lambda: card_of(first, 0))}\b"
    stranger = open_page(path(first), heard=heard)
    wait_for_status(stranger, "something is hidden")
    for button in ("Undo", "Back", "First position", "Resign"):
        stranger.get_by_role("button", name=button, exact=True).click()
    assert not any(re.search(card, sent) for sent in heard)
    wait_for(lambda: "your turn" in status(first))
    first.get_by_role("button", name="Resign").click()
    wait_for(lambda: re.search(card, stranger.locator(".picture").inner_text()))


@pytest.mark.slow
def test_a_new_game_leaves_the_old_one_to_the_other(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    second = open_page(path(first))
    second.get_by_text("This tab plays as O").wait_for()
    play(first, "b2")
    name = fact(first, "id")
    first.get_by_role("button", name="New game").click()
    first.get_by_role("dialog").get_by_role("button", name="Start").click()
    wait_for(lambda: fact(first, "id") != name and moves(first) == [])
    wait_for_status(second, "your turn")
    wait_for(lambda: moves(second) == ["b2"])
    first.go_back()
    wait_for(lambda: moves(first) == ["b2"] and fact(first, "id") == name)


@pytest.mark.slow
def test_machines_go_on_from_an_earlier_position_of_a_finished_game_in_another_one(open_page: OpenPage) -> None:
    page = open_page("/?game=gomoku&moves=h8+a1+i9+a2+j10+a3+k11+a4+l12&players=random|random")
    wait_for_status(page, "Black wins.")
    name = fact(page, "id")
    page.get_by_role("button", name="First position").click()
    wait_for_status(page, "Black to move, after 0 of 9 moves")
    page.get_by_role("button", name="Play on").click()
    wait_for(lambda: fact(page, "id") != name and len(moves(page)) > 0)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play on").wait_for()
    page.locator(".status", has_text="to move; the machine waits").wait_for()
    page.get_by_role("button", name="First position").click()
    page.locator(".status", has_text="to move, after 0 of").wait_for()
    own = fact(page, "id")
    page.get_by_role("button", name="Step", exact=True).click()  # in a game that goes on, moves are taken back
    wait_for(lambda: len(moves(page)) == 1)
    wait_for(lambda: fact(page, "id") == own)


def test_the_cookie_of_a_browser_is_for_the_server_alone(open_page: OpenPage, address: str) -> None:
    page = open_page("/play")
    wait_for_status(page, "your turn")
    cookie = next(cookie for cookie in page.context.cookies() if cookie["name"] == "ponderosa_browser")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and len(cookie["value"]) == 32
    assert cookie["value"] not in page.content() and cookie["value"] not in page.evaluate("document.cookie")
    assert cookie["value"] not in fetch(f"{address}/api/status")
