"""`ponderosa lab`: experiments that end in a report with figures. Start at run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ponderosa.cli.arena_options import Cluster, Concurrency, DeviceOption
from ponderosa.cli.common import AsJson
from ponderosa.cli.console import add_row, messages, new_table, remark, say, show, show_json

if TYPE_CHECKING:
    from ponderosa.lab.experiment import Step

app = typer.Typer(
    no_args_is_help=True, help="Experiments that end in a report with figures (ponderosa docs experiments)."
)


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show the experiments that there are."""
    from ponderosa.lab.experiment_names import EXPERIMENTS, find

    found = [find(name) for name in EXPERIMENTS]
    if as_json:
        facts = ("name", "title", "question", "original")
        show_json([{fact: getattr(experiment, fact) for fact in facts} for experiment in found])
        return
    table = new_table("Name", "What is asked", whole=("Name",))
    for experiment in found:
        add_row(table, experiment.name, experiment.question)
    show(table)


@app.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `lab list` shows it; or ./mine.py:Mine, mine.toml.")],
    scale: Annotated[
        str, typer.Option(help="tiny: seconds; quick: minutes, wide intervals; full: as long as it takes.")
    ] = "quick",
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="The report's folder. [default: ponderosa-lab/NAME-SCALE]")
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Games a pairing, in the place of the scale's number.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="All random numbers follow from it.")] = 0,
    concurrency: Concurrency = None,
    cluster: Cluster = None,
    device: DeviceOption = None,
) -> None:
    """Run an experiment and write its report; the same command goes on where it was stopped."""
    from ponderosa.lab.experiment import folder_of, run_experiment
    from ponderosa.lab.experiment_names import find

    experiment = find(name)
    folder = folder_of(experiment, scale, out)
    remark(f"{experiment.title}, scale {scale}, seed {seed}: {folder}. Stop it with Ctrl-C; the same command goes on.")
    with steps() as watch:
        page = run_experiment(experiment, scale, out, seed, concurrency, cluster, watch, name, device, games)
    say((page.parent / "report.md").read_text(encoding="utf-8").rstrip())
    remark(f"\nThe report is {page}")


@contextlib.contextmanager
def steps() -> Iterator[Callable[[Step], None]]:
    """Shows how far work is: a bar on a terminal, else a line for each thing that is begun."""
    console = messages()
    if not console.is_terminal:
        yield _Lines().show
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns: list[Any] = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("")
        yield lambda step: bar.update(task, description=step.words, completed=step.done, total=step.of)


class _Lines:
    """A line for every new thing, and once in a while how far it is."""

    every = 30.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._words, self._last = clock, "", 0.0

    def show(self, step: Step) -> None:
        now = self._clock()
        if step.words != self._words or now - self._last > self.every:
            remark(step.words + (f": {step.done:,} of {step.of:,}" if step.of else ""))
            self._words, self._last = step.words, now
