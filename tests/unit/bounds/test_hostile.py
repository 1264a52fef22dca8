"""Certificates from strangers: whatever a folder holds, it is refused quickly, or still true."""

import json
import lzma
import random
import re
import shutil
import time
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.fuzz.material import change_json
from tests.support.manifests import format_json
from tests.support.small_tasks import make_two_color_task
from tetrisprinter.bounds.bound_search import Bound, BoundStep, prove_bound
from tetrisprinter.bounds.certificate_writer import ProofCheckpoint, certify_bound
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stack_formulas import find_next_drops, list_questions
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, trim_to_final_rows
from tetrisprinter.bounds.verifier import BOUND, CHECKPOINT, read_bound, verify_bound
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.packings.certificates import MANIFEST, EmitterClaim, certify, verify
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.sat import proofs

OWN = ("own", "own-lrat")
SECONDS = 20.0
"""Of a processor: what refusing or accepting may take."""


def make_bound(folder: Path, task: Task) -> Task:
    """Write the certificate of a small bound."""
    bound = prove_bound(task.target, steps=1, certified=True)
    assert bound.after > bound.parts
    certify_bound(bound, ProofCheckpoint(folder, task))
    return task


def open_task() -> Task:
    return Task.of(Picture.parse("r.r\n.r."), (5, 8), "auto", None, 0)


def all_stacks_bound() -> Bound:
    """Return a bound of which all stacks were refuted at once."""
    target = trim_to_final_rows(open_task().target)
    least = find_drop_bound(target)
    (question,) = list_questions(target, least)
    step = BoundStep(question, True, (Nogood(ALL_STACKS),), 0)
    return Bound(target, least, least, find_next_drops(target, least), (step,), 0.0)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Task | None]]:
    """Make a folder of each kind."""
    root = tmp_path_factory.mktemp("folders")
    there: dict[str, tuple[Path, Task | None]] = {}
    for name, task in (
        ("fixed", make_two_color_task(9)),
        ("open", open_task()),
        ("background", Task.of(Picture.parse("rb.\n.rb"), (4, 6), "auto", "808080", 0)),
    ):
        there[name] = root / name, make_bound(root / name, task)
    there["stacks"] = root / "stacks", open_task()
    certify_bound(all_stacks_bound(), ProofCheckpoint(root / "stacks", open_task()))
    certify(EmitterClaim(9, 2, ((0, 3), (1, 4))), root / "packings")
    certify(EmitterClaim(9, 2, ((0, 3),)), root / "packings")
    return {**there, "packings": (root / "packings", None)}


