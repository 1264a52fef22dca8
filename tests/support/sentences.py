"""The messages of a module, read from its source; ``XX`` stands for a variable text."""

import ast
from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path


def find_messages(path: Path, names: Collection[str]) -> Iterator[str]:
    """Yield the texts that a module passes to calls of functions with these names."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_, *_] as args):
                if name in names:
                    message = next((arg for arg in args if _is_text(arg)), args[0])
                    yield from _list_texts(message, tree)


def _list_texts(node: ast.expr, tree: ast.Module) -> list[str]:
    """Return all texts that an expression may have as its value."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return [
                "".join(chosen) for chosen in product(*(_list_part_texts(v, tree) for v in values))
            ]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in _list_texts(left, tree) for b in _list_texts(right, tree)]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_list_texts(body, tree), *_list_texts(orelse, tree)]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            possible_values = [
                statement.value or node
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef) and function.name == name
                for statement in ast.walk(function)
                if isinstance(statement, ast.Return)
            ]
        case ast.Name(id=name):
            possible_values = [
                statement.value
                for statement in ast.walk(tree)
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name
            ]
        case _:
            possible_values = []
    texts = [text for value in possible_values for text in _list_texts(value, tree)]
    return ["XX"] if "XX" in texts else texts or ["XX"]


def _list_part_texts(node: ast.expr, tree: ast.Module) -> list[str]:
    """Return the texts that a part of an f-string may have; ``XX`` if they are unknown."""
    match node:
        case ast.Constant():
            return [str(node.value)]
        case ast.FormattedValue(value=ast.IfExp() as value):
            return _list_texts(value, tree)
        case ast.FormattedValue(value=ast.Name(id=name)) if name in _list_empty_arguments(tree):
            return [""]
        case ast.FormattedValue(value=ast.Name() as value):
            return _list_texts(value, tree)
    return ["XX"]


def _list_empty_arguments(tree: ast.Module) -> set[str]:
    """Return the names of the arguments ``stage_end`` whose default is an empty text."""
    return {
        arg.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.arguments)
        for arg, value in zip(reversed(node.args), reversed(node.defaults), strict=False)
        if isinstance(value, ast.Constant) and value.value == "" and arg.arg == "stage_end"
    }


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is text: a string, an f-string, or made of such."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_text(left) or _is_text(right)
        case ast.IfExp(body=body):
            return _is_text(body)
    return False
