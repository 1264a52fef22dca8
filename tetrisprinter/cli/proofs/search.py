"""``tetrisprinter proofs search``: search packed matrices that leave given squares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tetrisprinter.cli.options import (
    COLUMNS,
    FILE,
    Real,
    Whole,
    flag,
    json_option,
    option,
    seed_option,
    workers_option,
)
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings.finders import FINDERS, Finder, Lister, count_packings
from tetrisprinter.packings.finders.backtracker import (
    DEFAULT_ATTEMPTS,
    DEFAULT_RETRIES,
    Backtracker,
)
from tetrisprinter.packings.problem import (
    Infeasible,
    Packing,
    Result,
    make_emitter_problem,
)
from tetrisprinter.packings.tables import TABLE_WIDTH, list_emitter_positions
from tetrisprinter.support.files import read_text, refuse_overwriting_inputs, write_text
from tetrisprinter.support.limits import Limit

_ONLY_FOR = {
    "backtracker": ("exhaustive", "attempts", "retries", "permutations", "order"),
    "cpsat": ("fewest",),
    "sat": ("solver", "save_dimacs", "model"),
}


_MAX_NAMED_SETS = 3  # a message with more position sets names only the first of them

_LISTERS = [name for name, finder in FINDERS.items() if isinstance(finder, Lister)]
_LISTER_NAMES = ", ".join(_LISTERS)


@click.command("search")
@option("--emitted", Whole(0), "Number of emitted squares.", required=True)
@option("--rows", Whole(1, 100), "Rows of the matrix.", required=True)
@option("--width", Whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option(
    "--at columns",
    COLUMNS,
    "First columns of the emitter pieces, of three columns each. [default: try them all]",
)
@option(
    "--finder",
    list(FINDERS),
    "The search method. [default: automaton up to 6 rows, else backtracker; sat for --all and "
    "--count]",
)
@flag("--all find_all", f"Find all matrices ({_LISTER_NAMES}).")
@flag("--count", f"Count all matrices ({_LISTER_NAMES}).")
@option(
    "--time-limit", Real(0, min_open=True), f"Stop after this number of seconds ({_LISTER_NAMES})."
)
@option("--solver", None, "sat: a solver of python-sat.", default="cadical195")
@option(
    "--save-dimacs",
    FILE,
    "sat: write the formula and the meanings of its variables instead. Needs --at.",
)
@option("--model", FILE, "sat: decode a solver's answer to that formula instead. Needs --at.")
@option("--fewest", None, "cpsat: use the fewest pieces of these types, e.g. SZ.", metavar="TYPES")
@flag("--exhaustive", "backtracker: never give up.")
@option(
    "--attempts",
    Whole(1),
    "backtracker: placements to try before a restart.",
    default=DEFAULT_ATTEMPTS,
)
@option("--retries", Whole(1), "backtracker: how many times to start.", default=DEFAULT_RETRIES)
@option(
    "--permutations",
    Whole(1),
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
@click.pass_context
def command(
    context: click.Context,
    /,
    emitted: int,
    rows: int,
    width: int,
    columns: tuple[int, ...] | None,
    finder: str | None,
    find_all: bool,
    count: bool,
    as_json: bool,
    save_dimacs: Path | None,
    model: Path | None,
    **options: Any,
) -> None:
    """Search a packed matrix that leaves EMITTED squares below its ROWS rows.

    Prints the matrices in the text form of the tables. The exit code is 1 if one of them
    does not exist or was not found; stderr (or the JSON) says which. The automaton and
    the exact finders (cpsat, sat) always decide the question, unless a time limit ends them.
    """
    if columns is not None and len(columns) != emitted:
        raise InputError(
            f"--at: {len(columns)} columns; expected {emitted}, the number of --emitted"
        )
    if 3 * emitted > width:
        raise InputError(
            f"--width {width} is too small; {emitted} emitter pieces need {3 * emitted} columns"
        )
    if finder is None:
        needs_sat = find_all or count or save_dimacs or model
        finder = "sat" if needs_sat else _choose_finder(context, rows)
    _refuse_foreign_options(context, finder)
    if finder not in _LISTERS and (find_all or count or options["time_limit"]):
        raise InputError(
            f"--all, --count and --time-limit are for --finder {' and '.join(_LISTERS)}"
        )
    if save_dimacs or model:
        if columns is None:
            raise InputError("--save-dimacs and --model need --at, the positions of one matrix")
        from tetrisprinter.packings.finders.cnf import encode

        formula = encode([make_emitter_problem(width, rows, columns)])
        if save_dimacs:
            refuse_overwriting_inputs([save_dimacs], [model])
            write_text(save_dimacs, formula.to_dimacs(variable_map=True))
        if model:
            click.echo(str(formula.decode(_read_model(model))))
        return
    all_positions = (
        [columns] if columns is not None else list(list_emitter_positions(emitted, width))
    )
    chosen_finder = _make_finder(finder, options)
    if (find_all or count) and options["fewest"]:
        raise InputError("--fewest cannot be used with --all or --count; leave one of them out")
    limit = Limit(options["time_limit"], options["workers"], options["seed"])
    reports: list[dict[str, object]] = []
    failures: dict[str, list[str]] = {}
    with show_counted_progress("searching", len(all_positions)) as on_result:
        for positions in all_positions:
            problem = make_emitter_problem(width, rows, positions)
            entry: dict[str, object] = {"at": positions}
            if count and isinstance(chosen_finder, Lister):
                entry["count"] = number = count_packings(chosen_finder, problem, limit)
                texts = [f"emitters at {_format_positions(positions)}: {number}"]
            else:
                results: list[Result] = []
                if find_all and isinstance(chosen_finder, Lister):
                    results += chosen_finder.find_all(problem, limit)
                results = results or [chosen_finder.find(problem, limit)]
                texts = _fill_report(entry, results, find_all)
                if not texts:
                    position_sets = failures.setdefault(_format_failure(results[-1]), [])
                    position_sets.append(_format_positions(positions))
            on_result()
            reports.append(entry)
            if not as_json:
                for text in texts:
                    click.echo(text)
    for verdict, position_sets in failures.items():
        click.echo(f"emitters at {_format_position_sets(position_sets)}: {verdict}", err=True)
    if as_json:
        click.echo(json.dumps({"width": width, "rows": rows, "results": reports}))
    if failures:
        raise click.exceptions.Exit(1)


def _is_on_command_line(context: click.Context, name: str) -> bool:
    """Return whether an option is given on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _choose_finder(context: click.Context, rows: int) -> str:
    """Return backtracker if its options are given or the height is too large, else automaton."""
    from tetrisprinter.packings.automaton.automaton import SHIPPED

    wants_search = any(_is_on_command_line(context, name) for name in _ONLY_FOR["backtracker"])
    return "automaton" if rows in SHIPPED and not wants_search else "backtracker"


