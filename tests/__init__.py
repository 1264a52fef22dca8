"""All tests; the modules of ``tests.support`` show what their assertions compared, as these do."""

import pytest

pytest.register_assert_rewrite("tests.support")
