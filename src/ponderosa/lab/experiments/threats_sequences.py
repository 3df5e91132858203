"""The two evaluations of the Connect family against each other, and the smallest interesting board.

Start at ThreatsSequences.run, then InterestingBoard.run.
"""

from __future__ import annotations

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.published.compare import above, percent, together
from ponderosa.lab.published.words import board_words, connect_words, number
from ponderosa.lab.published.works import KENYON
from ponderosa.lab.reports.figures import Axis, Chart, Series
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings
from ponderosa.lab.reports.tables import Table, with_interval
from ponderosa.lab.sweeps.sweep import Mean

FIVE, SIX = "connect:m={n},n={n},k=5", "connect:m={n},n={n},k=6,p=2,q=1"
"""The boards that the original looked at: one stone a turn, and two."""
FAMILIES = {FIVE: "one stone a turn", SIX: "two stones a turn"}
OPENINGS = "random:2"
OPENED = (
    "Both players are deterministic, so games begin with two random moves, each opening in both seats; the original "
    "varied the search a little from game to game."
)


def searching(evaluation: str, positions: int, depth: int = 9) -> str:
    """Alpha-beta so many moves ahead, with a fixed number of positions: as strong on any machine."""
    return f"minimax:eval={evaluation},depth={depth},branch=13,forced=0,positions={positions}"


class ThreatsSequences(Experiment):
    """Threats against sequences on several boards."""

    name, title = "threats-sequences", "Threats against sequences"
    question = (
        "Which of the two static evaluations of the Connect family is better in alpha-beta, threats (windows that can "
        "still become a line) or sequences (runs of stones)? With equal search, on several boards."
    )
    original = (
        f"{KENYON}, section 4.2: threats is better over a large range of games and settings; no number is given. "
        "Sequences plays well later in a game, and has openings that always lose."
    )

    def run(self, work: Work) -> Findings:
        """A match for each board and depth."""
        boards = work.pick(
            tiny=["connect:m=5,n=5,k=4"],
            quick=[FIVE.format(n=9), FIVE.format(n=12), FIVE.format(n=15), SIX.format(n=13)],
            full=[*(FIVE.format(n=n) for n in (7, 9, 12, 15, 19)), *(SIX.format(n=n) for n in (9, 13, 19))],
        )
        depths = work.pick(tiny=[1], quick=[1, 3], full=[1, 3, 5, 9])
        positions = work.pick(tiny=200, quick=3000, full=200_000)
        games = work.games(tiny=2, quick=20, full=200)
        found: dict[str, list[Mean | None]] = {
            board: [
                _score(
                    work, board, searching("threats", positions, deep), searching("sequences", positions, deep), games
                )
                for deep in depths
            ]
            for board in boards
        }
        return Findings(
            _said(found, depths),
            [_better(found, depths)],
            [_table(found, depths)],
            [_figure(found, depths)],
            [f"{games} games a match. {OPENED}", f"Each side looks at most at {positions:,} positions a move."],
        )


def _score(work: Work, board: str, one: str, other: str, games: int) -> Mean | None:
    return Mean.of(work.match(board, one, other, games, openings=OPENINGS).elo)


def _said(found: dict[str, list[Mean | None]], depths: list[int]) -> str:
    told = "; ".join(
        f"{connect_words(board)}: "
        + ", ".join(f"{percent(s)} {_ahead(d)}" for d, s in zip(depths, scores, strict=True))
        for board, scores in found.items()
    )
    return f"Threats scored against sequences, {told}."


def _ahead(depth: int) -> str:
    return f"{number(depth)} {'move' if depth == 1 else 'moves'} ahead"


def _better(found: dict[str, list[Mean | None]], depths: list[int]) -> Claim:
    verdicts = [above(score) for scores in found.values() for score in scores]
    sure = sum(one == AGREES for one in verdicts)
    against = sum(one == DIFFERS for one in verdicts)
    told = f"Surely better in {sure} of {len(verdicts)} matches, surely worse in {against}."
    why = "" if together(verdicts) == AGREES else "On some boards, or with some depth, these games do not show it."
    return Claim("Threats is better over a large range of games.", told, together(verdicts), why)


def _table(found: dict[str, list[Mean | None]], depths: list[int]) -> Table:
    rows = [
        {"board": connect_words(board), "moves ahead": deep} | with_interval("score of threats", "%", score, 100)
        for board, scores in found.items()
        for deep, score in zip(depths, scores, strict=True)
    ]
    return Table.of("scores", "Threats against sequences", rows)


