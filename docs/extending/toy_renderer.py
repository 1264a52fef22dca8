"""A print as PPM: a line of sizes, then three bytes for each pixel."""

from typing import IO

from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import Renderer, Rendering, Report


class _Ppm:
    extensions = (".ppm",)
    summary = "the picture as plain pixels"
    has_transparency = False  # so --field transparent is refused for PPM files

    def check(self, rendering: Rendering) -> None:
        """Refuse here, with an InputError, whatever else it cannot do."""

    def write(
        self, file: IO[bytes], plan: Plan, rendering: Rendering, report: Report | None = None
    ) -> None:
        picture = make_field_picture(plan, play_through(plan).field)
        field = plan.background or "000000"  # what an empty square looks like
        scale = rendering.look.choose_scale(picture.width, picture.height)
        file.write(b"P6 %d %d 255\n" % (picture.width * scale, picture.height * scale))
        for row in reversed(picture.rows):  # row 0 is the lowest
            pixels = b"".join(bytes.fromhex(color or field) * scale for color in row)
            file.write(pixels * scale)


PPM: Renderer = _Ppm()
