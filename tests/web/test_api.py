"""The API: a game from its beginning to its end, reports and streams, and nonsense that never breaks it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings

from ponderosa import Search
from ponderosa.core.notation import position
from ponderosa.registry import GAMES, game_for_people
from ponderosa.web.api import add_api
from ponderosa.web.catalogue import Catalogue
from ponderosa.web.hub import Hub
from ponderosa.web.limits import Limits
from ponderosa.web.session import GameSession
from ponderosa.web.store import Store

schemathesis = pytest.importorskip("schemathesis")
openapi_checks = pytest.importorskip("schemathesis.specs.openapi.checks")


def new_hub(folder: Path, **limits: Any) -> Hub:
    given = {"max_seconds": 0.5, "max_sessions": 8, "max_searches": 2} | limits
    return Hub(Catalogue(), Limits(**given), Store(folder / "games.sqlite"))


def new_app(hub: Hub) -> FastAPI:
    app = FastAPI(openapi_url="/api/openapi.json")
    add_api(app, hub)
    return app


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    found = new_hub(tmp_path)
    yield found
    found.shut()


@pytest.fixture
def api(hub: Hub) -> Iterator[TestClient]:
    with TestClient(new_app(hub), raise_server_exceptions=True) as client:
        yield client


def begin(api: TestClient, **asked: Any) -> dict[str, Any]:
    answer = api.post("/api/sessions", json={"game": "tictactoe", **asked})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_games_and_agents_are_listed(api):
    assert [game["name"] for game in api.get("/api/games").json()] == list(GAMES)
    assert "mcts" in api.get("/api/agents").json() and "engine" not in api.get("/api/agents").json()


def test_a_game_from_beginning_to_end(api, hub):
    name = begin(api, players=["person", "random"])["id"]
    while not (now := api.get(f"/api/sessions/{name}").json())["over"]:
        if now["to_move"] == 0:
            move = api.get(f"/api/sessions/{name}/actions").json()[0]
            assert api.post(f"/api/sessions/{name}/play", json={"move": move}).status_code == 200
        else:
            assert api.post(f"/api/sessions/{name}/play", json={}).status_code == 200
    assert now["result"]
    assert api.post(f"/api/sessions/{name}/play", json={}).status_code == 409
    assert api.post(f"/api/sessions/{name}/analyse", json={}).status_code == 409
    assert api.delete(f"/api/sessions/{name}").status_code == 204
    assert api.get(f"/api/sessions/{name}").status_code == 404
    assert hub.store.find(name).result == now["result"]


def test_undo(api):
    name = begin(api, moves="b2 a1")["id"]
    assert api.post(f"/api/sessions/{name}/undo").json()["moves"] == ["b2"]
    assert api.post(f"/api/sessions/{name}/undo").json()["moves"] == []
    assert api.post(f"/api/sessions/{name}/undo").status_code == 409


def test_a_finished_game_stays_as_it_is(api, hub):
    name = begin(api, moves="a1 a2 b1 b2")["id"]
    ended = api.post(f"/api/sessions/{name}/play", json={"move": "c1"}).json()
    for route, asked in (("undo", {}), ("play", {"move": "c3"}), ("play", {}), ("play", {"move": "c3", "player": 1})):
        answer = api.post(f"/api/sessions/{name}/{route}", json=asked)
        assert answer.status_code == 409 and "the game is over" in answer.json()["detail"]
    assert api.get(f"/api/sessions/{name}").json() == ended
    api.delete(f"/api/sessions/{name}")
    assert hub.store.find(name).moves == "a1 a2 b1 b2 c1"


def test_an_analysis_is_the_search_s_own_report(api):
    asked = {"game": "connect4", "moves": "4 4", "agent": "mcts", "iterations": 500, "seed": 3}
    answer = api.post("/api/analyse", json=asked).json()
    game = game_for_people("connect4")
    report = Search(game, seed=3).run(position(game, "4 4"), iterations=500)
    assert answer["best"] == report.best_name and answer["iterations"] == 500
    assert [entry["visits"] for entry in answer["actions"]] == [entry.visits for entry in report.actions]


def test_a_stream_of_reports_ends_with_the_last(api):
    name = begin(api, game="connect4")["id"]
    events = []
    with api.stream("GET", f"/api/sessions/{name}/analyse/stream?agent=mcts&seconds=0.5") as stream:
        for line in stream.iter_lines():
            if line.startswith("event:"):
                events.append(line.partition(": ")[2])
            elif line.startswith("data:"):
                last = json.loads(line.partition(": ")[2])
    assert events[-1] == "end" and last["stopped"] == "seconds" and last["iterations"] > 0


def test_what_is_wrong_is_said_in_words(api):
    assert "did you mean 'connect4'" in api.post("/api/sessions", json={"game": "conect4"}).json()["detail"]
    assert "move 1" in api.post("/api/sessions", json={"game": "tictactoe", "moves": "z9"}).json()["detail"]
    assert api.post("/api/sessions", json={"game": "tictactoe", "players": ["person"]}).status_code == 422
    assert api.post("/api/sessions", json={"gme": "x"}).status_code == 422
    name = begin(api)["id"]
    assert api.post(f"/api/sessions/{name}/play", json={"move": "z9"}).status_code == 409
    assert "a person's turn" in api.post(f"/api/sessions/{name}/play", json={}).json()["detail"]
    assert api.post(f"/api/sessions/{name}/analyse", json={"agent": "engine:cmd=sh"}).status_code == 422
    assert "says nothing" in api.post(f"/api/sessions/{name}/analyse", json={"agent": "random"}).json()["detail"]


def test_no_more_games_than_the_limit(api):
    for _ in range(8):
        begin(api)
    answer = api.post("/api/sessions", json={"game": "tictactoe"})
    assert answer.status_code == 429 and "8 games are open" in answer.json()["detail"]


def test_a_search_takes_no_longer_than_the_limit(api):
    asked = {"game": "connect4", "agent": "mcts", "seconds": 1000}
    assert api.post("/api/analyse", json=asked).json()["stopped"] == "seconds"


def test_games_that_nobody_asks_for_are_closed(tmp_path):
    now = [0.0]
    hub = Hub(Catalogue(), Limits(idle_seconds=100), Store(tmp_path / "games.sqlite"), clock=lambda: now[0])
    with TestClient(new_app(hub)) as api:
        names = [begin(api, moves="b2")["id"], begin(api)["id"]]
        now[0] = 90.0
        api.get(f"/api/sessions/{names[0]}")
        now[0] = 150.0
        assert hub.sweep() == 1
        assert [api.get(f"/api/sessions/{name}").status_code for name in names] == [200, 404]
    hub.shut()


SCHEMA_HUB = new_hub(Path(tempfile.mkdtemp()), max_seconds=0.05, max_sessions=500)
schema = schemathesis.openapi.from_asgi("/api/openapi.json", new_app(SCHEMA_HUB))
CHECKS = [
    schemathesis.checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.response_schema_conformance,
]
PATIENCE = 120
"""Seconds for an answer: the first one waits until the game is compiled."""


@schema.parametrize()
@settings(max_examples=8)
def test_bad_input_never_breaks_a_route(case):
    case.call_and_validate(checks=CHECKS, timeout=PATIENCE)
    if "name" in (case.path_parameters or {}):  # the same, in a game that is open
        case.path_parameters["name"] = _an_open_game(SCHEMA_HUB)
        case.call_and_validate(checks=CHECKS, timeout=PATIENCE)


def _an_open_game(hub: Hub) -> str:
    game = game_for_people("tictactoe")
    director = hub.open(GameSession.after("tictactoe", game, ["person", "random"], "b2"))
    director.paused = True
    hub.lend(director)
    if hub.open_games > 100:
        for old in list(hub._open.values())[:50]:
            hub.close(old)
    return director.session.id
