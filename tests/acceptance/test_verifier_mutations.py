"""The checkers of certificates are themselves checked: small faults in them do not go unnoticed.

True and forged certificates are judged by the checkers as they are, and by checkers with a fault.
A fault that changes no verdict is one that no test would notice.
"""

import inspect
import lzma
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from tests.support.manifests import edit_json
from tests.support.small_tasks import make_two_color_task
from tetrisprinter.bounds import verifier
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.bounds.certificate_writer import ProofCheckpoint, certify_bound
from tetrisprinter.bounds.stack_formulas import BoundQuestion
from tetrisprinter.bounds.stacks import ALL_STACKS, Nogood, StackWindow, trim_to_final_rows
from tetrisprinter.bounds.verifier import BOUND
from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings import certificates
from tetrisprinter.packings.certificates import MANIFEST, EmitterClaim, PlatformClaim, certify
from tetrisprinter.packings.tables import look_up_emitters
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Target, Task
from tetrisprinter.sat import proof_files, proofs

OWN = ("own", "own-lrat")
CLAIM = EmitterClaim(9, 2, ((0, 3),), squares_hold=True, any_order=True)
NAME = CLAIM.name
IMPOSSIBLE = "p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"
POSSIBLE = "p cnf 2 2\n1 2 0\n-1 0\n"

Case = tuple[Callable[[], object], str]
"""A check, and what the true checker says: why it refuses, or nothing if it accepts."""

UNITS = "p cnf 1 2\n1 0\n-1 0\n"
LRAT = (
    (IMPOSSIBLE, "c so\n5 2 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n", ""),
    (IMPOSSIBLE, "", "without the empty clause"),
    (IMPOSSIBLE, "5 2 0 1 2 0\n", "without the empty clause"),
    (IMPOSSIBLE, "5 2 0 1 0\n6 0 5 3 4 0\n", "clause 5 does not follow from its hints"),
    (IMPOSSIBLE, "5 2 0 1 9 0\n", "its hint 9 does not exist"),
    (IMPOSSIBLE, "5 2 0 -1 2 0\n", "its hint -1 does not exist"),
    (IMPOSSIBLE, "5 2 0 1 2 0\n5 d 1 0\n6 0 5 3 1 0\n", "its hint 1 does not exist"),
    (IMPOSSIBLE, "5 2 0 1 2\n", "not a step"),
    (IMPOSSIBLE, "5\n", "not a step"),
    (IMPOSSIBLE, "5 d 1 2\n", "not a step"),
    (IMPOSSIBLE, "5 2 0 1 x 0\n", "expected numbers"),
    (IMPOSSIBLE, "5 d 9 0\n", "deleted but does not exist"),
    (POSSIBLE, "3 0 2 0\n", "does not follow from its hints"),
    (POSSIBLE, "3 0 1 2 0\n", "its hint 1 has 2 literals left"),
    ("p cnf 1 1\n1 0\n", "2 0 1 0\n", "does not follow from its hints"),
    (UNITS, "1 0 1 2 0\n", "invalid number for a new clause"),
    (UNITS, "0 0 1 2 0\n", "invalid number for a new clause"),
    (UNITS, "3 0 1 2 0 0\n", "not a step"),
    ("1 0\n-1 0\n", "3 0 1 2 0\n", "no header"),
    ("p cnf 1 3\n1 0\n-1 0\n", "3 0 1 2 0\n", "header disagree"),
    (UNITS + "1\n", "3 0 1 2 0\n", "header disagree"),
    ("p cnf 1 2\n2 0\n-2 0\n", "3 0 1 2 0\n", "header disagree"),
)
DRAT = (
    (IMPOSSIBLE, "c a remark\nd 1 2 0\n2 0\nd 2 0\n0\n", ""),
    (IMPOSSIBLE, "2 0\n", "without the empty clause"),
    (POSSIBLE, "0\n", "line 1 of the proof does not follow"),
    ("p cnf 2 2\n1 2 0\n-1 2 0\n", "2 0\n0\n", "line 2 of the proof does not follow"),
    (UNITS, "1 0 0\n0\n", "a single 0 at its end"),
    (UNITS, "one 0\n", "line 1 of the proof is not a clause"),
    ("", "0\n", "no header"),
    ("p cnf 1\n1 0\n", "0\n", "no header"),
    ("p cnf 1 3\n1 0\n-1 0\n", "0\n", "2 clauses; its header promises 3"),
    ("p cnf 1 2\n1 0\n-2 0\n", "0\n", "more variables"),
    ("p cnf 1 2\n1\n-1 0\n", "0\n", "a single 0 at its end"),
)
"""Formulas with proofs, and what the checker of such proofs says."""


