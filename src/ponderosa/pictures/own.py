"""A game's own picture of a position. Start at picture_address.

It is shown as an image only: browsers run no script in an image and load nothing for it, whatever is written there.
"""

from __future__ import annotations

import base64
import re

from ponderosa.core.state import State
from ponderosa.errors import GameError

PREFIX = "data:image/svg+xml;base64,"
MOST_LETTERS = 1_000_000
"""No picture is longer."""
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'


def picture_address(state: State) -> str | None:
    """The game's own picture of the position, as an address that an image may have; None: the game has none."""
    game = state.game
    text = game.picture(state.record)
    if text is None:
        return None
    text = text.strip() if isinstance(text, str) else text
    if not isinstance(text, str) or not re.match(r"<svg[\s>]", text):
        raise GameError(f"{game.title()}.picture must return SVG that begins with <svg, or None, not {text!r:.60}")
    if len(text) > MOST_LETTERS:
        raise GameError(f"{game.title()}.picture must be shorter than {MOST_LETTERS:,} letters, not {len(text):,}")
    if "xmlns=" not in text[: text.index(">")]:
        text = text.replace("<svg", f"<svg {NAMESPACE}", 1)
    return PREFIX + base64.b64encode(text.encode("utf-8", "replace")).decode()


def size_of(address: str) -> tuple[float, float]:
    """How wide and high a picture is that stands in an address: by its viewBox; without one, a square."""
    head = base64.b64decode(address.removeprefix(PREFIX)).decode().partition(">")[0]
    box = re.search(r"""viewBox=["']\S+\s+\S+\s+([\d.]+)\s+([\d.]+)["']""", head)
    width, height = (float(box[1]), float(box[2])) if box else (1.0, 1.0)
    return (width, height) if width > 0 < height else (1.0, 1.0)
