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

ONE_MAKER_EXIT_CODE = 3
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
    all checkers come from the same authors.
    """
    root = folder or manifest.get_certificates_folder()
    if (root / BOUND).exists():
        has_two_makers = _verify_bound(root, tuple(checkers), Machines(workers, dask), as_json)
        if two_makers and not has_two_makers:
            raise click.exceptions.Exit(ONE_MAKER_EXIT_CODE)
        return
    chosen_checkers = checkers or choose_default_checkers()
    total = len(manifest.read_manifest(root))
    accepted: list[Claim] = []
    failures, entries = [], []
    with show_counted_progress("checking", total) as on_certificate:
        machines = Machines(workers, dask)
        for outcome in certificates.verify(root, chosen_checkers, machines=machines):
            on_certificate()
            seconds = round(outcome.seconds, 2)
            name = outcome.certificate.name
            entries.append(
                {
                    "name": name,
                    "checkers": outcome.checkers,
                    "error": outcome.error,
                    "seconds": seconds,
                }
            )
            if outcome.error is not None:
                failures.append(f"{name}: {outcome.error}")
                continue
            accepted.append(outcome.certificate.claim)
            if not as_json:
                click.echo(f"{name}: proved ({', '.join(outcome.checkers)}; {seconds} s)")
    counts: minimality.StatementCounts | None = None
    missing_proofs: list[str] = []
    if folder is None and not failures:
        try:
            counts, missing_proofs = _check_tables(accepted)
        except TetrisPrinterError as error:
            missing_proofs = [str(error)]
    has_two_makers = are_independent(chosen_checkers)
    if as_json:
        answer = {
            "certificates": entries,
            "tables": asdict(counts) if counts else None,
            "gaps": missing_proofs,
            "independent": has_two_makers,
        }
        click.echo(json.dumps(answer))
    if failures or missing_proofs:
        raise JobError("; ".join(failures + missing_proofs))
    if not as_json:
        click.echo(_describe_claims(accepted) if counts is None else _describe_tables(counts))
        click.echo(_format_checkers(chosen_checkers))
    if two_makers and not has_two_makers:
        raise click.exceptions.Exit(ONE_MAKER_EXIT_CODE)


def _verify_bound(
    folder: Path, checkers: tuple[str, ...], machines: Machines, as_json: bool
) -> bool:
    """Check the certificate of a bound; return whether checkers of two makers accepted it."""
    claim = read_bound(folder)
    chosen_checkers = certificates.choose_checkers(checkers)
    failures, entries = [], []
    with show_counted_progress("checking", len(claim.proofs)) as on_formula:
        for outcome in verify_bound(folder, chosen_checkers, machines):
            on_formula()
            entries.append(asdict(outcome) | {"seconds": round(outcome.seconds, 2)})
            if outcome.error is not None:
                failures.append(f"{outcome.name}: {outcome.error}")
            elif not as_json:
                names = ", ".join(outcome.checkers)
                click.echo(f"{outcome.name}: proved ({names}; {outcome.seconds:.2f} s)")
    has_two_makers = are_independent(chosen_checkers)
    if as_json:
        answer = {"certificates": entries, "bound": claim.bound, "games": GAMES}
        click.echo(json.dumps(answer | {"independent": has_two_makers}))
    if failures:
        raise JobError("; ".join(failures))
    if not as_json:
        size = f"{claim.task.picture.width}x{claim.task.picture.height}"
        click.echo(
            f"no game of {GAMES} on {claim.task.board} prints this picture of {size} with fewer "
            f"than {claim.bound}: {len(entries)} formulas, rebuilt from the picture"
        )
        click.echo(_format_checkers(chosen_checkers))
    return has_two_makers


def _check_tables(claims: Sequence[Claim]) -> tuple[minimality.StatementCounts, list[str]]:
    """Replay the package's tables; return the counts of statements, and the missing proofs."""
    with show_counted_progress("replaying", patterns.ENTRIES) as on_pattern:
        patterns.verify(on_pattern=on_pattern)
    tables = patterns.load_tables()
    return minimality.count_statements(*tables), minimality.list_missing_proofs(claims, *tables)


def _describe_tables(counts: minimality.StatementCounts) -> str:
    """Return as text what the certificates prove about the tables."""
    smaller = counts.certified + counts.divisible
    return (
        f"the tables: {counts.patterns} patterns and {counts.platforms} platforms replayed\n"
        f"smaller heights: {smaller}, of which {counts.divisible} are excluded by divisibility "
        f"and {counts.certified} are certified\n"
        f"columns without a platform: {counts.columns}, certified\n"
        "so among gap-free matrices every height is minimal, and no platform is missing"
    )


def _describe_claims(claims: Sequence[Claim]) -> str:
    """Return as text the number of claims of each kind."""
    emitters = [claim for claim in claims if isinstance(claim, EmitterClaim)]
    position_sets = sum(len(claim.positions) for claim in emitters)
    strong_sets = sum(len(c.positions) for c in emitters if c.squares_hold and c.any_order)
    columns = sum(len(c.columns) for c in claims if not isinstance(c, EmitterClaim))
    return (
        f"certificates: {len(claims)}, as the manifest lists them; sets of emitter "
        f"positions: {position_sets} ({strong_sets} in the strong form); columns without a "
        f"platform: {columns}"
    )


def _format_checkers(checkers: Sequence[str]) -> str:
    """Return a sentence on the checkers; if needed, with advice on adding an independent one."""
    names = ", ".join(checkers)
    if are_independent(checkers):
        return f"checked by {names}, from at least two makers"
    return (
        f"checked by {names}; for a checker of another maker install dratify, or put drat-trim, "
        "lrat-check or cake_lpr on the PATH"
    )
