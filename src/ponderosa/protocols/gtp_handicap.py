"""Where the stones of a handicap stand, as the Go Text Protocol has it. Start at handicap_points."""

from __future__ import annotations

HANDICAP = {
    2: "D4 Q16",
    3: "D4 Q16 D16",
    4: "D4 Q16 D16 Q4",
    5: "D4 Q16 D16 Q4 K10",
    6: "D4 Q16 D16 Q4 D10 Q10",
    7: "D4 Q16 D16 Q4 D10 Q10 K10",
    8: "D4 Q16 D16 Q4 D10 Q10 K4 K16",
    9: "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10",
}
"""Where handicap stones stand on a board of 19 lines; on others as far from the edges, or in the middle."""
LETTERS = "ABCDEFGHJKLMNOPQRST"
LARGE, SMALLEST_WITH_HANDICAP = 13, 7
"""From this size on, handicap stones stand on the fourth line; below, on the third."""


def most_handicap(size: int) -> int:
    """How many stones of a fixed handicap a board has room for."""
    if size < SMALLEST_WITH_HANDICAP:
        return 0
    return 9 if size % 2 and size > SMALLEST_WITH_HANDICAP else 4


def handicap_points(stones: int, size: int) -> list[str]:
    """The points of so many stones."""
    edge = 4 if size >= LARGE else 3
    places = {4: edge, 16: size + 1 - edge, 10: (size + 1) // 2}
    return [
        f"{LETTERS[places[LETTERS.index(point[0]) + 1] - 1]}{places[int(point[1:])]}"
        for point in HANDICAP[stones].split()
    ]
