"""Looking inside the search in a real browser: overlay, table, analysis, tree, saved games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ponderosa import Search
from ponderosa.core.notation import position
from ponderosa.pictures.board import short
from ponderosa.registry import game_for_people
from tests.web.browser import fetch, wait_for
from tests.web.browsers.test_play_in_browser import moves, stones, wait_for_status
from tests.web.conftest import OpenPage

AGENT = "mcts:iterations=100,seed=3"


def overlay(page: Any) -> dict[str, tuple[str, str]]:
    """Value and visits of every move, as they stand on the board."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.picture .landing')].map((cell) => [
            cell.dataset.move, [cell.querySelector('.value')?.textContent, cell.querySelector('.visits')?.textContent]
        ]))"""
    )


def search_of(moves_text: str) -> Any:
    game = game_for_people("connect4")
    return Search(game, seed=3).run(position(game, moves_text), iterations=100)


def expected(report: Any) -> dict[str, list[str]]:
    signs = {"win": "✓", "draw": "=", "loss": "✗", None: ""}
    return {
        entry.name: [f"{signs[entry.proven]}{100 * entry.value:.0f}", short(entry.visits)] for entry in report.actions
    }


def test_the_overlay_and_the_table_say_what_the_report_says(open_page: OpenPage) -> None:
    page = open_page(f"/analysis?game=connect4&moves=4+4+3&a={AGENT}")
    report = search_of("4 4 3")
    wait_for(lambda: overlay(page) == expected(report))
    rows = page.locator("table.moves").first.locator("tr[data-row]")
    wait_for(lambda: rows.count() == len(report.actions))
    wait_for(lambda: rows.first.inner_text().split()[:2] == [report.actions[0].name, f"{report.actions[0].visits:,}"])
    wait_for(lambda: "100 iterations" in page.locator(".effort").first.inner_text())
    wait_for(lambda: page.get_by_text("share of visits").is_visible())


@pytest.mark.slow
def test_pointing_at_a_line_draws_it(open_page: OpenPage) -> None:
    page = open_page(f"/analysis?game=connect4&a={AGENT}")
    wait_for(lambda: overlay(page).get("4", [None])[0])
    page.locator("table.moves tr[data-row='0']").first.hover()
    wait_for(lambda: page.locator(".picture .future").count() > 1)
    page.mouse.move(5, 5)
    wait_for(lambda: page.locator(".picture .future").count() == 0)


def size_of(page: Any, selector: str) -> dict[str, float]:
    """Where a part of the page is; while it is drawn anew it is nowhere."""
    place: dict[str, float] = wait_for(lambda: page.locator(selector).bounding_box())
    return place


@pytest.mark.slow
def test_the_overlay_is_off_while_playing_until_it_is_asked_for(open_page: OpenPage) -> None:
    page = open_page("/?game=connect4&moves=4+4&players=person|mcts:iterations=100")
    wait_for_status(page, "your turn")
    wait_for(lambda: page.locator(".picture .value").count() == 0)
    page.get_by_text("Show on the board").click()
    wait_for(lambda: page.locator(".picture .value").count() == 7)
    height, board = size_of(page, "section[aria-label='Thinking']")["height"], size_of(page, "svg.board")
    wait_for(lambda: "ended by" in page.locator(".effort").inner_text())
    first = page.locator(".effort").inner_text()
    page.get_by_role("button", name="Go on thinking").click()
    wait_for(lambda: page.locator(".effort").inner_text() != first)
    page.get_by_role("button", name="Stop now and keep the answer").click()
    wait_for(lambda: "ended by" in page.locator(".effort").inner_text())
    wait_for(lambda: size_of(page, "section[aria-label='Thinking']")["height"] == height)
    wait_for(lambda: size_of(page, "svg.board") == board)


@pytest.mark.slow
def test_two_agents_side_by_side_and_the_address_reproduces_it(open_page: OpenPage) -> None:
    page = open_page("/analysis?game=connect4")
    wait_for_status(page, "Red to move")
    page.get_by_role("textbox", name="moves").fill("4 4 3")
    page.get_by_role("button", name="Set up").click()
    wait_for(lambda: stones(page) == 3)
    page.locator('.legal[data-move="5"]').first.click()
    wait_for(lambda: moves(page) == ["4", "4", "3", "5"])
    page.get_by_label("who analyses").nth(1).click()
    page.get_by_role("option", name="Easy").click()
    wait_for(lambda: page.locator("table.moves").nth(1).locator("tr[data-row]").count() == 7)
    wait_for(lambda: "b" in parse_qs(urlsplit(page.evaluate("location.href")).query))
    address = page.evaluate("location.href")
    other = open_page(address[address.index("/analysis") :])
    wait_for(lambda: moves(other) == ["4", "4", "3", "5"])
    wait_for(lambda: other.locator("table.moves").nth(1).locator("tr[data-row]").count() == 7)
    wait_for_status(other, "Red to move")


@pytest.mark.slow
def test_a_browser_that_stalls_for_a_while_loses_nothing(open_page: OpenPage) -> None:
    page = open_page("/analysis?game=connect4")
    wait_for_status(page, "Red to move")
    page.get_by_role("textbox", name="moves").fill("4 4 3")
    page.evaluate("window.before = true; for (const end = performance.now() + 11000; performance.now() < end; ) {}")
    page.get_by_role("button", name="Set up").click()
    wait_for(lambda: stones(page) == 3)
    assert page.evaluate("window.before")  # it did not load anew


@pytest.mark.slow
def test_the_tree_unfolds_and_is_downloaded(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"/analysis?game=connect4&moves=4+4+3&a={AGENT}")
    wait_for(lambda: page.locator(".tree .node").count() == 8)
    wait_for(lambda: page.locator(".tree svg.small").count() == 8)
    page.locator(".tree .fold").nth(1).click()
    wait_for(lambda: page.locator(".tree .node").count() > 8)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the picture").click()
    file = tmp_path / "tree.svg"
    download.value.save_as(file)
    picture = file.read_text()
    assert picture.startswith("<svg")
    wait_for(lambda: page.locator(".tree .node").count() == picture.count('class="name"'))
    page.locator(".tree .fold").first.click()
    wait_for(lambda: page.locator(".tree .node").count() == 1)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_the_graph_goes_to_positions_and_the_worst_moves_are_listed(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=b2+a1+c1+c2&players=person|person")
    wait_for_status(page, "X to move")
    page.locator('.legal[data-move="a3"]').click()
    wait_for_status(page, "X wins.")
    worst = page.locator(".mistakes")
    wait_for(lambda: "Worst moves" in worst.inner_text())
    wait_for(lambda: re.search(r"O: 2\. c2 -\d+ % \(better a3\)", worst.inner_text().replace("\n", " ")))
    worst.locator("button").first.click()
    page.locator(".movelist button.here", has_text="c1").wait_for()
    page.locator("svg.graph .touch").nth(1).click()
    page.locator(".movelist button.here", has_text="b2").wait_for()


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_a_finished_game_is_a_lesson(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=b2+a1+c1+c2&players=person|person")
    wait_for_status(page, "X to move")
    page.get_by_role("switch", name="Show on the board").click()
    page.locator('.legal[data-move="a3"]').click()
    page.get_by_role("button", name="Learn from 1 mistake").wait_for()
    wait_for(lambda: "better a3" in page.locator(".mistakes").inner_text())
    page.get_by_role("button", name="Learn from 1 mistake").click()
    lesson = page.get_by_role("region", name="Lesson")
    wait_for(lambda: "O played c2" in lesson.inner_text() and "Find a better move." in lesson.inner_text())
    wait_for(lambda: page.locator("table.moves [data-row]").count() == 0)  # what is asked is answered nowhere
    assert page.locator(".mistakes").inner_text().strip() == ""
    assert page.locator(".picture .wrong").count() == 2
    page.locator('.legal[data-move="b1"]').click()
    wait_for(lambda: "b1 gives away" in lesson.inner_text())
    page.get_by_role("button", name="Try another move").click()
    page.locator('.legal[data-move="a3"]').click()
    wait_for(lambda: "a3 is the best move" in lesson.inner_text())
    page.get_by_role("button", name="Play on from here").click()
    wait_for(lambda: moves(page) == ["b2", "a1", "c1", "a3"])
    assert not lesson.is_visible()
    page.go_back()
    wait_for(lambda: "better a3" in page.locator(".mistakes").inner_text())


@pytest.mark.slow
def test_who_places_two_stones_in_a_row_is_advised_at_each_and_may_give_up_anywhere(open_page: OpenPage) -> None:
    page = open_page("/?game=connect:m=5,n=5,k=4,p=2,q=1&players=person|random")
    wait_for_status(page, "your turn")
    page.get_by_role("switch", name="Show on the board").click()
    wait_for(
        lambda: page.locator("table.moves [data-row]").count() == 1
    )  # the one in the middle, and no row of nothing
    page.locator('.legal[data-move="c3"]').last.click()
    wait_for(lambda: len(moves(page)) == 3)
    for move, count in (("a1", 4), ("a2", 7)):
        page.get_by_role("button", name="Hint").click()
        wait_for_status(page, "hint: ")
        wait_for(lambda: page.locator("table.moves [data-row]").count() > 1)
        free = page.locator(f'.legal[data-move="{move}"]').last
        (free if free.count() else page.locator(".picture .legal").last).click()
        wait_for(lambda count=count: len(moves(page)) == count)
    page.get_by_role("button", name="First position").click()
    page.get_by_role("button", name="Resign").click()
    wait_for_status(page, "You lost")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_what_the_machine_thought_is_seen_at_its_own_move(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|mcts:iterations=50")
    wait_for_status(page, "X your turn")
    page.locator('.legal[data-move="b2"]').click()
    wait_for(lambda: len(moves(page)) == 2)
    page.get_by_role("switch", name="Show on the board").click()
    page.get_by_role("button", name="The machine itself").click()
    wait_for(lambda: f"O before playing {moves(page)[1]}" in page.locator(".side").inner_text())
    best = page.locator("table.moves tr.best").get_attribute("data-move")
    assert best == moves(page)[1]


def saved_row(page: Any, moves: str) -> Any:
    """The rows of one game in the list of saved ones: games that other tests left may join it at any time."""
    return page.locator("table.saved tr", has=page.locator(f'a[href*="moves={moves.replace(" ", "+")}&"]'))


@pytest.mark.slow
def test_finished_and_broken_off_games_are_saved_replayed_exported_and_imported(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=b2+a1+c2+c1&players=person|person")
    wait_for_status(page, "X to move")
    page.locator('.legal[data-move="a2"]').click()
    wait_for_status(page, "X wins.")
    page.context.close()
    broken = open_page("/?game=connect4&moves=7+1+7&players=person|person")
    wait_for_status(broken, "Yellow to move")
    broken.locator('.legal[data-move="6"]').first.click()
    wait_for(lambda: stones(broken) == 4)
    broken.close()
    page = open_page("/saved")

    def saved_when_loaded_again(moves: str) -> int:
        page.reload()
        page.locator("table.saved").wait_for()
        return int(saved_row(page, moves).count())

    wait_for(lambda: saved_when_loaded_again("7 1 7 6"))
    wait_for(lambda: "unfinished" in saved_row(page, "7 1 7 6").inner_text())
    row = saved_row(page, "b2 a1 c2 c1 a2")
    wait_for(lambda: "X wins." in row.inner_text())
    with page.expect_download() as download:
        row.get_by_text("download").click()
        page.get_by_role("dialog", name="Download the game").get_by_text("Plain text").click()
    text = Path(download.value.path()).read_text()
    assert text.startswith("[game: tictactoe]") and text.strip().endswith("b2 a1 c2 c1 a2")
    page.get_by_role("textbox", name="games as text").fill(text)
    page.get_by_role("button", name="Import", exact=True).click()
    wait_for(lambda: row.count() == 2)
    page.get_by_text("One game is in the list now.").wait_for()
    page.locator("input[type=file]").set_input_files(download.value.path())
    wait_for(lambda: row.count() == 3)
    page.get_by_role("textbox", name="games as text").fill("[game: tictactoe]\nz9")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("move 1: 'z9' is not a legal action").wait_for()
    row.first.get_by_text("replay").click()
    wait_for(lambda: moves(page) == ["b2", "a1", "c2", "c1", "a2"])
    page.keyboard.press("ArrowLeft")
    page.locator(".movelist button.here", has_text="c1").wait_for()


def test_a_deleted_game_can_be_put_back(open_page: OpenPage) -> None:
    page = open_page("/saved")
    for text in ("c3 a1 c2 a2 b2", "c3 a1 c2 a2 b3"):
        page.get_by_role("textbox", name="games as text").fill(f"[game: tictactoe]\n{text}")
        page.get_by_role("button", name="Import", exact=True).click()
        saved_row(page, text).wait_for()
    undo = page.get_by_role("button", name="Undo")
    wait_for(lambda: not undo.is_visible())
    for text in ("c3 a1 c2 a2 b2", "c3 a1 c2 a2 b3"):
        saved_row(page, text).get_by_text("delete").click()
        saved_row(page, text).wait_for(state="detached")
    page.get_by_text("Deleted: Tic-tac-toe, unfinished, 5 moves.").wait_for()
    undo.click()
    saved_row(page, "c3 a1 c2 a2 b3").wait_for()
    undo.click()
    saved_row(page, "c3 a1 c2 a2 b2").wait_for()
    undo.wait_for(state="hidden")


@pytest.mark.slow
def test_the_docs_of_the_api_need_no_network(open_page: OpenPage, address: str) -> None:
    asked: list[str] = []
    page = open_page("/")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/api/docs")
    page.get_by_text("/api/sessions/{name}/play").wait_for()
    assert asked and all(url.startswith((address, "data:", "blob:")) for url in asked)


@pytest.mark.slow
def test_the_whole_page_comes_from_this_machine(open_page: OpenPage, address: str) -> None:
    asked: list[str] = []
    page = open_page("/api/games")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    wait_for(lambda: page.locator(".gallery svg.board").count())
    page.goto(f"{address}/play?game=connect4")
    wait_for_status(page, "your turn")
    assert asked and all(url.startswith((address, address.replace("http", "ws"), "data:", "blob:")) for url in asked)
    assert "https://" not in re.sub(r"https://(\w+\.)*(w3\.org)", "", fetch(address + "/page-files/page.css"))
