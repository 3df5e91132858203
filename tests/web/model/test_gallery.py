"""The games as the front door shows them. Start at test_every_game_has_a_picture_and_its_words."""

from __future__ import annotations

import re
from pathlib import Path

from ponderosa.registry import GAMES
from ponderosa.web.model.catalogue import Catalogue
from ponderosa.web.model.gallery import KNOWN_BEST, POSITIONS, Gallery


def test_every_game_has_a_picture_and_its_words() -> None:
    gallery = Gallery(Catalogue())
    shown = gallery.exhibits
    assert sorted(exhibit.name for exhibit in shown) == sorted(GAMES)
    assert set(KNOWN_BEST) | set(POSITIONS) <= set(GAMES)
    for exhibit in shown:
        assert exhibit.label and exhibit.about and exhibit.people[0] == str(exhibit.players)
        assert gallery.picture(exhibit.name) is None
        assert re.search("<svg|<pre|<img", gallery.draw(exhibit.name))


def test_a_known_position_is_drawn() -> None:
    gallery = Gallery(Catalogue())
    assert gallery.draw("connect4").count('class="stone p') == len(POSITIONS["connect4"].split())
    assert gallery.picture("connect4") == gallery.draw("connect4")


def test_own_games_come_first_and_one_that_fails_has_no_picture(nim_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(nim_file.read_text().replace("return s.stones == 0", "return s.pebbles == 0"))
    names = [f"{broken}:Nim", f"{nim_file}:Nim"]
    catalogue = Catalogue(names)
    gallery = Gallery(catalogue)
    assert [exhibit.name for exhibit in gallery.exhibits][:3] == [*names, "connect4"]
    assert catalogue.usual_game == names[0]
    assert gallery.draw(names[0]) == ""
    assert "&lt;script&gt;" in gallery.draw(names[1]) and "<script" not in gallery.draw(names[1])
