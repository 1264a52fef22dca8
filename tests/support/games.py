"""Random games drop by drop, for what writes and reads them."""

from hypothesis import strategies as st

from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture

COLORS = tuple((piece, f"{30 * piece:02x}{20 * piece:02x}80") for piece in PieceType)


def games(width: int, height: int, tallest: int) -> st.SearchStrategy[Plan]:
    """Random games that never stack higher than ``tallest`` rows."""
    drops = st.lists(
        st.tuples(st.sampled_from(ORIENTATIONS), st.integers(0, width - 1)), max_size=80
    )

    def played(wanted: list[tuple[Orientation, int]]) -> Plan:
        field = Playfield(width, height)
        made = []
        for orientation, column in wanted:
            x = min(column, width - orientation.width)
            if max(field.tops[x : x + orientation.width]) + orientation.height <= tallest:
                field.drop(orientation, x)
                made.append((orientation, x))
        return make_plan_from_drops(made, COLORS, width, height)

    return drops.map(played)


def make_picture(plan: Plan) -> Picture:
    return make_field_picture(plan, play_through(plan).field)
