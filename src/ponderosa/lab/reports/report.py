"""The report of an experiment: a folder with data, figures, report.md and report.html. Start at write_report.

DIR/report.md, report.html   what was asked, what the original found, what we found, whether they agree
DIR/report.json              the same for programs
DIR/data/                    the tables as CSV and Parquet
DIR/figures/                 the figures as SVG and PNG
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from ponderosa.core.field_texts import with_field_texts
from ponderosa.errors import SettingError
from ponderosa.lab.reports.figures import Figure, as_svg, write_figure
from ponderosa.lab.reports.folder import put_text
from ponderosa.lab.reports.tables import Table, as_markdown

AGREES, PARTLY, DIFFERS, OPEN = "agrees", "agrees in part", "differs", "cannot be told"
VERDICTS = (AGREES, PARTLY, DIFFERS, OPEN)
SAID = {
    AGREES: ("agrees", "agree"),
    PARTLY: ("agrees in part", "agree in part"),
    DIFFERS: ("differs", "differ"),
    OPEN: ("is open", "are open"),
}
"""What is said of one claim, and of several, where others have another verdict."""
ALONE = "there is nothing to compare with"
"""What is said where nobody has claimed anything."""


@with_field_texts
@dataclass(frozen=True)
class Claim:
    """One thing that the original found, and what we found of it."""

    original: str
    ours: str
    verdict: str
    """One of VERDICTS."""
    why: str = ""
    """Where we differ: why, as far as it is known."""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise SettingError(f"a verdict is one of {', '.join(VERDICTS)}, not {self.verdict!r}")


@with_field_texts
@dataclass(frozen=True)
class Findings:
    """What an experiment has come to."""

    summary: str
    """What we found, in a few sentences; an empty line begins a new paragraph."""
    claims: Sequence[Claim] = ()
    """Held against the original one by one."""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    notes: Sequence[str] = ()
    """What a reader must know to judge the figures."""
    title: str = ""
    """The report's, where the experiment's does not fit every scale: it tells what was played."""
    question: str = ""
    """Likewise."""

    @property
    def verdict(self) -> str:
        """All claims together: the one verdict that they share, else how many have which."""
        found = Counter(claim.verdict for claim in self.claims)
        if len(found) < 2:
            return next(iter(found), ALONE)
        return ", ".join(f"{found[one]} {SAID[one][found[one] > 1]}" for one in VERDICTS if found[one])

    def _repr_html_(self) -> str:
        """In a notebook: the summary, the tables and the figures."""
        words = [f"<p>{escape(part)}</p>" for part in self.summary.split("\n\n")]
        tables = [f"<h4>{escape(table.title)}</h4>{table.to_html()}" for table in self.tables]
        return "".join([*words, *tables, *(as_svg(figure) for figure in self.figures)])


@dataclass(frozen=True)
class About:
    """What a report is a report of."""

    name: str
    title: str
    question: str
    original: str
    """What the original found; empty when nobody has asked before."""
    scale: str
    seed: int
    version: str
    """Of Ponderosa."""
    command: str
    """What runs it again."""
    conditions: dict[str, Any] = field(default_factory=dict)
    """What else decided the numbers: the machine's cores, ..."""


def write_report(folder: Path, about: About, findings: Findings) -> Path:
    """Write the whole folder; report.json comes last, so a folder that has it is complete."""
    for table in findings.tables:
        table.write(folder / "data")
    for figure in findings.figures:
        write_figure(folder / "figures", figure)
    put_text(folder / "report.md", as_page_of_text(about, findings))
    put_text(folder / "report.html", as_page(about, findings))
    put_text(folder / "report.json", json.dumps(as_figures(about, findings), indent=2, ensure_ascii=False) + "\n")
    return folder / "report.html"


