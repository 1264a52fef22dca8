"""What a command says while something is prepared and worked on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from tetrisprinter.cli.imaging import Imaging, preview_of, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.cli.words import taken
from tetrisprinter.errors import Hint, InputError, Setting
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.game.board import GUIDELINE_BOARD, Board
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.render.colors import BACKGROUND
from tetrisprinter.render.field_color import AUTO, choose_field_for
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from tetrisprinter.api import Prepared
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.convert import Step
    from tetrisprinter.pictures.picture import Color
    from tetrisprinter.pictures.sources import Source
    from tetrisprinter.printing.repair import Change
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render.paint import Look

__all__ = ["Telling", "attempt", "board_of", "field_for", "suit_format", "warn_of_game"]

_T = TypeVar("_T")

_ALWAYS_CHOSEN: Final = (Setting.BOARD, Setting.TYPES, Setting.FIELD)
"""What is chosen for every picture, so that only experts read it."""

_TEN_COLUMNS: Final = (".fumen", ".lesson", ".tetrio")
"""Kinds of files that know one width."""


@dataclass(slots=True)
class Telling:
    """Reports the steps of a print on stderr, each once, and keeps them for ``--json``.

    Board, piece types and field are chosen for every picture: only ``is_verbose`` reports them.
    """

    name: str
    is_verbose: bool = False
    steps: list[Step] = field(default_factory=list)

    def tell(self, steps: tuple[Step, ...]) -> None:
        """Report those that are new."""
        new = [step for step in steps if step not in self.steps]
        said = [step for step in new if self.is_verbose or step.setting not in _ALWAYS_CHOSEN]
        if said:
            click.echo(f"{self.name}: {taken(said)}", err=True)
        self.steps += new

    def report(self, changes: tuple[Change, ...]) -> dict[str, object]:
        """Return what ``--json`` says of it, if there is anything to say."""
        said: dict[str, object] = {}
        if self.steps:
            said["conversion"] = list(map(str, self.steps))
        if changes:
            said["repaired"] = [
                {"x": c.x, "y": c.y, "before": c.before, "after": c.after, "reason": c.reason}
                for c in changes
            ]
        return said


def attempt(
    source: Source,
    imaging: Imaging,
    planning: Planning,
    work: Callable[[Prepared, Telling, Planning], _T],
    field: Color | None = BACKGROUND,
) -> _T:
    """Prepare a source and work on it; if that fails, on something easier.

    What is done is said on stderr in one line.
    """
    from tetrisprinter.api import Wishes
    from tetrisprinter.api import attempt as attempt_any
    from tetrisprinter.api.preparing import prepared

    planning, preview = planning.begun(), preview_of(imaging, source.stem)
    conversion = imaging.conversion
    wishes = Wishes(conversion, planning.board, planning.types, imaging.repair, field=field)
    wishes = replace(wishes, pieces=planning.pieces)
    found = prepared(source, wishes, planning.planner)

    def told(easy: Prepared) -> _T:
        telling = Telling(source.name, planning.verbose)
        telling.tell(easy.certain)
        if preview is not None:
            write_preview(easy.task.picture, preview)
        return work(easy, telling, planning)

    return attempt_any(
        found, told, lambda sentence: click.echo(sentence, err=True), planning.stop.deadline
    )


def field_for(plan: Plan, look: Look) -> tuple[str, tuple[Step, ...]]:
    """Return the colour of empty squares, and the step that chose it."""
    chosen = choose_field_for(plan, look.field)
    if look.field != AUTO or chosen == BACKGROUND:
        return chosen, ()
    from tetrisprinter.pictures.convert import Step

    return chosen, (Step(f"empty squares drawn {chosen}", Setting.FIELD),)


def board_of(game: str | Path | None) -> Board | None:
    """Return the only board that a kind of file knows; None if it knows any."""
    return Board(10, 22) if game is not None and find_format(game) is FORMATS["fumen"] else None


def suit_format(planning: Planning, game: str | Path | None, name: str) -> Planning:
    """Return the planning with what a kind of file needs: its only board, or a piece queue."""
    planning = planning.on(board_of(game), name)
    kind = "" if game is None else Path(game).suffix.lower()
    board = planning.board
    if kind in _TEN_COLUMNS and isinstance(board, Board) and board.width != GUIDELINE_BOARD.width:
        raise InputError(
            f"{game}: a {kind} file has 10 columns but the board has {board.width}",
            Hint(f"plan the picture for {{}} 10x{min(board.height, 22)}", Setting.BOARD),
        )
    if kind != ".tetrio" or planning.pieces is not None:
        return planning
    click.echo(f"{name}: pieces in bags of seven (set with --pieces)", err=True)
    return replace(planning, pieces=QueueRules.parse("bag"))


def warn_of_game(game: Path, task: Task) -> None:
    """Say what the art game shows otherwise: its own board, and nothing on empty squares."""
    if find_format(game) is not FORMATS["art"]:
        return
    from tetrisprinter.formats.art import ART_SIZE

    background, size = task.background, (task.board.width, task.board.height)
    if size != ART_SIZE:
        usual = format_size(*ART_SIZE)
        click.echo(
            f"{game}: the art game's board is {usual}, and this game needs one of {task.board}; "
            f"--board {usual} fits the game",
            err=True,
        )
    if background is not None:
        click.echo(
            f"{game}: the art game draws nothing on an empty square, so its window is seen there "
            f"and not {background}; with --background transparent every square of that colour is "
            "printed",
            err=True,
        )
