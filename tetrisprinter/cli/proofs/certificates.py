"""``tetrisprinter proofs certificates``: check proofs of impossibility."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from tetrisprinter.bounds.certificate_file import BOUND, read_bound
from tetrisprinter.bounds.verifier import verify_bound
from tetrisprinter.cli.options import FILE, dask_option, flag, json_option, option, workers_option
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.proofs import certificates, manifest, minimality
from tetrisprinter.packings.proofs.checkers import (
    CHECKERS,
    are_independent,
    choose_default_checkers,
)
from tetrisprinter.packings.proofs.claims import Claim, EmitterClaim
from tetrisprinter.printing.result import GAMES
from tetrisprinter.support.executors import Machines

ONE_MAKER = 3
"""Exit code with ``--two-makers``: accepted, but only by checkers of the same maker."""


@click.group("certificates")
def command() -> None:
    """Check proofs of impossibility."""


@command.command()
@click.argument("folder", required=False, type=FILE)
@option(
    "--checker checkers",
    list(CHECKERS),
    "A checker; may be given several times. [default: the built-in ones and all fast ones that "
    "are installed]",
    multiple=True,
)
@flag("--two-makers", "End with exit code 3 unless checkers of two makers accept everything.")
@workers_option
@dask_option
@json_option
def verify(
    folder: Path | None,
    checkers: tuple[str, ...],
    two_makers: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Check every certificate in FOLDER.

    The folder must contain exactly the certificates that its manifest lists. Each formula is made
    again from its claim and compared, then its proofs are checked. A folder from 'tetrisprinter
    bound' must also refute every game below its bound.

    Without FOLDER the certificates are those of the tables. Then every pattern of the tables is
    replayed, too, and the certificates must prove that every height in the tables is minimal among
    gap-free matrices and that no platform is missing.

    The checkers of this package are enough; other checkers take part if they are installed. Work
    and memory are limited, whatever a folder contains.

    Exit codes: 0 if everything was accepted, 1 and 2 as with all commands; with --two-makers 3 if
    all checkers are of one maker.
    """
    root = folder or manifest.get_certificates_folder()
    if (root / BOUND).exists():
        by_two = _verify_bound(root, tuple(checkers), Machines(workers, dask), as_json)
        if two_makers and not by_two:
            raise click.exceptions.Exit(ONE_MAKER)
        return
    chosen = checkers or choose_default_checkers()
    total = len(manifest.read_manifest(root))
    accepted: list[Claim] = []
    refused, report = [], []
    with show_counted_progress("checking", total) as on_certificate:
        machines = Machines(workers, dask)
        for outcome in certificates.verify(root, chosen, machines=machines):
            on_certificate()
            seconds = round(outcome.seconds, 2)
            name = outcome.certificate.name
            report.append(
                {
                    "name": name,
                    "checkers": outcome.checkers,
                    "error": outcome.error,
                    "seconds": seconds,
                }
            )
            if outcome.error is not None:
                refused.append(f"{name}: {outcome.error}")
                continue
            accepted.append(outcome.certificate.claim)
            if not as_json:
                click.echo(f"{name}: proved ({', '.join(outcome.checkers)}; {seconds} s)")
    counts: minimality.StatementCounts | None = None
    gaps: list[str] = []
    if folder is None and not refused:
        try:
            counts, gaps = _check_tables(accepted)
        except TetrisPrinterError as error:
            gaps = [str(error)]
    by_two = are_independent(chosen)
    if as_json:
        answer = {
            "certificates": report,
            "tables": asdict(counts) if counts else None,
            "gaps": gaps,
            "independent": by_two,
        }
        click.echo(json.dumps(answer))
    if refused or gaps:
        raise JobError("; ".join(refused + gaps))
    if not as_json:
        click.echo(_describe_claims(accepted) if counts is None else _describe_tables(counts))
        click.echo(_format_checkers(chosen))
    if two_makers and not by_two:
        raise click.exceptions.Exit(ONE_MAKER)


def _verify_bound(
    folder: Path, checkers: tuple[str, ...], machines: Machines, as_json: bool
) -> bool:
    """Check the certificate of a bound; return whether checkers of two makers accepted it."""
    claimed = read_bound(folder)
    chosen = certificates.choose_checkers(checkers)
    refused, report = [], []
    with show_counted_progress("checking", len(claimed.proofs)) as on_formula:
        for outcome in verify_bound(folder, chosen, machines):
            on_formula()
            report.append(asdict(outcome) | {"seconds": round(outcome.seconds, 2)})
            if outcome.error is not None:
                refused.append(f"{outcome.name}: {outcome.error}")
            elif not as_json:
                names = ", ".join(outcome.checkers)
                click.echo(f"{outcome.name}: proved ({names}; {outcome.seconds:.2f} s)")
    by_two = are_independent(chosen)
    if as_json:
        answer = {"certificates": report, "bound": claimed.bound, "games": GAMES}
        click.echo(json.dumps(answer | {"independent": by_two}))
    if refused:
        raise JobError("; ".join(refused))
    if not as_json:
        size = f"{claimed.task.picture.width}x{claimed.task.picture.height}"
        click.echo(
            f"no game of {GAMES} on {claimed.task.board} prints this picture of {size} with fewer "
            f"than {claimed.bound}: {len(report)} formulas, rebuilt from the picture"
        )
        click.echo(_format_checkers(chosen))
    return by_two


def _check_tables(claims: Sequence[Claim]) -> tuple[minimality.StatementCounts, list[str]]:
    """Replay the package's tables; return counts of needed proofs, and sentences on mismatches."""
    with show_counted_progress("replaying", patterns.ENTRIES) as on_pattern:
        patterns.verify(on_pattern=on_pattern)
    tables = patterns.load_tables()
    return minimality.count_statements(*tables), minimality.list_missing_proofs(claims, *tables)


def _describe_tables(counts: minimality.StatementCounts) -> str:
    """Return what the certificates prove about the tables."""
    smaller = counts.certified + counts.divisible
    return (
        f"the tables: {counts.patterns} patterns and {counts.platforms} platforms replayed\n"
        f"smaller heights: {smaller}, of which {counts.divisible} are excluded by divisibility "
        f"and {counts.certified} are certified\n"
        f"columns without a platform: {counts.columns}, certified\n"
        "so among gap-free matrices every height is minimal, and no platform is missing"
    )


def _describe_claims(claims: Sequence[Claim]) -> str:
    """Return the number of claims of each kind."""
    emitters = [claim for claim in claims if isinstance(claim, EmitterClaim)]
    sets = sum(len(claim.positions) for claim in emitters)
    strong = sum(len(c.positions) for c in emitters if c.squares_hold and c.any_order)
    columns = sum(len(c.columns) for c in claims if not isinstance(c, EmitterClaim))
    return (
        f"certificates: {len(claims)}, as the manifest lists them; sets of emitter "
        f"positions: {sets} ({strong} in the strong form); columns without a platform: {columns}"
    )


def _format_checkers(checkers: Sequence[str]) -> str:
    """Return the checkers as a sentence, and how to add an independent one."""
    names = ", ".join(checkers)
    if are_independent(checkers):
        return f"checked by {names}, from at least two makers"
    return (
        f"checked by {names}; for a checker of another maker install dratify, or put drat-trim, "
        "lrat-check or cake_lpr on the PATH"
    )