def as_figures(about: About, findings: Findings) -> dict[str, Any]:
    """The report as plain values."""
    return asdict(about) | {
        "verdict": findings.verdict,
        "summary": findings.summary,
        "claims": [asdict(claim) for claim in findings.claims],
        "notes": list(findings.notes),
        "tables": [table.name for table in findings.tables],
        "figures": [{"name": figure.name, "title": figure.title} for figure in findings.figures],
    }


def _sections(about: About, findings: Findings) -> list[tuple[str, str]]:
    """The titles and texts that every report has, in their order."""
    return [
        ("What was asked", about.question),
        ("What the original found", about.original or "Nobody has asked before."),
        ("What we found", findings.summary),
    ]


def _conditions(about: About) -> str:
    more = "".join(f", {name} {value}" for name, value in about.conditions.items())
    return f"Scale {about.scale}, seed {about.seed}, Ponderosa {about.version}{more}."


def _claims(findings: Findings) -> Table | None:
    if not findings.claims:
        return None
    rows = [
        {"The original": claim.original, "Ours": claim.ours, "Verdict": claim.verdict, "Why": claim.why or None}
        for claim in findings.claims
    ]
    return Table.of("claims", "Claim by claim", rows)


def as_page_of_text(about: About, findings: Findings) -> str:
    """The report as Markdown; figures and data are links into the folder."""
    parts = [f"# {as_markdown(about.title)}"]
    for title, text in _sections(about, findings):
        parts += [f"## {title}", *(as_markdown(paragraph) for paragraph in _paragraphs(text))]
    for figure in findings.figures:
        parts.append(f"![{as_markdown(figure.title)}](figures/{figure.name}.svg)")
    parts += ["## Do they agree?", f"**{findings.verdict.capitalize()}.**"]
    claims = _claims(findings)
    if claims:
        parts.append(claims.to_markdown())
    if findings.tables:
        parts.append("## Numbers")
    for table in findings.tables:
        files = f"[CSV](data/{table.name}.csv), [Parquet](data/{table.name}.parquet)"
        parts += [f"**{as_markdown(table.title)}** ({files})", table.to_markdown()]
    parts += ["## How it was done", as_markdown(_conditions(about))]
    parts += [f"- {as_markdown(note)}" for note in findings.notes]
    parts.append(f"```text\n{about.command}\n```")
    return "\n\n".join(parts) + "\n"


STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; height: auto; }
figure { margin: 1.5rem 0; }
pre { background: #f4f4f4; padding: .75rem; overflow-x: auto; }
"""


def as_page(about: About, findings: Findings) -> str:
    """The report as HTML that needs nothing from elsewhere; everything in it is text or a picture, never a script."""
    parts = [f"<h1>{escape(about.title)}</h1>"]
    for title, text in _sections(about, findings):
        parts.append(f"<h2>{title}</h2>" + "".join(f"<p>{escape(words)}</p>" for words in _paragraphs(text)))
    parts += [picture(figure) for figure in findings.figures]
    parts.append(f"<h2>Do they agree?</h2><p><strong>{escape(findings.verdict.capitalize())}.</strong></p>")
    claims = _claims(findings)
    if claims:
        parts.append(claims.to_html())
    if findings.tables:
        parts.append("<h2>Numbers</h2>")
    parts += [f"<h3>{escape(table.title)}</h3>{table.to_html()}" for table in findings.tables]
    notes = "".join(f"<li>{escape(note)}</li>" for note in findings.notes)
    parts.append(
        f"<h2>How it was done</h2><p>{escape(_conditions(about))}</p>" + (f"<ul>{notes}</ul>" if notes else "")
    )
    parts.append(f"<pre>{escape(about.command)}</pre>")
    head = f'<meta charset="utf-8"><title>{escape(about.title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def picture(figure: Figure) -> str:
    """A picture that brings its bytes along; as an image it can run nothing."""
    content = base64.b64encode(as_svg(figure).encode()).decode()
    return f'<figure><img alt="{escape(figure.title)}" src="data:image/svg+xml;base64,{content}"></figure>'


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n\n") if part.strip()]
