"""Animations, read back with Pillow and compared with the game frame by frame."""

import io
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from tests.support.plans import make_long_plan, make_random_plan
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import RENDERERS, Rendering, encoders, find_renderer
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look, Style, choose_display_colors
from tetrisprinter.render.still import draw_png

FORMATS = [RENDERERS[name].extensions[0] for name in ("gif", "apng", "webp")]


def animate(plan: Plan, suffix: str, timing: Timing, look: Look, loop: int = 0) -> io.BytesIO:
    """Draw a film of the whole board, from the empty one on."""
    out = io.BytesIO()
    how = Rendering(look, replace(timing, first=0.0), loop, full=True)
    renderer = find_renderer(f"print{suffix}")
    renderer.check(how)
    renderer.write(out, plan, how)
    out.seek(0)
    return out


def read_frames(out: io.BytesIO) -> list[np.ndarray]:
    """Return the frames of an animation, as colours."""
    with Image.open(out) as image:
        return [np.asarray(one.convert("RGB")) for one in ImageSequence.Iterator(image)]


def expected_images(plan: Plan) -> list[bytes]:
    """One pixel per square after every drop, neighbours that look the same merged."""
    colors = {0: "000000", **{int(k): c for k, c in choose_display_colors(plan).items()}}
    field = Playfield(plan.width, plan.height)

    def rgb() -> bytes:
        return b"".join(bytes.fromhex(colors[v]) for row in field.rows[::-1] for v in row)

    found = [rgb()]
    for _ in play(plan, field):
        found.append(rgb())
    picture = make_field_picture(plan, field)
    found.append(b"".join(bytes.fromhex(c or "000000") for row in picture.rows[::-1] for c in row))
    return [image for i, image in enumerate(found) if i == 0 or image != found[i - 1]]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("seed", range(2))
def test_every_frame_is_the_field(suffix: str, seed: int) -> None:
    plan = make_random_plan(6 + seed, 18, 40, seed)
    frames = read_frames(animate(plan, suffix, Timing(every=1), Look(1)))
    assert [frame.tobytes() for frame in frames] == expected_images(plan)


@pytest.mark.parametrize("look", [Look(9, "bevel"), Look(5, "bevel", grid=True)])
def test_the_last_frame_looks_like_the_still_picture(look: Look) -> None:
    plan = make_random_plan(10, 20, 60, seed=4)
    last = read_frames(animate(plan, ".gif", Timing(smooth=True, seconds=2), look))[-1]
    still = draw_png(make_field_picture(plan, play_through(plan).field), look=look)
    assert np.array_equal(last, np.asarray(Image.open(io.BytesIO(still))))


def durations(out: io.BytesIO) -> list[float]:
    found = []
    with Image.open(out) as image:
        for frame in ImageSequence.Iterator(image):
            frame.load()  # only then a WebP has a time
            found.append(frame.info["duration"])
    return found


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("fps", "hold", "drops"), [(0.01, 600, 1), (7.0, 1.5, 40), (33.0, 1.5, 40), (50.0, 1.5, 40)]
)
def test_rounded_times_do_not_drift(suffix: str, fps: float, hold: float, drops: int) -> None:
    plan = make_random_plan(10, 20, drops, seed=4)
    times = durations(animate(plan, suffix, Timing(every=1, fps=fps, hold=hold), Look(2)))
    total = (len(plan) + 2) / fps + hold
    assert sum(times) == pytest.approx(1000 * total, abs=6 if drops > 1 else 100)
    assert min(times) >= 20, "viewers slow down frames of less than 20 ms"
    assert times[-1] >= 1500


@pytest.mark.parametrize("loop", [0, 1, 3])
def test_loops(loop: int) -> None:
    plan = make_random_plan(10, 20, 4, seed=4)
    gif = animate(plan, ".gif", Timing(), Look(1), loop).getvalue()
    # In a GIF the extension says how often it is repeated after the first time.
    place = gif.find(b"NETSCAPE2.0")
    assert (place < 0) if loop == 1 else (gif[place + 13] == (loop - 1 if loop else 0))
    for suffix in (".apng", ".webp"):
        with Image.open(animate(plan, suffix, Timing(), Look(1), loop)) as image:
            assert image.info["loop"] == loop


@pytest.mark.parametrize("suffix", FORMATS)
def test_memory_does_not_grow_with_the_game(suffix: str) -> None:
    def peak(drops: int) -> int:
        plan = make_long_plan(drops)
        out = io.BytesIO()
        tracemalloc.start()
        find_renderer(f"print{suffix}").write(
            out, plan, Rendering(Look(4), Timing(every=1), full=True)
        )
        used = tracemalloc.get_traced_memory()[1] - out.getbuffer().nbytes
        tracemalloc.stop()
        return used

    peak(5)  # imports
    # One frame is 84 x 168 pixels; two hundred of them would be 2.8 million bytes.
    assert peak(300) - peak(100) < 400_000


