"""Rules that yield, as functions without a generator. Start at Consumer.

Compilers for graphics cards know no generators. So a rule is written anew from its source, with what is done with each
item in the place of `yield item`: filling an array, for instance. Its lines keep their numbers, so that errors point at
them.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

ITEM = "item__"
"""What was yielded, in the texts of a consumer. Names with `__` behind them are no author's."""

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)


@dataclass(frozen=True)
class Consumer:
    """What is done with the items of a rule that yields them, as Python source."""

    arguments: tuple[str, ...]
    """What the function gets behind the rule's own arguments."""
    before: str
    each: str
    after: str
    """A return statement: what the function says in the end."""
    names: Mapping[str, Any] = field(default_factory=dict)
    """What the texts refer to."""

    def of(self, rule: Callable[..., Any]) -> Callable[..., Any] | None:
        """The rule as a function that consumes its items; None: its source is missing, or does more than yield."""
        try:
            parsed = ast.parse(textwrap.dedent(inspect.getsource(rule))).body[0]
        except (OSError, TypeError, SyntaxError, IndexError):
            return None
        if not isinstance(parsed, ast.FunctionDef) or not _only_yields(parsed) or not _is_source_of(parsed, rule):
            return None
        return _made(self._written(parsed, rule.__code__.co_firstlineno - 1), rule, self.names)

    def _written(self, function: ast.FunctionDef, first_line: int) -> ast.FunctionDef:
        written: ast.FunctionDef = _Rewriter(self).visit(copy.deepcopy(function))
        written.decorator_list, written.returns = [], None
        for argument in (*written.args.posonlyargs, *written.args.args):
            argument.annotation = None
        written.args.args += [ast.arg(name) for name in self.arguments]
        begin, end = _placed(self.before, function.body[0]), _placed(self.after, function.body[-1])
        written.body = [*begin, *written.body, *end]
        ast.fix_missing_locations(written)
        return ast.increment_lineno(written, first_line)


FILLING = Consumer(
    ("actions__",),
    "count__ = 0",
    f"if count__ < len(actions__):\n    actions__[count__] = {ITEM}\ncount__ += 1",
    "return count__",
)
"""Fills an array with what was yielded, as far as it is long, and says how much that was."""

FILLING_PAIRS = Consumer(
    ("firsts__", "seconds__"),
    "count__ = 0",
    f"if count__ < len(firsts__):\n    firsts__[count__], seconds__[count__] = {ITEM}[0], {ITEM}[1]\ncount__ += 1",
    "return count__",
)
"""Fills two arrays with pairs."""


def _is_source_of(function: ast.FunctionDef, rule: Any) -> bool:
    """Whether a text is what the rule was made of: its file may have changed, or have been another one all along."""
    plain = copy.deepcopy(function)
    plain.decorator_list, plain.returns = [], None
    for argument in (*plain.args.posonlyargs, *plain.args.args):
        argument.annotation = None
    own, code = _code_of(plain, rule), rule.__code__
    return (own.co_code, own.co_names, own.co_varnames, own.co_freevars, repr(own.co_consts)) == (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        repr(code.co_consts),
    )


def _only_yields(function: ast.FunctionDef) -> bool:
    """Whether every yield is a statement of its own, of something, in the function itself."""
    parts = list(ast.walk(function))
    statements = {id(part.value) for part in parts if isinstance(part, ast.Expr)}
    yields = [part for part in parts if isinstance(part, ast.Yield | ast.YieldFrom)]
    inner = any(isinstance(part, _INNER) for part in parts if part is not function)
    return not inner and all(id(part) in statements and part.value is not None for part in yields)


class _Rewriter(ast.NodeTransformer):
    """Puts what is done with an item in the place of its yield."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer

    def visit_Expr(self, node: ast.Expr) -> Any:
        given: Any = node.value
        if isinstance(given, ast.YieldFrom):
            loop: Any = _placed(f"for {ITEM} in 0:\n    pass", node)[0]
            loop.iter, loop.body = given.value, _placed(self._consumer.each, node)
            return loop
        if isinstance(given, ast.Yield):
            taken: Any = _placed(f"{ITEM} = 0", node)[0]
            taken.value = given.value
            return [taken, *_placed(self._consumer.each, node)]
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        return _placed(self._consumer.after, node)


def _placed(text: str, place: Any) -> list[Any]:
    """Statements that stand on the line of another."""
    statements = ast.parse(text).body
    for node in (part for statement in statements for part in ast.walk(statement)):
        if isinstance(node, ast.stmt | ast.expr):
            node.lineno, node.end_lineno = place.lineno, place.end_lineno
            node.col_offset, node.end_col_offset = place.col_offset, place.end_col_offset
    return list(statements)


def _made(written: ast.FunctionDef, rule: Any, names: Mapping[str, Any]) -> Callable[..., Any]:
    """The function, with the closure of the rule that it was made from, and its globals and some more."""
    own, free = _code_of(written, rule), rule.__code__.co_freevars
    cells = dict(zip(free, rule.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in own.co_freevars)
    known = rule.__globals__ | names if names else rule.__globals__
    made = types.FunctionType(own, known, rule.__name__, rule.__defaults__, closure or None)
    made.__qualname__, made.__module__ = rule.__qualname__, rule.__module__
    vars(made).update(vars(rule))
    return made


def _code_of(function: ast.FunctionDef, rule: Any) -> types.CodeType:
    """The code of a function that stands where the rule does, and sees the same names around it."""
    outer: Any = ast.parse(f"def outer__({', '.join(rule.__code__.co_freevars)}):\n    pass").body[0]
    outer.body = [function]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    return _code_in(_code_in(compile(module, rule.__code__.co_filename, "exec", dont_inherit=True)))


def _code_in(code: types.CodeType) -> types.CodeType:
    return next(part for part in code.co_consts if isinstance(part, types.CodeType))
