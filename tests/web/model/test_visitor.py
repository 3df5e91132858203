"""The cookie by which a browser finds its seat again."""

from __future__ import annotations

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.testclient import TestClient

from ponderosa.web.model.visitor import COOKIE, Visitors, name_of


def client() -> TestClient:
    app = FastAPI()

    @app.get("/", response_class=HTMLResponse)
    def page(request: Request) -> str:
        return name_of(request.scope)

    @app.get("/api")
    def other() -> dict[str, str]:
        return {}

    return TestClient(Visitors(app))


def test_a_browser_keeps_its_name():
    browser = client()
    first = browser.get("/")
    said = first.headers["set-cookie"]
    assert f"{COOKIE}={first.text};" in said and "HttpOnly" in said and "SameSite=Lax" in said and len(first.text) == 32
    assert browser.get("/").text == first.text


def test_other_browsers_have_other_names():
    assert len({client().get("/").text for _ in range(20)}) == 20


def test_only_pages_bring_a_name():
    assert "set-cookie" not in client().get("/api").headers


@pytest.mark.parametrize("other", ['x={"a": 1}', "flag", "a b=1", "foo=é", "=", "", "a=b=c", '"', "$x=1", "a[]=(1,2)"])
def test_a_browser_is_known_whatever_other_servers_of_the_machine_have_given_it(other: str):
    own = f"{COOKIE}={'A' * 32}"
    for said in (f"{other}; {own}", f"{own}; {other}", f"{other};{own};{other}"):
        assert client().get("/", headers={"cookie": said.encode()}).text == "A" * 32


@pytest.mark.parametrize("said", ["", "x", "a" * 31, "a" * 33, "a" * 31 + "/", 'a"b', "=;=", "ä" * 32])
def test_a_name_that_is_none_of_ours_is_not_taken(said: str):
    answer = client().get("/", headers={"cookie": f"{COOKIE}={said}".encode("latin-1")})
    assert answer.text != said and len(answer.text) == 32
