"""Claims of impossibility, and their certificates: make them, list them, check them.

A claim says that no packing problem of a list has a packing. It is written as a sentence and as
plain data. The data determine the problems, so anyone can build the formula again and compare the
problems with the sentence about the game. There are two kinds. An :class:`EmitterClaim` says that a
number of rows is not enough above some emitter pieces; a :class:`PlatformClaim` says that no
platform stands on a T in some columns.

All claims are about gap-free matrices: no piece comes to rest over a hole. A matrix is minimal for
its emitter pieces if no smaller height works. Divisibility excludes most heights: each emitter
piece presets three cells, and the other cells must be a multiple of four, so at width 21 only every
fourth height can work. The heights that are left need a certificate, and so do the columns where
no platform stands on a T.

A certificate of a claim is the formula of its problems, a proof in DRAT and in LRAT form that the
formula has no model, and an entry in the folder's ``manifest.json``: the claim as a sentence and as
data, the checksums of the files, and the solver. The manifest also has a separate list of all
claims, which reveals entries that were removed or weakened. Files are xz-compressed text.

Nothing in a folder is trusted: :func:`verify` makes each formula again from its claim, compares it
byte by byte, and passes formula and proofs to checkers (:mod:`~tetrisprinter.sat.proof_files`), our
own and those of others. What must be trusted is that the formula means the claim.
``docs/encoding.md`` argues that it does, a second encoder written from that page agrees, and the
tests compare with brute force.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import comb
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement, list_orientations
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.model import ENCODER_VERSION, PackingModel
from tetrisprinter.packings.problem import (
    Packing,
    PackingError,
    PackingProblem,
    make_emitter_problem,
)
from tetrisprinter.packings.tables import TABLE_WIDTH, read_positions
from tetrisprinter.sat import proof_files
from tetrisprinter.sat.solve import DEFAULT_SOLVER, describe_solver, find_model_or_proof
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import find_shipped_folder, parse_json, read_text, write_text

Positions = tuple[int, ...]

_MAX_WIDTH: Final = 1000  # columns of a claim's matrix
_MAX_ROWS: Final = 100  # rows of a claim's matrix
_MAX_CLAUSES: Final = 25_000_000  # estimated for a formula; they take up to six gigabytes
_MAX_PATTERN_BYTES: Final = 200_000  # more than a matrix of the largest claim

_PATTERN_NAME: Final = re.compile(
    r"width(\d{1,4})-emitted(\d{1,3})-rows(\d{1,3})-at([\d_]*)(-held)?\.txt", re.ASCII
)
"""The name of a pattern's file: width, emitter pieces, rows, columns, and whether squares hold."""


