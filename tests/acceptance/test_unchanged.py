"""What the commands write is what they wrote before; see ``outputs`` for how to change it."""

import json
from pathlib import Path

import pytest

from tests.acceptance.outputs import COMMANDS, RECORD, run

RECORDED = json.loads(RECORD.read_text())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_what_it_wrote(name: str, tmp_path: Path) -> None:
    assert run(COMMANDS[name], tmp_path) == RECORDED[name]


def test_every_record_belongs_to_a_command() -> None:
    assert list(RECORDED) == list(COMMANDS)