def use_other_formula(folder: Path, index: str, find: Callable[[Any], Any]) -> None:
    """Replace a formula by one that has a proof, with right checksums: only the claim is false."""
    formula = "p cnf 1 4000\n" + "1 0\n-1 0\n" * 2000

    def change(data: Any) -> None:
        files = find(data)
        for kind, text in (("formula", formula), ("drat", "0\n"), ("lrat", "999999 0 1 2 0\n")):
            packed = lzma.compress(text.encode())
            (folder / files[kind]["file"]).write_bytes(packed)
            files[kind]["sha256"] = sha256(packed).hexdigest()

    edit_json(folder / index, change)


def first_proof(data: Any) -> Any:
    return next(iter(data["proofs"].values()))


def first_entry(data: Any) -> Any:
    return data["certificates"][0]


Forge = Callable[[Path], object]


def edit(index: str, change: Callable[[Any], object]) -> Forge:
    return lambda folder: edit_json(folder / index, change)


def remove_all(folder: Path) -> None:
    edit_json(folder / MANIFEST, lambda data: data.update(contents={}, certificates=[]))
    for path in folder.glob("*.xz"):
        path.unlink()


def claim(bound: int) -> Callable[[Any], object]:
    return lambda data: data.update(
        bound=bound, words=data["words"].replace(str(data["bound"]), str(bound))
    )


def edit_nogood(**new: object) -> Forge:
    return edit(BOUND, lambda data: data["questions"][0]["views"][0].update(new))


ANOTHER = {"lines": 9, "spare": 0, "views": []}
BOUNDS: tuple[tuple[Forge, str], ...] = (
    (lambda folder: None, ""),
    (edit(BOUND, claim(9)), "nothing refutes"),
    (edit(BOUND, claim(5)), "invalid bound 5"),
    (edit(BOUND, lambda data: data["questions"].pop()), "nothing refutes 1 cleared rows"),
    (edit(BOUND, lambda data: data["questions"].append(ANOTHER)), "unexpected question: 9 cleared"),
    (edit(BOUND, lambda data: data["proofs"].popitem()), "is missing"),
    (edit(BOUND, lambda data: data["proofs"].update(x=first_proof(data))), "x is not needed"),
    (edit_nogood(first=7), "does not fit this picture"),
    (edit_nogood(without=[["I", 1]]), "a nogood names type colours"),
    (edit(BOUND, lambda data: data.update(words="no game prints it")), "unexpected"),
    (edit(BOUND, lambda data: data.update(encoder=99)), "made by version 99"),
    (lambda folder: (folder / "more").touch(), "more: belongs to no certificate"),
    (
        lambda folder: use_other_formula(folder, BOUND, first_proof),
        "not the formula of the claimed",
    ),
)
PACKINGS: tuple[tuple[Forge, str], ...] = (
    (lambda folder: None, ""),
    (remove_all, "no certificates; expected at least one"),
    (edit(MANIFEST, lambda data: data["contents"].update(x="0")), "'x' is listed but missing"),
    (edit(MANIFEST, lambda data: data["contents"].clear()), "is not listed"),
    (
        edit(MANIFEST, lambda data: data["contents"].update({NAME: "0"})),
        "differs from the contents",
    ),
    (edit(MANIFEST, lambda data: data["certificates"].append(first_entry(data))), "the same name"),
    (edit(MANIFEST, lambda data: data.update(rebuild="by hand")), "unexpected"),
    (edit(MANIFEST, lambda data: first_entry(data).update(encoder=99)), "made by version 99"),
    (edit(MANIFEST, lambda data: first_entry(data).update(words="nothing")), "'words'"),
    (edit(MANIFEST, lambda data: first_entry(data)["drat"].update(sha256="0" * 64)), "checksum"),
    (lambda folder: (folder / "n.txt").touch(), "n.txt: belongs to no certificate"),
    (lambda folder: (folder / f"{NAME}.drat.xz").unlink(), "is missing"),
    (lambda folder: use_other_formula(folder, MANIFEST, first_entry), "differs from the formula"),
)
"""What is changed in a folder, and what the verifier says then."""


def verify_folder(folder: Path) -> None:
    """Raise an error unless a folder's certificates are accepted."""
    verify = verifier.verify_bound if (folder / BOUND).exists() else certificates.verify
    for one in verify(folder, OWN):
        if one.error is not None:
            raise JobError(one.error)


def refuse_gaps(*claims: certificates.Claim) -> None:
    """Raise an error unless claims show that a small table is minimal."""
    if certificates.list_missing_proofs(claims, [look_up_emitters((3,))], []):
        raise JobError("not proved")


