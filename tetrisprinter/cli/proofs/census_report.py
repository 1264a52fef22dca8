"""The report of the positions that have a matrix, for `patterns count` and `automaton query`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice

import click

from tetrisprinter.packings.automaton.census import take_census
from tetrisprinter.support.counts import format_count

_LISTED = 12


def report_census(width: int, emitted: int, rows: int, as_json: bool, everything: bool) -> None:
    """Count and list the positions that have a matrix; exit with code 1 if there are none."""
    found = take_census(width, emitted, rows)
    if as_json:
        report: dict[str, object] = {
            "width": width,
            "emitted": emitted,
            "rows": rows,
            "positions": found.positions,
            "printable": found.printable,
            "cells": found.cells,
            "divisible": found.is_divisible,
            "reason": found.reason or None,
        }
        if everything:
            report |= {
                "at": list(found.list_printable()),
                "without": list(found.list_unprintable()),
            }
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"width {width}, {format_count(emitted, 'emitter piece')}, "
            f"{format_count(rows, 'row')}: {found.printable:,} of "
            f"{format_count(found.positions, 'set')} of positions have a matrix"
        )
        limit = None if everything else _LISTED
        if found.printable:
            named = _list_positions(found.list_printable(), found.printable, limit)
            click.echo(f"emitter positions with a matrix: {named}")
        missing = found.positions - found.printable
        if missing and found.printable:
            positions = _list_positions(found.list_unprintable(), missing, limit)
            click.echo(f"emitter positions without a matrix: {positions}")
        if found.reason:
            click.echo(f"reason: {found.reason}")
    if not found.printable:
        raise click.exceptions.Exit(1)


def _list_positions(positions: Iterable[tuple[int, ...]], total: int, limit: int | None) -> str:
    named = [",".join(map(str, at)) or "none" for at in islice(positions, limit)]
    more = total - len(named)
    return "; ".join(named) + (f"; and {more:,} more (--list shows all)" if more else "")
