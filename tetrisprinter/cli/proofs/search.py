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


_NAMED = 3  # a message names at most this number of position sets

_LISTERS = [name for name, finder in FINDERS.items() if isinstance(finder, Lister)]
_LISTED = ", ".join(_LISTERS)


@click.command("search")
@option("--emitted", Whole(0), "Number of emitted squares.", required=True)
@option("--rows", Whole(1, 100), "Rows of the matrix.", required=True)
@option("--width", Whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option(
    "--at",
    COLUMNS,
    "First columns of the emitter pieces, of three columns each. [default: try them all]",
)
@option(
    "--finder",
    list(FINDERS),
    "The search method. [default: automaton up to 6 rows, else backtracker; sat for --all and "
    "--count]",
)
@flag("--all every", f"Find all matrices ({_LISTED}).")
@flag("--count", f"Count all matrices ({_LISTED}).")
@option("--time-limit", Real(0, min_open=True), f"Stop after this number of seconds ({_LISTED}).")
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
    at: tuple[int, ...] | None,
    finder: str | None,
    every: bool,
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
    if at is not None and len(at) != emitted:
        raise InputError(f"--at: {len(at)} columns; expected {emitted}, the number of --emitted")
    if 3 * emitted > width:
        raise InputError(
            f"--width {width} is too small; {emitted} emitter pieces need {3 * emitted} columns"
        )
    if finder is None:
        needs_sat = every or count or save_dimacs or model
        finder = "sat" if needs_sat else _choose_finder(context, rows)
    _refuse_foreign_options(context, finder)
    if finder not in _LISTERS and (every or count or options["time_limit"]):
        raise InputError(
            f"--all, --count and --time-limit are for --finder {' and '.join(_LISTERS)}"
        )
    if save_dimacs or model:
        if at is None:
            raise InputError("--save-dimacs and --model need --at, the positions of one matrix")
        from tetrisprinter.packings.finders.cnf import encode

        formula = encode([make_emitter_problem(width, rows, at)])
        if save_dimacs:
            refuse_overwriting_inputs([save_dimacs], [model])
            write_text(save_dimacs, formula.to_dimacs(variable_map=True))
        if model:
            click.echo(str(formula.decode(_read_model(model))))
        return
    all_positions = [at] if at is not None else list(list_emitter_positions(emitted, width))
    chosen = _make_finder(finder, options)
    if (every or count) and options["fewest"]:
        raise InputError("--fewest cannot be used with --all or --count; leave one of them out")
    limit = Limit(options["time_limit"], options["workers"], options["seed"])
    reports: list[dict[str, object]] = []
    refused: dict[str, list[str]] = {}
    with show_counted_progress("searching", len(all_positions)) as on_result:
        for positions in all_positions:
            problem = make_emitter_problem(width, rows, positions)
            entry: dict[str, object] = {"at": positions}
            if count and isinstance(chosen, Lister):
                entry["count"] = number = count_packings(chosen, problem, limit)
                shown = [f"emitters at {_format_positions(positions)}: {number}"]
            else:
                results: list[Result] = []
                if every and isinstance(chosen, Lister):
                    results += chosen.find_all(problem, limit)
                results = results or [chosen.find(problem, limit)]
                shown = _fill_report(entry, results, every)
                if not shown:
                    places = refused.setdefault(_format_failure(results[-1]), [])
                    places.append(_format_positions(positions))
            on_result()
            reports.append(entry)
            if not as_json:
                for text in shown:
                    click.echo(text)
    for verdict, places in refused.items():
        click.echo(f"emitters at {_format_position_sets(places)}: {verdict}", err=True)
    if as_json:
        click.echo(json.dumps({"width": width, "rows": rows, "results": reports}))
    if refused:
        raise click.exceptions.Exit(1)


def _is_typed(context: click.Context, name: str) -> bool:
    """Return whether the user typed an option."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _choose_finder(context: click.Context, rows: int) -> str:
    """Return automaton, or backtracker if its options are typed or the height is too large."""
    from tetrisprinter.packings.automaton.automaton import SHIPPED

    wants_search = any(_is_typed(context, name) for name in _ONLY_FOR["backtracker"])
    return "automaton" if rows in SHIPPED and not wants_search else "backtracker"


def _refuse_foreign_options(context: click.Context, finder: str) -> None:
    """Refuse options that only another finder has."""
    for owner, names in _ONLY_FOR.items():
        for name in names:
            if _is_typed(context, name) and owner != finder:
                option = name.replace("_", "-")
                raise InputError(f"--{option} is for --finder {owner}, not {finder}")


def _make_finder(name: str, options: dict[str, Any]) -> Finder:
    """Return a finder with its own options."""
    if name == "sat":
        from tetrisprinter.packings.finders.sat import Sat

        return Sat(options["solver"])
    if name == "cpsat":
        from tetrisprinter.packings.finders.cpsat import CpSat

        unwanted = _read_types(options["fewest"] or "")
        return CpSat((lambda piece: piece.orientation.piece in unwanted) if unwanted else None)
    if name == "backtracker":
        return Backtracker(
            None if options["exhaustive"] else options["attempts"],
            options["retries"],
            options["permutations"],
            "random" if options["order"] == "random" else "sweep",
        )
    return FINDERS[name]


def _read_model(path: Path) -> list[int]:
    """Read the model that a SAT solver printed: 'v' lines, or bare literals."""
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


def _format_position_sets(places: Sequence[str]) -> str:
    """Return the position sets as text; of many, the first one and the number of the others."""
    if len(places) <= _NAMED:
        return "; ".join(places)
    return f"{places[0]} and {len(places) - 1:,} other places"


def _fill_report(entry: dict[str, object], results: Sequence[Result], every: bool) -> list[str]:
    """Add the results to a report; return the packings as texts, none if nothing was found."""
    packings = [result for result in results if isinstance(result, Packing)]
    if packings:
        drawn = [str(packing).split("\n") for packing in packings]
        entry |= {"status": "packing"} | ({"packings": drawn} if every else {"packing": drawn[0]})
        return [f"{packing}\n" for packing in packings]
    last = results[-1]
    assert not isinstance(last, Packing)
    status = "infeasible" if isinstance(last, Infeasible) else "unknown"
    entry |= {"status": status, "reason": last.reason}
    return []


def _format_failure(result: Result) -> str:
    """Return why there is no packing, or why the search did not decide."""
    assert not isinstance(result, Packing)
    known = "no packing" if isinstance(result, Infeasible) else "not found"
    return f"{known}: {result.reason}"