def list_nogoods(
    target: Target, with_optional: Target
) -> Iterator[tuple[Nogood, BoundQuestion, str]]:
    """List nogoods with their questions, and what the verifier says of them."""
    one_line, no_line = BoundQuestion(target, 1), BoundQuestion(target, 0)
    fits = StackWindow(0, (1, 0), floor=False, top=True)
    yield Nogood(fits), one_line, ""
    yield Nogood(fits), BoundQuestion(target, 1, 1), "fewer than 1 optional squares"
    yield Nogood(fits, ((PieceType.I, 9),)), one_line, "type colours"
    yield Nogood(StackWindow(1, (0, 0), floor=True, top=True)), one_line, "does not fit"
    yield Nogood(StackWindow(0, (0,), floor=False, top=True)), one_line, "does not fit"
    yield Nogood(StackWindow(1, (0,), floor=False, top=False)), one_line, "does not fit"
    yield Nogood(StackWindow(0, (1, 1), floor=False, top=True)), one_line, "does not fit"
    yield Nogood(StackWindow(0, (), floor=True, top=False)), one_line, "does not fit"
    yield Nogood(ALL_STACKS), one_line, ""
    yield Nogood(ALL_STACKS), no_line, "invalid nogood of all stacks"
    yield Nogood(ALL_STACKS), BoundQuestion(with_optional, 1), "invalid nogood of all stacks"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """Make all certificates, true and forged; the quick checks come first."""
    root = tmp_path_factory.mktemp("certificates")
    found: list[Case] = []

    def add(refusal: str, check: Callable[..., object], *arguments: object) -> None:
        found.append((lambda: check(*arguments), refusal))

    for check, texts in ((proofs.check_lrat, LRAT), (proofs.check_rup, DRAT)):
        for formula, proof, refusal in texts:
            add(refusal, check, formula, proof)

    task = make_two_color_task(9)
    optional = Task.of(Picture.parse("rb.\n.rb"), (4, 6), "auto", "808080", 0)
    target = trim_to_final_rows(task.target)
    for nogood, question, refusal in list_nogoods(target, optional.target):
        add(refusal, verifier.check_nogood, nogood, question.target, question)

    certify_bound(prove_bound(task.target), ProofCheckpoint(root / "bound", task))
    claimed = verifier.read_bound(root / "bound")
    add("", verifier.find_needed_units, claimed)
    add("nothing refutes", verifier.find_needed_units, replace(claimed, bound=9))
    add("", verifier.check_arithmetic, target, claimed)
    by_one = replace(claimed, bound=claimed.bound + 1)
    add("does not follow by counting", verifier.check_arithmetic, target, by_one)

    strong = EmitterClaim(21, 3, ((3,),), squares_hold=True, any_order=True)
    platforms = PlatformClaim(21, tuple(range(19)))
    add("", refuse_gaps, strong, platforms)
    add("not proved", refuse_gaps, strong)
    add("not proved", refuse_gaps, replace(strong, any_order=False), platforms)
    add("not proved", refuse_gaps, replace(strong, squares_hold=False), platforms)
    add("not proved", refuse_gaps, strong, platforms, EmitterClaim(21, 3, ((4,),), True, True))
    for data, refusal in (
        (strong.to_data(), ""),
        (strong.to_data() | {"positions": [[19]]}, "expected 0 to 18"),
        (strong.to_data() | {"squares_hold": 1}, "unknown kind of claim"),
        (platforms.to_data() | {"columns": ["1"]}, "unknown kind of claim"),
        (platforms.to_data() | {"rows": 4}, "unknown entries"),
        (None, "unknown kind of claim"),
    ):
        add(refusal, certificates.parse_claim, data)

    certify(CLAIM, root / "packings")
    for name, forgeries in (("bound", BOUNDS), ("packings", PACKINGS)):
        for number, (forge, refusal) in enumerate(forgeries):
            folder = Path(shutil.copytree(root / name, root / f"{name}{number}"))
            forge(folder)
            add(refusal, verify_folder, folder)
    return found


BROKEN = "broke down: "


def judge(check: Callable[[], object]) -> str:
    """Return why a check refuses; nothing if it accepts."""
    try:
        check()
    except TetrisPrinterError as error:
        return str(error)
    except Exception as error:
        return f"{BROKEN}{error!r}"
    return ""


def test_what_is_true_is_accepted_and_what_is_forged_is_refused(cases: list[Case]) -> None:
    for check, refusal in cases:
        found = judge(check)
        assert refusal in found
        assert bool(refusal) == bool(found)
        assert not found.startswith(BROKEN)


def is_noticed(check: Callable[[], object], refusal: str) -> bool:
    found = judge(check)
    return bool(found) != bool(refusal) or found.startswith(BROKEN)


