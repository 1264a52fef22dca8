"""The texts that code may say, read from its source: what differs is written as ``XX``."""

import ast
from collections.abc import Collection, Iterator
from itertools import product
from pathlib import Path


def find_messages(path: Path, called: Collection[str]) -> Iterator[str]:
    """Yield the texts that a module gives to calls of these names."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_, *_] as args):
                if name in called:
                    meant = next((arg for arg in args if _is_text(arg)), args[0])
                    yield from _texts(meant, tree)


def _texts(node: ast.expr, tree: ast.Module) -> list[str]:
    """Return all texts that an expression may be."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return ["".join(chosen) for chosen in product(*(_part(v, tree) for v in values))]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a in _texts(left, tree) for b in _texts(right, tree)]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_texts(body, tree), *_texts(orelse, tree)]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            made = [
                found.value or node
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef) and function.name == name
                for found in ast.walk(function)
                if isinstance(found, ast.Return)
            ]
        case ast.Name(id=name):
            made = [
                found.value
                for found in ast.walk(tree)
                if isinstance(found, ast.Assign) and ast.unparse(found.targets[0]) == name
            ]
        case _:
            made = []
    found = [text for value in made for text in _texts(value, tree)]
    return ["XX"] if "XX" in found else found or ["XX"]


def _part(node: ast.expr, tree: ast.Module) -> list[str]:
    """Return what stands in a place of a text: a word of some, or whatever it is."""
    match node:
        case ast.Constant():
            return [str(node.value)]
        case ast.FormattedValue(value=ast.IfExp() as value):
            return _texts(value, tree)
        case ast.FormattedValue(value=ast.Name(id=name)) if name in _left_out(tree):
            return [""]
        case ast.FormattedValue(value=ast.Name() as value):
            return _texts(value, tree)
    return ["XX"]


def _left_out(tree: ast.Module) -> set[str]:
    """Return the arguments that are no text if they are not given."""
    return {
        arg.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.arguments)
        for arg, value in zip(reversed(node.args), reversed(node.defaults), strict=False)
        if isinstance(value, ast.Constant) and value.value == "" and arg.arg == "now"
    }


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_text(left) or _is_text(right)
        case ast.IfExp(body=body):
            return _is_text(body)
    return False
