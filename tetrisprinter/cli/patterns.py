"""``tetrisprinter patterns``: packed matrices and their tables.

``find``, ``count`` and ``prove`` ask about one matrix or about all positions of its emitter pieces:
``find`` shows a packing, ``count`` says how many there are, and ``prove`` shows one or proves that
there is none. ``show`` and ``build`` are for the tables of patterns.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tetrisprinter.cli.options import (
    COLUMNS,
    FILE,
    FOLDER,
    dask_option,
    flag,
    json_option,
    list_given_options,
    option,
    print_report,
    real,
    seed_option,
    whole,
    workers_option,
)
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import can_make_pieces
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.packings import finders, tables
from tetrisprinter.packings.automaton import MAX_ROWS, SHIPPED
from tetrisprinter.packings.certificates import MANIFEST, name_pattern_file
from tetrisprinter.packings.finders import Backtracker, CpSat, Finder, Lister, Sat
from tetrisprinter.packings.model import PackingModel, write_cpsat
from tetrisprinter.packings.patterns import (
    Verdict,
    count_each,
    list_position_sets,
    needs_listing,
    prove,
)
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    PackingProblem,
    Result,
    list_emitter_positions,
    make_emitter_problem,
    read_matrix,
)
from tetrisprinter.packings.tables import TABLE_WIDTH
from tetrisprinter.sat.solve import DEFAULT_SOLVER, check_solver
from tetrisprinter.support import files, format_count
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.options import Limit

_ONLY_FOR = {
    "backtracker": ("exhaustive", "attempts", "retries", "permutations", "order"),
    "cpsat": ("fewest", "most"),
    "sat": ("solver",),
}
_NEEDS_SAT = frozenset(
    ("matrix", "hold", "use", "without", "symmetric", "solver", "find_all", "save", "model")
)
"""The options that the fast finders do not have."""

_MAX_NAMED_SETS = 3  # a message with more position sets names only the first of them

_LISTERS = [name for name, finder in finders.FINDERS.items() if isinstance(finder, Lister)]
_LISTER_NAMES = ", ".join(_LISTERS)


@click.command("find")
@option("--emitted", whole(0), "Number of squares that the matrix leaves.")
@option("--rows", whole(1, 100), "Rows of the matrix.")
@option("--width", whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option(
    "--at columns",
    COLUMNS,
    "First columns of the emitter pieces, of three columns each. [default: try them all]",
)
@option(
    "--matrix",
    FILE,
    "A drawing of any matrix instead: '.' free, '#' preset, 'x' a hole that stays, another letter "
    "for each piece that must be there.",
)
@option("--hold", COLUMNS, "Columns with a square below the matrix that holds pieces.")
@option("--use", None, "Use pieces of these types only, e.g. JLT.", metavar="TYPES")
@option("--without", None, "Use no piece of these types.", metavar="TYPES")
@option("--fewest", None, "Use the fewest pieces of these types, e.g. SZ.", metavar="TYPES")
@option("--most", None, "Use the most pieces of these types.", metavar="TYPES")
@flag("--symmetric", "The pieces must be their own mirror image.")
@option(
    "--finder",
    list(finders.FINDERS),
    "The search method. [default: automaton up to 6 rows, else backtracker; cpsat or sat for the "
    "options above and below]",
)
@flag("--all find_all", f"Find all matrices ({_LISTER_NAMES}).")
@option(
    "--time-limit", real(0, min_open=True), f"Stop after this number of seconds ({_LISTER_NAMES})."
)
@option(
    "--save",
    FILE,
    "Write the model for other solvers instead, with the map of its variables: DIMACS (.cnf), OPB "
    "(.opb) or CP-SAT's text form (.pbtxt).",
)
@option("--model", FILE, "Turn a solver's answer to that model into a matrix instead.")
@option("--solver", None, "sat: a solver of python-sat.", default=DEFAULT_SOLVER)
@flag("--exhaustive", "backtracker: never give up.")
@option(
    "--attempts",
    whole(1),
    "backtracker: placements to try before a restart.",
    default=finders.DEFAULT_ATTEMPTS,
)
@option(
    "--retries", whole(1), "backtracker: how many times to start.", default=finders.DEFAULT_RETRIES
)
@option(
    "--permutations",
    whole(1),
    "backtracker: the number of random orders to use in turn. [default: a new one at each start]",
)
@option(
    "--order",
    ["sweep", "random"],
    "backtracker: fill from the left, or anywhere as the article does.",
    default="sweep",
)
@seed_option
@workers_option
@json_option
def find_matrix(
    find_all: bool,
    as_json: bool,
    save: Path | None,
    model: Path | None,
    finder: str | None,
    **options: Any,
) -> None:
    """Find a packed matrix that leaves EMITTED squares below its ROWS rows, or fill any matrix.

    Prints the matrices in the text form of the tables. The exit code is 1 if one of them
    does not exist or was not found; stderr (or the JSON) says which. The automaton and
    the exact finders (cpsat, sat) always decide the question, unless a time limit ends them.
    """
    orientations = _list_allowed(options["use"], options["without"])
    questions = _list_questions(
        options["matrix"],
        options["emitted"],
        options["rows"],
        options["width"],
        options["columns"],
        options["hold"] or (),
        orientations,
    )
    given = list_given_options()
    if finder is None:
        finder = _choose_finder(given, options["rows"])
    for owner, names in _ONLY_FOR.items():
        for name in names:
            if name in given and owner != finder:
                raise InputError(
                    f"--{name.replace('_', '-')} is for --finder {owner}, not {finder}"
                )
    if finder not in _LISTERS and (find_all or options["time_limit"]):
        raise InputError(f"--all and --time-limit are for --finder {' and '.join(_LISTERS)}")
    if options["symmetric"] and finder not in ("sat", "cpsat"):
        raise InputError(f"--symmetric is for --finder cpsat and sat, not {finder}")
    cost = _make_cost(options["fewest"], options["most"])
    if find_all and cost is not None:
        raise InputError("--fewest and --most cannot be used with --all; leave one of them out")
    if save or model:
        if len(questions) != 1:
            raise InputError("--save and --model need one matrix; use --at or --matrix")
        _exchange(questions[0][1], options["symmetric"], cost, save, model, as_json)
        return
    chosen_finder = _make_finder(finder, options, cost)
    limit = Limit(options["time_limit"], options["workers"], options["seed"])
    reports: list[dict[str, object]] = []
    failures: dict[str, list[str]] = {}
    with show_counted_progress("searching", len(questions)) as on_result:
        for positions, problem in questions:
            entry: dict[str, object] = {} if positions is None else {"at": positions}
            results: list[Result] = []
            if find_all and isinstance(chosen_finder, Lister):
                results += chosen_finder.find_all(problem, limit)
            results = results or [chosen_finder.find(problem, limit)]
            texts = _fill_report(entry, results, find_all)
            if not texts:
                verdict = "no packing" if entry["status"] == "infeasible" else "not found"
                failures.setdefault(f"{verdict}: {entry['reason']}", []).append(
                    "" if positions is None else ",".join(map(str, positions)) or "none"
                )
            on_result()
            reports.append(entry)
            if not as_json:
                for text in texts:
                    click.echo(text)
    for verdict, position_sets in failures.items():
        name = str(options["matrix"]) if options["matrix"] else "emitters at "
        click.echo(f"{name}{_format_position_sets(position_sets)}: {verdict}", err=True)
    if as_json:
        problem = questions[0][1]
        report = {"width": problem.width, "rows": problem.rows, "results": reports}
        click.echo(json.dumps(report))
    if failures:
        raise click.exceptions.Exit(1)


def _list_questions(
    matrix: Path | None,
    emitted: int | None,
    rows: int | None,
    width: int,
    columns: tuple[int, ...] | None,
    squares: Sequence[int] = (),
    orientations: tuple[Orientation, ...] = ORIENTATIONS,
) -> list[tuple[tuple[int, ...] | None, PackingProblem]]:
    """Return the matrices to pack, with the columns of their emitter pieces if they have any."""
    if matrix is not None:
        if emitted is not None or rows is not None or columns is not None:
            raise InputError("--matrix cannot be used with --emitted, --rows or --at")
        text = files.read_text(matrix, "the drawing of a matrix")
        problem = read_matrix(text, str(matrix), squares=squares, orientations=orientations)
        return [(None, problem)]
    if rows is None or (emitted is None and columns is None):
        raise InputError("no matrix was given; use --rows with --emitted or --at, or --matrix")
    return [
        (at, make_emitter_problem(width, rows, at, squares, orientations))
        for at in list_position_sets(emitted, columns, width)
    ]


def _list_allowed(use: str | None, without: str | None) -> tuple[Orientation, ...]:
    """Return the orientations of the types to use."""
    used = _read_types(use, "--use") if use else frozenset(PieceType)
    left = used - (_read_types(without, "--without") if without else frozenset())
    if not left:
        raise InputError("--use and --without leave no type; leave at least one")
    return tuple(o for o in ORIENTATIONS if o.piece in left)


def _make_cost(fewest: str | None, most: str | None) -> Callable[[Placement], int] | None:
    """Return the cost of a piece: 1 for a type of ``--fewest``, -1 for one of ``--most``."""
    if fewest is None and most is None:
        return None
    unwanted = _read_types(fewest or "", "--fewest")
    wanted = _read_types(most or "", "--most")
    if unwanted & wanted:
        raise InputError("--fewest and --most name the same type; name it once")
    return lambda piece: (piece.orientation.piece in unwanted) - (piece.orientation.piece in wanted)


def _exchange(
    problem: PackingProblem,
    is_symmetric: bool,
    cost: Callable[[Placement], int] | None,
    save: Path | None,
    answer: Path | None,
    as_json: bool,
) -> None:
    """Write the model of a matrix for other solvers, or read the answer of one."""
    model = PackingModel([problem], is_symmetric=is_symmetric)
    report: dict[str, object] = {}
    texts: list[str] = []
    if save is not None:
        files.refuse_overwriting_inputs([save], [answer])
        files.check_extension(save, (".cnf", ".opb", ".pbtxt"))
        if save.suffix == ".cnf":
            if cost is not None:
                raise InputError(f"{save}: DIMACS has no costs; save as .opb or .pbtxt")
            text = model.to_dimacs(variable_map=True)
        elif save.suffix == ".opb":
            text = model.to_opb(cost)
        else:
            text = f"{write_cpsat(model, cost, with_names=True).proto}"
        files.write_text(save, text)
        report["saved"] = str(save)
        texts.append(f"{save}: the model; --model FILE turns the answer of a solver into a matrix")
    if answer is not None:
        drawing = str(model.decode(_read_model(answer)))
        report["packing"] = drawing.split("\n")
        texts.append(drawing)
    print_report(as_json, report, "\n".join(texts))


def _choose_finder(given: set[str], rows: int | None) -> str:
    """Return the finder that can answer the question with the given options, the fastest first."""
    if given & {"fewest", "most"}:
        return "cpsat"
    if given.intersection(_ONLY_FOR["backtracker"]):
        return "backtracker"
    if given & _NEEDS_SAT:
        return "sat"
    return "automaton" if rows in SHIPPED else "backtracker"


def _make_finder(
    name: str, options: dict[str, Any], cost: Callable[[Placement], int] | None
) -> Finder:
    """Return a finder with its own options."""
    if name == "sat":
        return Sat(options["solver"], options["symmetric"])
    if name == "cpsat":
        return CpSat(cost, options["symmetric"])
    if name == "backtracker":
        return Backtracker(
            None if options["exhaustive"] else options["attempts"],
            options["retries"],
            options["permutations"],
            "random" if options["order"] == "random" else "sweep",
        )
    return finders.FINDERS[name]


def _read_model(path: Path) -> list[int]:
    """Read the solution that a solver printed: literals, with or without 'v', or CP-SAT's text."""
    literals: list[int] = []
    values = 0  # values of CP-SAT, one for each variable in order
    for number, line in enumerate(files.read_text(path, "the answer of a solver").splitlines(), 1):
        words = line.split()
        if words[:1] == ["solution:"] and words[1:] in (["0"], ["1"]):
            values += 1
            literals.append(values if words[1] == "1" else -values)
            continue
        is_remark = not words or words[0] in {"c", "s", "o", "SAT", "SATISFIABLE"}
        if is_remark or words[0].endswith(":"):  # another field of CP-SAT's answer
            if words[:2] in (["s", "UNSATISFIABLE"], ["s", "UNKNOWN"], ["status:", "INFEASIBLE"]):
                raise InputError(f"{path}:{number}: the solver found no model")
            continue
        for word in words[1:] if words[0] == "v" else words:
            try:
                literals.append(int(word.replace("x", "", 1)))
            except ValueError as error:
                column = line.index(word) + 1
                raise InputError(
                    f"{path}:{number}: invalid {word!r} in column {column}; expected literals such "
                    "as 3, -4 or x5"
                ) from error
    if not literals:
        raise InputError(f"{path}: no literal in this file; expected the answer of a solver")
    return literals


