"""Rooms of the house: a class name means one thing in the arena, the lab, the page and what they stand on."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import ponderosa

ROOMS = ("arena", "lab", "web", "cli", "system", "core")


def test_no_two_rooms_have_public_classes_of_the_same_name() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for file in (Path(ponderosa.__file__).parent / room).rglob("*.py"):
            for statement in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                    homes[statement.name].add(room)
    assert len(homes) > 100
    assert {name: rooms for name, rooms in homes.items() if len(rooms) > 1} == {}
