"""``tetrisprinter verify``: check certificates, tables of patterns, plans and drop logs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from tetrisprinter.bounds.verifier import BOUND, read_bound, verify_bound
from tetrisprinter.cli.options import FILE, dask_option, flag, json_option, option, workers_option
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError, format_install_command
from tetrisprinter.formats import read_game
from tetrisprinter.game.replay import play_through
from tetrisprinter.packings import certificates, tables
from tetrisprinter.packings.certificates import (
    Claim,
    EmitterClaim,
    count_statements,
    list_missing_proofs,
)
from tetrisprinter.printing.result import GAMES
from tetrisprinter.sat import proof_files
from tetrisprinter.support import format_count
from tetrisprinter.support.executors import Machines

ONE_MAKER_EXIT_CODE = 3
"""Exit code with ``--two-makers``: accepted, but only by checkers of the same maker."""


_WITHOUT_PROOFS: Final = ("game", "patterns", "tables")
"""The kinds of things in which no solver's proof is checked."""


@click.command("verify")
@click.argument("things", nargs=-1, type=FILE, metavar="[THING]...")
@option(
    "--checker checkers",
    list(proof_files.CHECKERS),
    "A checker; may be given several times. [default: the built-in ones and all fast ones that "
    "are installed]",
    multiple=True,
)
@flag("--two-makers", "End with exit code 3 unless checkers of two makers accept every proof.")
@workers_option
@dask_option
@json_option
def command(
    things: tuple[Path, ...],
    checkers: tuple[str, ...],
    two_makers: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Verify each THING: a folder of certificates or tables, a plan or a drop log.

    A folder of certificates comes from 'patterns prove' or 'bound'. It must contain exactly the
    certificates that it lists, and perhaps patterns that 'patterns prove' found, which are played.
    Each formula is made again from its claim and compared, then its proofs are checked. The
    certificates of a bound must refute every game below the bound. A folder of tables has the
    patterns of 'patterns build': each is played as a game with each of J, T and L in every emitter
    position. A plan or a drop log is played drop by drop.

    Without THING the tables and certificates of the package are verified. The certificates must
    prove that every height in the tables is minimal among gap-free matrices and that no platform is
    missing.

    The checkers of this package are enough; other checkers take part if they are installed. Work
    and memory are limited, whatever a folder contains.

    Exit codes: 0 if everything was accepted, 1 and 2 as with all commands; with --two-makers 3 if
    all checkers come from the same authors.
    """
    chosen_checkers, machines = proof_files.choose_checkers(checkers), Machines(workers, dask)
    has_two_makers = proof_files.are_independent(chosen_checkers)
    reports: list[dict[str, Any]] = []
    failures: list[str] = []

    for thing in things or (None,):
        report = _verify(thing, chosen_checkers, machines)
        failures += report.pop("failures")
        reports.append({"thing": None if thing is None else str(thing), **report})
    if as_json:
        click.echo(json.dumps({"things": reports, "independent": has_two_makers}))
    if failures:
        raise JobError("; ".join(failures))
    if any(report["kind"] not in _WITHOUT_PROOFS for report in reports):
        _accept(_format_checkers(chosen_checkers))
        if two_makers and not has_two_makers:
            raise click.exceptions.Exit(ONE_MAKER_EXIT_CODE)


def _verify(thing: Path | None, checkers: tuple[str, ...], machines: Machines) -> dict[str, Any]:
    """Verify a thing of any kind; return its report, which has a list of failures."""
    if thing is None:
        return _verify_package(checkers, machines)
    if not thing.is_dir() and (thing.exists() or str(thing) == "-"):
        return _verify_game(thing)
    if (thing / BOUND).exists():
        return _verify_bound(thing, checkers, machines)
    missing_tables = [name for name in tables.FILES if not (thing / name).exists()]
    if len(missing_tables) < len(tables.FILES):
        if missing_tables:
            raise InputError(
                f"{thing}: {missing_tables[0]} is missing; 'tetrisprinter patterns build -o "
                f"{thing}' writes all tables"
            )
        return _verify_tables(thing)
    patterns = certificates.list_pattern_files(thing)
    if not (thing / certificates.MANIFEST).exists():
        if not patterns:
            if not thing.exists():
                raise InputError(
                    f"{thing}: cannot be read: no such file or folder; expected a plan, a drop "
                    "log, or a folder of certificates, tables or patterns"
                )
            raise InputError(
                f"{thing}: nothing to verify in this folder; expected certificates, tables or "
                "patterns"
            )
        return {"kind": "patterns", "patterns": _verify_patterns(patterns), "failures": []}
    report, _ = _verify_certificates(thing, checkers, machines)
    return report | ({"patterns": _verify_patterns(patterns)} if patterns else {})


def _accept(sentence: str) -> None:
    """Print what is accepted, unless the report is JSON."""
    if not click.get_current_context().params["as_json"]:
        click.echo(sentence)


def _verify_game(path: Path) -> dict[str, Any]:
    """Play a plan or a drop log."""
    game = play_through(read_game(path))
    squares = sum(1 for row in game.field.rows for square in row if square)
    _accept(
        f"{path}: {format_count(len(game.drops), 'drop')} played, "
        f"{format_count(game.lines, 'line')} cleared, {format_count(squares, 'square')} left"
    )
    counts = {"drops": len(game.drops), "lines": game.lines, "squares": squares}
    return {"kind": "game", **counts, "failures": []}


def _verify_tables(folder: Path | None) -> dict[str, Any]:
    """Replay every pattern of a folder of tables."""
    with show_counted_progress("replaying", tables.ENTRIES) as on_pattern:
        heights = tables.verify(folder, on_pattern=on_pattern)
    entries = []
    for name, by_rows in heights.items():
        total = sum(by_rows.values())
        counts = ", ".join(
            f"{count} of {format_count(rows, 'row')}" for rows, count in by_rows.items()
        )
        _accept(f"{name}: {format_count(total, 'pattern')} ({counts}): all correct")
        entries.append({"file": name, "patterns": total, "by_rows": by_rows})
    return {"kind": "tables", "tables": entries, "failures": []}


def _verify_patterns(paths: Sequence[Path]) -> list[str]:
    """Replay the patterns that 'patterns prove' found; return the names of their files."""
    for path in paths:
        packing = certificates.replay_pattern_file(path)
        rows, pieces = packing.problem.rows, len(packing.pieces)
        _accept(f"{path}: {format_count(rows, 'row')}, {format_count(pieces, 'piece')}: correct")
    return [str(path) for path in paths]


def _verify_certificates(
    folder: Path, checkers: tuple[str, ...], machines: Machines
) -> tuple[dict[str, Any], list[Claim]]:
    """Check a folder of certificates; return the report and the claims that hold."""
    claims = {one.name: one.claim for one in certificates.read_manifest(folder)}
    accepted: list[Claim] = []
    failures, entries = [], []
    with show_counted_progress("checking", len(claims)) as on_certificate:
        for outcome in certificates.verify(folder, checkers, machines=machines):
            on_certificate()
            seconds = round(outcome.seconds, 2)
            names = ", ".join(outcome.checkers)
            entries.append(asdict(outcome) | {"seconds": seconds})
            if outcome.error is not None:
                failures.append(f"{outcome.name}: {outcome.error}")
            else:
                accepted.append(claims[outcome.name])
                _accept(f"{outcome.name}: proved ({names}; {seconds} s)")
    if not failures:
        _accept("proved: " + "; ".join(_list_claim_counts(accepted)))
    report = {"kind": "certificates", "certificates": entries, "failures": failures}
    return report, accepted


def _verify_bound(folder: Path, checkers: tuple[str, ...], machines: Machines) -> dict[str, Any]:
    """Check the certificate of a bound."""
    claim = read_bound(folder)
    failures, entries = [], []
    with show_counted_progress("checking", len(claim.proofs)) as on_formula:
        for outcome in verify_bound(folder, checkers, machines):
            on_formula()
            entries.append(asdict(outcome) | {"seconds": round(outcome.seconds, 2)})
            if outcome.error is not None:
                failures.append(f"{outcome.name}: {outcome.error}")
            else:
                names = ", ".join(outcome.checkers)
                _accept(f"{outcome.name}: proved ({names}; {outcome.seconds:.2f} s)")
    if not failures:
        size = f"{claim.task.picture.width}x{claim.task.picture.height}"
        _accept(
            f"no game of {GAMES} on {claim.task.board} prints this picture of {size} with "
            f"fewer than {claim.bound}: {format_count(len(entries), 'formula')}, rebuilt from the "
            "picture"
        )
    bound = {"bound": claim.bound, "games": GAMES}
    return {"kind": "bound", "certificates": entries, **bound, "failures": failures}


def _verify_package(checkers: tuple[str, ...], machines: Machines) -> dict[str, Any]:
    """Verify the tables and certificates of the package, and that no certificate is missing."""
    report, claims = _verify_certificates(
        certificates.get_certificates_folder(), checkers, machines
    )
    if report["failures"]:
        return report
    try:
        report |= {"tables": _verify_tables(None)["tables"]}
        loaded = tables.load_tables()
        report["failures"] = list_missing_proofs(claims, *loaded)
        if not report["failures"]:
            counts = count_statements(*loaded)
            _accept(_describe_tables(counts))
            report |= {"statements": counts}
    except TetrisPrinterError as error:
        report["failures"] = [str(error)]
    return report | {"kind": "package"}


def _describe_tables(counts: Mapping[str, int]) -> str:
    """Return as text what the certificates prove about the tables."""
    certified, divisible = counts["certified"], counts["divisible"]
    return (
        f"the tables: {counts['patterns']} patterns and {counts['platforms']} platforms replayed\n"
        f"smaller heights: {certified + divisible}, of which {divisible} are excluded by "
        f"divisibility and {certified} are certified\n"
        f"columns without a platform: {counts['columns']}, certified\n"
        "so among gap-free matrices every height is minimal, and no platform is missing"
    )


def _list_claim_counts(claims: Sequence[Claim]) -> Iterator[str]:
    """Yield as text how many impossibilities of each kind are proved."""
    emitters = [claim for claim in claims if isinstance(claim, EmitterClaim)]
    position_sets = sum(len(claim.positions) for claim in emitters)
    strong_sets = sum(len(c.positions) for c in emitters if c.squares_hold and c.any_order)
    columns = sum(len(c.columns) for c in claims if not isinstance(c, EmitterClaim))
    if position_sets:
        yield f"{format_count(position_sets, 'set')} of columns cannot be left by so few rows" + (
            f" ({strong_sets} of them even if emitter pieces drop at any time and the emitted "
            "squares hold other pieces)"
            if strong_sets
            else ""
        )
    if columns:
        yield f"{format_count(columns, 'column')} can carry no platform"


def _format_checkers(checkers: Sequence[str]) -> str:
    """Return a sentence on the checkers; if needed, with advice on adding an independent one."""
    names = ", ".join(checkers)
    if proof_files.are_independent(checkers):
        return f"checked by {names}, from at least two makers"
    makers = {proof_files.CHECKERS[name].maker for name in checkers}
    others = [
        name
        for name in proof_files.list_available_checkers()
        if proof_files.CHECKERS[name].maker not in makers
    ]
    if others:
        return f"checked by {names}; for a checker of another maker add --checker {others[0]}"
    return (
        f"checked by {names}; for a checker of another maker run "
        f"`{format_install_command('dratify')}`, or put drat-trim, "
        "lrat-check or cake_lpr on the PATH"
    )