FAULTS: tuple[tuple[ModuleType, str, str], ...] = (
    (proofs, "if number in clauses or number < 1:", "if number < 1:"),
    (proofs, "or number < 1:", "or number < 0:"),
    (proofs, "or rest.count(0) != 2 - deletes:", "or False:"),
    (proofs, "if len(literals_left) > 1:", "if len(literals_left) > 2:"),
    (proofs, "if not literals_left:", "if len(literals_left) < 2:"),
    (proofs, "literals_left.pop())\n    raise", "literals_left.pop())\n    return 1  #"),
    (proofs, "clauses[number] = clause\n    raise", "clauses[number] = clause\n    return 1  #"),
    (proofs, "if clause or len(clauses) != count", "if len(clauses) != count"),
    (proofs, "or len(clauses) != count or", "or"),
    (proofs, "default=0) > variables:", "default=0) > variables + 1:"),
    (proofs, "if conflict else None\n", "if conflict else []\n"),
    (proofs, "elif open_literals == 1 and", "elif open_literals <= 2 and"),
    (proofs, "            del self.reason[literal]\n", "            pass\n"),
    (proofs, "and header[3] == str(len(clauses))", ""),
    (proofs, "if end != 0 or 0 in literals:", "if end != 0:"),
    (proof_files, "if sha256(compressed).hexdigest() != file.sha256:", "if False:"),
    (proof_files, "if path.name not in expected and not path.is_dir():", "if False:"),
    (verifier, "if nogood.spare < question.spare:", "if False:"),
    (verifier, "end_row <= rows and sum", "end_row <= rows + 1 and sum"),
    (verifier, "sum(window.counts) <= question.lines", "sum(window.counts) <= question.lines + 1"),
    (verifier, "(window.floor and window.first) or ", ""),
    (verifier, " or (window.top and end_row != rows)", ""),
    (verifier, "if not question.lines or target.count_spare():", "if not question.lines:"),
    (verifier, "if any(shade not in target.list_shades()", "if any(shade < 0"),
    (verifier, "if needed_keys != certificate.nogoods.keys():", "if False:"),
    (verifier, "iterate_questions_below(target, certificate.bound)",
     "iterate_questions_below(target, certificate.bound - 1)"),
    (verifier, "units_by_name.keys() ^ certificate.proofs.keys()",
     "units_by_name.keys() - certificate.proofs.keys()"),
    (verifier, "range(find_drop_bound(target), certificate.bound)",
     "range(find_drop_bound(target), certificate.bound - 1)"),
    (verifier, "if not _is_formula(unit, text):", "if False:"),
    (verifier, "    check_canonical_text(path, text, certificate.to_text())\n", ""),
    (verifier, "    check_files(folder, proof_files | {BOUND} | notes)\n", ""),
    (certificates, "0 <= x <= claim.width - 3 for", "0 <= x <= claim.width - 2 for"),
    (certificates, "if claim.to_data() != data:", "if False:"),
    (certificates, "positions, claim.squares_hold, claim.any_order)", "positions)"),
    (certificates, "needed |= _split_claims([platform_claim] if platform_claim else [])", "pass"),
    (certificates, "range(1, packing.problem.rows)", "range(1, packing.problem.rows - 4)"),
    (certificates, "if contents[name] != claim_hashes[name]:", "if False:"),
    (certificates, "if name not in contents:\n            raise",
     "if name not in contents:\n            continue  #"),
    (certificates, "if name not in claim_hashes:\n            raise",
     "if name not in claim_hashes:\n            continue  #"),
    (certificates, "if len(claim_hashes) < len(certificates):", "if False:"),
    (certificates, "if not certificates:", "if False:"),
    (certificates, "if certificate.encoder != ENCODER_VERSION:", "if False:"),
    (certificates, "or certificate.claim.make_model().to_dimacs() != formula", ""),
    (certificates, "presets_first=not self.any_order", "presets_first=self.any_order"),
)  # fmt: skip
"""Where a fault is made: a part of the source, and what stands there instead."""


def list_functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions and methods of a module."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_name.startswith("<"):  # a default or a constant, which stays
                continue
            if one.co_flags & inspect.CO_OPTIMIZED:
                yield one
            else:  # the body of a class
                yield from list_functions(one)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "fragment", "faulty"), FAULTS, ids=[str(number) for number in range(len(FAULTS))]
)
def test_a_fault_of_a_checker_is_noticed(
    cases: list[Case],
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    fragment: str,
    faulty: str,
) -> None:
    source = inspect.getsource(module)
    assert source.count(fragment) == 1, (
        f"{module.__name__} no longer has this text exactly once, so the fault has to be "
        f"described anew: {fragment}"
    )
    changed = compile(source.replace(fragment, faulty), "faulty", "exec", dont_inherit=True)
    for code in list_functions(changed):
        function: Any = module
        for name in code.co_qualname.split("."):  # type: ignore[attr-defined, unused-ignore]
            function = inspect.getattr_static(function, name)
        function = getattr(function, "fget", None) or getattr(function, "__func__", function)
        monkeypatch.setattr(function, "__code__", code)
    assert any(is_noticed(check, refusal) for check, refusal in cases)
