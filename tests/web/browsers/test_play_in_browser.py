"""Playing in a real browser."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.helpers import others_slow
from tests.web.browser import wait_for
from tests.web.conftest import OpenPage

TWO_PEOPLE = "players=person|person"


def status(page: Any) -> str:
    return str(page.locator(".status").inner_text()).replace("\n", " ")


def wait_for_status(page: Any, words: str) -> None:
    page.locator(".status", has_text=words).wait_for()


def play(page: Any, *names: str) -> None:
    """Click on each move's cell, when it is there to be clicked."""
    for move in names:
        count = len(moves(page))
        page.locator(f'.legal[data-move="{move}"]').last.click()
        wait_for(lambda count=count, move=move: len(moves(page)) > count and moves(page)[-1] == move)


def players(page: Any) -> str:
    """Who plays, as the address of the page has it."""
    return parse_qs(urlsplit(page.evaluate("location.href")).query).get("players", [""])[0]


def moves(page: Any) -> list[str]:
    return [text.strip() for text in page.locator(".movelist button").all_inner_texts()]


def stones(page: Any) -> int:
    return int(page.locator(".picture .stone:not(.future)").count())


def test_a_person_wins(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&moves=4+1+4+1+4+2&players=person|level:beginner")
    wait_for_status(page, "your turn")
    page.locator('.legal[data-move="4"]').first.click()
    wait_for_status(page, "Red wins.")
    wait_for(lambda: page.locator(".won .stone.p0").count() == 4)
    wait_for(lambda: page.locator(".cell.legal").count() == 0)


@pytest.mark.slow
def test_a_person_loses(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=a1+b2+c3+c1&players=person|mcts:iterations=500")
    wait_for_status(page, "your turn")
    page.locator('.legal[data-move="b1"]').click()
    wait_for_status(page, "O wins.")
    wait_for(lambda: page.locator(".won").count() == 3)


@pytest.mark.slow
def test_two_people_draw(open_page: OpenPage) -> None:
    page = open_page(f"/?game=tictactoe&{TWO_PEOPLE}")
    play(page, "b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3")
    wait_for_status(page, "A draw.")
    wait_for(lambda: page.locator(".won").count() == 0)


@pytest.mark.slow
def test_undo_and_redo_against_a_machine(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&players=person|random")
    wait_for_status(page, "your turn")
    page.locator('.legal[data-move="4"]').first.click()
    wait_for(lambda: len(moves(page)) == 2)
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="Undo").click()
    wait_for(lambda: stones(page) == 0)
    page.get_by_role("button", name="Redo").click()
    wait_for(lambda: stones(page) == 2)
    page.get_by_role("button", name="Undo").click()
    wait_for(lambda: stones(page) == 0)
    page.locator('.legal[data-move="1"]').first.click()
    wait_for(lambda: len(moves(page)) == 2 and moves(page)[0] == "1")


@pytest.mark.slow
def test_the_machine_takes_over_and_a_person_steps_in(open_page: OpenPage) -> None:
    page = open_page(f"/?game=tictactoe&moves=b2&{TWO_PEOPLE}")
    wait_for_status(page, "O to move")
    page.get_by_role("button", name="Let the machine take over").nth(1).click()
    wait_for(lambda: len(moves(page)) == 2)
    wait_for_status(page, "X your turn")
    page.get_by_role("button", name="A person steps in").click()
    wait_for_status(page, "X to move")


def test_connect_four_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(f"/?game=connect4&{TWO_PEOPLE}")
    wait_for_status(page, "Red to move")
    for number, key in enumerate("4453", start=1):
        page.keyboard.press(key)
        wait_for(lambda number=number: stones(page) == number)
    wait_for(lambda: moves(page) == ["4", "4", "5", "3"])
    page.keyboard.press("ArrowLeft")
    wait_for(lambda: stones(page) == 3)
    page.keyboard.press("Home")
    wait_for(lambda: stones(page) == 0)
    page.keyboard.press("End")
    wait_for(lambda: stones(page) == 4)
    page.locator(".cell[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for(lambda: moves(page) == ["4", "4", "5", "3", "2"])
    wait_for(lambda: page.evaluate("document.activeElement.dataset.move") == "2")


@pytest.mark.slow
def test_gomoku_on_its_whole_board(open_page: OpenPage) -> None:
    page = open_page(f"/?game=gomoku&moves=h8+a1+i9+a2+j10+a3+k11+a4&{TWO_PEOPLE}")
    wait_for_status(page, "Black to move")
    wait_for(lambda: page.locator(".cell").count() == 225)
    play(page, "l12")
    wait_for_status(page, "Black wins.")
    wait_for(lambda: page.locator(".won").count() == 5)


@pytest.mark.slow
def test_a_game_file_of_one_s_own_with_its_texts_escaped(open_page: OpenPage, nim_file: Any) -> None:
    page = open_page(f"/?game={nim_file}:Nim&players=person|mcts:iterations=300")
    page.get_by_text("5 stones").wait_for()
    wait_for(lambda: "<script>" in page.locator("pre.position").inner_text())
    page.locator("button.action", has_text="take 1 <i>now</i>").click()
    wait_for(lambda: len(moves(page)) == 2)
    wait_for(lambda: page.evaluate("window.hacked") is None)


@pytest.mark.slow
def test_the_address_reproduces_the_position(open_page: OpenPage) -> None:
    page = open_page(f"/?game=connect4&{TWO_PEOPLE}")
    wait_for_status(page, "Red to move")
    play(page, "4", "4", "3")
    wait_for(lambda: parse_qs(urlsplit(page.evaluate("location.href")).query).get("moves") == ["4 4 3"])
    page.reload()
    wait_for(lambda: stones(page) == 3)
    wait_for(lambda: moves(page) == ["4", "4", "3"])
    wait_for_status(page, "Yellow to move")


def test_an_impossible_address_says_what_is_wrong_and_still_lets_play(open_page: OpenPage) -> None:
    page = open_page("/?game=conect4&moves=9+9")
    page.get_by_text("did you mean 'connect4'?").wait_for()
    wait_for_status(page, "your turn")


def test_a_hint_is_marked(open_page: OpenPage) -> None:
    page = open_page(f"/?game=connect4&moves=4+1+4+1+4+2&{TWO_PEOPLE}")
    wait_for_status(page, "Red to move")
    page.get_by_role("button", name="Hint").click()
    wait_for_status(page, "hint: 4")
    wait_for(lambda: page.locator('.hint[data-move="4"]').count() == 1)


@pytest.mark.slow
def test_resigning_ends_the_game(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&moves=4+4&players=person|level:medium")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="Resign").click()
    wait_for_status(page, "Red gave up; Yellow wins.")


@pytest.mark.slow
def test_two_machines_pause_step_and_go_on(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe:n=6&players=random:seed=1|random:seed=2")  # long enough to be in time for it
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play on").wait_for()
    count = len(moves(page))
    page.get_by_role("button", name="Step", exact=True).click()
    wait_for(lambda: len(moves(page)) == count + 1)
    page.get_by_role("button", name="Play on").click()
    wait_for(lambda: re.search(r"wins|draw", status(page)))


@pytest.mark.slow
def test_a_new_game_by_the_dialog(open_page: OpenPage) -> None:
    page = open_page("/play")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Game").click()
    page.get_by_role("option", name=re.compile("^Tic-tac-toe")).click()
    field = dialog.get_by_label("n", exact=True)
    field.fill("4")
    dialog.get_by_label("Player 2").click()
    page.get_by_role("option", name="Person").click()
    dialog.get_by_role("button", name="Start").click()
    wait_for(lambda: page.locator(".cell").count() == 16)
    wait_for_status(page, "X to move")


@pytest.mark.slow
def test_who_starts_is_chosen_in_the_dialog(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|random")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Who starts").click()
    page.get_by_role("option", name="Player 2").click()
    dialog.get_by_role("button", name="Start").click()
    wait_for(lambda: len(moves(page)) == 1)
    wait_for_status(page, "O your turn")


@pytest.mark.slow
def test_an_impossible_game_is_refused_in_the_dialog(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|random")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("n", exact=True).fill("99")
    dialog.get_by_role("button", name="Start").click()
    dialog.get_by_text("boards have 1 to 32 rows and columns").wait_for()


@pytest.mark.slow
def test_swapping_sides_lets_the_machine_move(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|random")
    wait_for_status(page, "X your turn")
    page.get_by_role("button", name="Swap sides").click()
    wait_for(lambda: len(moves(page)) == 1)
    wait_for_status(page, "O your turn")


@pytest.mark.slow
def test_the_thinking_time_is_changed_in_the_middle_of_a_game(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&moves=4+4&players=person|mcts:seconds=4")
    wait_for_status(page, "your turn")
    page.get_by_label("seconds", exact=True).nth(1).fill("0.1")
    wait_for(lambda: "mcts:seconds=0.1" in players(page))
    page.locator('.legal[data-move="1"]').first.click()
    wait_for(lambda: len(moves(page)) == 4)


@pytest.mark.slow
def test_more_time_than_there_is_is_refused_in_words(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&moves=4+4&players=person|mcts:seconds=4")
    wait_for_status(page, "your turn")
    page.get_by_label("seconds", exact=True).nth(1).fill("600")
    page.get_by_text("5 s at most").wait_for()


@pytest.mark.slow
def test_a_level_is_chosen_in_the_middle_of_a_game(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=b2+a1&players=person|random")
    wait_for_status(page, "your turn")
    page.get_by_label("O", exact=True).click()
    page.get_by_role("option", name="Beginner").click()
    wait_for(lambda: players(page) == "person|level:beginner")
    page.get_by_label("O", exact=True).click()
    page.get_by_role("option", name="Agent").click()
    field = page.get_by_label("agent: name").nth(1)
    field.fill("nosuch")
    page.get_by_text("unknown agent 'nosuch'").wait_for()


def test_it_fits_a_phone_and_has_a_dark_side(open_page: OpenPage) -> None:
    page = open_page("/?game=gomoku", width=360, height=740, dark=True)
    wait_for_status(page, "your turn")
    wait_for(lambda: page.evaluate("document.documentElement.scrollWidth") <= 360)
    wait_for(lambda: 300 <= (page.locator("svg.board").bounding_box() or {"width": 0})["width"] <= 360)
    wait_for(lambda: page.evaluate("document.body.classList.contains('body--dark')"))
    page.get_by_role("button", name="Light or dark").click()  # dark
    page.get_by_role("button", name="Light or dark").click()  # light
    wait_for(lambda: not page.evaluate("document.body.classList.contains('body--dark')"))
    page.reload()
    wait_for_status(page, "your turn")
    wait_for(lambda: not page.evaluate("document.body.classList.contains('body--dark')"))


@pytest.mark.slow
def test_arrow_keys_move_in_a_game_of_directions_and_pages_go_through_it(open_page: OpenPage) -> None:
    page = open_page("/?game=2048&players=person", height=500)
    wait_for_status(page, "your turn")
    page.get_by_text("Arrow keys move; Page up, Page down").wait_for()
    for count in range(3):  # in any position at least one of two ways that are not opposite changes something
        before = len(moves(page))
        page.keyboard.press("ArrowDown" if count % 2 else "ArrowUp")
        page.keyboard.press("ArrowRight")
        wait_for(lambda before=before: len(moves(page)) > before)
    wait_for(lambda: {"up", "down", "right"} & set(moves(page)) and page.evaluate("scrollY") == 0)
    last = len(moves(page))
    wait_for(lambda: page.locator(".movelist button.here").count() == 1)
    page.keyboard.press("Home")
    wait_for(lambda: page.locator(".movelist button.here").count() == 0)
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    page.locator(".movelist button.here").wait_for()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("this is an earlier position").wait_for()
    wait_for(lambda: len(moves(page)) >= last)  # no move was lost


@pytest.mark.slow
def test_arrow_keys_move_where_all_choose_at_once(open_page: OpenPage) -> None:
    page = open_page("/?game=pacman&players=person|random|random")
    wait_for_status(page, "choose")
    ways = ("left", "right", "up")
    way = wait_for(lambda: next((way for way in ways if page.locator(f'[data-move="{way}"]').count()), ""))
    page.keyboard.press(f"Arrow{way.capitalize()}")
    wait_for(lambda: way in page.locator(".movelist").inner_text().split())


@pytest.mark.slow
def test_arrow_keys_go_through_any_other_game(open_page: OpenPage) -> None:
    page = open_page(f"/?game=connect4&moves=4+4+3&{TWO_PEOPLE}")
    page.get_by_text("Arrow keys, Home and End go through the game.").wait_for()
    wait_for(lambda: stones(page) == 3)
    page.keyboard.press("ArrowLeft")
    wait_for(lambda: stones(page) == 2)


@pytest.mark.slow
def test_arrow_keys_move_in_the_analysis_of_a_game_of_directions(open_page: OpenPage) -> None:
    page = open_page("/analysis?game=2048&a=random")
    for _ in range(2):  # what chance shows is clicked
        count = len(moves(page))
        page.locator(".picture [data-action]").first.click()
        wait_for(lambda count=count: len(moves(page)) == count + 1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    wait_for(lambda: {"down", "right"} & set(moves(page)))


@pytest.mark.slow
def test_a_game_by_the_clock_is_lost_by_whoever_does_not_move(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe")
    wait_for_status(page, "your turn")
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Clock").fill("2+1")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start", exact=True).click()
    wait_for(lambda: [clock.strip() for clock in page.locator(".clock").all_inner_texts()] == ["0:02.0"] * 2)
    play(page, "b2")
    wait_for_status(page, "X lost on time; O wins.")


@pytest.mark.slow
def test_on_a_wide_board_a_finger_aims_before_it_plays(open_page: OpenPage) -> None:
    page = open_page("/play?game=gomoku&moves=h8&players=person|person", width=390, height=800)
    wait_for_status(page, "White to move")
    cell = page.locator('.legal[data-move="j7"]')

    def tap(where: Any) -> None:
        where.dispatch_event("pointerdown", {"pointerType": "touch"})
        where.dispatch_event("click")

    tap(cell)
    large = page.locator('.lens .legal[data-move="j7"]')
    assert large.bounding_box()["width"] > 44 > 2 * page.locator(".wide .legal").first.bounding_box()["width"] - 10
    assert moves(page) == ["h8"]
    tap(page.locator('.wide .legal[data-move="a1"]'))  # elsewhere: it looks there
    assert page.locator(".lens").count() == 1
    tap(page.locator('.lens .legal[data-move="a2"]'))
    wait_for(lambda: moves(page) == ["h8", "a2"])
    assert page.locator(".lens").count() == 0
    page.locator('.legal[data-move="j7"]').click()  # a mouse needs no aim
    wait_for(lambda: moves(page) == ["h8", "a2", "j7"])


def test_a_phone_on_its_side_shows_board_and_moves(open_page: OpenPage) -> None:
    page = open_page("/play?game=tictactoe&moves=b2&players=person|person", width=800, height=390)
    wait_for_status(page, "O to move")
    for part in (page.locator(".picture svg.board"), page.locator(".movelist")):
        box = part.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 390


def test_the_game_s_name_stands_above_the_board_and_tells_its_rules(open_page: OpenPage) -> None:
    page = open_page("/play?game=tictactoe&players=person|person", width=390, height=800)
    rules = page.locator(".rules p")
    page.locator(".rules summary", has_text="Tic-tac-toe").wait_for()
    assert not rules.is_visible()
    page.locator(".rules summary").click()
    rules.wait_for()
    box = rules.bounding_box()
    assert rules.inner_text().startswith("Three in a row") and box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_table_that_is_not_there_any_more_is_said_to_be_gone(open_page: OpenPage) -> None:
    page = open_page("/play?game=tictactoe&id=0123456789abcdef")
    page.get_by_text("The table of this link is not here any more: this is a new game.").wait_for()
    wait_for_status(page, "your turn")


@pytest.mark.parametrize(
    "path",
    others_slow(["/", "/play", "/analysis", "/saved", "/arena", "/lab", "/learning", "/tictactoe/b2"], ["/", "/play"]),
)
def test_no_view_is_wider_than_a_phone(open_page: OpenPage, path: str) -> None:
    page = open_page(path, width=390, height=844)
    page.locator("h1").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_where_a_game_draws_itself_its_text_is_for_screen_readers(open_page: OpenPage) -> None:
    page = open_page("/play?game=kuhn_poker")
    text = page.locator("pre.position")
    text.wait_for(state="attached")
    assert "in the pot" in text.inner_text() and text.bounding_box()["width"] <= 1
