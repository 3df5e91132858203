"""The API: a game from its beginning to its end, reports and streams, and nonsense that never breaks it."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings

from ponderosa import Search
from ponderosa.core.notation import position
from ponderosa.registry import GAMES, game_for_people
from ponderosa.web.api.api import add_api
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.hub import REST_SECONDS, Hub
from ponderosa.web.model.limits import Limits
from ponderosa.web.model.saved_games import SavedGames
from ponderosa.web.model.session import GameSession
from tests.web.browser import wait_for

schemathesis = pytest.importorskip("schemathesis")
openapi_checks = pytest.importorskip("schemathesis.specs.openapi.checks")


def new_hub(folder: Path, **limits: Any) -> Hub:
    given = {"max_seconds": 0.5, "max_sessions": 8, "max_searches": 2} | limits
    return Hub(Catalogue(), Limits(**given), SavedGames(folder / "games.sqlite"))


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


@pytest.mark.usefixtures("compiled")
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


def test_games_that_rest_make_room_and_are_there_again_when_they_are_asked_for(tmp_path):
    now = [0.0]
    hub = Hub(Catalogue(), Limits(max_sessions=3), SavedGames(tmp_path / "games.sqlite"), clock=lambda: now[0])
    with TestClient(new_app(hub)) as api:
        names = [begin(api, moves="b2")["id"] for _ in range(3)]
        assert api.post("/api/sessions", json={"game": "tictactoe"}).status_code == 429
        now[0] = 2 * REST_SECONDS
        api.get(f"/api/sessions/{names[0]}")
        names += [begin(api, moves="a1")["id"] for _ in range(2)]
        assert hub.open_games == 3 and hub.visit(names[0])
        now[0] = 4 * REST_SECONDS
        moves = [api.get(f"/api/sessions/{name}").json()["moves"] for name in names[1:3]]
        assert moves == [["b2"], ["b2"]] and hub.open_games == 3
    hub.shut()


def test_a_search_takes_no_longer_than_the_limit(api):
    asked = {"game": "connect4", "agent": "mcts", "seconds": 1000}
    assert api.post("/api/analyse", json=asked).json()["stopped"] == "seconds"


def test_games_that_nobody_asks_for_are_closed(tmp_path):
    now = [0.0]
    hub = Hub(Catalogue(), Limits(idle_seconds=100), SavedGames(tmp_path / "games.sqlite"), clock=lambda: now[0])
    with TestClient(new_app(hub)) as api:
        names = [begin(api, moves="b2")["id"], begin(api)["id"]]
        now[0] = 90.0
        api.get(f"/api/sessions/{names[0]}")
        now[0] = 150.0
        assert hub.sweep() == 1
        assert [api.get(f"/api/sessions/{name}").status_code for name in names] == [200, 404]
    hub.shut()


def deal(api: TestClient, **asked: Any) -> list[str]:
    """The cards of a game of Kuhn poker, which are told when it is over."""
    name = begin(api, game="kuhn_poker", **asked)["id"]
    for move in ("bet", "pass"):
        assert api.post(f"/api/sessions/{name}/play", json={"move": move}).status_code == 200
    now = api.get(f"/api/sessions/{name}").json()
    api.delete(f"/api/sessions/{name}")
    assert now["over"]
    return [*now["moves"][:2], now["seed"]]


def test_every_game_draws_its_own_cards_and_a_seed_repeats_them(api):
    deals = [deal(api) for _ in range(20)]
    assert len({tuple(cards[:2]) for cards in deals}) > 1 and len({seed for _, _, seed in deals}) == 20
    for first, second, seed in deals[:5]:
        assert deal(api, seed=seed) == [first, second, seed]
    for nonsense in (-1, 2**53, "x", 0.5):
        assert api.post("/api/sessions", json={"game": "kuhn_poker", "seed": nonsense}).status_code == 422


def test_a_seed_tells_nothing_that_is_hidden_or_has_yet_to_fall(api, hub):
    for game in ("kuhn_poker", "pig", "liars_dice"):
        now = begin(api, game=game)
        seed = hub.visit(now["id"]).session.seed
        seen = [now, *(api.get(f"/api/sessions/{now['id']}?player={player}").json() for player in (0, 1))]
        assert all(position["seed"] is None for position in seen)
        assert all(str(seed) not in str(position) for position in seen)
    assert begin(api, seed=5)["seed"] == 5  # where there is nothing to tell


def test_a_take_back_does_not_roll_again(api):
    name = begin(api, game="pig")["id"]
    route = f"/api/sessions/{name}"
    rolled = [api.post(f"{route}/play", json={"move": "roll"}).json()["moves"]]
    for _ in range(5):
        assert api.post(f"{route}/undo").json()["moves"] == []
        rolled.append(api.post(f"{route}/play", json={"move": "roll"}).json()["moves"])
    assert rolled == rolled[:1] * 6


def again(hub: Hub) -> Hub:
    """Another server over the same files, while nobody has put the first one's things in order."""
    return Hub(Catalogue(), hub.limits, SavedGames(hub.store.path))


