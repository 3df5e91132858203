"""Labels tell what was played: every board, time and number in a report, at every scale, is one that was asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ponderosa import load_game
from ponderosa.arena.results.statistics import Clusters
from ponderosa.arena.tournament import tournament
from ponderosa.core.spec import split_spec
from ponderosa.lab.experiment import SCALES, Work
from ponderosa.lab.experiment_names import EXPERIMENTS, find
from ponderosa.lab.experiments.bandits import regret_curve
from ponderosa.lab.published.compare import counted, elsewhere
from ponderosa.lab.published.words import NUMBERS, board_words, connect_words, listed
from ponderosa.lab.reports.report import AGREES, OPEN, Claim, Findings
from ponderosa.lab.sweeps.sweep import EACH_OTHER, contestants, read_vary, result_of

pytest.importorskip("scipy")


@dataclass
class Asked:
    """What an experiment asked to be played."""

    boards: set[str] = field(default_factory=set)
    numbers: dict[str, set[float]] = field(default_factory=lambda: {name: set() for name in UNITS})

    def game(self, spec: str) -> None:
        game = load_game(spec)
        self.boards |= (
            {f"{game.m}x{game.n}", connect_words(spec), f"{NUMBERS[game.k]} in a row"} if has_lines(game) else {"6x7"}
        )

    def settings(self, settings: Any) -> None:
        for name in UNITS:
            values = settings.get(name, ())
            for value in values if isinstance(values, list | tuple) else [values]:
                self.numbers[name].add(float(value))

    def agent(self, spec: str) -> None:
        self.settings(split_spec(spec)[1])


UNITS = {"iterations": r"(\d[\d,]*) iterations", "rollouts": r"(\d[\d,]*) rollouts", "seconds": r"(\d[\d.,]*) s\b"}
"""How a number is written with its unit in a label."""
BOARD = rf"\d+x\d+|Connect\([\d,]+\)|(?:{'|'.join(NUMBERS)}) in a row"
WORDS = {f"{word} seconds": float(value) for value, word in enumerate(NUMBERS)}


def has_lines(game: Any) -> bool:
    return all(hasattr(game, name) for name in "mnkpq")


class Pretended(Work):
    """Work in which nobody thinks: it notes what is asked, and gives results of a shape that any would have."""

    asked: Asked

    def sweep(self, game: Any, agent: str, vary: Any, against: str, games: int, **settings: Any) -> Any:
        values = read_vary(vary)
        chosen, agents, names = contestants(game, agent, values, against)
        self.asked.game(game)
        for text in agents:
            self.asked.agent(text)
        kind = "round robin" if against == EACH_OTHER else "gauntlet"
        league = tournament(
            load_game("tictactoe"), [f"random:seed={place}" for place in range(len(agents))], 2, kind=kind, names=names
        )
        return result_of(league, agent, values, against, chosen, agents)

    def match(self, game: Any, first: Any, second: Any, games: int, **settings: Any) -> Any:
        self.asked.game(game)
        for text in (first, second):
            self.asked.agent(text)
        played = Clusters()
        played.add(0, 1.0)
        return SimpleNamespace(elo=played.estimate())

    def fresh(self, game: Any, first: Any, second: Any, games: int) -> Any:
        self.match(game, first, second, games)
        return counted(3, 4)

    def kept(self, function: Any, **arguments: Any) -> Any:
        self.asked.settings(arguments)
        self.asked.settings(arguments.get("settings", {}))
        if "game" in arguments:
            self.asked.game(arguments["game"])
        for agent in {"agent", "first", "second"} & arguments.keys():
            self.asked.agent(arguments[agent])
        return RESULTS[function.__name__](arguments)


RESULTS = {
    "iterations_in": lambda asked: 17 + asked["seed"],
    "efforts_of": lambda asked: [(20, 0.5 + seed) for seed in range(3)],
    "on_one_tree": lambda asked: [(1.0, 0.0, -1.0)[number % 3] for number in range(asked["games"])],
    "lessons_of": lambda asked: [("blind", 1.0), ("blind", 0.5), ("scripted", 0.0), ("scripted", 0.5)] * asked["games"],
    "astray": lambda asked: 0.1 if asked["rule"] == "greedy" else 0.0,
    "visits_of": lambda asked: [[7.0 + column for column in range(7)] for _ in range(asked["moves"])],
    "effort_of": lambda asked: [[100.0 + game, 0.01] for game in range(asked["games"])],
    "regret_curve": lambda asked: regret_curve(asked["rule"], asked["arms"], 5, 64, asked["seed"]),
}


@functools.cache
def pretend(name: str, scale: str) -> tuple[Findings, Asked, Any]:
    work = Pretended(scale, Path("nowhere"))
    object.__setattr__(work, "asked", Asked())
    experiment = find(name)
    return experiment.run(work), work.asked, experiment


def labels(findings: Findings, experiment: Any) -> Iterator[str]:
    """Titles, the question, notes, and all words on tables and figures."""
    yield findings.title or experiment.title
    yield findings.question or experiment.question
    yield from findings.notes
    for table in findings.tables:
        yield from (table.title, *table.columns)
    for figure in findings.figures:
        yield from (figure.title, figure.x.label, figure.y.label)
        yield from (series.label for series in getattr(figure, "series", ()) if not series.published)


def sentences(text: str) -> list[str]:
    """Those that tell of ourselves."""
    return [one for one in re.split(r"(?<=[.?!;)]) ", text) if not re.search("original|scale full|Kim|there", one)]


def wrong(text: str, asked: Asked, units: Any = UNITS) -> list[str]:
    """What a text names that was not asked for."""
    found = []
    for sentence in sentences(text):
        found += [board for board in re.findall(BOARD, sentence) if board not in asked.boards]
        for name in units:
            numbers = [float(number.replace(",", "")) for number in re.findall(UNITS[name], sentence)]
            found += [f"{number:g} {name}" for number in numbers if number not in asked.numbers[name]]
        said = [word for word in WORDS if word in sentence.lower()]
        found += [word for word in said if WORDS[word] not in asked.numbers["seconds"]]
    return found


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_labels_name_what_was_played_and_nothing_else(name, scale):
    findings, asked, experiment = pretend(name, scale)
    assert [(text, wrong(text, asked)) for text in labels(findings, experiment) if wrong(text, asked)] == []


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_sentences_name_boards_and_times_that_were_played(name, scale):
    findings, asked, _ = pretend(name, scale)
    texts = [findings.summary, *(claim.ours for claim in findings.claims)]
    assert [(text, wrong(text, asked, ["seconds"])) for text in texts if wrong(text, asked, ["seconds"])] == []


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_every_list_says_fits_every_scale(name):
    """The title and the question of the catalogue are read before a scale is chosen."""
    for scale in SCALES:
        _, asked, experiment = pretend(name, scale)
        assert wrong(experiment.title, asked) == wrong(experiment.question, asked) == []


def test_a_label_that_is_wrong_is_found():
    asked = Asked({"5x6"}, {"iterations": {5.0}, "rollouts": {20.0}, "seconds": {0.01}})
    assert wrong("Points on 13x13, six in a row", asked) == ["13x13", "six in a row"]
    assert wrong("50 iterations of 20 rollouts in 3 s", asked) == ["50 iterations", "3 seconds"]
    assert wrong("Three seconds a move; 5 iterations on 5x6; the original has 3 s", asked) == ["three seconds"]


def test_the_scale_full_plays_what_the_originals_played():
    for name, board in {"connect6": "Connect(13,13,6,2,1)", "strength-time": "12x12", "thinking-time": "12x12"}.items():
        findings, asked, _ = pretend(name, "full")
        assert board in findings.title and board in asked.boards
    assert pretend("connect6", "tiny")[0].title == "Connect(5,6,4,2,1) against alpha-beta"


def test_claims_about_something_else_cannot_be_told():
    claim = Claim("It wins on 12x12.", "It does.", AGREES)
    assert elsewhere([claim], "12x12", "12x12") == [claim]
    (found,) = elsewhere([claim], "5x5", "12x12")
    assert found.verdict == OPEN and "5x5" in found.why and "12x12" in found.why


def test_words_for_boards_and_lists():
    assert board_words("gomoku") == "15x15, five in a row"
    assert board_words("connect:m=5,n=6,k=4,p=2,q=1") == "5x6, four in a row, two stones a turn"
    assert (listed([10]), listed([10, 50, 1000]), listed([0.5, 1.0])) == ("10", "10, 50 and 1,000", "0.5 and 1")
