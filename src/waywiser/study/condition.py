"""Conditions and sums of a study file, as "ndiag <= ranks": arithmetic on a configuration's values.

Expressions have no calls, no attributes and no indexing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from waywiser.errors import InvalidCommand, there_is_no
from waywiser.model.result import Scalar

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, values: value in values,
    ast.NotIn: lambda value, values: value not in values,
}


def evaluate(text: str, values: Mapping[str, Scalar]) -> Any:
    """The value of an expression over a configuration's values.

    Raises:
        InvalidCommand: the expression has more than arithmetic, comparisons and and/or/not, or an
            unknown name.
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, values)
    except SyntaxError as error:
        raise InvalidCommand(f'"{text}" is not an expression: {error.msg}') from error
    except KeyError as error:
        raise InvalidCommand(f'"{text}": {there_is_no(error.args[0], values)}') from error
    except (TypeError, ZeroDivisionError) as error:
        raise InvalidCommand(f'"{text}": {error}') from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise InvalidCommand(
            f'"{text}": expected arithmetic (+ - * / // %), comparisons, and, or, not, in'
        ) from error


def _value(node: ast.expr, values: Mapping[str, Scalar]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return constant
        case ast.Name(id=name):
            return values[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, values) for item in items]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            first, second = _value(left, values), _value(right, values)
            if not isinstance(first, int | float) or not isinstance(second, int | float):
                raise TypeError("arithmetic is for numbers")
            return _BINARY[type(op)](first, second)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, values) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(_value(part, values) for part in parts)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value(side, values) for side in (left, *others)]
            return all(_COMPARISONS[type(op)](sides[i], sides[i + 1]) for i, op in enumerate(ops))
    raise ValueError("unsupported")