@dataclass(frozen=True, slots=True)
class EmitterClaim:
    """The claim that a number of rows, packed gap-free, is not enough above some emitter pieces.

    Attributes
    ----------
    width, rows : int
        Size of the matrix.
    positions : tuple of tuple of int
        The sets of emitter pieces, each as the leftmost columns of its pieces.
    squares_hold : bool
        Whether the emitted squares may support a piece. In the tables they never do, because J, T
        and L leave them in different columns. True is the stronger claim: squares in all three
        columns below every emitter piece may support pieces.
    any_order : bool
        Whether the emitter pieces may be dropped at any time, not only before all others as in the
        tables. True is the stronger claim.
    """

    width: int
    rows: int
    positions: tuple[Positions, ...]
    squares_hold: bool = False
    any_order: bool = False

    @property
    def name(self) -> str:
        """A name for files."""
        emitted = "+".join(map(str, sorted({len(p) for p in self.positions})))
        name = f"width{self.width}-emitted{emitted}-rows{self.rows}"
        if len(self.positions) == 1:
            name += "-at" + "_".join(map(str, self.positions[0]))
        return name + "-held" * self.squares_hold + "-anytime" * self.any_order

    @property
    def sentence(self) -> str:
        """The claim as a sentence."""
        columns = f"for none of {len(self.positions)} sets of columns"
        if len(self.positions) == 1:
            columns = f"for the columns {', '.join(map(str, self.positions[0])) or '(none)'} not"
        drop_time = "at any time" if self.any_order else "before all others"
        may_hang = "may" if self.squares_hold else "may not"
        return (
            f"{self.rows} rows of width {self.width} cannot be packed above emitter pieces "
            f"(three cells of row 0 each, leftmost columns as listed), {columns}, where emitter "
            f"pieces are dropped {drop_time} and pieces {may_hang} hang on the squares below them"
        )

    def list_problems(self) -> tuple[PackingProblem, ...]:
        """Return the problems that the claim says have no packing."""
        return tuple(
            make_emitter_problem(
                self.width,
                self.rows,
                positions,
                [x + i for x in positions for i in range(3)] if self.squares_hold else (),
            )
            for positions in self.positions
        )

    def make_model(self) -> PackingModel:
        """Return the model that has no solution if the claim holds."""
        return PackingModel(self.list_problems(), presets_first=not self.any_order)

    def to_data(self) -> dict[str, Any]:
        """Return the claim as plain data for :func:`parse_claim`."""
        return {
            "kind": "emitters",
            "width": self.width,
            "rows": self.rows,
            "squares_hold": self.squares_hold,
            "any_order": self.any_order,
            "positions": [list(positions) for positions in self.positions],
        }


@dataclass(frozen=True, slots=True)
class PlatformClaim:
    """The claim that no platform stands on a T in some columns.

    A platform fills four rows. It begins with a flat T, nub up, and its last piece falls through
    the two outermost columns at either edge. This piece may be any tetromino in any orientation and
    at any height. Squares below all three columns of the T may support pieces.

    Attributes
    ----------
    width : int
        Columns of the matrix.
    columns : tuple of int
        Leftmost columns of the T.
    """

    width: int
    columns: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Rows of the matrix."""
        return PLATFORM_ROWS

    @property
    def name(self) -> str:
        """A name for files."""
        return f"width{self.width}-platforms"

    @property
    def sentence(self) -> str:
        """The claim as a sentence."""
        return (
            f"no platform of {PLATFORM_ROWS} rows of width {self.width} stands on a flat T whose "
            f"leftmost column is {', '.join(map(str, self.columns))}, if its last piece lies in "
            "the two outermost columns at either edge, whichever piece that is, and pieces may "
            "hang on squares below the T and on no others"
        )

    def list_problems(self) -> tuple[PackingProblem, ...]:
        """Return the problems that the claim says have no packing."""
        tee = list_orientations(PieceType.T)[2]
        edges = ({0, 1}, {self.width - 2, self.width - 1})
        return tuple(
            PackingProblem(
                self.width,
                PLATFORM_ROWS,
                (tee.place(column, 0),),
                squares=frozenset({column, column + 1, column + 2}),
                last=last,
            )
            for column in self.columns
            for orientation in ORIENTATIONS
            for x in range(self.width - orientation.width + 1)
            for y in range(PLATFORM_ROWS - orientation.height + 1)
            if any({x, x + orientation.width - 1} <= edge for edge in edges)
            and not {*tee.place(column, 0)} & {*(last := Placement(orientation, x, y)).cells}
        )

    def make_model(self) -> PackingModel:
        """Return the model that has no solution if the claim holds."""
        return PackingModel(self.list_problems())

    def to_data(self) -> dict[str, Any]:
        """Return the claim as plain data for :func:`parse_claim`."""
        return {"kind": "platforms", "width": self.width, "columns": list(self.columns)}


Claim = EmitterClaim | PlatformClaim


def get_clause_lower_bound(claim: Claim) -> int:
    """Return a lower bound on the clauses of a claim's formula, without building the formula."""
    clauses = claim.rows * (1 + comb(claim.width, 2))  # completion
    if isinstance(claim, EmitterClaim):
        clauses += 1 + len(claim.positions) * claim.width * claim.rows  # choice
    return clauses


