"""The texts below the fields of a class are in its help."""

from __future__ import annotations

import inspect
import pydoc
from dataclasses import dataclass
from typing import ClassVar

from ponderosa.core.budget import Budget
from ponderosa.core.field_texts import with_field_texts
from ponderosa.mcts.policies.base import SelectPolicy


@with_field_texts
@dataclass(frozen=True)
class Pair:
    """Two of a kind."""

    kind: ClassVar[str] = "pair"
    first: int = 1
    """The one."""


def test_help_shows_each_field_with_its_type_its_default_and_its_text():
    assert (inspect.getdoc(Budget) or "").startswith("Limits of one search")
    shown = pydoc.plain(pydoc.render_doc(Budget))
    assert " |  seconds: float | None = None\n |      Wall-clock time." in shown


def test_fields_of_base_classes_come_first_and_a_field_function_shows_its_default():
    text = inspect.getdoc(SelectPolicy) or ""
    assert text.index("name: str = ''") < text.index("memory: int = 0")
    assert "phase: str = ''" in text and "settings: dict[str, Any]\n" in text


def test_a_field_without_a_text_is_left_out_and_a_class_without_any_is_as_it_was():
    @with_field_texts
    class Bare:
        """Nothing in it."""

    assert Pair.__doc__ == "Two of a kind."  # of another package: its source is not read
    assert Bare.__doc__ == "Nothing in it."


def test_objects_and_subclasses_without_a_text_say_the_same():
    class More(Budget):
        pass

    assert Budget(iterations=1).__doc__ == Budget.__doc__
    assert inspect.getdoc(More) == inspect.getdoc(Budget)