def _figure(found: dict[str, list[Mean | None]], depths: list[int]) -> Chart:
    names = [connect_words(board) for board in found]
    series = [
        Series.of(_ahead(deep), names, [scores[place] for scores in found.values()], 100)
        for place, deep in enumerate(depths)
    ]
    axes = Axis("board"), Axis("score of threats", "%", low=0, high=100)
    return Chart("threats", "Threats against sequences", *axes, series, bars=True, level=50.0)


class InterestingBoard(Experiment):
    """Alpha-beta with threats against the evaluation alone, by the size of the board."""

    name, title = "interesting-board", "The smallest interesting board"
    question = (
        "From which size of the board on does looking ahead pay: alpha-beta with the threats evaluation against the "
        "evaluation alone, five in a row with one stone a turn and six in a row with two?"
    )
    original = (
        f"{KENYON}, section 4.2: boards of 12x12 (five in a row) and 13x13 (six in a row) are the smallest on which "
        "alpha-beta with threats consistently beats the evaluation alone; on very small ones every game is drawn. (It "
        "writes Connect(13,13,6,1,1) there, and plays Connect(13,13,6,2,1) everywhere else.)"
    )

    def run(self, work: Work) -> Findings:
        """A match for each board."""
        sizes: dict[str, list[int]] = {
            FIVE: work.pick(tiny=[5], quick=[6, 8, 10, 12, 14], full=list(range(5, 17))),
            SIX: work.pick(tiny=[6], quick=[7, 9, 11, 13], full=list(range(6, 17))),
        }
        positions = work.pick(tiny=100, quick=5000, full=500_000)
        games = work.games(tiny=2, quick=16, full=200)
        ahead, alone = searching("threats", positions), searching("threats", 1000, 1)
        found = {
            family: {n: _score(work, family.format(n=n), ahead, alone, games) for n in each}
            for family, each in sizes.items()
        }
        claims = [_smallest(FIVE, found[FIVE], 12), _smallest(SIX, found[SIX], 13)]
        return Findings(
            " ".join(_told(family, scores) for family, scores in found.items()),
            claims,
            [_sizes(found)],
            [_by_size(found)],
            [
                f"{games} games a match. {OPENED}",
                f"Alpha-beta is {ahead}: nine moves ahead at most, as far as its positions reach. Alone is {alone}.",
            ],
        )


def _told(family: str, scores: dict[int, Mean | None]) -> str:
    told = ", ".join(f"{n}x{n} {percent(score)}" for n, score in scores.items())
    return f"With {FAMILIES[family]}, looking ahead scored against the evaluation alone: {told}."


def first_won(scores: dict[int, Mean | None]) -> int | None:
    """The smallest board from which on looking ahead surely wins more than half; None: there is none."""
    found = None
    for n, score in sorted(scores.items(), reverse=True):
        if above(score) != AGREES:
            return found
        found = n
    return found


def _smallest(family: str, scores: dict[int, Mean | None], theirs: int) -> Claim:
    ours = first_won(scores)
    earlier = ours is not None and ours < theirs
    lost = any(above(score) == DIFFERS for n, score in scores.items() if n >= theirs)
    verdict = OPEN if theirs not in scores else AGREES if ours == theirs else DIFFERS if earlier or lost else OPEN
    said = "On no board up to the largest" if ours is None else f"From {ours}x{ours} on"
    words = f"With {FAMILIES[family]}, {theirs}x{theirs} is the smallest board on which looking ahead wins."
    why = "The search and the openings are ours; these games are too few for boards on which it wins seldom."
    return Claim(words, f"{said} it surely scores more than half.", verdict, "" if verdict == AGREES else why)


def _sizes(found: dict[str, dict[int, Mean | None]]) -> Table:
    rows = [
        {"board": board_words(family.format(n=n)), "size": n} | with_interval("score of looking ahead", "%", score, 100)
        for family, scores in found.items()
        for n, score in scores.items()
    ]
    return Table.of("sizes", "Looking ahead against the evaluation alone", rows)


def _by_size(found: dict[str, dict[int, Mean | None]]) -> Chart:
    series = [Series.of(FAMILIES[f], list(scores), list(scores.values()), 100) for f, scores in found.items()]
    axes = Axis("rows and columns"), Axis("score of looking ahead", "%", low=0, high=100)
    return Chart("sizes", "Looking ahead against the evaluation alone", *axes, series, level=50.0)
