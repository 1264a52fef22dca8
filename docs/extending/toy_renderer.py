"""A print as PPM: a line of sizes, then three bytes for each pixel."""

from typing import IO

from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import Renderer, Rendering, Report


def _write(file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None) -> None:
    picture = make_field_picture(plan, play_through(plan).field)
    field = plan.background or "000000"  # what an empty square looks like
    scale = rendering.look.choose_scale(picture.width, picture.height)
    file.write(b"P6 %d %d 255\n" % (picture.width * scale, picture.height * scale))
    for row in reversed(picture.rows):  # row 0 is the lowest
        pixels = b"".join(bytes.fromhex(color or field) * scale for color in row)
        file.write(pixels * scale)


# Without transparency, so --field transparent is refused for PPM files. A function ``check`` would
# refuse, with an InputError, whatever else the format cannot do.
PPM = Renderer((".ppm",), "the picture as plain pixels", _write)
