"""`ponderosa train`: an agent plays games, learns from them, and its learning curve is shown. Start at train."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.common import INTERRUPTED, AsJson, GameName, names_of_agents
from ponderosa.cli.console import add_row, messages, new_table, preparing, remark, say, show, show_json, write_file
from ponderosa.cli.pictures import check_folder
from ponderosa.errors import SettingError

if TYPE_CHECKING:
    from ponderosa.arena.results.curve import Curve, CurvePoint

FIGURES = (".svg", ".png", ".pdf")
ROWS = 10
"""How many stretches of games the table has."""
TITLE = 24
"""Longer names are cut in the table."""


def train(
    game: GameName,
    memory: Annotated[Path, typer.Option(metavar="FILE", help="What was learned: begun anew, or gone on with.")],
    games: Annotated[int, typer.Option(min=1, help="How many games to play.")] = 100,
    against: Annotated[
        str, typer.Option(metavar="AGENT,...", help="Opponents, met in turn: blind,scripted,self or any agents.")
    ] = "self",
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="Who learns: mcts with any settings, or a preset of it.",
            autocompletion=names_of_agents,
        ),
    ] = "mcts:iterations=100",
    seed: Annotated[int, typer.Option(min=0, help="Every game follows from it, and from what was learned before.")] = 0,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the learning curve: FILE.svg, .png or .pdf.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a line a game.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let an agent learn from games: it keeps its tree and the results in a file, and plays better with it.

    Play with what was learned: --agent mcts:memory=FILE,iterations=100. Ctrl-C
    ends the training and saves it.
    """
    _check_files(figure, csv)
    with preparing(game):
        from ponderosa.arena import training

        _compile(game, agent)
    with _bar(games) as watch:
        curve = training.train(game, agent, against, games, memory, seed=seed, watch=watch)
    if as_json:
        show_json(_plain(curve))
    elif curve.lessons:
        _show(curve)
    write_file(csv, lambda: curve.to_csv().encode())
    if curve.lessons:
        write_file(figure, lambda: curve.figure(figure.suffix[1:].lower()) if figure else b"")
    ended = f"interrupted after {len(curve.lessons):,} of {games:,} games; " if curve.interrupted else ""
    remark(f"{ended}what was learned is saved: {curve.memory} knows {curve.known:,} games")
    if curve.interrupted:
        raise typer.Exit(INTERRUPTED)


def _check_files(figure: Path | None, csv: Path | None) -> None:
    """Say before the games, not after them, that something cannot be written."""
    if figure is not None and figure.suffix.lower() not in FIGURES:
        raise SettingError(f"--figure writes {', '.join(FIGURES)}, and not {figure.name!r}")
    if figure is not None:
        from ponderosa.arena.results.html import check_figures

        check_figures()
    for path in (figure, csv):
        if path is not None:
            check_folder(path)


def _compile(game: str, agent: str) -> None:
    """Compile the learner where people are told; its file stays shut, and what is wrong with it is said later."""
    from ponderosa.core.spec import join_spec, split_spec
    from ponderosa.registry import load_agent, load_game, written_out

    rules = load_game(game)
    kind, settings = split_spec(written_out(agent))
    if kind == "mcts":
        load_agent(join_spec(kind, {key: text for key, text in settings.items() if key != "memory"}), rules).close()


@contextlib.contextmanager
def _bar(games: int) -> Iterator[Callable[[Curve], None] | None]:
    """A progress bar on stderr with the last scores, on a terminal only."""
    console = messages()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[scores]}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=games, scores="getting ready")
        yield lambda curve: progress.update(task, completed=len(curve.lessons), scores=_latest(curve))


def _latest(curve: Curve, games: int = 50) -> str:
    """What the last games against each opponent have come to."""
    words = []
    for opponent in curve.opponents:
        last = [
            lesson.score for lesson in curve.lessons[-games * len(curve.opponents) :] if lesson.opponent == opponent
        ]
        if last:
            words.append(f"{opponent[:TITLE]} {100 * sum(last) / len(last):.0f} %")
    return ", ".join(words)


def _show(curve: Curve) -> None:
    """The curve as a table, with a row of bars for each opponent."""
    from ponderosa.arena.results.curve import sparkline

    say(f"{curve.game}: {curve.agent}, seed {curve.seed}")
    points = {opponent: curve.of(opponent, ROWS) for opponent in curve.opponents}
    titles = [f"Against {opponent[:TITLE]}" for opponent in curve.opponents]
    table = new_table("Games", *titles, numbers=("Games", *titles))
    stretches = sorted({(point.begin, point.end) for point in curve.points(ROWS)})
    for begin, end in stretches:
        found = {point.opponent: point for point in curve.points(ROWS) if point.begin == begin}
        cells = [_cell(found.get(opponent)) for opponent in curve.opponents]
        add_row(table, f"{begin:,} to {end:,}", *cells)
    show(table)
    for opponent, row in points.items():
        if row:
            bars = sparkline([point.score for point in row])
            say(f"{opponent}: {bars}  {100 * row[0].score:.1f} % at first, {100 * row[-1].score:.1f} % at last")


def _cell(point: CurvePoint | None) -> str:
    if point is None:
        return "-"
    return f"{100 * point.score:.1f} % ({100 * point.low:.0f} to {100 * point.high:.0f})"


def _plain(curve: Curve) -> dict[str, Any]:
    from dataclasses import asdict

    facts = {key: value for key, value in asdict(curve).items() if key != "lessons"}
    return {**facts, "points": [asdict(point) for point in curve.points()]}