@pytest.mark.parametrize("style", ["plain", "outlines"])
def test_what_is_shared_shows_its_picture_first_and_is_large_enough(style: Style) -> None:
    plan = Plan.parse("board 6x30 O=ff0000\n\n.AABB.\n.AABB.\n")
    found = film(plan, style=style, every=1)
    height, width = found[0].shape[:2]
    scale = (width - 2 * (width // 34)) // 6
    assert 450 < width <= 480
    assert height - width == -2 * scale, "six columns, and the four rows that the game needs"
    assert found[0].tobytes() == found[-1].tobytes()
    assert (found[-1][height - 40, 240].tolist() == [255, 0, 0]) == (style == "plain")
    greys = [np.unique(one.reshape(-1, 3), axis=0).tolist() for one in found]
    assert [[0, 0, 0], [115, 115, 115]] in greys, "an empty board in its frame"


def film(plan: Plan, **options: Any) -> list[np.ndarray]:
    """The frames of a film of a game as GIF."""
    out = io.BytesIO()
    RENDERERS["gif"].write(out, plan, Rendering().with_options(**options))
    return read_frames(out)


def test_the_finished_picture_has_equal_margins_on_a_wider_board() -> None:
    plan = Plan.parse("board 8x30 O=ff0000\n\n.AABB...\n.AABB...\n")
    *_, before, last = film(plan, first=0.0)

    def margins(frame: np.ndarray) -> tuple[int, int]:
        columns = (frame == (255, 0, 0)).all(axis=2).any(axis=0).nonzero()[0]
        return int(columns[0]), frame.shape[1] - 1 - int(columns[-1])

    left, right = margins(before)
    assert left < right, "one column, and three columns"
    assert margins(last)[0] == margins(last)[1]


@pytest.mark.parametrize("caption", ["", "A line that is much too long for it " * 3, "Grüße " * 9])
@pytest.mark.parametrize(("shape", "size"), [((1, 1), (480, 480)), ((9, 16), (270, 480))])
def test_a_shape_has_the_board_in_its_middle(
    shape: tuple[int, int], size: tuple[int, int], caption: str
) -> None:
    plan = Plan.parse("board 6x30 O=ff0000\n\n.AABB.\n.AABB.\n")
    last = film(plan, shape=shape, caption=caption)[-1]
    assert last.shape[1::-1] == size
    ground = last[0, 0].tolist()
    assert (last[[0, -1]] == ground).all(), "nothing touches an edge"
    assert (last[:, [0, -1]] == ground).all()
    columns = (last == (115, 115, 115)).all(axis=2).any(axis=0).nonzero()[0]
    assert columns[0] == pytest.approx(size[0] - 1 - columns[-1], abs=1)
    rows = (last == (115, 115, 115)).all(axis=2).any(axis=1).nonzero()[0]
    has_text = (last[rows[-1] + 1 :] != ground).any()
    assert has_text == bool(caption)


def test_a_film_that_becomes_too_large_shows_fewer_frames_of_its_fast_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = make_random_plan(24, 60, 400, seed=3)
    whole, smaller = io.BytesIO(), io.BytesIO()
    RENDERERS["gif"].write(whole, plan, Rendering())
    limit = whole.tell() * 19 // 20
    monkeypatch.setattr(encoders, "_MAX_FILM_BYTES", limit)
    reported: list[float] = []
    RENDERERS["gif"].write(
        smaller, plan, Rendering(), lambda done, total: reported.append(done / total)
    )
    assert smaller.tell() <= limit
    few, many = read_frames(smaller), read_frames(whole)
    assert len(few) < len(many)
    assert (few[-1] == many[-1]).all()
    assert sum(durations(smaller)) == pytest.approx(sum(durations(whole)), abs=60)
    assert reported == sorted(reported)
    assert reported[-1] == 1


def test_types_without_a_colour_are_muted_and_distinct() -> None:
    plan = make_random_plan(10, 20, 4, seed=4)
    colors = choose_display_colors(plan)
    assert len(set(colors.values())) == 7
    for piece, color in colors.items():
        if piece not in dict(plan.colors):
            channels = bytes.fromhex(color)
            assert max(channels) - min(channels) < 48, "a tinted grey"


def test_pieces_of_one_colour_are_told_apart() -> None:
    plan = Plan.parse("board 6x6 O=ff0000\n\n.AABB.\n.AABB.\n")
    for look, parted in ((Look(8), True), (Look(8, "flat"), False), (Look(3), False)):
        found = read_frames(animate(plan, ".gif", Timing(every=1), look))
        s, red = look.scale or 0, [255, 0, 0]
        played, last = (frame[-(s // 2)].tolist() for frame in (found[2], found[-1]))
        assert (played[3 * s] != red) == parted
        assert last[3 * s] == played[2 * s] == red


def test_a_gif_has_nothing_between_its_blocks() -> None:
    """Browsers end a GIF at the first byte that begins no block, and then show nothing."""
    data = animate(make_random_plan(10, 20, 20, seed=4), ".gif", Timing(), Look(2)).getvalue()
    at = 13 + 3 * (2 << (data[10] & 7))
    images = 0
    while data[at] != ord(";"):
        assert data[at] in b"!,"
        if data[at] == ord(","):
            images += 1
            at += 10 + (3 * (2 << (data[at + 9] & 7)) if data[at + 9] & 0x80 else 0) + 1
        else:
            at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    assert at == len(data) - 1
    assert images > 10