def estimate_clause_upper_bound(claim: Claim) -> int:
    """Return a generous estimate of the number of clauses of a claim's formula."""
    # The last piece of a platform has 21 places at either edge.
    problems = len(claim.positions) if isinstance(claim, EmitterClaim) else 42 * len(claim.columns)
    cells = claim.width * claim.rows
    # The terms count pairs of overlapping placements and levels; completion; choice.
    pairs = cells * (2150 + 120 * claim.rows)
    return pairs + claim.rows * comb(claim.width, 2) + 4 * problems * cells


def check_size(claim: Claim) -> None:
    """Refuse a claim with invalid sizes or columns, or with a formula that would be too large."""
    column_sets: Sequence[Positions] = (
        claim.positions if isinstance(claim, EmitterClaim) else [(x,) for x in claim.columns]
    )
    if not (1 <= claim.width <= _MAX_WIDTH and 1 <= claim.rows <= _MAX_ROWS):
        raise InputError(
            f"invalid claim about {claim.width} columns and {claim.rows} rows; expected 1 to "
            f"{_MAX_WIDTH} columns and 1 to {_MAX_ROWS} rows"
        )
    if not column_sets:
        raise InputError("invalid claim about no columns; expected at least one set of columns")
    if not all(0 <= x <= claim.width - 3 for positions in column_sets for x in positions):
        raise InputError(f"invalid columns of a claim; expected 0 to {claim.width - 3}")
    if estimate_clause_upper_bound(claim) > _MAX_CLAUSES:
        raise InputError(
            f"the formula of {claim.name} is too large: up to {estimate_clause_upper_bound(claim)} "
            f"clauses; expected at most {_MAX_CLAUSES}"
        )


def parse_claim(data: object) -> Claim:
    """Read a claim from its plain data; raise an InputError if the data are not a claim."""
    claim: Claim
    match data:
        case {"kind": "platforms", "width": int(width), "columns": [*columns]} if all(
            isinstance(column, int) for column in columns
        ):
            claim = PlatformClaim(width, tuple(columns))
        case {
            "kind": "emitters",
            "width": int(width),
            "rows": int(rows),
            "squares_hold": bool(squares_hold),
            "any_order": bool(any_order),
            "positions": [*positions],
        } if all(isinstance(p, list) and all(isinstance(x, int) for x in p) for p in positions):
            claim = EmitterClaim(width, rows, tuple(map(tuple, positions)), squares_hold, any_order)
        case _:
            raise InputError("unknown kind of claim; expected emitters or platforms")
    if claim.to_data() != data:
        raise InputError("the claim has unknown entries")
    check_size(claim)
    return claim


def list_emitter_claims(packings: Iterable[Packing]) -> tuple[EmitterClaim, ...]:
    """Return the claims that together say that packings are minimal.

    There is one claim for each number of emitters and each smaller height that divisibility allows,
    in the strong form: squares below the emitter pieces may support pieces, and emitter pieces may
    be dropped at any time.
    """
    positions_by_size: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for packing in packings:
        width, positions = packing.problem.width, read_positions(packing)
        for rows in range(1, packing.problem.rows):
            if make_emitter_problem(width, rows, positions).is_divisible:
                positions_by_size.setdefault((width, len(positions), rows), []).append(positions)
    return tuple(
        EmitterClaim(width, rows, tuple(sorted(positions)), squares_hold=True, any_order=True)
        for (width, _, rows), positions in sorted(positions_by_size.items())
    )


def make_platform_claim(platforms: Iterable[Packing]) -> PlatformClaim | None:
    """Return the claim that no other platforms exist; None if each column has a platform."""
    columns_with_platform = {read_positions(platform)[0] for platform in platforms}
    missing_columns = sorted(set(range(TABLE_WIDTH - 2)) - columns_with_platform)
    return PlatformClaim(TABLE_WIDTH, tuple(missing_columns)) if missing_columns else None


