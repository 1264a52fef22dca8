"""Random games drop by drop, for tests of what writes and reads games."""

from hypothesis import strategies as st

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops, play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture

COLORS = tuple((piece, f"{30 * piece:02x}{20 * piece:02x}80") for piece in PieceType)

GREY_WELL = "v115@9gC8DeF8DeF8DeF8DeC8JeRQJvhARQJ"
"""A fumen: two flat I pieces into a well of four grey rows."""


def games(width: int, height: int, tallest: int) -> st.SearchStrategy[Plan]:
    """Return a strategy of random games whose field is at most ``tallest`` rows high."""
    drops = st.lists(
        st.tuples(st.sampled_from(ORIENTATIONS), st.integers(0, width - 1)), max_size=80
    )

    def play(choices: list[tuple[Orientation, int]]) -> Plan:
        """Return the plan of those drops that stay low enough."""
        field = Playfield(width, height)
        drops_made = []
        for orientation, column in choices:
            x = min(column, width - orientation.width)
            if max(field.tops[x : x + orientation.width]) + orientation.height <= tallest:
                field.drop(orientation, x)
                drops_made.append((orientation, x))
        return make_plan_from_drops(drops_made, COLORS, width, height)

    return drops.map(play)


def make_picture(plan: Plan) -> Picture:
    """Return the picture that a plan prints."""
    return make_field_picture(plan, play_through(plan).field)
