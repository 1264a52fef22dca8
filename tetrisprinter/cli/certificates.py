"""``tetrisprinter certificates``: check the proofs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import dask_option, json_option, workers_option
from tetrisprinter.cli.progress import progress
from tetrisprinter.errors import JobError
from tetrisprinter.packings.proofs import certificates, minimality
from tetrisprinter.support.executors import Machines

__all__ = ["command"]


@click.group("certificates")
def command() -> None:
    """Check the proofs of what is impossible."""


@command.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--checker",
    "checkers",
    type=click.Choice(list(certificates.CHECKERS)),
    multiple=True,
    help="Who checks (repeatable); default: our own and all fast ones that are installed.",
)
@workers_option
@dask_option
@json_option
def verify(
    folder: Path | None,
    checkers: tuple[str, ...],
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Check every certificate in FOLDER.

    Each formula is made again from its claim and compared, then each proof is checked by
    at least two independent checkers. Without FOLDER the certificates are those of the
    tables, and together they must prove every height in them minimal and no platform
    missing.
    """
    root = folder or certificates.shipped_folder()
    total = len(certificates.read_manifest(root))
    accepted, refused, report = [], [], []
    with progress("checking", total) as on_certificate:
        machines = Machines(workers, dask)
        for outcome in certificates.verify(root, checkers or None, machines=machines):
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
    gaps: list[str] = []
    if folder is None and not refused:
        gaps = minimality.gaps(accepted, *minimality.shipped_tables())
    if as_json:
        click.echo(json.dumps({"certificates": report, "gaps": gaps}))
    elif folder is None and not refused and not gaps:
        click.echo("the tables: every height is minimal, no platform is missing")
    if refused or gaps:
        raise JobError("; ".join(refused + gaps))