def count_statements(emitters: Sequence[Packing], platforms: Sequence[Packing]) -> dict[str, int]:
    """Count the statements that together say that tables are minimal.

    Divisibility excludes some of the smaller heights of the patterns. The others need a
    certificate, and so do all columns without a platform.
    """
    certified = sum(len(claim.positions) for claim in list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    return {
        "patterns": len(emitters),
        "platforms": len(platforms),
        "certified": certified,
        "divisible": sum(packing.problem.rows - 1 for packing in emitters) - certified,
        "columns": len(platform_claim.columns) if platform_claim else 0,
    }


def list_missing_proofs(
    claims: Iterable[Claim], emitters: Iterable[Packing], platforms: Iterable[Packing]
) -> list[str]:
    """Return the statements that tables need but claims lack, and the reverse, as sentences.

    Claims about emitters count only in the strong form of :func:`list_emitter_claims`.
    """
    needed = _split_claims(list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    needed |= _split_claims([platform_claim] if platform_claim else [])
    proved = _split_claims(claims)
    return [
        *(f"not proved: {sentence}" for key, sentence in needed.items() if key not in proved),
        *(f"not needed: {sentence}" for key, sentence in proved.items() if key not in needed),
    ]


def _split_claims(claims: Iterable[Claim]) -> dict[object, str]:
    """Split claims into single statements; map a key of each statement to its sentence."""
    statements: dict[object, str] = {}
    for claim in claims:
        if isinstance(claim, EmitterClaim):
            for positions in claim.positions:
                key = (claim.width, claim.rows, positions, claim.squares_hold, claim.any_order)
                form = "strong" if claim.squares_hold and claim.any_order else "weak"
                statements[key] = (
                    f"{claim.rows} rows of width {claim.width} are not enough for emitters at "
                    f"{positions} ({form} form)"
                )
        else:
            for column in claim.columns:
                sentence = f"width {claim.width} has no platform with its T at column {column}"
                statements[claim.width, column] = sentence
    return statements


MANIFEST: Final = "manifest.json"
"""The name of the file that lists a folder's certificates."""

_FORMAT: Final = 2
_MAX_BYTES: Final = 2**25
"""The most bytes of a manifest."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate in a folder: an entry of its manifest.

    Attributes
    ----------
    folder : Path
        The folder of the manifest and the files.
    claim : Claim
        The claim of impossibility.
    formula, drat, lrat : File
        The formula, and a proof in each form.
    solver : str
        The solver that found the proof, with the version of python-sat.
    encoder : int
        :data:`~tetrisprinter.packings.model.ENCODER_VERSION` when the formula was made.
    """

    folder: Path
    claim: Claim
    formula: proof_files.File
    drat: proof_files.File
    lrat: proof_files.File
    solver: str
    encoder: int

    @property
    def name(self) -> str:
        """The claim's name."""
        return self.claim.name

    @property
    def files(self) -> proof_files.Files:
        """The formula, and its proofs in both forms."""
        return self.formula, self.drat, self.lrat

    @property
    def steps(self) -> int:
        """Number of steps of the proof."""
        return proof_files.load(self.folder, self.drat).count("\n")

    @property
    def is_intact(self) -> bool:
        """Whether all files exist with the right checksums."""
        try:
            for file in self.files:
                proof_files.load(self.folder, file)
        except TetrisPrinterError:
            return False
        return True

    def verify(self, checkers: Sequence[str] | None = None) -> tuple[str, ...]:
        """Check the certificate again, from its claim.

        Parameters
        ----------
        checkers : sequence of str or None
            Names of checkers; None means ours and all fast ones that are installed.

        Returns
        -------
        tuple of str
            The checkers that accepted it.

        Raises
        ------
        JobError
            If a checker refuses it, or a file is damaged.
        """
        for result in verify(self.folder, checkers):
            if result.name == self.name:
                if result.error is not None:
                    raise JobError(result.error)
                return result.checkers
        raise JobError(f"{self.folder}: has no certificate of {self.name}")

    def to_data(self) -> dict[str, Any]:
        """Return the entry as plain data for :meth:`parse`."""
        return {
            "words": self.claim.sentence,
            "claim": self.claim.to_data(),
            **proof_files.encode_files(self.files),
            "solver": self.solver,
            "encoder": self.encoder,
        }

    @classmethod
    def parse(cls, data: object, folder: Path) -> Certificate:
        """Read an entry of a folder's manifest; raise an InputError for invalid data."""
        match data:
            case {
                "words": str(sentence),
                "claim": claim_data,
                "solver": str(solver),
                "encoder": int(encoder),
                **files_data,
            }:
                claim = parse_claim(claim_data)
            case _:
                raise InputError("an entry lacks words, claim, solver or encoder")
        if not re.fullmatch(r"[a-z0-9]+ \(python-sat [\w.]+\)", solver, re.ASCII):
            raise InputError(f"the solver of {claim.name} is not a solver of python-sat")
        if sentence != claim.sentence:
            raise InputError(f"'words' of {claim.name} does not match its claim")
        files = proof_files.read_files(files_data, f"the entry of {claim.name}")
        return cls(folder, claim, *files, solver, encoder)


def get_certificates_folder() -> Path:
    """Return the folder of the certificates that come with the package."""
    return find_shipped_folder("encodings")


def read_manifest(folder: str | Path) -> tuple[Certificate, ...]:
    """Read the manifest of a folder and compare its entries with its list of claims.

    Parameters
    ----------
    folder : str or Path
        The folder of the manifest.

    Returns
    -------
    tuple of Certificate
        The certificates, no two with the same name. Their files have not been read.

    Raises
    ------
    InputError
        If the manifest is missing or malformed.
    JobError
        If an entry was removed, added or changed.
    """
    path = Path(folder) / MANIFEST
    contents, certificates = read_entries(path)
    claim_hashes = {c.name: hash_claim(c.claim) for c in certificates}
    for name in sorted(contents.keys() | claim_hashes.keys()):
        if name not in claim_hashes:
            raise JobError(f"{path}: the certificate {name!r} is listed but missing")
        if name not in contents:
            raise JobError(f"{path}: the certificate {name!r} is not listed")
        if contents[name] != claim_hashes[name]:
            raise JobError(f"{path}: the claim of {name!r} differs from the contents")
    if len(claim_hashes) < len(certificates):
        raise JobError(f"{path}: two certificates have the same name")
    proof_files.check_canonical_text(
        path, read_text(path), _format_manifest(contents, certificates)
    )
    listed = {file.name for certificate in certificates for file in certificate.files}
    patterns = {pattern.name for pattern in list_pattern_files(path.parent)}
    proof_files.check_files(path.parent, listed | patterns | {MANIFEST})
    return certificates


def list_pattern_files(folder: Path) -> list[Path]:
    """List the files of patterns in a folder of certificates."""
    return [path for path in sorted(folder.glob("*.txt")) if _PATTERN_NAME.fullmatch(path.name)]


def name_pattern_file(packing: Packing) -> str:
    """Return the name of a pattern's file beside the certificates of smaller heights."""
    problem = packing.problem
    positions = read_positions(packing)
    claim = EmitterClaim(problem.width, problem.rows, (positions,), bool(problem.squares))
    return f"{claim.name}.txt"


def replay_pattern_file(path: Path) -> Packing:
    """Read a pattern beside certificates, compare it with the name of its file, and replay it.

    Raises
    ------
    InputError
        If the file is not the text of a packing.
    JobError
        If its pattern is not the one that the name says, or breaks a rule.
    """
    match = _PATTERN_NAME.fullmatch(path.name)
    if match is None or not path.is_file() or path.stat().st_size > _MAX_PATTERN_BYTES:
        raise InputError(f"{path}: not the file of a pattern")
    width, emitted, rows = map(int, match.group(1, 2, 3))
    columns = tuple(map(int, filter(None, match[4].split("_"))))
    squares = [x + i for x in columns for i in range(3)] if match[5] else ()
    read = Packing.parse(read_text(path), emitted, str(path))
    try:
        if make_emitter_problem(width, rows, columns) != read.problem:
            raise JobError(f"{path}: its pattern is not the one that its name says")
        packing = Packing(make_emitter_problem(width, rows, columns, squares), read.pieces)
        packing.check()
    except (InputError, PackingError) as error:
        raise JobError(f"{path}: {error}") from error
    return packing


def read_entries(path: Path) -> tuple[Mapping[str, str], tuple[Certificate, ...]]:
    """Return the contents of a manifest (a checksum for each claim's name) and its entries."""
    if path.exists() and not (path.is_file() and path.stat().st_size <= _MAX_BYTES):
        raise InputError(f"{path}: not a file of at most {_MAX_BYTES} bytes")
    data = parse_json(read_text(path), str(path))
    match data:
        case {"format": 2, "contents": {**contents}, "certificates": [*entries]}:
            pass
        case _:
            raise InputError(f"{path}: is not a manifest of format {_FORMAT}")
    try:
        checksums = {str(name): str(checksum) for name, checksum in contents.items()}
        return checksums, tuple(Certificate.parse(entry, path.parent) for entry in entries)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def hash_claim(claim: Claim) -> str:
    """Return the checksum of a claim's data."""
    return sha256(json.dumps(claim.to_data(), sort_keys=True).encode("ascii")).hexdigest()


def _format_manifest(contents: Mapping[str, str], certificates: Iterable[Certificate]) -> str:
    """Return the only text of a manifest that :func:`read_manifest` accepts."""
    data = {
        "format": _FORMAT,
        "rebuild": "tetrisprinter patterns build --prove; any one: tetrisprinter patterns prove",
        "contents": dict(sorted(contents.items())),
        "certificates": [c.to_data() for c in sorted(certificates, key=lambda c: c.name)],
    }
    # Write each list of numbers on one line.
    numbers = re.sub(r"\[[\d\s,]+\]", lambda m: " ".join(m[0].split()), json.dumps(data, indent=1))
    return numbers + "\n"


def certify(
    claim: Claim, folder: str | Path, *, solver: str = DEFAULT_SOLVER
) -> Certificate | Packing | None:
    """Prove a claim and write its certificate, unless the folder has it already.

    Parameters
    ----------
    claim : Claim
        The claim to prove.
    folder : str or Path
        The folder of the certificate, made if necessary. Its manifest gets an entry after the
        files are written.
    solver : str
        A solver of python-sat that writes proofs. The same solver and version write the same bytes.

    Returns
    -------
    Certificate, Packing or None
        The certificate if the claim holds. Otherwise nothing is written, and the result is a
        packing that refutes the claim, or None if presets may drop later, which a packing cannot
        express.

    Raises
    ------
    InputError
        If the solver or the folder cannot be used, or the formula would be too large.
    ProofError
        If our own checker refuses the solver's proof. Nothing is written then.
    """
    check_size(claim)
    folder = Path(folder)
    contents: Mapping[str, str] = {}
    certificates_by_name: dict[str, Certificate] = {}
    if (folder / MANIFEST).exists():
        contents, certificates = read_entries(folder / MANIFEST)
        certificates_by_name = {c.name: c for c in certificates}
    contents = {**contents, claim.name: hash_claim(claim)}
    existing = certificates_by_name.get(claim.name)
    if (
        existing
        and existing.claim == claim
        and existing.encoder == ENCODER_VERSION
        and existing.is_intact
    ):
        return existing
    model = claim.make_model()
    solution, proof = find_model_or_proof(list(map(list, model.clauses)), solver=solver)
    if solution is not None:
        return model.decode(solution) if model.presets_first else None
    files = proof_files.store_proof(folder, claim.name, model.to_dimacs(), proof)
    certificate = Certificate(folder, claim, *files, describe_solver(solver), ENCODER_VERSION)
    certificates_by_name[claim.name] = certificate
    # The manifest comes last, so an interrupt leaves no entry without its files.
    write_text(folder / MANIFEST, _format_manifest(contents, certificates_by_name.values()))
    return certificate


def verify(
    folder: str | Path, checkers: Sequence[str] | None = None, *, machines: Machines = HERE
) -> Iterator[proof_files.CheckResult]:
    """Check every certificate of a folder.

    Parameters
    ----------
    folder : str or Path
        A folder with a manifest.
    checkers : sequence of str or None
        Names in :data:`~tetrisprinter.sat.proof_files.CHECKERS`; None means our checkers and all
        fast ones that are installed.
    machines : Machines
        The processes or machines that check; all must have access to the folder.

    Yields
    ------
    CheckResult
        The result for each certificate of the manifest, in its order.

    Raises
    ------
    InputError
        If the manifest or the choice of checkers cannot be used, or the manifest is empty.
    JobError
        If a checker or an entry of the manifest is missing.
    """
    chosen = proof_files.choose_checkers(checkers)
    certificates = read_manifest(folder)
    if not certificates:
        raise InputError(f"{Path(folder) / MANIFEST}: no certificates; expected at least one")
    units = [(certificate, Path(folder).absolute(), chosen) for certificate in certificates]
    yield from yield_in_order(_check_unit, units, machines=machines)


def _check_unit(unit: tuple[Certificate, Path, tuple[str, ...]]) -> proof_files.CheckResult:
    """Check one certificate; this may run in another process."""
    certificate, folder, checkers = unit
    name = certificate.formula.name

    def check() -> None:
        formula = proof_files.load(folder, certificate.formula)
        if certificate.encoder != ENCODER_VERSION:
            raise JobError(
                f"{name}: made by version {certificate.encoder} of the encoding; expected version "
                f"{ENCODER_VERSION}"
            )
        # Compare sizes first, so that a small file cannot demand a huge formula.
        if (
            formula.count("\n") <= get_clause_lower_bound(certificate.claim)
            or certificate.claim.make_model().to_dimacs() != formula
        ):
            raise JobError(f"{name}: differs from the formula of its claim")
        proof_files.check_proof(folder, formula, (certificate.drat, certificate.lrat), checkers)

    return proof_files.run_check(certificate.name, checkers, check)


def prove_emitters(
    packings: Sequence[Packing],
    folder: str | Path,
    *,
    on_certificate: Callable[[Certificate], None] = lambda _: None,
) -> list[Packing]:
    """Certify that the entries of a table are minimal; replace those that are not.

    Existing certificates are kept, so an interrupted call can be repeated.
    """
    entries = {read_positions(packing): packing for packing in packings}
    while True:
        smaller_packing = None
        for claim in list_emitter_claims(entries.values()):
            answer = certify(claim, folder)
            if not isinstance(answer, Certificate):  # try the claim under the tables' own rules
                answer = certify(EmitterClaim(claim.width, claim.rows, claim.positions), folder)
            if isinstance(answer, Certificate):
                on_certificate(answer)
            else:
                smaller_packing = answer
                break
        if smaller_packing is None:
            return list(entries.values())
        # A smaller pattern changes the claims, so they are listed again.
        entries[read_positions(smaller_packing)] = smaller_packing


def prove_platforms(platforms: Iterable[Packing], folder: str | Path) -> Certificate | None:
    """Certify that no other platforms exist; return None if each column has a platform."""
    claim = make_platform_claim(platforms)
    if claim is None:
        return None
    answer = certify(claim, folder)
    if not isinstance(answer, Certificate):
        raise JobError(f"the tables lack a platform:\n{answer}")
    return answer
