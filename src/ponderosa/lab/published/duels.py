"""Little against much of one setting, by seat and in time, held against published scores. Start at duel_findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ponderosa.lab.experiment import Work
from ponderosa.lab.published.compare import above, claim_of_shares, inside, percent, together
from ponderosa.lab.published.one_tree import scores_on_one_tree
from ponderosa.lab.published.speed import CLOCK, efforts_of, ratio
from ponderosa.lab.published.works import KIM_UNLIKE, LIKE_KIM, OUR_STYLE, STYLES, capital
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.ranges import with_settings
from ponderosa.lab.sweeps.sweep import EACH_OTHER, Mean, SweepPoint, mean_time

GAME = "connect4"
WHY = {
    LIKE_KIM: "The agent is built after the original's text; why it differs is not known. What the text leaves open is "
    "listed under how it was done.",
    OUR_STYLE: "Ours takes the mean of all rollouts, and proves wins.",
}
"""What is known of how each agent differs from the original's."""
SEATS = ("first", "second")
ONE_TREE = f"{LIKE_KIM}, both sides on one tree"
Seats = tuple[Mean, Mean]
"""A score as first and as second player."""


@dataclass(frozen=True)
class Duel:
    """Two agents that differ in one setting, under some conditions."""

    name: str
    """The conditions, for people."""
    settings: dict[str, str]
    """What both have."""
    theirs: tuple[Mean, Mean]
    """The published score of the one with more, as first and as second player."""


@dataclass(frozen=True)
class Played:
    """A duel that was played by one kind of agent."""

    style: str
    duel: Duel
    much: SweepPoint
    """What the one with more reached."""
    times: tuple[Mean, Mean]
    """Seconds a move of the one with less, and of the one with more."""


def duel_findings(
    work: Work, setting: str, values: tuple[int, int], duels: Sequence[Duel], games: int, times: tuple[float, float]
) -> Findings:
    """Play all duels with every kind of agent; `times` is the published range of the times' ratio."""
    played = [_play(work, style, setting, values, duel, games) for style in STYLES for duel in duels]
    names = tuple(f"{setting}={value}" for value in values)
    styles = {style: [one for one in played if one.style == style] for style in STYLES}
    shared = {duel.name: _on_one_tree(work, setting, values, duel, games) for duel in duels}
    claims = [_shares(entries, names[1]) for entries in styles.values()]
    claims.append(_shared_shares(duels, shared, names[1]))
    claims += [_stronger(entries, names[1]) for entries in styles.values()]
    claims += [_longer(entries, times) for entries in styles.values()]
    notes = [f"{games} games a match, half of them in each seat, from the empty board.", CLOCK, KIM_UNLIKE]
    figures = [_score_figure(styles, names[1]), _time_figure(styles, names)]
    summary = f"{_summary(styles, names[1])}\n\n{_shared_summary(shared, names[1])}"
    return Findings(summary, claims, [_table(played), _shared_table(duels, shared)], figures, notes)


def _play(work: Work, style: str, setting: str, values: tuple[int, int], duel: Duel, games: int) -> Played:
    agent = with_settings(STYLES[style], duel.settings)
    result = work.sweep(GAME, agent, {setting: list(values)}, EACH_OTHER, games, count_repeats=True)
    timed = work.pick(tiny=2, quick=40, full=200)
    work.tell(f"time of {agent}")
    efforts = [
        work.kept(efforts_of, agent=point.agent, game=GAME, games=timed, seed=work.seed) for point in result.points
    ]
    less, more = (mean_time([(moves, seconds) for moves, seconds in each]) for each in efforts)
    assert less is not None and more is not None
    return Played(style, duel, result.points[1], (less, more))


def _on_one_tree(work: Work, setting: str, values: tuple[int, int], duel: Duel, games: int) -> Seats:
    agent = with_settings(STYLES[LIKE_KIM], duel.settings)
    less, more = (with_settings(agent, {setting: str(value)}) for value in values)
    return scores_on_one_tree(work, GAME, more, less, games)


def _shared_shares(duels: Sequence[Duel], shared: dict[str, Seats], much: str) -> Claim:
    theirs, ours = {}, {}
    for duel in duels:
        for seat, share, own in zip(SEATS, duel.theirs, shared[duel.name], strict=True):
            theirs[f"{duel.name} {seat}"], ours[f"{duel.name} {seat}"] = share, own
    why = "The text does not say whether each side has a tree of its own."
    return claim_of_shares(f"Scores of {much}.", ours, theirs, why, f"{capital(ONE_TREE)}: ")


