"""The report of the positions that have a matrix, for `patterns count` and `automaton query`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice

import click

from tetrisprinter.packings.automaton.census import take_census
from tetrisprinter.support.counts import format_count

_MAX_LISTED = 12


def report_census(width: int, emitted: int, rows: int, as_json: bool, list_all: bool) -> None:
    """Count and list the positions that have a matrix; exit with code 1 if there are none."""
    census = take_census(width, emitted, rows)
    if as_json:
        report: dict[str, object] = {
            "width": width,
            "emitted": emitted,
            "rows": rows,
            "positions": census.positions,
            "printable": census.printable,
            "cells": census.cells,
            "divisible": census.is_divisible,
            "reason": census.reason or None,
        }
        if list_all:
            report |= {
                "at": list(census.list_printable()),
                "without": list(census.list_unprintable()),
            }
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"width {width}, {format_count(emitted, 'emitter piece')}, "
            f"{format_count(rows, 'row')}: {census.printable:,} of "
            f"{format_count(census.positions, 'set')} of positions have a matrix"
        )
        limit = None if list_all else _MAX_LISTED
        if census.printable:
            texts = _format_position_sets(census.list_printable(), census.printable, limit)
            click.echo(f"emitter positions with a matrix: {texts}")
        unprintable_count = census.positions - census.printable
        if unprintable_count and census.printable:
            positions = _format_position_sets(census.list_unprintable(), unprintable_count, limit)
            click.echo(f"emitter positions without a matrix: {positions}")
        if census.reason:
            click.echo(f"reason: {census.reason}")
    if not census.printable:
        raise click.exceptions.Exit(1)


def _format_position_sets(
    position_sets: Iterable[tuple[int, ...]], set_count: int, limit: int | None
) -> str:
    """Return up to ``limit`` position sets as text, and the number of further sets."""
    texts = [
        ",".join(map(str, position_set)) or "none" for position_set in islice(position_sets, limit)
    ]
    further_sets = set_count - len(texts)
    return "; ".join(texts) + (
        f"; and {further_sets:,} more (--list shows all)" if further_sets else ""
    )