def test_games_go_on_after_the_server_was_killed(api, hub):
    won = begin(api, moves="a1 a2 b1 b2", players=["person", "random"])["id"]
    api.post(f"/api/sessions/{won}/play", json={"move": "c1"})
    begun, dealt = begin(api, players=["person", "random"])["id"], begin(api, game="kuhn_poker")["id"]
    dice = begin(api, game="pig", players=["person", "random"])["id"]
    api.post(f"/api/sessions/{dice}/play", json={"move": "roll"})
    chosen = begin(api, game="rps")["id"]
    api.post(f"/api/sessions/{chosen}/play", json={"move": "rock", "player": 0})
    undone = begin(api, moves="b2", players=["person", "random"])["id"]
    api.post(f"/api/sessions/{undone}/play", json={})
    api.post(f"/api/sessions/{undone}/play", json={"move": _first_move(api, undone)})
    api.post(f"/api/sessions/{undone}/undo")
    names = [won, begun, dealt, dice, chosen, undone]
    before = [api.get(f"/api/sessions/{name}").json() for name in names]
    cards = [hub.visit(dealt).session.names, hub.visit(dice).session.seed]

    second = again(hub)
    with TestClient(new_app(second)) as later:
        assert [later.get(f"/api/sessions/{name}").json() for name in names] == before
        assert [second.visit(dealt).session.names, second.visit(dice).session.seed] == cards
        assert {won, dice} <= {game["id"] for game in later.get("/api/sessions").json()}
        assert dealt not in later.get("/api/sessions").text  # its name opens its cards
        now = later.post(f"/api/sessions/{chosen}/play", json={"move": "paper", "player": 1}).json()
        assert now["moves"] == ["rock", "paper"]
        for name in names:
            assert later.delete(f"/api/sessions/{name}").status_code == 204
            assert later.get(f"/api/sessions/{name}").status_code == 404
        assert second.store.find(won).result == "X wins." and second.store.find(begun) is None
        assert not any(game["open"] for game in later.get("/api/sessions").json())
    second.shut()


def test_games_go_on_after_the_server_was_ended_in_order(tmp_path):
    first = new_hub(tmp_path)
    with TestClient(new_app(first)) as api:
        name = begin(api, moves="b2")["id"]
        now = api.post(f"/api/sessions/{name}/play", json={"move": "a1"}).json()
    first.shut()
    second = new_hub(tmp_path)
    with TestClient(new_app(second)) as api:
        assert api.get(f"/api/sessions/{name}").json() == now
    second.shut()


def test_a_game_that_is_closed_while_its_machine_thinks_gives_its_tree_back(tmp_path):
    hub = new_hub(tmp_path, max_seconds=PATIENCE)
    with TestClient(new_app(hub)) as api:
        _close_while_it_thinks(api, hub)
    hub.shut()


