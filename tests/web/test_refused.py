"""What makes no sense is refused when it is typed, on the page and in the API, and not at the machine's move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ponderosa.errors import PonderosaError, SettingError
from ponderosa.web.api.api import add_api
from ponderosa.web.model.catalogue import PERSON, Catalogue, offered, with_seconds
from ponderosa.web.model.hub import Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.saved_games import SavedGames
from tests.helpers import loaded
from tests.web.browser import wait_for
from tests.web.conftest import OpenPage

NONSENSE = {
    "mcts:iterations=-1": "iterations must be more than 0, not -1",
    "mcts:c=nan": "c must be a number of at least 0, not nan",
    "mcts:select=puct,c=inf": "c must be a number from 0 to 1e+12, not inf",
    "mcts:seconds=-3": "seconds must be more than 0, not -3",
    "minimax:depth=0": "depth must be a whole number from 1 to 1000, not 0",
    "mcts:nosuch=1": "nosuch",
    "determinized": "determinized is for games with hidden things",
    "mcts:ponder=true": "leave out ponder",
}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    found = Hub(Catalogue(), Limits(max_searches=2), SavedGames(tmp_path / "games.sqlite"))
    yield found
    found.shut()


@pytest.mark.parametrize("text", NONSENSE)
def test_an_agent_that_cannot_play_does_not_sit_down(hub: Hub, text: str) -> None:
    with pytest.raises(PonderosaError, match=NONSENSE[text].replace("+", r"\+")):
        hub.seat(text, loaded("connect4"))


@pytest.mark.parametrize("seconds", [-3.0, 0.0, float("nan"), float("inf"), 1e9])
@pytest.mark.parametrize("seat", [*offered(None), "mcts:iterations=5"])
def test_a_time_that_makes_no_sense_is_refused_for_everybody(hub: Hub, seat: str, seconds: float) -> None:
    with pytest.raises(SettingError, match="seconds must be more than 0"):
        hub.seat(seat, loaded("connect4"), seconds)
    with pytest.raises(SettingError, match="seconds must be more than 0"):
        with_seconds("mcts", seconds)


def test_who_can_play_sits_down_with_the_time_that_was_given(hub: Hub) -> None:
    game = loaded("connect4")
    assert hub.seat("mcts:iterations=5", game) == "mcts:iterations=5"
    assert hub.seat("mcts:iterations=5", game, 2.0) == "mcts:seconds=2"
    assert hub.seat("random", game, 2.0) == "random"
    assert hub.seat(PERSON, game, 2.0) == PERSON


@pytest.mark.parametrize("text", NONSENSE)
def test_the_api_opens_no_game_with_such_a_player(hub: Hub, text: str) -> None:
    app = FastAPI()
    add_api(app, hub)
    with TestClient(app) as api:
        answer: Any = api.post("/api/sessions", json={"game": "connect4", "players": [PERSON, text]})
        assert NONSENSE[text] in answer.json()["detail"]
        assert answer.status_code in (422, 429) and hub.open_games == 0


def test_a_typed_agent_that_makes_no_sense_is_refused_on_the_page(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|random")
    page.locator(".status", has_text="your turn").wait_for()
    page.get_by_label("Players").get_by_label("agent: name").last.fill("mcts:iterations=-1")
    page.get_by_text("iterations must be more than 0, not -1").wait_for()
    page.locator('.legal[data-move="b2"]').click()
    wait_for(lambda: page.locator(".movelist button").count() == 2)  # whoever sat there before plays on


@pytest.mark.slow
def test_a_time_of_less_than_nothing_is_refused_on_the_page(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|level:beginner")
    page.locator(".status", has_text="your turn").wait_for()
    page.get_by_label("Players").get_by_label("seconds").nth(1).fill("-3")
    page.get_by_text("seconds must be more than 0, not -3").wait_for()
    page.locator('.legal[data-move="b2"]').click()
    wait_for(lambda: page.locator(".movelist button").count() == 2)


@pytest.mark.slow
def test_an_address_with_such_a_player_says_so_and_shows_the_usual_game(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&players=person|mcts:c=nan")
    page.get_by_text("c must be a number of at least 0, not nan").wait_for()
    page.locator(".status", has_text="your turn").wait_for()


@pytest.mark.slow
def test_an_impossible_new_game_leaves_the_old_one_as_it_is(open_page: OpenPage) -> None:
    page = open_page("/?game=tictactoe&moves=b2&players=person|person")
    page.locator(".status", has_text="O to move").wait_for()
    page.get_by_role("button", name="New game").click()
    page.get_by_role("dialog").get_by_label("n", exact=True).fill("-4")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("dialog").locator(".message").get_by_text("x").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".status", has_text="O to move").wait_for()
    page.locator('.legal[data-move="a1"]').click()
    page.locator(".status", has_text="X to move").wait_for()
