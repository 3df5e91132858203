"""Who may talk to the server."""

from __future__ import annotations

import pytest
from fastapi import FastAPI, WebSocket
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from ponderosa.errors import SettingError
from ponderosa.web.doors.guard import COOKIE, LOCAL_NAMES, MOST_BODY, Guard
from ponderosa.web.server import Settings, build


def client(token: str | None = None, host: str = "127.0.0.1:8080") -> TestClient:
    app = FastAPI()

    @app.get("/")
    def page() -> str:
        return "page"

    @app.websocket("/socket")
    async def socket(link: WebSocket) -> None:
        await link.accept()
        await link.send_text("hello")

    hosts = None if token else LOCAL_NAMES
    return TestClient(Guard(app, hosts, token), base_url=f"http://{host}")


def test_our_own_page_is_answered():
    assert client().get("/").status_code == 200
    assert client().get("/", headers={"origin": "http://127.0.0.1:8080"}).status_code == 200
    assert client(host="localhost:1234").get("/").status_code == 200
    assert client(host="[::1]:1234").get("/").status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:9", "null", "", "https://127.0.0.1:80800", "http://[", "http://[x]:1"],
)
def test_other_sites_are_refused(origin):
    assert client().get("/", headers={"origin": origin}).status_code == 403


def test_a_foreign_name_for_this_machine_is_refused():
    answer = client(host="evil.example").get("/")
    assert answer.status_code == 403 and "does not answer to the name" in answer.text


def test_sockets_are_checked_alike():
    here = {"host": "127.0.0.1:8080"}
    with client().websocket_connect("/socket", headers=here | {"origin": "http://127.0.0.1:8080"}) as link:
        assert link.receive_text() == "hello"
    with client("secret").websocket_connect("/socket?token=secret", headers=here) as link:
        assert link.receive_text() == "hello"
    for guarded, headers in (
        (client(), here | {"origin": "http://evil.example"}),
        (client(), {"host": "evil.example"}),
        (client("secret"), here),
    ):
        with pytest.raises(WebSocketDisconnect), guarded.websocket_connect("/socket", headers=headers):
            pass


def test_the_token_comes_by_link_cookie_or_header():
    guarded = client("secret", host="example.org")
    refused = guarded.get("/")
    assert refused.status_code == 401 and "token" in refused.text and "secret" not in refused.text
    assert guarded.get("/", headers={"authorization": "Bearer secret"}).status_code == 200
    assert guarded.get("/?token=wrong").status_code == 401
    opened = guarded.get("/?token=secret")
    assert opened.status_code == 200 and "HttpOnly" in opened.headers["set-cookie"]
    assert guarded.cookies[COOKIE] == "secret"
    assert guarded.get("/").status_code == 200


def test_cookies_of_other_servers_do_not_hide_the_token():
    guarded = client("secret", host="example.org")
    for other in ('x={"a": 1}', "flag", "a b=1", "foo=é", "="):
        assert guarded.get("/", headers={"cookie": f"{other}; {COOKIE}=secret".encode()}).status_code == 200
        assert guarded.get("/", headers={"cookie": f"{other}; {COOKIE}=wrong".encode()}).status_code == 401


def test_an_endless_request_is_refused():
    answer = client().post("/", content=b"x", headers={"content-length": "99999999"})
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["9" * 5000, "²", "-1", "0x10"])
def test_lengths_that_are_no_numbers_break_nothing(length):
    assert client().post("/", content=b"x", headers={"content-length": length.encode()}).status_code < 500


def test_a_body_in_pieces_is_counted_as_it_comes():
    """Nobody reads more than a little above the limit, whatever the sender says of its length."""
    read = []

    def pieces():
        for _ in range(300):
            read.append(1)
            yield b"x" * 100_000

    answer = told().post("/", content=pieces())
    assert (answer.status_code, answer.text) == (413, f"a request may have {MOST_BODY} bytes at most")
    assert told().post("/", content=iter([b"x" * 1000] * 3)).text == "3000"


def test_of_a_request_that_is_answered_unread_the_rest_is_not_taken_in():
    for unread in (b"x", iter([b"x"] * 3)):
        answer = client().post("/", content=unread)
        assert (answer.status_code, answer.headers["connection"]) == (405, "close")
    assert "connection" not in client().get("/").headers
    assert "connection" not in client().post("/", content=b"").headers
    assert "connection" not in told().post("/", content=b"xyz").headers


def told() -> TestClient:
    """A server that says how much it was sent."""

    async def app(scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            body, more = body + message["body"], message.get("more_body", False)
        assert len(body) <= MOST_BODY
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(len(body)).encode()})

    return TestClient(Guard(app, LOCAL_NAMES), base_url="http://127.0.0.1:8080")


def test_other_hosts_need_a_token(tmp_path):
    with pytest.raises(SettingError, match="--token"):
        build(Settings(host="0.0.0.0", data=tmp_path))


def test_the_link_has_the_token():
    assert Settings(host="0.0.0.0", port=81, token="abc").address == "http://localhost:81/?token=abc"
    assert Settings(host="::1").local and not Settings(host="::").local
