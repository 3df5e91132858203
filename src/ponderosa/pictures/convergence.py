"""A search as it converges: one SVG that moves, for every browser and without a script. Start at converging_svg.

Bars have the share of the visits that each move got, and grow and shrink as the search went on; every moment lasts
equally long, because each has about twice as many iterations as the one before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from ponderosa.core.state import State
from ponderosa.mcts.report.report import ActionReport
from ponderosa.pictures.alone import picture_alone

Moment = tuple[int, Sequence[ActionReport]]
"""Iterations, and what was known of each move then."""

MOST_BARS = 8
SECONDS_EACH, REST_SECONDS = 0.5, 3.0
WIDTH, BAR_WIDTH, BAR, GAP, BOARD = 760, 190, 22, 9, 320
LEFT = BOARD + 110
STYLE = (
    ".words{font:14px sans-serif;fill:#1f2430}.number{font:13px sans-serif;fill:#475467}"
    ".title{font:600 16px sans-serif;fill:#1f2430}.bar{fill:#1c7c7d}.track{fill:#e4e7ec}"
)


def converging_svg(title: str, state: State, moments: Sequence[Moment]) -> str:
    """The picture; the moves that had most visits at the end have bars."""
    last = sorted(moments[-1][1], key=lambda entry: -entry.visits)[:MOST_BARS]
    height = max(BOARD + 70, 80 + len(last) * (BAR + GAP) + 20)
    bars = "".join(_bar(entry, 70 + number * (BAR + GAP), moments) for number, entry in enumerate(last))
    counts = [f"{iterations:,} iterations" for iterations, _ in moments]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
        f'<text class="title" x="20" y="30">{escape(title)}</text>{_board(state)}'
        f"{_changing(counts, LEFT - 70, 52, 'words')}{bars}</svg>\n"
    )


def _board(state: State) -> str:
    drawn = picture_alone(state)
    if drawn is None:
        lines = str(state).splitlines()[:14]
        return "".join(
            f'<text class="words" x="20" y="{70 + 18 * n}">{escape(line)}</text>' for n, line in enumerate(lines)
        )
    size = f' x="20" y="48" width="{BOARD}" height="{BOARD}" preserveAspectRatio="xMinYMin"'
    return re.sub(' width="[^"]*" height="[^"]*"', size, drawn, count=1)


def _bar(move: ActionReport, y: float, moments: Sequence[Moment]) -> str:
    """One move: its name, its share of the visits, its value."""
    known = [next((entry for entry in entries if entry.action == move.action), None) for _, entries in moments]
    most = [max(sum(entry.visits for entry in entries), 1) for _, entries in moments]
    shares = [0.0 if entry is None else entry.visits / all_ for entry, all_ in zip(known, most, strict=True)]
    widths = [f"{BAR_WIDTH * share:.1f}" for share in shares]
    words = [_words(entry) for entry in known]
    text_y = y + BAR * 0.7
    return (
        f'<text class="words" x="{LEFT - 10}" y="{text_y:g}" text-anchor="end">{escape(move.name[:12])}</text>'
        f'<rect class="track" x="{LEFT}" y="{y}" width="{BAR_WIDTH}" height="{BAR}" rx="4"/>'
        f'<rect class="bar" x="{LEFT}" y="{y}" width="{widths[-1]}" height="{BAR}" rx="4">'
        f'<animate attributeName="width" dur="{_seconds(moments):g}s" repeatCount="indefinite" '
        f'keyTimes="{_times(moments)};1" values="{";".join(widths)};{widths[-1]}"/></rect>'
        f"{_changing(words, LEFT + BAR_WIDTH + 8, text_y, 'number')}"
    )


def _words(entry: ActionReport | None) -> str:
    if entry is None or entry.value is None:
        return "-"
    return f"{100 * entry.value:.0f} %" + (f" {entry.proven}" if entry.proven else "")


def _changing(texts: Sequence[str], x: float, y: float, kind: str) -> str:
    """A text that changes with every moment; equal neighbours are one."""
    drawn, first = [], 0
    for place in range(1, len(texts) + 1):
        if place == len(texts) or texts[place] != texts[first]:
            drawn.append(_for_a_while(texts[first], first, place, len(texts), x, y, kind))
            first = place
    return "".join(drawn)


def _for_a_while(text: str, first: int, end: int, count: int, x: float, y: float, kind: str) -> str:
    """A text that is seen from one moment until another; without animations, the last one is seen."""
    written = f'<text class="{kind}" x="{x:g}" y="{y:g}"'
    if first == 0 and end == count:
        return f"{written}>{escape(text)}</text>"
    total = SECONDS_EACH * (count - 1) + REST_SECONDS
    begins, ends = SECONDS_EACH * first / total, SECONDS_EACH * end / total
    if end == count:
        times, values = f"0;{begins:.4f}", "0;1"
    elif first == 0:
        times, values = f"0;{ends:.4f}", "1;0"
    else:
        times, values = f"0;{begins:.4f};{ends:.4f}", "0;1;0"
    return (
        f'{written} opacity="{int(end == count)}">{escape(text)}<animate attributeName="opacity" dur="{total:g}s" '
        f'calcMode="discrete" repeatCount="indefinite" keyTimes="{times}" values="{values}"/></text>'
    )


def _seconds(moments: Sequence[Moment]) -> float:
    return SECONDS_EACH * (len(moments) - 1) + REST_SECONDS


def _times(moments: Sequence[Moment]) -> str:
    """When each moment is reached, as parts of the whole."""
    return ";".join(f"{SECONDS_EACH * number / _seconds(moments):.4f}" for number in range(len(moments)))
