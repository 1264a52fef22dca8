"""``tetrisprinter examples``: the pictures that come with the package."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import FILE, flag, json_option, option
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import explain_error, find_shipped_folder, make_folder, write_bytes


@click.command("examples")
@click.argument("names", nargs=-1)
@flag("--path", "Print the path of their folder.")
@option("--copy folder", FILE, "Copy the pictures to a folder; existing files stay as they are.")
@flag("--force", "With --copy: overwrite existing files.")
@json_option
def command(
    names: tuple[str, ...], path: bool, folder: Path | None, force: bool, as_json: bool
) -> None:
    """List the example pictures, or those with some NAMES, or copy them to a folder.

    'tetrisprinter examples --copy examples' makes the folder that the documentation uses.
    """
    home = find_shipped_folder("examples")
    if path:
        click.echo(json.dumps({"folder": str(home)}) if as_json else str(home))
        return
    chosen = _choose_examples(home, names)
    if folder is None:
        if as_json:
            click.echo(json.dumps({"folder": str(home), "examples": [p.name for p in chosen]}))
        else:
            for picture in chosen:
                click.echo(picture.name)
        return
    make_folder(folder)
    copied, kept = [], []
    for picture in chosen:
        target = folder / picture.name
        if target.exists() and not force:
            kept.append(target)
            continue
        write_bytes(target, _read(picture))
        copied.append(target)
    if as_json:
        report = {"copied": [str(p) for p in copied], "kept": [str(p) for p in kept]}
        click.echo(json.dumps(report))
        return
    existing = f", {len(kept)} exist already (--force overwrites them)" if kept else ""
    click.echo(f"{folder}: {format_count(len(copied), 'picture')} copied{existing}")


def _choose_examples(home: Path, names: tuple[str, ...]) -> list[Path]:
    """Return the example pictures with these names (the extension may be missing), or all."""
    found = {picture.name: picture for picture in sorted(home.glob("*.png"))}
    if not found:
        raise JobError(f"{home}: the example pictures are missing; install the package again")
    if not names:
        return list(found.values())
    chosen = []
    for name in names:
        file = name if name.endswith(".png") else f"{name}.png"
        if file not in found:
            raise InputError(
                f"unknown example {name!r}; choose from {', '.join(p[:-4] for p in found)}"
            )
        chosen.append(found[file])
    return chosen


def _read(picture: Path) -> bytes:
    try:
        return picture.read_bytes()
    except OSError as error:
        raise JobError(f"{picture}: cannot be read: {explain_error(error)}") from error
