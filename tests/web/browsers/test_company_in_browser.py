"""People at one table in several browsers: a whole game, spectators, an invitation, a rematch, a next hand."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.browser import wait_for
from tests.web.browsers.test_classes_in_browser import card_of
from tests.web.browsers.test_play_in_browser import moves, play, status, wait_for_status
from tests.web.browsers.test_tables_in_browser import PEOPLE, fact, path
from tests.web.conftest import OpenPage

WON = ["a1", "a2", "b1", "b2", "c1"]


def presences(page: Any) -> list[str]:
    """Who is at each seat."""
    return [str(text) for text in page.locator(".presence").all_inner_texts()]


def invited(page: Any) -> str:
    """The link that a friend is sent."""
    return str(page.locator("[data-copy]").get_attribute("data-copy"))


@pytest.mark.slow
def test_two_browsers_play_a_whole_game_and_its_rematch_while_a_third_one_watches(open_page: OpenPage) -> None:
    first = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(first, "X to move")
    wait_for(lambda: presences(first) == ["you", "free"])
    second = open_page(invited(first))
    third = open_page(invited(first))
    third.get_by_text("You watch this game.").wait_for()
    wait_for(lambda: presences(first) == ["you", "here"])
    wait_for(lambda: presences(second) == ["here", "you"])
    first.get_by_text("1 watching").wait_for()
    for number, move in enumerate(WON):
        play((first, second)[number % 2], move)
    wait_for(lambda: all(moves(page) == WON for page in (second, third)))
    assert third.get_by_role("button", name="Rematch").count() == 0  # it is for those who have played
    first.get_by_role("button", name="Rematch").click()
    second.get_by_role("button", name="Join: rematch").click()
    third.get_by_role("button", name="Watch it").click()
    wait_for(lambda: len({fact(page, "id") for page in (first, second, third)}) == 1)
    wait_for(lambda: presences(second) == ["you", "here"])  # sides have changed
    play(second, "b2")
    wait_for_status(first, "O your turn")
    wait_for(lambda: moves(third) == ["b2"])
    first.go_back()
    wait_for(lambda: moves(first) == WON)


@pytest.mark.slow
def test_the_next_hand_is_dealt_to_both_and_each_sees_only_their_own_card(open_page: OpenPage) -> None:
    heard: list[str] = []
    first = open_page(f"/?game=kuhn_poker&{PEOPLE}")
    wait_for_status(first, "your turn")
    second = open_page(invited(first), heard=heard)
    wait_for_status(second, "to move")
    card = wait_for(lambda: card_of(first, 0))
    first.locator(".action", has_text="pass").click()
    wait_for_status(second, "your turn")
    assert not any(re.search(rf"(?<!mate the )\b{card}\b", sent) for sent in heard)
    second.locator(".action", has_text="pass").click()
    for page in (first, second):
        page.get_by_role("button", name="Next hand").wait_for()
    before = fact(first, "id")
    second.get_by_role("button", name="Next hand").click()
    first.get_by_role("button", name="Join: next hand").click()
    wait_for(lambda: fact(first, "id") == fact(second, "id") != before)
    wait_for_status(second, "your turn")  # whoever was second begins
    wait_for(lambda: card_of(second, 0) and not card_of(second, 1))
    wait_for(lambda: card_of(first, 1) and not card_of(first, 0))


@pytest.mark.slow
def test_whoever_watches_sits_down_at_a_seat_that_is_free(open_page: OpenPage) -> None:
    first = open_page("/?game=tictactoe&players=person|random")
    wait_for_status(first, "your turn")
    second = open_page(path(first))
    second.get_by_text("You watch this game.").wait_for()
    assert second.get_by_role("button", name="Sit down").count() == 0
    first.get_by_role("button", name="A person steps in").click()
    second.get_by_role("button", name="Sit down").click()
    wait_for(lambda: presences(second) == ["here", "you"])
    play(first, "b2")
    wait_for_status(second, "O your turn")


@pytest.mark.slow
def test_the_link_of_an_invitation_is_copied(open_page: OpenPage) -> None:
    page = open_page(f"/?game=tictactoe&{PEOPLE}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Invite a friend").click()
    page.get_by_text("Link copied: whoever opens it first plays as O.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").endswith(invited(page))


@pytest.mark.slow
def test_a_reload_keeps_the_numbers_on_the_board_and_the_curve(open_page: OpenPage) -> None:
    page = open_page(f"/?game=tictactoe&{PEOPLE}")
    wait_for_status(page, "X to move")
    page.get_by_role("switch", name="Show on the board").click()
    play(page, "b2")
    page.locator(".thought").first.wait_for()
    points = wait_for(lambda: page.locator("svg.graph .point").count())
    page.reload()
    page.locator(".thought").first.wait_for()
    wait_for(lambda: page.locator("svg.graph .point").count() >= points)
    wait_for(lambda: page.get_by_role("switch", name="Show on the board").get_attribute("aria-checked") == "true")


@pytest.mark.slow
def test_what_is_not_there_is_told_and_every_view_has_its_title(open_page: OpenPage) -> None:
    page = open_page("/nothing-is-here")
    page.get_by_role("link", name="Go to the games").click()
    page.locator("main").wait_for()
    home = page.url.rstrip("/")
    missing = page.request.get(f"{home}/api/nothing")
    assert missing.status == 404 and "/api/docs lists all" in missing.json()["detail"]
    assert page.request.get(f"{home}/nothing-is-here").status == 404
    titles = []
    views = ("/", "/play?game=tictactoe", "/analysis", "/saved", "/arena", "/lab", "/learning")
    for view in (*views, "/arena/event?id=1", "/arena/game?id=1"):
        page.goto(home + view)
        page.locator("main").wait_for()
        titles.append(page.title())
    assert len(set(titles)) == len(titles) and all(title.endswith("· Ponderosa") for title in titles)
    page.goto(f"{home}/?game=tictactoe&{PEOPLE}")
    wait_for_status(page, "X to move")
    wait_for(lambda: page.title() == "Tic-tac-toe · Ponderosa")
    assert "your turn" not in status(page)


@pytest.mark.slow
def test_the_front_door_leads_to_a_game_and_back_to_it(open_page: OpenPage) -> None:
    page = open_page("/")
    wait_for(lambda: page.locator(".exhibit").count() > 10)
    assert page.locator(".exhibit").first.locator("h2").inner_text() == "Nim"  # own games come first
    assert page.locator(".exhibit b").count() == 0  # and their words are no HTML
    page.get_by_role("link", name="Play Tic-tac-toe against the machine").click()
    wait_for_status(page, "your turn")
    own = fact(page, "id")
    page.locator('.legal[data-move="b2"]').click()
    wait_for(lambda: len(moves(page)) == 2)
    page.get_by_role("link", name="Games", exact=True).click()
    page.get_by_role("link", name="Continue").click()
    wait_for(lambda: fact(page, "id") == own and len(moves(page)) == 2)
    page.go_back()
    page.get_by_role("link", name="Continue").wait_for()
    page.get_by_role("link", name="Play", exact=True).click()
    wait_for(lambda: fact(page, "id") == own)
