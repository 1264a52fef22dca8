"""Hypothesis strategies that several tests share."""

from hypothesis import strategies as st

from tetrisprinter.pictures.picture import Picture

PALETTE = ("d02030", "3060c0", "f0c040", "208040", "e87830", "8040a0", "40b0c0")


@st.composite
def sprites(
    draw: st.DrawFn, *, max_width: int = 17, max_height: int = 32, max_colors: int = 3
) -> Picture:
    """Draw sprites of any size and density, without an empty row."""
    width = draw(st.integers(1, max_width))
    height = draw(st.integers(1, max_height))
    colors = PALETTE[: draw(st.integers(1, max_colors))]
    random = draw(st.randoms(use_true_random=False))
    density = draw(st.sampled_from([0.05, 0.3, 0.6, 0.9, 1.0]))
    rows = []
    for _ in range(height):
        row = [random.choice(colors) if random.random() < density else None for _ in range(width)]
        if not any(row):
            row[random.randrange(width)] = random.choice(colors)
        rows.append(tuple(row))
    return Picture(tuple(rows))
