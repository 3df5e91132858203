"""Whether our figures and published ones agree: decided by rules, not by hand. Start at compared.

A published share is a Mean like ours: it came from a number of games, and has an interval too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ponderosa.arena.results.statistics import share_interval
from ponderosa.lab.reports.report import AGREES, DIFFERS, OPEN, PARTLY, Claim
from ponderosa.lab.sweeps.sweep import Mean

WIDEST = 0.16
"""When the difference to a published share could be this much or more, to either side, nothing can be told."""
NEAR = 0.05
"""Two agents are equally strong when neither can be expected to score this much more than half."""


def counted(wins: float, games: int, draws: float = 0) -> Mean:
    """The score that somebody counted in independent games, a draw as half a win, with its interval."""
    share = (wins + draws / 2) / games
    return Mean(games, share, *share_interval([(1.0, wins), (0.5, draws), (0.0, games - wins - draws)]))


def difference(ours: Mean, theirs: Mean) -> tuple[float, float]:
    """An interval of 95 % for how much larger ours is (Newcombe 1998, from the two intervals)."""
    apart = ours.value - theirs.value
    below = math.hypot(ours.value - ours.low, theirs.high - theirs.value)
    above = math.hypot(ours.high - ours.value, theirs.value - theirs.low)
    return apart - below, apart + above


def compared(ours: Mean | None, theirs: Mean) -> str:
    """Whether two shares may be the same: they differ when chance alone would seldom set them so far apart."""
    if ours is None:
        return OPEN
    low, high = difference(ours, theirs)
    if not low <= 0 <= high:
        return DIFFERS
    return AGREES if high - low < 2 * WIDEST else OPEN


def above(ours: Mean | None, level: float = 0.5) -> str:
    """Whether a share is surely more than a level, surely less, or neither."""
    if ours is None or ours.low <= level <= ours.high:
        return OPEN
    return AGREES if ours.low > level else DIFFERS


def equal(ours: Mean | None, level: float = 0.5) -> str:
    """Whether a share is as good as a level: what is surely near it agrees."""
    if ours is None:
        return OPEN
    if not ours.low <= level <= ours.high:
        return DIFFERS
    return AGREES if level - NEAR < ours.low and ours.high < level + NEAR else OPEN


def inside(low: float, value: float, high: float, least: float, most: float) -> str:
    """Whether a value with its interval lies in a published range."""
    if high < least or low > most:
        return DIFFERS
    return AGREES if least <= value <= most else OPEN


def together(verdicts: Iterable[str]) -> str:
    """One verdict of many: where some agree and some differ, in part; one that differs outweighs open ones."""
    found = set(verdicts)
    if PARTLY in found or {AGREES, DIFFERS} <= found:
        return PARTLY
    if DIFFERS in found:
        return DIFFERS
    return AGREES if found == {AGREES} else OPEN


def elsewhere(claims: Iterable[Claim], played: str, theirs: str) -> list[Claim]:
    """Claims about what the original played: if something else was, as on small scales, nothing can be told."""
    if played == theirs:
        return list(claims)
    why = f"Here it was {played}; the original is about {theirs}."
    return [replace(claim, verdict=OPEN, why=why) for claim in claims]


def claim_of_shares(
    words: str, ours: Mapping[str, Mean | None], theirs: Mapping[str, Mean], why: str = "", style: str = ""
) -> Claim:
    """Published shares held against ours one by one; `why` is said where any of them differs."""
    verdicts = {name: compared(ours[name], theirs[name]) for name in theirs}
    verdict = together(verdicts.values())
    said = "; ".join(f"{name}: {percent(ours[name])}" for name in theirs)
    differing = [name for name, one in verdicts.items() if one == DIFFERS]
    told = f"{len(theirs) - len(differing)} of {len(theirs)} within chance. " if differing else ""
    original = words + " " + "; ".join(f"{name}: {percent(share)}" for name, share in theirs.items()) + "."
    return Claim(original, f"{style}{said}.", verdict, told + (why if differing else ""))


def percent(share: Mean | None) -> str:
    """A share with its interval, for people."""
    if share is None:
        return "no game"
    return f"{100 * share.value:.1f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"