def _read_types(letters: str, option: str) -> frozenset[PieceType]:
    """Read the piece types of an option."""
    try:
        return frozenset(PieceType[letter] for letter in letters.upper())
    except KeyError as error:
        raise InputError(
            f"{option}: unknown piece {error.args[0]} in {letters}; choose from I, J, L, O, S, T, Z"
        ) from error


def _format_position_sets(position_sets: Sequence[str]) -> str:
    """Return the position sets as text; if there are many, the first one and a count."""
    if len(position_sets) <= _MAX_NAMED_SETS:
        return "; ".join(position_sets)
    return f"{position_sets[0]} and {len(position_sets) - 1:,} other sets of positions"


def _fill_report(entry: dict[str, object], results: Sequence[Result], lists_all: bool) -> list[str]:
    """Add the results to a report; return the packings as texts (empty if none was found)."""
    packings = [result for result in results if isinstance(result, Packing)]
    if packings:
        drawings = [str(packing).split("\n") for packing in packings]
        entry |= {"status": "packing"} | (
            {"packings": drawings} if lists_all else {"packing": drawings[0]}
        )
        return [f"{packing}\n" for packing in packings]
    last_result = results[-1]
    assert not isinstance(last_result, Packing)
    status = "infeasible" if isinstance(last_result, Infeasible) else "unknown"
    entry |= {"status": status, "reason": last_result.reason}
    return []


