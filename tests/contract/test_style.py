"""How tests may be written, so that they stay quick and the same on every machine."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
FILES = sorted(path for path in TESTS.rglob("*.py") if TESTS / "support" not in path.parents)


def _list_imports(node: ast.AST) -> list[str]:
    """Return the dotted names that a statement may import as modules."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [f"{module}.{alias.name}" for alias in names]
    return []


def faults(source: str) -> Iterator[str]:
    """Say what does not belong in a test, with its line."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        for name in _list_imports(node):
            first, *rest = name.split(".")
            # The last part may be a test module or a function with such a name: neither.
            if first == "tests" and any(part.startswith("test_") for part in rest):
                yield f"line {line}: {name} belongs to a test module: move it to tests/support"
            if name == "time.sleep":
                yield f"line {line}: sleeps: wait for something (tests/support/waiting.py)"
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
                yield f"line {line}: sleeps: wait for something (tests/support/waiting.py)"
            case ast.keyword(arg="derandomize"):
                yield f"line {node.value.lineno}: derandomize is for tests/conftest.py to decide"


def test_nothing_sleeps_and_no_test_module_is_imported() -> None:
    for path in FILES:
        if path != TESTS / "conftest.py":
            found = [*faults(path.read_text(encoding="utf-8"))]
            assert found == [], path.relative_to(TESTS)
