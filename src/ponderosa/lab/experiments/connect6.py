"""Two stones a turn on a small board, six in a row: does any agent play it well? Start at SmallConnect6.run."""

from __future__ import annotations

from dataclasses import replace

from ponderosa.lab.experiment import Experiment, Work
from ponderosa.lab.experiments.strength import Curves, curves, notes, points_figure, points_table, said
from ponderosa.lab.published.compare import above, elsewhere
from ponderosa.lab.published.words import board_words, connect_words
from ponderosa.lab.published.works import KENYON, both_ways
from ponderosa.lab.reports.figures import Axis
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, Claim, Findings

NAMES = ("fast", "clever", "lazy")
AGENTS = both_ways(NAMES) | {"strong": "strong"}
BOARD = "connect:m=13,n=13,k=6,p=2,q=1"
ASKED = (
    " against alpha-beta with the threats evaluation? Fast, clever and lazy as the original's and as ours, and strong, "
    "our best."
)


class SmallConnect6(Experiment):
    """Points at Connect6 on a small board."""

    name, title = "connect6", "Connect6 on a small board against alpha-beta"
    question = f"Does any agent play Connect6 on a small board well{ASKED}"
    original = (
        f"{KENYON}, section 4.2.3: no agent plays it well, even with 300 s a turn; lazy makes a million iterations in "
        "that time. Clever does reasonably well against a random player, but plays at random until somebody can win in "
        "a turn."
    )

    def run(self, work: Work) -> Findings:
        """A match for each agent and time."""
        board = work.pick(tiny="connect:m=5,n=6,k=4,p=2,q=1", quick=BOARD, full=BOARD)
        times = work.pick(tiny=[0.005], quick=[0.05, 0.2], full=[1.0, 10.0])
        games = work.games(tiny=2, quick=12, full=100)
        agents = work.pick(tiny={name: AGENTS[name] for name in NAMES}, quick=AGENTS, full=AGENTS)
        found = curves(work, board, agents, "seconds", times, games)
        axis = Axis("thinking time a move", "s, logarithmic", log=True)
        chart = points_figure(found, "seconds", axis, f"Points at {connect_words(board)}")
        claims = elsewhere([_claim(found)], connect_words(board), connect_words(BOARD))
        found_out = Findings(said(found), claims, [points_table(found, "seconds", "s")], [chart], notes(work, games))
        question = f"Does any agent play {connect_words(board)}, {board_words(board)}, well{ASKED}"
        return replace(found_out, title=f"{connect_words(board)} against alpha-beta", question=question)


def _claim(found: Curves) -> Claim:
    """An agent plays well when it surely takes more than half of the points."""
    shares = {f"{agent}, {point.name}": point.score for agent, result in found.items() for point in result.points}
    verdicts = {name: above(share) for name, share in shares.items()}
    well = [name for name, verdict in verdicts.items() if verdict == AGREES]
    verdict = DIFFERS if well else AGREES if set(verdicts.values()) == {DIFFERS} else OPEN
    unsure = [name for name, one in verdicts.items() if one == OPEN]
    ours = f"Surely more than half of the points: {', '.join(well) or 'none'}. Perhaps: {', '.join(unsure) or 'none'}."
    why = "Strong is another kind of player: proofs by threats, and alpha-beta over shapes." if well else ""
    return Claim("No agent plays it well.", ours, verdict, why)
