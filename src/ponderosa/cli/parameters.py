"""Settings as lists show them: their names, their defaults, one line of words. Start at defaults."""

from __future__ import annotations

import inspect
from typing import Any

from ponderosa.registry import can_be_typed


def defaults(signature: inspect.Signature, leading: int = 0) -> dict[str, Any]:
    """Each setting's default; not the first `leading` parameters, **more, and what nobody can type, such as a clock."""
    named = list(signature.parameters.values())[leading:]
    return {
        parameter.name: None if parameter.default is parameter.empty else parameter.default
        for parameter in named
        if parameter.kind is not parameter.VAR_KEYWORD and can_be_typed(parameter)
    }


def written(settings: dict[str, Any]) -> str:
    """Settings as a person would type them."""
    return ", ".join(f"{key}={_value(value)}" for key, value in settings.items())


def about(thing: Any) -> str:
    """The first line of a docstring."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return lines[0] if lines else ""


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