def _refuse_foreign_options(context: click.Context, finder: str) -> None:
    """Refuse options that only another finder has."""
    for owner, names in _ONLY_FOR.items():
        for name in names:
            if _is_on_command_line(context, name) and owner != finder:
                option = name.replace("_", "-")
                raise InputError(f"--{option} is for --finder {owner}, not {finder}")


def _make_finder(name: str, options: dict[str, Any]) -> Finder:
    """Return a finder with its own options."""
    if name == "sat":
        from tetrisprinter.packings.finders.sat import Sat

        return Sat(options["solver"])
    if name == "cpsat":
        from tetrisprinter.packings.finders.cpsat import CpSat

        unwanted_types = _read_types(options["fewest"] or "")
        return CpSat(
            (lambda piece: piece.orientation.piece in unwanted_types) if unwanted_types else None
        )
    if name == "backtracker":
        return Backtracker(
            None if options["exhaustive"] else options["attempts"],
            options["retries"],
            options["permutations"],
            "random" if options["order"] == "random" else "sweep",
        )
    return FINDERS[name]


def _read_model(path: Path) -> list[int]:
    """Read the model that a SAT solver printed, with or without 'v' before each line."""
    literals: list[int] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = line.split()
        if not words or words[0] in {"c", "s", "SAT", "SATISFIABLE"}:
            if words[:2] in (["s", "UNSATISFIABLE"], ["s", "UNKNOWN"]):
                raise InputError(f"{path}:{number}: the solver found no model")
            continue
        try:
            literals += map(int, words[1:] if words[0] == "v" else words)
        except ValueError as error:
            raise InputError(f"{path}:{number}: not a list of literals: {line}") from error
    return literals


def _read_types(letters: str) -> frozenset[PieceType]:
    """Read the piece types of ``--fewest``."""
    try:
        return frozenset(PieceType[letter] for letter in letters.upper())
    except KeyError as error:
        raise InputError(
            f"--fewest: unknown piece {error.args[0]} in {letters}; choose from I, J, L, O, S, T, Z"
        ) from error


def _format_positions(positions: tuple[int, ...]) -> str:
    return ",".join(map(str, positions)) or "none"


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


def _format_failure(result: Result) -> str:
    """Return why there is no packing, or why the search did not decide."""
    assert not isinstance(result, Packing)
    verdict = "no packing" if isinstance(result, Infeasible) else "not found"
    return f"{verdict}: {result.reason}"
