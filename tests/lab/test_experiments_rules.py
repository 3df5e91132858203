"""What single experiments decide by: ranges that narrow, phases, stretches of games, verdicts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ponderosa.lab.experiments import rollouts
from ponderosa.lab.experiments.bandits import _greed, astray
from ponderosa.lab.experiments.board_size import _alike, _at_twelve, _least
from ponderosa.lab.experiments.connect6 import _claim
from ponderosa.lab.experiments.equal_iterations import _claim as equal_claim
from ponderosa.lab.experiments.exploration_constant import CONSTANTS, FIRST, SECOND, narrower
from ponderosa.lab.experiments.gomoku_ablation import turned
from ponderosa.lab.experiments.lazy_gomoku import _claims as lazy_claims
from ponderosa.lab.experiments.learning_tictactoe import _safe, curve
from ponderosa.lab.experiments.strength import _more, _phases
from ponderosa.lab.experiments.thinking_time import _straight
from ponderosa.lab.experiments.threats_sequences import FIVE, _smallest, first_won
from ponderosa.lab.experiments.visits import _claims as visits_claims
from ponderosa.lab.published.compare import counted
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, PARTLY
from ponderosa.lab.sweeps.sweep import Mean


def trial(**scores):
    points = [SimpleNamespace(settings={"c": c}, score=counted(score, 100)) for c, score in scores.items()]
    return SimpleNamespace(points=points)


def test_the_next_range_is_half_as_wide_around_the_best_two():
    assert narrower(trial(**{"0.5": 40, "1": 55, "1.5": 60, "2": 45})) == [0.875, 1.125, 1.375, 1.625]


def test_a_range_never_reaches_zero():
    assert min(narrower(trial(**{"0.1": 60, "0.4": 55, "0.7": 40, "1": 45}))) > 0


def test_the_published_scores_of_a_trial_are_those_of_all_its_games():
    assert len(FIRST) == len(SECOND) == len(CONSTANTS)
    assert sum(share.value for share in (*FIRST, *SECOND)) == pytest.approx(4, abs=0.005)


def test_the_published_scores_of_five_rollouts_and_of_one_add_up():
    """Those of one rollout, from its own table, as second and as first player."""
    alone = [counted(wins, 100, draws) for wins, draws in ((38, 0), (36, 0), (25, 4), (48, 2), (46, 3), (45, 4))]
    for five, one in zip((*rollouts.FIRST, *rollouts.SECOND), alone, strict=True):
        assert five.value + one.value == pytest.approx(1)
    assert "2 draws" in rollouts.Rollouts.original and "only 3 add up" in rollouts.Rollouts.original


def test_the_same_games_from_the_other_side():
    share = counted(30, 100)
    assert turned(turned(share)).value == pytest.approx(share.value)
    assert turned(share).low == pytest.approx(1 - share.high)


def league(outcomes):
    """A sweep of iterations against one opponent, with games won, drawn and lost."""
    count = lambda number: SimpleNamespace(total=lambda: number)  # noqa: E731
    lines = [
        None,
        *(SimpleNamespace(wins=count(w), draws=count(d), losses=count(lo)) for w, d, lo in outcomes.values()),
    ]
    points = [SimpleNamespace(settings={"iterations": str(number)}) for number in outcomes]
    return SimpleNamespace(points=points, league=SimpleNamespace(tally=SimpleNamespace(lines=lines)))


def test_phases_agree_when_most_games_end_as_published():
    lost, drawn, won = _phases(league({1000: (5, 5, 90), 20_000: (90, 5, 5), 50_000: (50, 0, 50)}))
    assert (lost.verdict, drawn.verdict, won.verdict) == (AGREES, DIFFERS, OPEN)
    assert "0 to 15,000 iterations" in lost.original and "90.0 %" in lost.ours


def test_a_phase_in_which_nothing_was_played_is_left_out():
    assert len(_phases(league({1000: (0, 0, 4), 2000: (0, 0, 4)}))) == 1


def test_one_agent_has_more_points_when_chance_would_seldom_say_so():
    assert _more(counted(70, 100), counted(40, 100)) == AGREES
    assert _more(counted(40, 100), counted(70, 100)) == DIFFERS
    assert _more(counted(50, 100), counted(55, 100)) == _more(None, counted(1, 2)) == OPEN


@pytest.mark.parametrize(
    ("scores", "verdict"), [((10, 5), AGREES), ((10, 80), DIFFERS), ((10, 50), OPEN)], ids=["none", "one", "perhaps"]
)
def test_no_agent_plays_well_unless_one_surely_takes_more_than_half(scores, verdict):
    found = {
        name: SimpleNamespace(points=[SimpleNamespace(name="seconds=1", score=counted(score, 100))])
        for name, score in zip(("fast", "strong"), scores, strict=True)
    }
    assert _claim(found).verdict == verdict


def test_visits_are_few_or_even_by_the_most_visited_column():
    few, even = Mean(100, 50, 48, 52), Mean(100, 16, 15.5, 16.5)
    assert [claim.verdict for claim in visits_claims({0.1: few, 10.0: even})] == [AGREES, AGREES]
    assert [claim.verdict for claim in visits_claims({0.1: even, 10.0: few})] == [DIFFERS, DIFFERS]
    assert visits_claims({0.1: Mean(3, 25, 15, 40), 10.0: even})[0].verdict == OPEN


def test_greed_agrees_when_it_alone_goes_astray():
    assert _greed({"greedy": 0.1, "UCB1": 0.0}).verdict == AGREES
    assert _greed({"greedy": 0.1, "UCB1": 0.2}).verdict == DIFFERS
    assert _greed({"greedy": 0.0, "UCB1": 0.0}).verdict == OPEN


def test_a_greedy_player_stays_with_the_worse_arm_about_as_often_as_its_first_pulls_mislead():
    """Lost at the good one and won at the other: 0.2 * 0.3 of the runs; lost at both: whichever pays first."""
    assert 0.05 < astray("greedy", 2000, 400, 0) < 0.2
    assert astray("UCB1", 200, 2000, 0) == 0.0


def test_a_board_is_the_smallest_when_looking_ahead_wins_from_there_on():
    sure, half, lost = counted(90, 100), counted(50, 100), counted(5, 100)
    scores = {8: half, 10: sure, 11: half, 12: sure, 14: sure}
    assert first_won(scores) == 12
    assert first_won({12: half}) is None
    assert _smallest(FIVE, scores, 12).verdict == AGREES
    assert _smallest(FIVE, scores | {11: sure}, 12).verdict == DIFFERS
    assert _smallest(FIVE, scores | {14: half}, 12).verdict == OPEN
    assert _smallest(FIVE, scores | {14: lost}, 12).verdict == DIFFERS
    assert _smallest(FIVE, {5: half}, 12).verdict == OPEN


@pytest.mark.parametrize(
    ("ends", "verdicts"),
    [((31, 40, 29), (AGREES, OPEN)), ((80, 10, 10), (DIFFERS, AGREES)), ((5, 5, 90), (DIFFERS, DIFFERS))],
)
def test_lazy_is_judged_by_its_wins_and_losses(ends, verdicts):
    found = {"lazy": league({1000: ends})}
    assert tuple(claim.verdict for claim in lazy_claims(found)) == verdicts


def test_three_agents_are_equal_when_each_is_near_half_against_the_other():
    half, more = counted(1000, 2000), counted(90, 100)
    assert equal_claim({("slow", "fast"): [half]}, [30]).verdict == AGREES
    assert equal_claim({("slow", "fast"): [half], ("medium", "fast"): [more]}, [30]).verdict == PARTLY


def near(value):
    return Mean(5, value, value * 0.99, value * 1.01)


def test_lines_are_straight_when_powers_are_about_one():
    assert _straight({"fast": near(1.0), "lazy": near(0.95)}).verdict == AGREES
    assert _straight({"fast": near(0.7), "lazy": near(0.6)}).verdict == DIFFERS


def test_boards_are_judged_by_what_was_said_of_them():
    sizes = {3: 1000, 5: 900, 12: 500, 15: 300, 19: 100}
    speeds = {
        name: {size: near(speed) for size, speed in sizes.items()} for name in ("slow", "medium", "fast", "clever")
    }
    speeds["lazy"] = {3: near(1000), 5: near(900), 12: near(500), 15: near(550), 19: near(400)}
    assert [claim.verdict for claim in (_alike(speeds), _least(speeds), *_at_twelve(speeds))] == [AGREES] * 5
    speeds["clever"] = {size: near(10 * speed) for size, speed in sizes.items()}
    speeds["medium"] = {size: near(1000) for size in sizes}
    assert [claim.verdict for claim in (_alike(speeds), _least(speeds), _at_twelve(speeds)[0])] == [DIFFERS] * 3


def test_a_learning_curve_is_the_mean_of_all_learners_in_each_stretch():
    one = [("blind", 0.0), ("scripted", 1.0)] * 2 + [("blind", 1.0), ("scripted", 1.0)] * 2
    other = [("blind", 1.0), ("scripted", 0.0)] * 4
    assert [mean.value for mean in curve([one, other], "blind", 2)] == [0.5, 1.0]
    assert [mean.value for mean in curve([one, other], "scripted", 2)] == [0.5, 0.5]
    assert all(0 <= mean.low <= mean.high <= 1 for mean in curve([one, other], "blind", 2))


@pytest.mark.parametrize(("lost", "verdict"), [(0, AGREES), (5, PARTLY), (20, OPEN), (200, DIFFERS)])
def test_learners_play_perfectly_when_they_lose_nothing_any_more(lost, verdict):
    course = [("blind", 0.0)] * 400 + [("blind", 0.0)] * lost + [("blind", 0.5)] * (400 - lost)
    assert _safe([course], 2).verdict == verdict
