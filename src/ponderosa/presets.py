"""Compositions of the search by name: `rave`, `puct`, and a user's own from a TOML file. Start at PRESETS.

A preset is a text that names an agent with settings. It is written out at every door that takes an agent's text, so
that nothing behind the door knows presets: stored matches say what was played, whatever becomes of the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from ponderosa.core.spec import join_spec, split_spec
from ponderosa.errors import SettingError
from ponderosa.system.files import read_toml

PRESETS = {
    "uct": "mcts:select=ucb1",
    "ucb1_tuned": "mcts:select=ucb1_tuned",
    "thompson": "mcts:select=thompson",
    "rave": "mcts:select=rave",
    "grave": "mcts:select=grave,expand=all",
    "puct": "mcts:select=puct,expand=all",
    "gumbel": "mcts:select=gumbel,iterations=800",
    "progressive_bias": "mcts:select=progressive_bias",
    "widening": "mcts:expand=widening",
    "decisive": "mcts:playout=decisive",
    "mast": "mcts:playout=mast",
    "nst": "mcts:playout=nst",
    "last_good_reply": "mcts:playout=last_good_reply",
    "rave_mast": "mcts:select=rave,playout=mast",
    "rave_informed": "mcts:select=rave,playout=informed",
}
"""What comes with the package; `ponderosa docs policies` says what the policies do."""

VARIABLE = "PONDEROSA_PRESETS"
"""The environment variable that names a file of one's own presets."""

EXAMPLE = '[presets], then lines like  mine = "mcts:select=puct,c=2"'
LIMITS = ("seconds", "iterations")
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def known(agents: Collection[str]) -> dict[str, str]:
    """Every preset there is; `agents` are the names that are taken."""
    file = os.environ.get(VARIABLE, "")
    return PRESETS | (read_presets(file, agents) if file else {})


def read_presets(path: str | Path, agents: Collection[str]) -> dict[str, str]:
    """A user's file, checked; the error says what would be right."""
    values = read_toml(path)
    own = values.get("presets")
    if not isinstance(own, dict) or len(values) > 1:
        raise SettingError(f"{path} must have one table: {EXAMPLE}")
    for name, text in own.items():
        if name in agents or name in PRESETS:
            raise SettingError(f"{path}: there is already {'an agent' if name in agents else 'a preset'} {name!r}")
        if not _NAME.fullmatch(name):
            raise SettingError(f"{path}: a preset's name has letters, digits, _ and -, not {name!r}")
        if not isinstance(text, str) or not text.strip():
            raise SettingError(f'{path}: {name} must be text, like "mcts:select=puct,c=2", not {text!r}')
        split_spec(text)
    return own


def written_out(spec: str, agents: Collection[str]) -> str:
    """The text with a preset's name replaced by what it stands for; any other text as it is.

    Settings behind the name are added to the preset's own, or take their place; a limit takes the place of all of its
    limits. A preset may build on another one.
    """
    kind, settings = split_spec(spec)
    if kind in agents:
        return spec
    table, passed = known(agents), [kind]
    while kind in table:
        kind, more = split_spec(table[kind])
        if kind in passed:
            raise SettingError(f"the presets {', '.join(passed)} are made of each other; one must name an agent")
        passed.append(kind)
        limited = any(limit in settings for limit in LIMITS)
        settings = {key: text for key, text in more.items() if not (limited and key in LIMITS)} | settings
    return spec if len(passed) == 1 else join_spec(kind, settings)
