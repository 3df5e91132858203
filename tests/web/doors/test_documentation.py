"""The documentation at /docs: the site, or how to get it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ponderosa.system import documentation
from ponderosa.web.doors.documentation import add_documentation


def serving() -> TestClient:
    server = FastAPI(docs_url=None)
    add_documentation(server)
    return TestClient(server)


def test_the_site_is_served_with_a_page_for_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index.html").write_text("<h1>the beginning</h1>")
    (tmp_path.parent / "secret.html").write_text("secret")
    monkeypatch.setattr(documentation, "PLACES", (tmp_path,))
    client = serving()
    found = client.get("/docs")
    assert "the beginning" in found.text and found.url.path == "/docs/"
    missing = client.get("/docs/<b>none</b>.html")
    assert missing.status_code == 404 and "There is no page at /docs/&lt;b&gt;none" in missing.text
    assert client.get("/docs/%2e%2e/secret.html").status_code == 404


def test_an_installation_without_the_site_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "PLACES", (tmp_path,))
    for path in ("/docs", "/docs/"):
        missing = serving().get(path)
        assert missing.status_code == 404 and "sphinx-build -W docs docs/_build/html" in missing.text
