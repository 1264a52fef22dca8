"""How tests may be written, so that they stay quick and the same on every machine."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
RULES = {
    r"^\s*(from|import) tests\.\S*\btest_": "what tests share is in tests/support",
    r"\btime\.sleep\b|^from time import .*\bsleep\b": "wait for something (support/waiting.py)",
    r"\bderandomize=": "tests/conftest.py decides it",
}
EXEMPT = {TESTS / "conftest.py", Path(__file__), *(TESTS / "support").glob("*.py")}


def test_nothing_sleeps_and_no_test_module_is_imported() -> None:
    for path in set(TESTS.rglob("*.py")) - EXEMPT:
        code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for pattern, rule in RULES.items():
            assert not re.search(pattern, code, re.MULTILINE), f"{path.relative_to(TESTS)}: {rule}"
