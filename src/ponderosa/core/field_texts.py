"""The text below a field, in help() of its class too. Start at with_field_texts.

Python forgets a text that stands below a field. It is read from the source when somebody asks for help.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator
from typing import Any, TypeVar

HEADING = "Fields:"
"""Below it are the fields: the documentation site, which shows them by itself, leaves out what follows."""

Kind = TypeVar("Kind", bound=type)


def with_field_texts(kind: Kind) -> Kind:
    """A class whose help() says what each of its fields is; subclasses with a text of their own say it themselves."""
    kind.__doc__ = _Help(kind.__doc__ or "")  # type: ignore[assignment]
    return kind


class _Help:
    """A class's docstring, with its fields, made when it is asked for."""

    def __init__(self, words: str) -> None:
        self._words = inspect.cleandoc(words)

    def __get__(self, instance: Any, kind: type) -> str:
        entries = [f"{declared}\n{textwrap.indent(text, '    ')}" for declared, text in _field_texts(kind)]
        return "\n\n".join([self._words, HEADING, *entries]) if entries else self._words


def _field_texts(kind: type) -> Iterator[tuple[str, str]]:
    """Every field as it is declared, and the text below it, those of the base classes first."""
    found: dict[str, tuple[str, str]] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("ponderosa."):
            continue
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        except (OSError, TypeError, SyntaxError):  # a class without source
            continue
        for field, below in itertools.pairwise(body):
            if isinstance(field, ast.AnnAssign) and (text := _text(below)) is not None:
                found[ast.unparse(field.target)] = _declared(field), inspect.cleandoc(text)
    return iter(found.values())


def _declared(field: ast.AnnAssign) -> str:
    """`seed: int = 0`, as a caller meets it: the default of a `field(default=0)`, the type of a ClassVar."""
    kind, value = field.annotation, field.value
    if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "ClassVar":
        kind = kind.slice
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        value = next((keyword.value for keyword in value.keywords if keyword.arg == "default"), None)
    return f"{ast.unparse(field.target)}: {ast.unparse(kind)}" + ("" if value is None else f" = {ast.unparse(value)}")


def _text(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value if isinstance(statement.value.value, str) else None
    return None
