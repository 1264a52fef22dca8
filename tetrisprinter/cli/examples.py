"""``tetrisprinter examples``: the pictures that come with the package."""

from __future__ import annotations

from pathlib import Path

import click

from tetrisprinter.cli.options import FILE, flag, json_option, option, print_report
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.support import format_count
from tetrisprinter.support.files import explain_error, find_shipped_folder, make_folder, write_bytes


@click.command("examples")
@click.argument("names", nargs=-1)
@flag("--path print_path", "Print the path of their folder.")
@option("--copy folder", FILE, "Copy the pictures to a folder; existing files stay as they are.")
@flag("--force", "With --copy: overwrite existing files.")
@json_option
def command(
    names: tuple[str, ...], print_path: bool, folder: Path | None, force: bool, as_json: bool
) -> None:
    """List the example pictures, or those with some NAMES, or copy them to a folder.

    'tetrisprinter examples --copy examples' makes the folder that the documentation uses.
    """
    examples_folder = find_shipped_folder("examples")
    if print_path:
        print_report(as_json, {"folder": str(examples_folder)}, str(examples_folder))
        return
    chosen_pictures = _choose_examples(examples_folder, names)
    if folder is None:
        file_names = [picture.name for picture in chosen_pictures]
        listing = {"folder": str(examples_folder), "examples": file_names}
        print_report(as_json, listing, "\n".join(file_names))
        return
    make_folder(folder)
    copied_files, existing_files = [], []
    for picture in chosen_pictures:
        target = folder / picture.name
        if target.exists() and not force:
            existing_files.append(target)
            continue
        write_bytes(target, _read_picture(picture))
        copied_files.append(target)
    report = {"copied": list(map(str, copied_files)), "kept": list(map(str, existing_files))}
    existing_note = (
        f", {len(existing_files)} exist already (--force overwrites them)" if existing_files else ""
    )
    copied_note = f"{folder}: {format_count(len(copied_files), 'picture')} copied"
    print_report(as_json, report, copied_note + existing_note)


def _choose_examples(examples_folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Return the example pictures with these names (the extension may be missing), or all."""
    pictures = {picture.name: picture for picture in sorted(examples_folder.glob("*.png"))}
    if not pictures:
        raise JobError(
            f"{examples_folder}: the example pictures are missing; install the package again"
        )
    if not names:
        return list(pictures.values())
    chosen_pictures = []
    for name in names:
        file = name if name.endswith(".png") else f"{name}.png"
        if file not in pictures:
            raise InputError(
                f"unknown example {name!r}; choose from {', '.join(p[:-4] for p in pictures)}"
            )
        chosen_pictures.append(pictures[file])
    return chosen_pictures


def _read_picture(picture: Path) -> bytes:
    try:
        return picture.read_bytes()
    except OSError as error:
        raise JobError(f"{picture}: cannot be read: {explain_error(error)}") from error
