"""`ponderosa games-db`: the stored games, listed, shown and exported. Start at list_games."""

from __future__ import annotations

import enum
import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.arena_options import CountRepeats, show_result_of
from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, ask, new_table, preparing, remark, say, show, show_json, write_file
from ponderosa.core.turns import CHANCE
from ponderosa.system.files import writing

if TYPE_CHECKING:
    from ponderosa.arena.results.store import Store

app = typer.Typer(
    no_args_is_help=True, help="List, show and export the games that matches and tournaments have stored."
)

StoreFile = Annotated[str, typer.Option("--store", metavar="FILE", help="The file with the games.")]
EventNumber = Annotated[int | None, typer.Option(help="Of this match or tournament only.")]
AgentName = Annotated[str | None, typer.Option(help="Of this agent only.")]


class Result(enum.StrEnum):
    """How a game ended for the agent, or for the first player when none is named."""

    win = "win"
    draw = "draw"
    loss = "loss"


class Format(enum.StrEnum):
    """What a game is written as."""

    jsonl = "jsonl"
    text = "text"


ResultOf = Annotated[Result | None, typer.Option(help="For --agent, or the first player when none is named.")]
Trust = Annotated[bool, typer.Option("--trust", help="Run the Python files in which the store says its games are.")]
Reason = Annotated[str | None, typer.Option(help="Ended so: finished, time, crash, 'illegal move', hang, ...")]


@app.command("list")
def list_games(
    events: Annotated[bool, typer.Option("--events", help="Matches and tournaments instead of games.")] = False,
    event: EventNumber = None,
    agent: AgentName = None,
    result: ResultOf = None,
    reason: Reason = None,
    limit: Annotated[int, typer.Option(min=1, help="How many games, the newest first.")] = 20,
    store: StoreFile = "ponderosa.db",
    as_json: AsJson = False,
) -> None:
    """List games, the newest first, or matches and tournaments."""
    with _opened(store) as opened:
        if events:
            _list_events(opened, as_json)
            return
        found = opened.games(event, agent, reason, result, limit)
        total = opened.count(event, agent, reason, result)
    if as_json:
        show_json([vars(game) for game in found])
        return
    table = new_table("Game", "Event", "No.", "Of", "Result", "How", "Moves", numbers=("Game", "Event", "No.", "Moves"))
    for game in found:
        from ponderosa.arena.results.replay import result_words

        words = result_words(game.agents, game.scores, game.returns)
        add_row(table, game.id, game.event, game.number, game.game, words, game.reason, game.plies)
    show(table)
    say(f"{len(found):,} of {total:,} games" if total else "No such game.")


@app.command("show")
def show_game(
    game: Annotated[int, typer.Argument(min=1, help="The number that the list gives it.")],
    replay: Annotated[bool, typer.Option("--replay", help="Every position, one by one.")] = False,
    pause: Annotated[float, typer.Option(min=0, help="Seconds between two positions; 0 waits for the Enter key.")] = 0,
    trust: Trust = False,
    store: StoreFile = "ponderosa.db",
    as_json: AsJson = False,
) -> None:
    """Show one game: who played, how it ended, its moves; --replay walks through it."""
    from ponderosa.arena.results.replay import move_names, result_words

    with _opened(store) as opened:
        stored = opened.game(game)
    with preparing():
        names = move_names(stored, trust)
    if as_json:
        show_json(stored | {"names": names})
        return
    ended = datetime.fromtimestamp(stored["ended"]).isoformat(" ", "seconds")
    say(f"Game {stored['id']}: {stored['game']}, number {stored['number']} of event {stored['event']}, {ended}")
    say(f"{result_words(stored['agents'], stored['scores'], stored['returns'])} ({stored['reason']})")
    if stored["detail"]:
        say(stored["detail"])
    _show_positions(stored, replay, pause, trust)
    say(f"Moves: {_with_opening(names, stored['opening'])}")