def _shared_summary(shared: dict[str, Seats], much: str) -> str:
    each = "; ".join(f"{percent(one)} first and {percent(two)} second ({name})" for name, (one, two) in shared.items())
    return f"{capital(ONE_TREE)}, {much} scored {each}."


def _shared_table(duels: Sequence[Duel], shared: dict[str, Seats]) -> Table:
    rows = []
    for duel in duels:
        row: dict[str, Any] = {"match": duel.name}
        for seat, share, own in zip(SEATS, duel.theirs, shared[duel.name], strict=True):
            row |= with_interval(seat, "%", own, 100) | {f"published {seat} (%)": 100 * share.value}
        rows.append(row)
    return Table.of("one-tree", f"The same {ONE_TREE}", rows)


def _shares(entries: Sequence[Played], much: str) -> Claim:
    theirs, ours = {}, {}
    for one in entries:
        for seat, share in zip(SEATS, one.duel.theirs, strict=True):
            theirs[f"{one.duel.name} {seat}"], ours[f"{one.duel.name} {seat}"] = share, getattr(one.much, seat)
    style = entries[0].style
    return claim_of_shares(f"Scores of {much}.", ours, theirs, WHY[style], f"{capital(style)}: ")


def _stronger(entries: Sequence[Played], much: str) -> Claim:
    verdict = together(above(one.much.score) for one in entries)
    said = "; ".join(f"{one.duel.name}: {percent(one.much.score)}" for one in entries)
    return Claim(f"{much} is stronger.", f"{capital(entries[0].style)}: {said} over both seats.", verdict)


def _longer(entries: Sequence[Played], times: tuple[float, float]) -> Claim:
    """Whether the one with more takes as much longer as published."""
    ratios = [ratio(one.times[1], one.times[0]) for one in entries]
    verdict = together(inside(one.low, one.value, one.high, *times) for one in ratios)
    said = "; ".join(
        f"{one.duel.name}: {found.value:.2f} times ({found.low:.2f} to {found.high:.2f})"
        for one, found in zip(entries, ratios, strict=True)
    )
    least = 1e3 * min(time.value for one in entries for time in one.times)
    why = f"So few iterations take hardly longer than what every move of ours takes anyway, up to {least:.2f} ms."
    longer = f"It takes {times[0]:g} to {times[1]:g} times the time."
    return Claim(longer, f"{capital(entries[0].style)}: {said}.", verdict, "" if verdict in (AGREES, OPEN) else why)


def _summary(styles: dict[str, list[Played]], much: str) -> str:
    said = []
    for style, entries in styles.items():
        scores = [f"{percent(one.much.first)} first and {percent(one.much.second)} second" for one in entries]
        each = "; ".join(f"{score} ({one.duel.name})" for score, one in zip(scores, entries, strict=True))
        said.append(f"{capital(style)}, {much} scored {each}.")
    return "\n\n".join(said)


def _table(played: Sequence[Played]) -> Table:
    rows = []
    for one in played:
        row: dict[str, Any] = {"agent": one.style, "match": one.duel.name}
        for place, seat in enumerate(SEATS):
            row |= with_interval(seat, "%", getattr(one.much, seat), 100)
            row[f"published {seat} (%)"] = 100 * one.duel.theirs[place].value
        row |= with_interval("time a move, less", "ms", one.times[0], 1e3)
        rows.append(row | with_interval("time a move, more", "ms", one.times[1], 1e3))
    return Table.of("matches", "Scores of the one with more, by seat, and times", rows)


def _score_figure(styles: dict[str, list[Played]], much: str) -> Chart:
    series = []
    for style, entries in styles.items():
        for seat in SEATS:
            shares = [getattr(one.much, seat) for one in entries]
            series.append(Series.of(f"{style}, {seat}", [one.duel.name for one in entries], shares, 100))
    duels = [one.duel for one in next(iter(styles.values()))]
    for place, seat in enumerate(SEATS):
        shares = [duel.theirs[place] for duel in duels]
        series.append(Series.of(f"Kim 2023, {seat}", [duel.name for duel in duels], shares, 100, published=True))
    return Chart("scores", f"Score of {much} by seat", Axis("match"), Axis("score", "%"), series, level=50.0)


def _time_figure(styles: dict[str, list[Played]], names: Sequence[str]) -> Chart:
    series = [
        Series.of(f"{style}, {name}", [one.duel.name for one in entries], [one.times[place] for one in entries], 1e3)
        for style, entries in styles.items()
        for place, name in enumerate(names)
    ]
    time = Axis("mean time of a move", "ms of the processor", low=0)
    return Chart("times", "What a move takes", Axis("match"), time, series, bars=True)
