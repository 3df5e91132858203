"""Where the documentation site is, if this installation has it. Start at page.

A release carries it; whoever works on the source builds it by `sphinx-build -W docs docs/_build/html`.
"""

from __future__ import annotations

from pathlib import Path

from ponderosa.errors import FileError, unknown

PACKAGE = Path(__file__).parents[1]
PLACES = (PACKAGE / "site", PACKAGE.parents[1] / "docs" / "_build" / "html")
"""In a release, and beside the source."""
MISSING = (
    "this installation has no documentation site: in a copy of the source, "
    'pip install -e ".[docs]" and sphinx-build -W docs docs/_build/html build it'
)


def site() -> Path | None:
    """The folder of the site."""
    return next((place for place in PLACES if (place / "index.html").is_file()), None)


def page(name: str = "index") -> Path:
    """A page of the site by its name, as in `forest`."""
    folder = site()
    if folder is None:
        raise FileError(MISSING)
    pages = {path.stem: path for path in sorted(folder.glob("*.html"))}
    if name not in pages:
        raise unknown("page of the documentation", name, pages)
    return pages[name]
