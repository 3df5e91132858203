"""Texts that name a thing with settings, `mcts:seconds=1,c=1.4`: read, written, made. Start at split_spec."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any

from ponderosa.errors import GameError, PonderosaError, SettingError, unknown

WORLDS = ("openspiel", "gymnasium", "pettingzoo")
"""Kinds whose first setting is the name of something in another package: `openspiel:hex(board_size=5)`."""


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """`NAME:key=value,key=value` as a name and its settings; a piece without `=` belongs to the value before it.

    A value in double quotes may have commas: `engine:cmd="other --board 15,15",seconds=2`.
    """
    head, colon, tail = spec.strip().partition(":")
    if head.endswith(".py") and colon:  # the class in a file comes first: ./nim.py:Nim:heaps=1,2
        name, colon, tail = tail.partition(":")
        head = f"{head}:{name}"
    settings: dict[str, str] = {}
    last = None
    if head in WORLDS:
        settings, tail = _name_first(tail)
    if tail.count('"') % 2:
        raise SettingError(f"a quotation mark is missing in {spec!r}")
    for piece in _pieces(tail) if tail.strip() else []:
        key, equals, value = piece.partition("=")
        if equals:
            last = key.strip()
            if last in settings:
                raise SettingError(f"{spec!r} gives {last!r} twice")
            settings[last] = _without_quotes(value.strip())
        elif last is not None:
            settings[last] += f",{piece.strip()}"
        else:
            raise SettingError(f"{piece!r} in {spec!r} is not of the form key=value; write NAME:key=value,key=value")
    return head.strip(), settings


def _name_first(text: str) -> tuple[dict[str, str], str]:
    """The name that a text begins with, which may have settings of its own in brackets, and what comes behind it."""
    depth = 0
    for place, letter in enumerate(text + ","):
        depth += (letter == "(") - (letter == ")")
        if letter == "=" and not depth:
            return {}, text
        if letter == "," and not depth:
            name = text[:place].strip()
            return {"name": name} if name else {}, text[place + 1 :]
    raise SettingError(f"a closing bracket is missing in {text!r}")


def _pieces(text: str) -> list[str]:
    """What is between the commas that are not within quotes."""
    pieces = [""]
    for number, part in enumerate(text.split('"')):
        first, *more = [part] if number % 2 else part.split(",")  # every second part is within quotes
        pieces[-1] += ('"' if number else "") + first
        pieces += more
    return pieces


def join_spec(kind: str, settings: Mapping[str, str]) -> str:
    """The text that `split_spec` reads so."""
    if kind in WORLDS and "name" in settings:
        more = [f",{name}={_quoted(text)}" for name, text in settings.items() if name != "name"]
        return f"{kind}:{settings['name']}{''.join(more)}"
    return kind + ":" * bool(settings) + ",".join(f"{name}={_quoted(text)}" for name, text in settings.items())


def _without_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _quoted(text: str) -> str:
    return f'"{text}"' if "," in text or " " in text else text


def can_be_typed(parameter: inspect.Parameter) -> bool:
    """Whether a setting is for people: not a clock, for one."""
    return parameter.default is parameter.empty or not callable(parameter.default)


def make(what: str, kind: Any, settings: Mapping[str, str], *leading: Any) -> Any:
    """Call a class or function with settings given as text, each read as its parameter's type."""
    return called(what, kind, *leading, **read_settings(what, kind, settings, len(leading)))


def called(what: str, kind: Any, /, *leading: Any, **values: Any) -> Any:
    """What comes of a call; whatever goes wrong in it is one of our errors."""
    try:
        return kind(*leading, **values)
    except PonderosaError:
        raise
    except Exception as error:
        raise GameError(f"{what} cannot be made: {type(error).__name__}: {error}") from error


def read_settings(what: str, kind: Any, settings: Mapping[str, str], leading: int = 0) -> dict[str, Any]:
    """Settings given as text, each as its parameter's type; so many parameters are not for people."""
    everything = list(inspect.signature(kind).parameters.items())
    parameters = {name: parameter for name, parameter in everything[leading:] if can_be_typed(parameter)}
    taken = ("self", *(name for name, _ in everything if name not in parameters))
    hints = typing.get_type_hints(kind if inspect.isfunction(kind) else kind.__init__)
    more = [name for name, parameter in parameters.items() if parameter.kind is parameter.VAR_KEYWORD]
    values: dict[str, Any] = {}
    for key, text in settings.items():
        if key in parameters and key not in more:
            values[key] = read_value(f"{key} of {what}", text, parameters[key].default, hints.get(key))
        elif more and key not in taken:
            values[key] = read_value(f"{key} of {what}", text, inspect.Parameter.empty, None)
        else:
            raise unknown(f"parameter of {what}", key, [name for name in parameters if name not in more])
    return values


def read_value(what: str, text: str, default: Any, hint: Any) -> Any:
    """A text as a value of the type that the default or the annotation asks for; else as whatever it looks like."""
    kinds = _kinds(default, hint)
    if type(None) in kinds and text.lower() == "none":
        return None
    for kind in kinds:
        try:
            if kind is bool:
                return _TRUTH[text.lower()]
            if kind in (int, float):
                return kind(text)
            if kind in (tuple, list):
                return kind(read_value(what, item, inspect.Parameter.empty, None) for item in text.split(","))
        except (ValueError, KeyError):
            continue
    if not kinds or str in kinds:
        return text
    wanted = " or ".join(_KIND_NAMES.get(kind, kind.__name__) for kind in kinds if kind is not type(None))
    raise SettingError(f"{what} must be {wanted}, not {text!r}")


_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_KIND_NAMES = {int: "a whole number", float: "a number", bool: "true or false", tuple: "a list of values"}


def _kinds(default: Any, hint: Any) -> list[Any]:
    """The types that a parameter may have, the narrowest first."""
    if hint is not None:
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        found = [typing.get_origin(option) or option for option in options if option is not Any]
    elif default is inspect.Parameter.empty or default is None:
        return [int, float, bool, str]
    else:
        found = [type(default)]
    order = [bool, int, float, tuple, list, str, type(None)]
    return sorted(found, key=lambda kind: order.index(kind) if kind in order else len(order))
