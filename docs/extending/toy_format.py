"""Games as lines: `board,10,22`, `background,ffffff`, `color,J,ff8000`, `drop,J,1,4`."""

from dataclasses import replace

from tetrisprinter.errors import InputError
from tetrisprinter.formats import Format
from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops


def _parse(text: str, source: str = "game", board: tuple[int, int] | None = None) -> Plan:
    colors, drops = [], []
    size, background = board, None
    for number, line in enumerate(text.split(), 1):
        try:
            match line.split(","):
                case ["board", width, height]:
                    size = (int(width), int(height))
                case ["background", color]:
                    background = bytes.fromhex(color).hex()
                case ["color", piece, color]:
                    colors.append((PieceType[piece], bytes.fromhex(color).hex()))
                case ["drop", piece, turns, column]:
                    shapes = {o.turns: o for o in list_orientations(PieceType[piece])}
                    drops.append((shapes[int(turns)], int(column)))
                case _:
                    raise ValueError(line)
        except (KeyError, ValueError) as error:
            raise InputError(f"{source}: item {number} is not understood: {line}") from error
    if size is None:
        raise InputError(f"{source}: has no board")
    return replace(make_plan_from_drops(drops, tuple(colors), *size), background=background)


def _format(plan: Plan, source: str = "plan") -> str:
    lines = [f"board,{plan.width},{plan.height}"]
    lines += [f"background,{plan.background}"] if plan.background else []
    lines += [f"color,{piece.name},{color}" for piece, color in plan.colors]
    for placed in plan:
        shape = placed.orientation
        lines.append(f"drop,{shape.piece.name},{shape.turns},{placed.x}")
    return "\n".join(lines) + "\n"


LINES = Format(
    "lines",
    (".csv",),
    "a list of drops",
    lambda start: start.startswith("board,"),  # whether a text is one of these
    _parse,
    _format,
)