def _close_while_it_thinks(api, hub):
    name = begin(api, game="connect4", players=[f"mcts:seconds={PATIENCE:g}", "random"])["id"]
    director = hub.visit(name)
    with ThreadPoolExecutor() as pool:
        moved = pool.submit(api.post, f"/api/sessions/{name}/play", json={})
        wait_for(lambda: director.job is not None and director.job.phase == "thinking", PATIENCE)
        assert api.delete(f"/api/sessions/{name}").status_code == 204
        answer = moved.result()
    assert answer.status_code == 404 and "closed" in answer.json()["detail"]
    wait_for(lambda: hub.runner.busy == 0, PATIENCE)
    assert hub.runner.kept_nodes == 0 and director.job is None and not director._thinkers


def test_hundreds_of_calls_of_all_kinds_never_break_the_server(tmp_path):
    """Seeded, so that what fails is the same every time."""
    hub = new_hub(tmp_path, max_seconds=0.02)
    with TestClient(new_app(hub)) as api:
        call_at_random(api)
    hub.shut()


def call_at_random(api: TestClient) -> None:
    draw, names = random.Random(18), ["nothing", "../etc", "%00", "x" * 64]
    games = [
        "tictactoe",
        "kuhn_poker",
        "pig",
        "rps",
        "blind_tictactoe",
        "goofspiel",
        "2048",
        "",
        "tictactoe:m=0",
        "\x00",
    ]
    seats = [
        "person",
        "random",
        "mcts:iterations=3",
        "mcts:iterations=1_0",
        "nobody",
        "level:easy",
        "mcts:threads=9999",
    ]
    moves = ["b2", "bet", "roll", "rock", "left", "", "z9", "1" * 500, "💥", None]
    for _ in range(300):
        name, number = draw.choice(names), draw.choice([None, 0, 1, 7, -1, 10**30, "x"])
        eyes = "" if number is None else f"?player={number}"
        one = {"game": draw.choice(games), "moves": draw.choice(["", "b2", "9", "bet bet"]), "seed": number}
        one["players"] = draw.choice([None, [draw.choice(seats) for _ in range(draw.randrange(4))]])
        calls = [
            ("POST", "/api/sessions", one),
            ("POST", f"/api/sessions/{name}/play", {"move": draw.choice(moves), "player": number}),
            ("POST", f"/api/sessions/{name}/play", {"move": _first_move(api, name), "player": None}),
            ("POST", f"/api/sessions/{name}/undo{eyes}", None),
            ("POST", f"/api/sessions/{name}/analyse{eyes}", {"agent": draw.choice(seats), "iterations": number}),
            ("GET", f"/api/sessions/{name}{eyes}", None),
            ("GET", f"/api/sessions/{name}/actions{eyes}", None),
            ("GET", f"/api/sessions/{name}/analyse/stream{eyes}", None),
            ("DELETE", f"/api/sessions/{name}", None),
            ("GET", "/api/sessions", None),
        ]
        method, route, body = draw.choices(calls, [8, 6, 8, 2, 2, 4, 2, 1, 2, 1])[0]
        answer = api.request(method, route, json=body)
        assert answer.status_code < 500, (method, route, body, answer.text)
        if method == "POST" and answer.status_code == 201:
            names.append(answer.json()["id"])


def _first_move(api: TestClient, name: str) -> str | None:
    found = api.get(f"/api/sessions/{name}/actions")
    return next(iter(found.json()), None) if found.status_code == 200 else None


SCHEMA_HUB = new_hub(Path(tempfile.mkdtemp()), max_seconds=0.05, max_sessions=500)
schema = schemathesis.openapi.from_asgi("/api/openapi.json", new_app(SCHEMA_HUB))
CHECKS = [
    schemathesis.checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.response_schema_conformance,
]
PATIENCE = 600
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
