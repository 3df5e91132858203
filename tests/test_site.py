"""The documentation site: it is whole, its pictures are today's, and people find it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import ponderosa
from ponderosa import policies
from ponderosa.errors import FileError, UnknownNameError
from ponderosa.mcts.policies.registry import NAMED
from ponderosa.system import documentation

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def referred(text: str) -> set[str]:
    """The names that docs/reference.md fills in."""
    blocks = re.findall(r"^:::\{names\} (\S+) ?(\w*)\n(.*?):::", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10
    return {phase or name for _, phase, names in blocks for name in (names.split() or [""])}


def test_the_reference_has_every_public_name_and_every_phase():
    found = referred((DOCS / "reference.md").read_text())
    kinds = {name for name, value in vars(policies).items() if inspect.isclass(value)}
    assert {*ponderosa.__all__, *kinds, *NAMED} - found == set()


def test_help_of_every_public_name_is_worth_reading():
    values = {name: getattr(ponderosa, name) for name in ponderosa.__all__}
    values |= {name: value for name, value in vars(policies).items() if inspect.isroutine(value)}
    for name, value in values.items():
        if not isinstance(value, int):  # CHANCE and its like
            text = (inspect.getdoc(value) or "").partition("\n\n")[0]
            assert re.search(r"\.( |$)", text, re.MULTILINE), f"{name}: no sentence"
            words = re.findall(r"\w+", text)
            assert len({word.lower() for word in words} - set(name.lower().split("_"))) >= 4, name
    for kind in (value for value in values.values() if inspect.isclass(value)):
        for name, member in vars(kind).items():
            shown = inspect.isfunction(member) or isinstance(
                member, property | cached_property | classmethod | staticmethod
            )
            if shown and not name.startswith("_"):
                assert inspect.getdoc(getattr(kind, name)), f"{kind.__name__}.{name}"


def test_help_of_a_class_tells_of_its_fields():
    classes = [getattr(ponderosa, name) for name in ponderosa.__all__]
    classes += [value for name, value in vars(policies).items() if not name.startswith("_")]
    told, silent = 0, []
    for kind in {value for value in classes if inspect.isclass(value)} - {policies.Policies}:
        text = inspect.getdoc(kind) or ""
        for field in vars(kind).get("__annotations__", {}):
            if re.search(rf"^{field}: .*\n    \S", text, re.MULTILINE):
                told += 1
            elif not field.startswith("_"):
                silent.append(f"{kind.__name__}.{field}")
    assert told > 100 and silent == []


def test_signatures_in_help_show_no_nameless_functions():
    for name in ponderosa.__all__:
        value = getattr(ponderosa, name)
        if inspect.isfunction(value):
            assert "<lambda>" not in str(inspect.signature(value)), name


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"^([a-z-]+)$", (DOCS / "index.md").read_text(), re.MULTILINE))
    pages = {path.stem for path in [*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")]} - {"index"}
    assert pages == listed


def test_every_page_that_a_text_of_the_program_sends_people_to_is_there():
    texts = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"ponderosa docs ([a-z-]+)", texts))
    assert len(named) >= 5
    assert [name for name in named if not (DOCS / f"{name}.md").is_file()] == []
    assert re.findall(r"docs/[a-z-]+\.md|README\.md", texts) == []  # an installed package has none of them


def unstyled(drawing: str) -> str:
    return re.sub(r"<style>.*?</style>", "", drawing, flags=re.DOTALL)


def test_pictures_are_what_the_searches_of_their_page_draw():
    sys.path.insert(0, str(DOCS))
    try:
        from pictures import IMAGES, pictures
    finally:
        sys.path.remove(str(DOCS))
    page = (DOCS / "iteration.md").read_text()
    for name, drawn in pictures().items():
        assert unstyled((IMAGES / name).read_text()) == unstyled(drawn), f"python docs/pictures.py draws {name} anew"
        assert name in page, name


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A site with two pages."""
    for name in ("index", "forest"):
        (tmp_path / f"{name}.html").write_text(f"<h1>{name}</h1>")
    monkeypatch.setattr(documentation, "PLACES", (tmp_path / "none", tmp_path))
    return tmp_path


def test_a_page_is_found_by_its_name(built):
    assert documentation.site() == built
    assert documentation.page("forest") == built / "forest.html"
    with pytest.raises(UnknownNameError, match="did you mean 'forest'"):
        documentation.page("forrest")
    with pytest.raises(UnknownNameError, match="unknown page"):
        documentation.page("../forest")


def test_who_has_no_site_is_told_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(documentation, "PLACES", (tmp_path,))
    assert documentation.site() is None
    with pytest.raises(FileError, match="sphinx-build -W docs docs/_build/html"):
        documentation.page()


class Links(HTMLParser):
    """Where a page leads, and the places in it that can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.places.add(value)


@pytest.mark.slow
def test_the_site_builds_without_a_warning_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(tmp_path):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    out = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-d", str(tmp_path / "trees"), str(DOCS), str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    pages = {path: Links(path) for path in out.rglob("*.html")}
    assert len(pages) > 30
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target not in pages or not parts.fragment or unquote(parts.fragment) in pages[target].places
            if not target.is_file() or not known:
                broken.append(f"{path.relative_to(out)}: {link}")
    assert broken == []
    loaded = [tag for path in pages for tag in re.findall(r"<(?:script|link|img)[^>]*//[^>]*>", path.read_text())]
    assert [tag for tag in loaded if "data:" not in tag] == []
    signatures = re.findall(r'<dt class="sig.*?</dt>', (out / "reference.html").read_text(), re.DOTALL)
    shown = [re.sub(r"<[^>]+>", "", signature) for signature in signatures]
    assert len(shown) > 100 and [text for text in shown if "~" in text or "ForwardRef" in text or "&lt;" in text] == []
    reference = pages[out / "reference.html"].places
    assert {"ponderosa.Search", "ponderosa.Search.run", "ponderosa.SearchSettings.threads"} <= reference
