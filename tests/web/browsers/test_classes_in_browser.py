"""Games with dice, hidden things and choices at once in a real browser; two people have a tab each."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from tests.web.browser import wait_for
from tests.web.browsers.test_play_in_browser import moves, wait_for_status
from tests.web.conftest import OpenPage

PEOPLE = "players=person|person"


def two_tabs(open_page: OpenPage, game: str) -> tuple[list[Any], list[list[str]]]:
    """A game between two people, each in a tab, and what the server sends to each."""
    heard: list[list[str]] = [[], []]
    first = open_page(f"/?game={game}&{PEOPLE}", heard=heard[0])
    link = first.locator("[data-invite]").get_attribute("href")
    second = open_page(link, heard=heard[1])
    second.get_by_text("This tab plays as").wait_for()
    wait_for(lambda: first.locator("[data-invite]").count() == 0)
    return [first, second], heard


def picture(page: Any) -> str:
    return str(page.locator(".picture").inner_html())


def card_of(page: Any, player: int) -> str:
    """The card of a player of Kuhn poker, as a page shows it; empty: not yet, or not here."""
    hands = page.locator(".picture pre").inner_text().splitlines()
    found = re.search("jack|queen|king", hands[player] if len(hands) > player else "")
    return found[0] if found else ""


@pytest.mark.slow
@pytest.mark.parametrize("square", ["b2", "c3"])
def test_blind_tictactoe_in_two_tabs_neither_seeing_the_others_part(open_page: OpenPage, square: str) -> None:
    (first, second), (heard_first, heard_second) = two_tabs(open_page, "blind_tictactoe")
    empty = picture(second)
    first.locator(f'.legal[data-move="{square}"]').click()
    wait_for_status(second, "your turn")
    wait_for(lambda: first.locator(".picture .mark.p0").count() == 1)
    wait_for(lambda: second.locator(".picture .mark").count() == 0)
    wait_for(lambda: f"{square}: X" not in second.content() and f"{square}: empty" in second.content())
    wait_for(lambda: picture(second) != empty)  # it can be clicked now
    wait_for(lambda: second.locator(".movelist").inner_text().split() == ["1.", "…"])
    for sent in heard_second:
        assert "mark p0" not in sent and f"{square}: X" not in sent and f"moves={square}" not in sent
    second.locator(f'.legal[data-move="{square}"]').click()  # refused, and O sees why and chooses again
    wait_for(lambda: second.locator(".picture .mark.p0").count() == 1)
    wait_for_status(second, "your turn")
    second.locator('.legal[data-move="a1"]').click()
    wait_for_status(first, "your turn")
    wait_for(lambda: first.locator(".picture .mark.p1").count() == 0)
    for sent in heard_first:
        assert "mark p1" not in sent and "a1: O" not in sent
    wait_for(lambda: "moves=" not in first.url and "moves=" not in second.url)
    wait_for(lambda: "id=" in second.url and "seat=" not in second.url)  # the seat is the browser's, not the address's
    first.get_by_role("button", name="Look into the tree").click()
    first.get_by_text("the moves are told when the game is over").wait_for()
    first.get_by_role("button", name="Resign").click()
    wait_for_status(second, "gave up")
    wait_for(lambda: second.locator(".picture .mark").count() == first.locator(".picture .mark").count() == 2)
    wait_for(lambda: moves(second)[:3] == [square, square, "a1"])
    wait_for(lambda: "moves=" in first.url)


@pytest.mark.slow
def test_kuhn_poker_in_two_tabs_never_sends_the_others_card(open_page: OpenPage) -> None:
    pages, heard = two_tabs(open_page, "kuhn_poker")
    cards = []
    for player, page in enumerate(pages):
        cards.append(wait_for(partial(card_of, page, player)))
    assert cards[0] != cards[1]
    pages[0].locator('.action[data-move="bet"]').click()
    wait_for_status(pages[1], "your turn")
    wait_for(lambda: "bet" in pages[1].locator(".movelist").inner_text())
    for player in (0, 1):
        # a word of the list of games may be a card, too: its king is of chess
        mine, other = (re.compile(rf"(?<!mate the )\b{card}\b") for card in (cards[player], cards[1 - player]))
        assert not other.search(pages[player].content())
        assert not any(other.search(sent) for sent in heard[player])
        assert any(mine.search(sent) for sent in heard[player])
    pages[1].locator('.action[data-move="bet"]').click()
    for player in (0, 1):
        wait_for(lambda page=pages[player], card=cards[1 - player]: card in page.locator(".picture").inner_text())


@pytest.mark.slow
def test_a_seat_survives_a_reload_and_a_used_link_is_refused(open_page: OpenPage) -> None:
    first = open_page(f"/?game=blind_tictactoe&{PEOPLE}")
    link = first.locator("[data-invite]").get_attribute("href")
    second = open_page(link)
    second.get_by_text("This tab plays as").wait_for()
    first.locator('.legal[data-move="b2"]').click()
    wait_for_status(second, "your turn")
    first.reload()
    first.get_by_text("This tab plays as").wait_for()
    wait_for(lambda: first.locator(".picture .mark.p0").count() == 1)
    third = open_page(link)
    third.get_by_text("this seat is taken").wait_for()


@pytest.mark.slow
def test_choices_at_once_are_shown_together(open_page: OpenPage) -> None:
    (first, second), (_, heard) = two_tabs(open_page, "rps")
    wait_for_status(second, "choose")
    name = first.locator(".action").first.get_attribute("data-move")
    second.locator(".action").nth(1).wait_for()
    before, count = picture(second), len(heard)
    first.locator(".action").first.click()
    wait_for_status(first, "has chosen")
    wait_for(lambda: picture(second) == before)
    assert not any("has chosen" in sent for sent in heard[count:])
    second.locator(".action").nth(1).click()
    for page in (first, second):
        wait_for(lambda page=page: page.locator(".movelist").inner_text().split()[1:2] == [name])


@pytest.mark.slow
def test_dice_are_announced(open_page: OpenPage) -> None:
    page = open_page(f"/?game=pig&{PEOPLE}")
    page.locator('.action[data-move="roll"]').click()
    page.locator(".status .die").wait_for()
    wait_for(lambda: page.locator(".movelist .die").count() == 1)
    assert "moves=roll" in wait_for(lambda: page.url if "moves=" in page.url else "")


@pytest.mark.slow
def test_a_player_alone(open_page: OpenPage) -> None:
    page = open_page("/?game=2048&players=person")
    wait_for_status(page, "your turn")
    page.locator(".action, .legal").first.click()
    wait_for(lambda: len(moves(page)) >= 4)  # two tiles, a move, a tile


@pytest.mark.slow
def test_in_a_hidden_game_seats_are_fixed(open_page: OpenPage) -> None:
    page = open_page("/?game=blind_tictactoe&players=person|random")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="Swap sides").click()
    page.get_by_text("keep their seats").wait_for()
    page.get_by_role("button", name="A person steps in").click()
    page.get_by_text("keep their seats").wait_for()


@pytest.mark.slow
def test_analysis_of_a_hidden_game_and_of_dice(open_page: OpenPage) -> None:
    page = open_page("/analysis?game=kuhn_poker&a=random")
    page.get_by_text("chance decides: click what it shows").wait_for()
    page.locator('.action[data-move="king"]').click()
    page.locator('.action[data-move="king"]').wait_for(state="detached")  # the next card has not been drawn before
    page.locator('.action[data-move="jack"]').click()
    page.get_by_text("you see everything, the agents what this player sees").wait_for()


@pytest.mark.slow
def test_advice_in_a_hidden_game_and_its_review(open_page: OpenPage) -> None:
    heard: list[str] = []
    page = open_page("/?game=blind_tictactoe&players=person|level:beginner", heard=heard)
    wait_for_status(page, "your turn")
    page.get_by_role("switch", name="Show on the board").click()
    page.locator(".moves tr[data-row]").first.wait_for()
    page.locator('.legal[data-move="b2"]').click()
    wait_for(lambda: len(page.locator(".movelist > span").all()) > 2)
    wait_for_status(page, "your turn")
    assert not any("mark p1" in sent for sent in heard)
    page.get_by_role("button", name="Undo").click()
    wait_for(lambda: page.locator(".picture .mark").count() == 0)
    page.locator('.legal[data-move="a1"]').click()
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="Resign").click()
    page.get_by_text("Worst moves").wait_for()
    wait_for(lambda: page.locator(".message").inner_text().strip() == "")