def scramble(rng: random.Random, text: str) -> str:
    """Change some characters of a text, or a line."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice((0, 1, 1, 3, 40, 10**9)))
    put = rng.choice(
        ("", "0", "1", "-", " ", "\n", "\0", "d", "9" * 5000, "[" * 9999, text[at:end] * 2)
    )
    return text[:at] + put + text[end:]


def mutate(rng: random.Random, folder: Path, index: str) -> str:
    """Change something in a folder; return what."""
    path = folder / index
    how = rng.choice(("data", "data", "data", "data", "text", "packed", "proof", "files"))
    if how == "data":
        data = json.loads(path.read_text())
        for _ in range(rng.choice((1, 1, 1, 2))):
            change_json(rng, data)
        if rng.random() < 0.5 and isinstance(data, dict) and "words" in data:
            data["words"] = re.sub(r"\S+$", str(data.get("bound")), str(data["words"]))
        path.write_text(format_json(data))
        return how
    if how == "text":
        path.write_text(scramble(rng, path.read_text()))
        return how
    chosen = rng.choice([one for one in sorted(folder.iterdir()) if one.suffix == ".xz"])
    if how == "packed":
        packed = bytearray(chosen.read_bytes())
        packed[rng.randrange(len(packed))] ^= 1 << rng.randrange(8)
        chosen.write_bytes(packed)
    elif how == "proof":  # with the right checksum
        before = sha256(chosen.read_bytes()).hexdigest()
        text = scramble(rng, lzma.decompress(chosen.read_bytes()).decode())
        packed = bytearray(lzma.compress(text.encode()))
        chosen.write_bytes(packed)
        path.write_text(path.read_text().replace(before, sha256(packed).hexdigest()))
    elif how == "files":
        if rng.random() < 0.5:
            chosen.unlink()
        if rng.random() < 0.5:
            (folder / rng.choice(("more", chosen.name, "bound.json.old"))).write_text("0\n")
    return how


def judge(folder: Path, task: Task | None) -> str:
    """Verify a folder; return what came of it."""
    began = time.process_time()
    try:
        if task is None:
            errors = [one.error for one in verify(folder, OWN)]
        else:
            errors = [one.error for one in verify_bound(folder, OWN)]
        outcome = "refused" if any(errors) else "accepted"
    except TetrisPrinterError:
        outcome = "refused"
    assert time.process_time() - began < SECONDS
    return outcome


def test_what_strangers_send_is_refused_or_true(
    folders: dict[str, tuple[Path, Task | None]], tmp_path: Path
) -> None:
    for name, (folder, task) in folders.items():
        assert judge(folder, task) == "accepted", name
    outcomes: Counter[str] = Counter()
    for seed in range(36):
        rng = random.Random(seed)
        name = rng.choice(sorted(folders))
        original, task = folders[name]
        folder = Path(shutil.copytree(original, tmp_path / str(seed)))
        index = MANIFEST if task is None else BOUND
        how = mutate(rng, folder, index)
        outcome = judge(folder, task)
        changed = (folder / index).read_text() != (original / index).read_text()
        if outcome == "accepted" and how in ("data", "text") and changed:
            claimed = read_bound(folder)  # of a higher board, perhaps; packings have no such claims
            found = prove_bound(claimed.task.target, max_bound=claimed.bound)
            assert found.after >= claimed.bound
        outcomes[outcome] += 1
        outcomes[f"{how} {outcome}"] += 1
        shutil.rmtree(folder)
    assert outcomes["refused"] >= 20


@pytest.mark.parametrize("squares", [[["ff0000", None, None, None]], [["ff0000"] * 3 + [None]]])
def test_a_number_of_squares_that_no_game_leaves_is_refused(
    tmp_path: Path, squares: object
) -> None:
    """It was looked for without end."""
    task = Task.of(Picture.parse("r..r\nr..r"), (4, 10), "auto", None, 0)
    certify_bound(
        prove_bound(task.target, steps=1, certified=True),
        ProofCheckpoint(tmp_path, task),
    )
    data = json.loads((tmp_path / BOUND).read_text())
    data["task"]["picture"] = squares
    (tmp_path / BOUND).write_text(format_json(data))
    with pytest.raises(TetrisPrinterError, match=r"no game on \d+ columns leaves \d+ squares"):
        list(verify_bound(tmp_path, OWN))


def test_all_stacks_are_not_refuted_if_one_is_possible(tmp_path: Path) -> None:
    task = Task.of(Picture.parse("r.b"), (5, 8), "auto", None, 0)
    found = prove_bound(task.target).game_step
    assert found
    record = ProofCheckpoint(tmp_path, task)
    with pytest.raises(TetrisPrinterError, match="should have no model"):
        record.prove(replace(found, refuted=True, nogoods=(Nogood(ALL_STACKS),)))
    record.remember(found.question, Nogood(ALL_STACKS))
    record = ProofCheckpoint(tmp_path, task)
    with pytest.raises(TetrisPrinterError, match=r"begun\.jsonl:2: wrong nogood"):
        record.prove(
            replace(found, refuted=True, nogoods=tuple(record.known_nogoods[found.question]))
        )


SEEN = {"first": 0, "counts": [1], "floor": True, "top": False, "without": [], "spare": 0}
HOSTILE: tuple[object, ...] = (
    [0, 0, SEEN],
    [3, 0, SEEN | {"counts": [1] * 9}],
    [3, 0, SEEN | {"first": 9, "counts": [], "floor": False}],
    [10**30, 0, SEEN | {"counts": [], "floor": False}],
    [3, 0, SEEN | {"without": [["I", 9]]}],
    ["../x", [["../x.cnf.xz", ""], ["../x.drat.xz", ""], ["../x.lrat.xz", ""]]],
    ["x", [["x.cnf.xz", ""], ["x.drat.xz", ""], ["x.lrat.xz", ""]]],
    [[[]]],
    "x",
    None,
)


def test_notes_of_strangers_are_read_as_far_as_they_fit(tmp_path: Path) -> None:
    task = make_bound(tmp_path, open_task())
    path = tmp_path / CHECKPOINT
    head = path.read_text().splitlines()[0]
    lines = [*map(json.dumps, HOSTILE), "[" * 99_999, "9" * 9_999, "\0", "{"]
    path.write_text("\n".join((head, *lines)) + "\n")
    record = ProofCheckpoint(tmp_path, task)
    assert not record.known_nogoods
    assert not record.proved
    certify_bound(
        prove_bound(task.target, steps=1, certified=True, known_nogoods=record.known_nogoods),
        record,
    )
    assert not any(one.error for one in verify_bound(tmp_path, OWN))


def test_what_takes_too_long_to_check_is_not_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "MAX_VISITS", -1)
    task = open_task()
    record = ProofCheckpoint(tmp_path, task)
    bound = prove_bound(task.target, steps=1, certified=True, settle=record.prove)
    assert bound.after == bound.parts
    certify_bound(bound, record)
    assert not any(one.error for one in verify_bound(tmp_path, ("own-lrat",)))