@app.command("result")
def show_result(
    event: Annotated[int, typer.Argument(min=1, help="The number that list --events gives it.")],
    sprt: Annotated[str | None, typer.Option(metavar="ELO0,ELO1", help="What a sequential test says of it.")] = None,
    count_repeats: CountRepeats = False,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Write a tournament's standings there.")] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a tournament's page there.")] = None,
    store: StoreFile = "ponderosa.db",
    as_json: AsJson = False,
) -> None:
    """Show what a match or tournament has come to so far, also while it is running."""
    from ponderosa.arena.match import as_sprt
    from ponderosa.arena.results.stored import stored_result
    from ponderosa.arena.tournament import TournamentResult

    with _opened(store) as opened:
        result = stored_result(opened, event, as_sprt(sprt), count_repeats)
    show_result_of(result, as_json)
    if isinstance(result, TournamentResult):
        write_file(csv, result.to_csv)
        write_file(html, result.to_html)


@app.command("export")
def export_games(
    to: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = "-",
    form: Annotated[
        Format, typer.Option("--format", help="A JSON object a line, or a line of moves under a line of words.")
    ] = Format.jsonl,
    event: EventNumber = None,
    agent: AgentName = None,
    result: ResultOf = None,
    reason: Reason = None,
    trust: Trust = False,
    store: StoreFile = "ponderosa.db",
) -> None:
    """Write games out, the oldest first: with everything stored, or just their moves."""
    with _opened(store) as opened:
        lines = _lines(opened, form, trust, opened.games(event, agent, reason, result, limit=-1))
        if to == "-":
            for line in lines:
                sys.stdout.write(line)
            return
        with writing(Path(to)) as file:
            file.writelines(line.encode() for line in lines)
    remark(f"{to} is written")


def _opened(path: str) -> Store:
    from ponderosa.arena.results.store import Store

    return Store(path, readonly=True)


def _list_events(opened: Store, as_json: bool) -> None:
    found = opened.events()
    if as_json:
        show_json([vars(entry) | {"event": entry.event.to_dict()} for entry in found])
        return
    table = new_table("Event", "Kind", "Of", "Agents", "Games", "Began", numbers=("Event", "Games"))
    for entry in found:
        began = datetime.fromtimestamp(entry.began).isoformat(" ", "minutes")
        games = f"{entry.games:,}" + ("" if entry.wanted in (None, entry.games) else f" of {entry.wanted:,}")
        add_row(table, entry.id, entry.event.kind, entry.event.game, ", ".join(entry.event.names), games, began)
    show(table)


def _lines(opened: Store, form: Format, trust: bool, games: list[Any]) -> Iterator[str]:
    from ponderosa.arena.results.replay import move_list, result_words

    for listed in reversed(games):
        stored = opened.game(listed.id)
        if form is Format.jsonl:
            yield json.dumps(stored, ensure_ascii=False) + "\n"
        else:
            words = result_words(stored["agents"], stored["scores"], stored["returns"])
            yield f"# {stored['game']}, game {stored['id']}: {words} ({stored['reason']})\n{move_list(stored, trust)}\n"


def _show_positions(stored: dict[str, Any], replay: bool, pause: float, trust: bool) -> None:
    from ponderosa.arena.results.replay import positions

    everything = list(positions(stored, trust))
    for ply, (state, name) in enumerate(everything if replay else everything[-1:]):
        say(f"\n{state}")
        if replay and name is not None:
            say(f"{ply}. {name}{_thought(stored, ply - 1)}")
        if replay and ply < len(everything) - 1:
            if pause:
                time.sleep(pause)
            elif sys.stdin.isatty() and ask("Enter for the next move, q to leave: ") == "q":
                return
    say()


def _thought(stored: dict[str, Any], ply: int) -> str:
    """Who made a move, and what it took."""
    place = ply - stored["opening"]
    if place < 0:
        return " (opening)"
    if place >= len(stored["thoughts"]):  # its process was ended, and what it thought is gone
        return ""
    seat, seconds, *told = stored["thoughts"][place]
    if seat == CHANCE:
        return " (chance)"
    more = f", {told[0]:,} iterations, value {100 * told[2]:.1f} %" if told else ""
    return f" ({stored['agents'][seat]}: {seconds:.3f} s{more})"


def _with_opening(names: list[str], opening: int) -> str:
    from ponderosa.core.notation import in_a_row

    return in_a_row(names) + (f"  (the first {opening} are the opening)" if opening else "")
