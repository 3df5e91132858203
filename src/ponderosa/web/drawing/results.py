"""Events, results and games of the arena as HTML; every text from outside is escaped. Start at result_parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from ponderosa.arena.match import MatchResult
from ponderosa.arena.results.display import agent_figures, crosstable, duration, known_ratings, standings
from ponderosa.arena.results.replay import result_words
from ponderosa.arena.results.result import EventResult
from ponderosa.arena.results.store import StoredEvent, StoredGame
from ponderosa.arena.tournament import TournamentResult
from ponderosa.web.drawing.figures import Interval, draw_intervals, draw_score
from ponderosa.web.model.contest import Contest
from ponderosa.web.views.layout import link_to

SEATS = ("As first", "As second", "As third", "As fourth")


Label = Callable[[str], str]
"""What people call a game, by its text; `str`: the text itself."""


def event_list(events: Sequence[StoredEvent], running: int | None, label: Label = str) -> str:
    """All events, with links to each."""
    rows = [
        (
            f'<a href="{link_to("/arena/event", id=str(event.id))}">{event.id}: {escape(event.event.kind)}</a>',
            game_name(event.event.game, label),
            "<br>".join(escape(name) for name in event.event.names),
            played(event),
            state_of(event, running),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(event.began)),
        )
        for event in events
    ]
    return table(("Event", "Game", "Agents", "Games", "", "Began"), rows)


def game_name(spec: str, label: Label) -> str:
    """What people call a game; its text is told to whoever points at it."""
    return f'<span title="{escape(spec)}">{escape(label(spec))}</span>'


def played(event: StoredEvent) -> str:
    """How many games of how many."""
    return f"{event.games:,} of {event.wanted:,}" if event.wanted else f"{event.games:,} of a test's"


def state_of(event: StoredEvent, running: int | None) -> str:
    """Whether it is over; what other programs play here can only be seen by its games."""
    if event.id == running:
        return '<b class="running">running</b>'
    return "finished" if event.wanted and event.games >= event.wanted else "not finished"


def progress_bar(event: StoredEvent, contest: Contest) -> str:
    """How far the match is that runs here, and why the last one ended."""
    if contest.event != event.id:
        return ""
    if contest.running is None:
        return f'<p class="message">{escape(contest.trouble)}</p>' if contest.trouble else ""
    told = contest.progress
    new = 0 if told is None else told.games - told.before
    left = ""
    if told is not None and new and event.wanted:
        left = f", about {duration(told.seconds / new * max(event.wanted - told.games, 0))} left"
    words = "preparing the agents" if told is None or not told.games else f"{played(event)} games{left}"
    return f'<p><progress max="{event.wanted or 1}" value="{event.games}"></progress> {words}</p>'


def conditions(event: StoredEvent, running: int | None, label: Label = str) -> str:
    """What is played, how, and how far it is, in one line."""
    about = event.event
    budget = [f"{about.iterations:,} iterations a move"] if about.iterations else []
    budget += [f"{about.seconds:g} s a move"] if about.seconds else []
    facts = [about.kind, *budget, f"openings {about.openings}", f"seed {about.seed}"]
    state = f"{played(event)} games, {state_of(event, running)}"
    return f"<p><b>{game_name(about.game, label)}</b>: {escape(', '.join(facts))}; {state}</p>"


def result_parts(result: EventResult) -> str:
    """Tables, words and figures of an event."""
    words = "".join(f"<p>{escape(line)}</p>" for line in result.lines())
    if isinstance(result, TournamentResult):
        return _standings(result) + words + _ratings_figure(result) + _crosstable(result)
    return _scores(result, range(len(result.event.names))) + words + _match_figures(result)


def _scores(result: EventResult, order: Iterable[int], more: dict[int, tuple[str, ...]] | None = None) -> str:
    """One row an agent: what it reached in each seat and in all, and what a move took."""
    named, alone = zip(result.event.names, result.tally.lines, strict=True), result.tally.alone
    figures = [agent_figures(*entry, 2 - alone) for entry in named]
    seats = max(len(found["seats"]) for found in figures)
    titles = [SEATS[seat] if seat < len(SEATS) else f"Seat {seat + 1}" for seat in range(seats)]
    titles = ["Alone"] if alone else titles
    rows = [
        (
            escape(found["name"]),
            *((more or {}).get(agent, ())),
            *(_counts(found["seats"][seat : seat + 1]) for seat in range(seats)),
            _counts(found["seats"]),
            "-" if not found["games"] else f"{100 * found['score'] / found['games']:.1f} %",
            duration(found["seconds_a_move"]),
        )
        for agent, found in ((agent, figures[agent]) for agent in order)
    ]
    added = ("Rating", "95 %") if more else ()
    note = '<p class="quiet">Wins / draws / losses; games that were played before count once.</p>'
    return table(("Agent", *added, *titles, "In all", "Score", "Time a move"), rows, "saved scores") + note


def _counts(seats: list[dict[str, int]]) -> str:
    return " / ".join(f"{sum(seat[name] for seat in seats):,}" for name in ("wins", "draws", "losses"))


def _standings(result: TournamentResult) -> str:
    rows = standings(result)
    rated: dict[int, tuple[str, ...]] = {
        row["agent"]: ("-", "-")
        if row["rating"] is None
        else (f"{row['rating']:+.1f}", f"{row['low']:+.1f} to {row['high']:+.1f}")
        for row in rows
    }
    return _scores(result, [row["agent"] for row in rows], rated)


def _match_figures(result: EventResult) -> str:
    """The Elo difference, and how the score came about."""
    if not isinstance(result, MatchResult) or result.elo is None:
        return ""
    elo, name = result.elo, result.event.names[0]
    row = Interval(name, elo.elo, elo.low, elo.high)
    counted = sorted(result.tally.counted, key=lambda outcome: outcome.number)
    scores = [outcome.scores[outcome.seats.index(0)] for outcome in counted]
    return draw_intervals([row], "Elo above the other agent, interval of 95 %") + draw_score(scores, name)


def _ratings_figure(result: TournamentResult) -> str:
    found = known_ratings(result)
    if found is None:
        return ""
    names = result.event.names
    rows = [Interval(names[entry.agent], entry.value, entry.low, entry.high) for entry in found.entries]
    return draw_intervals(rows, f"rating ({found.model}), interval of 95 %")


def _crosstable(result: TournamentResult) -> str:
    cells, order = crosstable(result), [row["agent"] for row in standings(result)]
    rows = [
        (str(rank), escape(result.event.names[agent]), *(_share(cells[agent][other]) for other in order))
        for rank, agent in enumerate(order, 1)
    ]
    return table(("", "Score against", *(str(rank) for rank in range(1, len(order) + 1))), rows, "saved cross")


def _share(cell: dict[str, Any] | None) -> str:
    return "" if cell is None else f"{100 * cell['score']:.1f} %"


def game_list(games: Sequence[StoredGame]) -> str:
    """Games, with links that replay them."""
    rows = [
        (
            str(game.number + 1),
            escape(result_words(game.agents, game.scores, game.returns)),
            escape(game.reason),
            str(game.plies),
            duration(game.seconds),
            f'<a href="{link_to("/arena/game", id=str(game.id))}">replay</a>',
        )
        for game in games
    ]
    return table(("", "Result", "Reason", "Moves", "Time", ""), rows, "saved games-list")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "saved") -> str:
    """A table of cells that are HTML already."""
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