@click.command("count")
@option("--emitted", whole(0), "Number of squares that the matrix leaves.")
@option("--rows", whole(1, 100), "Rows of the matrix.")
@option("--width", whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option("--at columns", COLUMNS, "First columns of the emitter pieces. [default: count each set]")
@option("--matrix", FILE, "A drawing of the matrix, as for 'patterns find'.")
@json_option
def count_packings(
    emitted: int | None,
    rows: int | None,
    width: int,
    columns: tuple[int, ...] | None,
    matrix: Path | None,
    as_json: bool,
) -> None:
    """Count all packings of a matrix, exactly.

    Two packings are the same if their pieces lie in the same places, in any drop order. Up to four
    rows take a second at any width, five rows ten seconds. Six rows take many minutes and
    gigabytes. Taller matrices, and matrices with holes, are counted one by one. 'patterns
    automaton query' counts the sets of columns that have a packing.
    """
    questions = _list_questions(matrix, emitted, rows, width, columns)
    entries: list[dict[str, object]] = []
    total = 0
    began = time.perf_counter()
    if any(p.is_divisible and (p.rows >= MAX_ROWS or needs_listing(p)) for _, p in questions):
        click.echo("counting can take many minutes; Ctrl-C ends it", err=True)
    with show_counted_progress("counting", len(questions)) as on_result:
        numbers = count_each(problem for _, problem in questions)
        for (at, _), number in zip(questions, numbers, strict=True):
            name = str(matrix) if at is None else f"emitters at {','.join(map(str, at)) or 'none'}"
            entries.append({"name": name, "count": number})
            total += number
            on_result()
            if not as_json:
                click.echo(f"{name}: {number:,}")
    if as_json:
        seconds = round(time.perf_counter() - began, 2)
        click.echo(json.dumps({"matrices": entries, "total": total, "seconds": seconds}))
    elif len(entries) > 1:
        click.echo(f"all together: {total:,}")


FOUND_EXIT_CODE, IMPOSSIBLE_EXIT_CODE = 10, 20  # like those of SAT solvers


@click.command("prove")
@option("--emitted", whole(0), "Number of squares that the matrix leaves.", required=True)
@option("--rows", whole(1, 100), "Rows of the matrix.")
@flag("--minimum", "Find the least number of rows instead.")
@option("--width", whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option("--at columns", COLUMNS, "First columns of the emitter pieces. [default: try all columns]")
@option("--up-to", whole(1, 100), "With --minimum: the most rows to try.", default=12)
@flag("--squares-hold", "Let the squares below the emitter pieces support other pieces.")
@option("--solver", None, "A solver of python-sat.", default=DEFAULT_SOLVER)
@option(
    "-o --output", FOLDER, "The folder for the packing or the certificate. [default: keep nothing]"
)
@json_option
def prove_matrix(
    emitted: int,
    rows: int | None,
    minimum: bool,
    width: int,
    columns: tuple[int, ...] | None,
    up_to: int,
    squares_hold: bool,
    solver: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find a packed matrix that leaves EMITTED squares, or prove that none exists.

    An emitter piece leaves a square: it lies in the lowest row of the matrix with three cells, and
    its fourth cell stays below. Without --at the emitter pieces may lie anywhere. No piece of the
    matrix rests over a hole.

    Two solvers decide whether it is impossible, and must agree: CP-SAT, and CaDiCaL (or --solver)
    with a proof, which is checked. With -o the formula and the proof are kept; 'tetrisprinter
    verify FOLDER' checks them again, and other programs can, too.

    Exit codes, like those of SAT solvers: 10 a packing exists, 20 none exists. 1 and 2 as with all
    commands.
    """
    if (rows is None) != minimum:
        raise InputError("give either --rows or --minimum")
    list_position_sets(emitted, columns, width)
    check_solver(solver)
    if output is not None:
        files.make_folder(output)
    verdicts: list[Verdict] = []
    if minimum and not any(can_make_pieces(width * r - 3 * emitted) for r in range(1, 5)):
        reason = f"impossible: {width} r - {3 * emitted} is never a multiple of 4"
        _report_verdicts([], [f"r rows: {reason}"], as_json, output)
    for height in [rows] if rows is not None else range(1, up_to + 1):
        with show_counted_progress(format_count(height, "row"), None):
            verdict = prove(
                emitted,
                height,
                columns,
                width=width,
                squares_hold=squares_hold,
                folder=output,
                solver=solver,
            )
        verdicts.append(verdict)
        if not as_json:
            click.echo(str(verdict))
        if verdict.packing is not None:
            break
    if minimum and (not verdicts or verdicts[-1].packing is None):
        where = f"; the certificates are in {output}" if output is not None else ""
        raise JobError(f"no matrix of up to {format_count(up_to, 'row')}{where}")
    _report_verdicts(verdicts, [], as_json, output)


def _report_verdicts(
    verdicts: list[Verdict], sentences: list[str], as_json: bool, output: Path | None
) -> None:
    """Show the packing, say what was kept, and end with the exit code."""
    steps = [_describe_verdict(verdict, output) for verdict in verdicts]
    packing = verdicts[-1].packing if verdicts else None
    if packing is not None and output is not None:
        path = output / name_pattern_file(packing)
        files.write_text(path, f"{packing}\n")
        steps[-1]["files"] = [str(path)]
    if as_json:
        report = {"found": packing is not None, "steps": steps, "reasons": sentences}
        click.echo(json.dumps(report))
    else:
        for sentence in sentences:
            click.echo(sentence)
        if packing is not None:
            click.echo(f"\n{packing}")
        if any(verdict.certificate for verdict in verdicts):
            click.echo(
                f"{output}: the certificate; 'tetrisprinter verify {output}' checks it"
                if output is not None
                else "not kept; -o FOLDER keeps the formula and its proof"
            )
    raise click.exceptions.Exit(IMPOSSIBLE_EXIT_CODE if packing is None else FOUND_EXIT_CODE)


def _describe_verdict(verdict: Verdict, output: Path | None) -> dict[str, Any]:
    """Return a verdict as plain data."""
    step: dict[str, Any] = {
        "rows": verdict.rows,
        "status": "arithmetic" if verdict.certificate is None else "certificate",
        "words": str(verdict),
        "files": [],
    }
    if verdict.packing is not None:
        step |= {"status": "packing", "packing": str(verdict.packing).split("\n")}
    if verdict.cpsat_seconds is not None:
        step["cpsat_seconds"] = round(verdict.cpsat_seconds, 2)
    if verdict.certificate is not None:
        certificate = verdict.certificate
        step |= {"solver": certificate.solver, "proof_steps": certificate.steps}
        if output is not None:
            names = [*(file.name for file in certificate.files), MANIFEST]
            step["files"] = [str(output / name) for name in names]
    return step


@click.command("show")
@click.argument("table", metavar="N|platforms")
@option("--at columns", COLUMNS, "Show only the pattern with these positions.")
@json_option
def show_table(table: str, columns: tuple[int, ...] | None, as_json: bool) -> None:
    """Show the patterns of N emitted squares, or the platforms.

    In a terminal each piece has the colour of its type, the emitter pieces (and the T of
    a platform) are white.
    """
    packings = _select_patterns(table, columns)
    entries = [
        {
            "at": [preset[0][0] for preset in packing.problem.presets],
            "rows": packing.problem.rows,
            "packing": str(packing).split("\n"),
        }
        for packing in packings
    ]
    # click strips the colours if stdout is not a terminal
    drawings = "\n\n".join(map(_color_letters, packings))
    print_report(as_json, {"table": table, "patterns": entries}, drawings)


def _select_patterns(table: str, columns: tuple[int, ...] | None) -> list[Packing]:
    """Return the patterns of a table, or only those whose emitter pieces begin at ``columns``."""
    root = Path(str(tables.get_tables_folder()))
    if table == "platforms":
        platforms = tables.read_platform_table(root / tables.PLATFORMS_FILE)
        if columns is None:
            return platforms
        platforms_at_columns = [p for p in platforms if p.problem.presets[0][0][0] in columns]
        if not platforms_at_columns:
            raise InputError(f"no platform has its T at column {','.join(map(str, columns))}")
        return platforms_at_columns
    if not table.isdecimal() or int(table) not in tables.EMITTED:
        raise InputError(
            f"unknown table {table!r}; expected 'platforms' or a number of emitted squares, 1 to "
            f"{tables.EMITTED[-1]}"
        )
    emitted = int(table)
    if columns is None:
        return tables.read_emitter_table(root / tables.name_emitter_file(emitted), emitted)
    if columns not in list_emitter_positions(emitted):
        raise InputError(
            f"--at: invalid positions {','.join(map(str, columns))}; expected "
            f"{format_count(emitted, 'column')} from 0 to {TABLE_WIDTH - 3}, at least three apart"
        )
    return [tables.look_up_emitters(columns)]


_COLORS = dict(
    zip(PieceType, ("cyan", "blue", "bright_red", "yellow", "green", "magenta", "red"), strict=True)
)


def _color_letters(packing: Packing) -> str:
    """Return the text form of a packing with each letter on the colour of its piece."""
    color_of = {cell: "white" for preset in packing.problem.presets for cell in preset}
    for piece in packing.pieces:
        color_of |= dict.fromkeys(piece.cells, _COLORS[piece.orientation.piece])
    rows = packing.problem.rows
    return "\n".join(
        "".join(
            click.style(letter, fg="black", bg=color_of[x, rows - 1 - line])
            for x, letter in enumerate(text)
        )
        for line, text in enumerate(str(packing).split("\n"))
    )


@click.command("build")
@option("-o --output", FILE, "The folder for the tables.", default=Path("patterns"))
@option(
    "--emitted",
    whole(1, len(tables.EMITTED)),
    "Build only the table for this number of emitted squares; may be given several times.",
    multiple=True,
)
@option(
    "--finder",
    list(finders.FINDERS),
    "The search method. Only the default builds the tables of the package, byte for byte; other "
    "methods find other patterns of the same heights.",
    default="fastest",
)
@flag("--prove", "Certify that no smaller pattern exists; existing certificates are kept.")
@option("--encodings", FOLDER, "The folder for the certificates.", default=Path("encodings"))
@seed_option
@workers_option
@dask_option
@json_option
def build_tables(
    output: Path,
    emitted: tuple[int, ...],
    prove: bool,
    encodings: Path,
    finder: str,
    seed: int,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Search all patterns again and write their tables.

    Each table is written as soon as it is complete; until then its patterns are stored in
    a .journal file beside it, and the same command continues from there after an interrupt.
    Without --emitted the platforms are built, too. With --prove a table is complete when every
    smaller height has been proved impossible for gap-free games; if a proof finds a smaller
    pattern, it replaces the larger one.
    """
    files.make_folder(output)
    reports: list[dict[str, object]] = []

    def write_table(name: str, packings: list[Packing], started: float) -> None:
        files.write_text(output / name, tables.format_table(packings))
        by_rows: dict[str, int] = {}
        for packing in packings:
            key = str(packing.problem.rows)
            by_rows[key] = by_rows.get(key, 0) + 1
        seconds = round(time.perf_counter() - started, 2)
        reports.append(
            {"file": name, "patterns": len(packings), "by_rows": by_rows, "seconds": seconds}
        )
        if not as_json:
            counts = ", ".join(
                f"{count} of {format_count(int(rows), 'row')}" for rows, count in by_rows.items()
            )
            total = format_count(len(packings), "pattern")
            click.echo(f"{output / name}: {total} ({counts}), {seconds} s")

    for emitted_count in sorted(set(emitted)) or tables.EMITTED:
        started = time.perf_counter()
        total = sum(1 for _ in list_emitter_positions(emitted_count))
        with show_counted_progress(f"patterns of {emitted_count}", total) as on_pattern:
            packings = tables.build_emitters(
                emitted_count,
                seed=seed,
                finder=finder,
                machines=Machines(workers, dask),
                journal=output / f".{tables.name_emitter_file(emitted_count)}.journal",
                on_pattern=on_pattern,
            )
        if prove:
            from tetrisprinter.packings.certificates import prove_emitters

            with show_counted_progress(f"proofs of {emitted_count}", None) as on_certificate:
                packings = prove_emitters(
                    packings, encodings, on_certificate=lambda _: on_certificate()
                )
        write_table(tables.name_emitter_file(emitted_count), packings, started)
    if not emitted:
        started = time.perf_counter()
        with show_counted_progress("platforms", TABLE_WIDTH - 2) as on_pattern:
            packings = tables.build_platforms(seed=seed, finder=finder, on_pattern=on_pattern)
        if prove:
            from tetrisprinter.packings.certificates import prove_platforms

            with show_counted_progress("proof", None):
                prove_platforms(packings, encodings)
        write_table(tables.PLATFORMS_FILE, packings, started)
    if as_json:
        click.echo(json.dumps({"tables": reports}))
