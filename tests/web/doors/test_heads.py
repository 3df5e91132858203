"""Whoever asks for the head alone gets that of GET."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient

from ponderosa.web.doors.documentation import add_documentation
from ponderosa.web.doors.heads import Heads


def client() -> TestClient:
    server = FastAPI(docs_url=None)
    add_documentation(server)

    @server.get("/page")
    def page() -> dict[str, str]:
        return {"words": "a page"}

    @server.get("/stream")
    def stream() -> StreamingResponse:
        def lines() -> Iterator[str]:
            yield "one\n"
            yield "two\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    return TestClient(Heads(server), follow_redirects=False)


def test_every_address_has_the_head_of_its_answer_and_no_body():
    asking = client()
    for path in ("/page", "/stream", "/docs", "/docs/", "/docs/nothing", "/nothing"):
        whole, head = asking.get(path), asking.head(path)
        assert (head.status_code, head.headers) == (whole.status_code, whole.headers), path
        assert whole.content or whole.is_redirect
        assert head.content == b""


def test_other_ways_of_asking_are_left_alone():
    assert client().post("/page").status_code == 405
    assert client().get("/page").json() == {"words": "a page"}
