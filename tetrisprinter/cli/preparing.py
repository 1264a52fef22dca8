"""From a converted image to a picture that the planner can be asked for.

Whatever would stop the print is said, or repaired, before the work starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.imaging import Imaging, Source, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture

if TYPE_CHECKING:
    from tetrisprinter.printing.repair import Change

__all__ = ["Prepared", "prepare"]

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Prepared:
    """What to print and how.

    Attributes
    ----------
    picture : Picture
        The picture, perhaps repaired.
    background : str or None
        A colour that its empty squares may have.
    planning : Planning
        The planner's options, with the types that were chosen here.
    conversion : tuple of str
        What was done to the image.
    changes : tuple of Change
        Which pixels were repaired.
    """

    picture: Picture
    background: Color | None
    planning: Planning
    conversion: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def report(self) -> dict[str, object]:
        """What ``--json`` says of it, if there is anything to say."""
        said: dict[str, object] = {}
        if self.conversion:
            said["conversion"] = list(self.conversion)
        if self.changes:
            said["repaired"] = [
                {"x": c.x, "y": c.y, "before": c.before, "after": c.after, "reason": c.reason}
                for c in self.changes
            ]
        return said


def prepare(source: Source, imaging: Imaging, planning: Planning) -> Prepared:
    """Read, convert, repair if wished, preview, and check a source.

    Raises
    ------
    InputError
        If it cannot be used as it is.
    JobError
        If no game prints it on that board.
    """
    converted = source.read(imaging.conversion)
    picture = converted.picture
    if converted.changes:
        click.echo(f"{source.name}: {', '.join(converted.changes)}", err=True)
    planning = _with_types(picture, planning)
    width, height = planning.size(picture)
    changes: tuple[Change, ...] = ()
    if imaging.repair:
        from tetrisprinter.printing.repair import repaired

        types = planning.types if isinstance(planning.types, dict) else None
        picture, changes = repaired(picture, width, types)
        if changes:
            click.echo(f"{source.name}: {len(changes)} pixels repaired:", err=True)
            for change in changes:
                click.echo(f"  {change}", err=True)
        height = max(height, planning.size(picture)[1])
    if imaging.preview is not None:
        write_preview(picture, imaging.preview, source.stem)
    if planning.planner == "shortest" or not planning.is_classic:
        from tetrisprinter.printing.boards import check_board

        check_board(picture, width, height, background=converted.background is not None)
    _warn(picture, planning)
    return Prepared(picture, converted.background, planning, converted.changes, changes)


def _with_types(picture: Picture, planning: Planning) -> Planning:
    """Decide which colours I and O show, before anything is repaired or planned."""
    if planning.types != "auto" or not 6 <= len(picture.colors()) <= 7:
        return planning
    from tetrisprinter.printing.repair import rare_types

    return replace(planning, types=rare_types(picture))


def _warn(picture: Picture, planning: Planning) -> None:
    """Say which pixels are at risk because only an I or an O can show them."""
    if not isinstance(planning.types, dict):
        return
    from tetrisprinter.printing.repair import alone, odd_runs

    def only(piece: PieceType) -> Color | None:
        color = types.get(piece)
        shared = any(c == color for p, c in types.items() if p is not piece)
        return None if shared or color not in picture.colors() else color

    types = planning.types
    for_o = only(PieceType.O)
    runs = odd_runs(picture, for_o) if for_o is not None else []
    if runs:
        places = _places(picture, [(x, y) for y, x, _ in runs])
        raise JobError(
            f"{picture.name}: {for_o} can only be shown by O, which fills two squares side by side "
            f"(theorem 'O alone'), but {len(runs)} of its runs are odd: {places}; "
            "--repair changes one pixel of each"
        )
    for_i = only(PieceType.I)
    cells = alone(picture, for_i) if for_i is not None else []
    if cells:
        click.echo(
            f"{picture.name}: {for_i} is only shown by I; {len(cells)} of its pixels lie in no run "
            f"of four and are at risk of being dear or impossible: {_places(picture, cells)}",
            err=True,
        )


def _places(picture: Picture, cells: list[tuple[int, int]]) -> str:
    places = [f"column {x} row {picture.image_row(y)}" for x, y in cells[:_SHOWN]]
    return ", ".join(places) + (", ..." if len(cells) > _SHOWN else "")
