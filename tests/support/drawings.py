"""Emoji, logos, pixel art, screenshots, line drawings, charts, flags."""

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from tests.support.easel import (
    NOTHING,
    blocks,
    canvas,
    font,
    grid,
    jpeg,
    mix,
    photo,
    scene,
    small,
    waves,
)
from tests.support.photographs import portrait

# Emoji


@scene("emoji")
def smiley() -> Image.Image:
    """Draw a smiling face on nothing."""
    image, pen = canvas((128, 128), NOTHING)
    pen.ellipse((16, 16, 496, 496), "#ffcc33", "#c98a10", 12)
    for x in (160, 300):
        pen.ellipse((x, 150, x + 52, 240), "#4a2b05")
    pen.chord((130, 230, 382, 430), 10, 170, "#8a1c1c")
    return small(image)


@scene("emoji")
def tears() -> Image.Image:
    """Draw a face that cries with laughter, shaded, on nothing."""
    image, pen = canvas((160, 160), NOTHING)
    for n in range(40):
        tone = (255, 222 - n, 80 - n, 255)
        pen.ellipse((20 + 3 * n, 20 + 2 * n, 620 - 3 * n, 620 - 4 * n), tone)
    for x in (150, 360):
        pen.arc((x, 190, x + 130, 320), 200, 340, "#5a3a08", 26)
    pen.chord((150, 230, 490, 540), 0, 180, "#5a2408")
    pen.chord((170, 330, 470, 440), 0, 180, "white")
    pen.chord((230, 430, 410, 540), 0, 180, "#e04848")
    for x in (30, 500):
        pen.ellipse((x, 320, x + 110, 440), "#4aa8f0")
    return small(image)


@scene("emoji")
def heart() -> Image.Image:
    """Draw a heart with a shine, half-transparent at its edges."""
    image, pen = canvas((72, 72), NOTHING)
    for x in (20, 136):
        pen.ellipse((x, 30, x + 132, 162), "#e0245e")
    pen.polygon([(28, 124), (260, 124), (144, 268)], "#e0245e")
    pen.ellipse((52, 58, 92, 90), "#ff9fbd")
    return small(image)


@scene("emoji")
def pizza() -> Image.Image:
    """Draw a slice of pizza with seven colours, on white."""
    image, pen = canvas((136, 136), "white")
    pen.polygon([(60, 120), (484, 120), (272, 510)], "#f8c440")
    pen.rounded_rectangle((40, 70, 504, 150), 40, "#b86a24")
    for x, y in ((190, 210), (330, 200), (260, 330)):
        pen.ellipse((x, y, x + 70, y + 70), "#c83020", "#8a1a10", 8)
    for x, y in ((150, 170), (290, 290), (240, 420)):
        pen.polygon([(x, y), (x + 40, y + 10), (x + 20, y + 36)], "#3c9a3c")
    pen.ellipse((300, 160, 340, 190), "#282828")
    return small(image)


@scene("emoji")
def flag_bearer() -> Image.Image:
    """Draw a rainbow of six stripes between two clouds, on nothing."""
    image, pen = canvas((144, 120), NOTHING)
    for n, color in enumerate(("#e83030", "#f48a20", "#f8dc30", "#38a840", "#3070d8", "#7a38b0")):
        pen.ellipse((40 + 30 * n, 40 + 30 * n, 536 - 30 * n, 760 - 30 * n), color)
    pen.ellipse((220, 220, 356, 700), NOTHING)
    pen.rectangle((0, 400, 576, 480), NOTHING)
    for x in (10, 390):
        for dx, dy, r in ((40, 390, 44), (90, 370, 56), (136, 396, 40)):
            pen.ellipse((x + dx - r, dy - r, x + dx + r, dy + r), "#f4f6fa")
    return small(image)


# Logos


@scene("logo")
def badge() -> Image.Image:
    """Draw a badge with a bolt, on white."""
    image, pen = canvas((400, 400))
    pen.ellipse((120, 120, 1480, 1480), "#1b4fa0")
    pen.ellipse((220, 220, 1380, 1380), "#f4c430")
    pen.polygon(
        [(880, 300), (520, 880), (780, 880), (680, 1300), (1080, 700), (820, 700)], "#1b4fa0"
    )
    return small(image)


@scene("logo")
def word() -> Image.Image:
    """Draw a word on red, saved as JPEG."""
    image, pen = canvas((360, 140), "#b3202c")
    pen.text((110, 60), "TETRO", "white", font(400))
    return jpeg(small(image), 70)


@scene("logo")
def gradient_app() -> Image.Image:
    """Draw an application's icon: a rounded square in a gradient, a white leaf in it."""
    size = 256
    _, y = grid(size, size)
    image = Image.fromarray(mix([90, 60, 230], [240, 80, 170], (y + 1) / 2).astype(np.uint8))
    mask, pen = canvas((size, size), "black")
    pen.rounded_rectangle((24, 24, 1000, 1000), 220, "white")
    icon, pen = canvas((size, size), NOTHING)
    pen.chord((260, 180, 900, 820), 45, 225, "white")
    pen.chord((140, 220, 780, 860), 225, 45, "white")
    pen.line((260, 820, 700, 340), "#a848c8", 28)
    image.putalpha(small(mask).convert("L"))
    image.alpha_composite(small(icon))
    return image


@scene("logo")
def monogram() -> Image.Image:
    """Draw thin letters in a thin ring, dark on cream."""
    image, pen = canvas((300, 300), "#f6f0e2")
    pen.ellipse((60, 60, 1140, 1140), None, "#2b2b35", 18)
    pen.ellipse((100, 100, 1100, 1100), None, "#2b2b35", 6)
    pen.text((330, 300), "TP", "#2b2b35", font(480))
    pen.line((300, 860, 900, 860), "#b08d3c", 16)
    return small(image)


@scene("logo")
def seven_bars() -> Image.Image:
    """Draw a mark of seven flat colours, none of which is to be lost."""
    image, pen = canvas((280, 280), NOTHING)
    colors = ("#d03030", "#f08020", "#f0d020", "#40a840", "#30a0c0", "#3050c0", "#803090")
    for n, color in enumerate(colors):
        pen.rounded_rectangle((40 + 150 * n, 900 - 110 * n, 150 + 150 * n, 1060), 50, color)
    return small(image)


# Pixel art

_POTION = """
    .....kkkk..... .....kbbk..... .....kbbk..... ....kkkkkk.... .....kggk.....
    .....kggk..... ....kggggk.... ...kggggggk... ..kgwggggggk.. .kgwwrrrrrrgk.
    .kgwrrrrrrrgk. kgwrrrrwrrrrgk kgrrrrrrrrrrgk kgrrwrrrrrrrgk .kgrrrrrrwrgk.
    .kggrrrrrrggk. ..kkggggggkk.. ....kkkkkk...."""
_INVADER = """
    ..g.....g.. ...g...g... ..ggggggg.. .ggegggegg. ggggggggggg g.ggggggg.g
    g.g.....g.g ...gg.gg..."""
_BOTTLE = {"k": "000000", "w": "ffffff", "g": "a8c8d8", "r": "d03058", "b": "8a5a2b"}


@scene("pixel art")
def potion() -> Image.Image:
    """Draw a potion with black outlines, as it is."""
    return blocks(_POTION, _BOTTLE)


@scene("pixel art")
def potion_large() -> Image.Image:
    """Draw the same, enlarged twenty times."""
    return blocks(_POTION, _BOTTLE, 20)


@scene("pixel art")
def potion_blurred() -> Image.Image:
    """Draw the same, enlarged smoothly, as a browser does it, and saved as JPEG."""
    image = blocks(_POTION, _BOTTLE, 1)
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    return jpeg(ground.resize((14 * 15, 18 * 15), Image.Resampling.BICUBIC), 85)


@scene("pixel art")
def invader() -> Image.Image:
    """Draw an invader, enlarged twelve times, on nothing."""
    return blocks(_INVADER, {"g": "33dd55", "e": "111111"}, 12)


@scene("pixel art")
def tree() -> Image.Image:
    """Draw a tree in six shades, larger than a board is by default."""
    rng = np.random.default_rng(8)
    image = np.zeros((80, 72, 4), np.uint8)
    y, x = np.mgrid[:80, :72]
    crown = np.zeros((80, 72), bool)
    for cx, cy, r in ((36, 22, 20), (22, 34, 16), (50, 34, 16), (36, 40, 18)):
        crown |= np.hypot(x - cx, y - cy) < r
    greens = np.array([[30, 80, 40], [45, 110, 50], [70, 145, 60], [110, 180, 80]], np.uint8)
    tone = np.clip((x - y + 40) // 16 + rng.integers(0, 2, (80, 72)), 0, 3)
    image[(np.abs(x - 36) < 5 + (y > 72) * 4) & (y > 50)] = (110, 70, 40, 255)
    image[crown, :3] = greens[tone[crown]]
    image[crown, 3] = 255
    return Image.fromarray(image)


@scene("pixel art")
def flat_64() -> Image.Image:
    """Draw a landscape of 64 x 64 squares in five flat colours."""
    image = Image.new("RGB", (64, 64), "#88c8f0")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 44, 63, 63), "#48a048")
    pen.polygon([(4, 44), (22, 14), (40, 44)], "#707888")
    pen.polygon([(17, 22), (22, 14), (27, 22)], "#ffffff")
    pen.ellipse((46, 6, 57, 17), "#f8d038")
    for x in (8, 30, 50):
        pen.rectangle((x, 50, x + 1, 56), "#707888")
    return image


@scene("pixel art")
def flat_100() -> Image.Image:
    """Draw a castle of 100 x 90 squares in six flat colours, with lines of one square."""
    image = Image.new("RGBA", (100, 90), NOTHING)
    pen = ImageDraw.Draw(image)
    for x in (8, 64):
        pen.rectangle((x, 24, x + 27, 84), "#a8a8b8", "#303040")
        for n in range(4):
            pen.rectangle((x + 8 * n, 18, x + 8 * n + 3, 24), "#a8a8b8", "#303040")
        pen.rectangle((x + 12, 40, x + 15, 50), "#303040")
    pen.rectangle((35, 44, 64, 84), "#c8c0a8", "#303040")
    pen.chord((42, 58, 57, 110), 180, 360, "#704020", "#303040")
    pen.line((22, 18, 22, 2), "#303040")
    pen.polygon([(23, 3), (34, 6), (23, 9)], "#d03030")
    pen.rectangle((4, 84, 95, 89), "#58a048")
    return image


@scene("pixel art")
def dithered() -> Image.Image:
    """Draw a portrait dithered to black and white, as a fax has it."""
    return portrait(200, 260).convert("1").convert("RGB")


# Screenshots


def _lines(pen: Any, box: tuple[int, int, int, int], ink: str, size: int, step: int) -> None:
    words = "the board is empty when a row of the picture has been left on it and no piece hangs "
    text = 4 * words
    face, at = font(size), 0
    for y in range(box[1], box[3], step):
        line = text[at % 80 : at % 80 + (box[2] - box[0]) * 2 // size]
        pen.text((box[0], y), line, ink, face)
        at += 17


@scene("screenshot")
def window_light() -> Image.Image:
    """Draw a window with a title, lines of text and a chart."""
    image = Image.new("RGB", (800, 500), "#e9edf2")
    pen = ImageDraw.Draw(image)
    pen.rectangle((40, 40, 760, 460), "white", "#9aa4b1", 2)
    pen.rectangle((40, 40, 760, 90), "#2d6cdf")
    pen.text((60, 50), "Results", "white", font(28))
    for n in range(6):
        pen.rectangle((70, 130 + 40 * n, 70 + 180 + 23 * (n * 5 % 7), 146 + 40 * n), "#c3cad4")
    for n, high in enumerate((120, 220, 160, 280, 200)):
        color = "#34a853" if n != 3 else "#ea4335"
        pen.rectangle((440 + 60 * n, 420 - high, 480 + 60 * n, 420), color)
    return image


@scene("screenshot")
def terminal_dark() -> Image.Image:
    """Draw a dark terminal with lines in four colours."""
    image = Image.new("RGB", (900, 560), "#1b1e26")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 900, 34), "#2e3340")
    for n, color in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        pen.ellipse((14 + 26 * n, 10, 28 + 26 * n, 24), color)
    for n in range(15):
        color = ("#d8dee9", "#a3be8c", "#d8dee9", "#88c0d0", "#bf616a")[n * 7 % 5]
        pen.text((20, 48 + 33 * n), "$" if n % 4 == 0 else " ", "#ebcb8b", font(20))
        line = "print heart.png -o heart.gif  --effort 2  shortest plan found"[: 20 + n * 11 % 40]
        pen.text((44, 48 + 33 * n), line, color, font(20))
    return image


@scene("screenshot")
def editor_dark() -> Image.Image:
    """Draw a dark editor: a side bar, numbers of lines, indented code."""
    image = Image.new("RGB", (1200, 800), "#1e1e1e")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 220, 800), "#252526")
    pen.rectangle((0, 770, 1200, 800), "#007acc")
    for n in range(14):
        pen.text((24, 30 + 34 * n), ("planners", "rows.py", "game", "field.py")[n % 4], "#cccccc",
                 font(18))  # fmt: skip
    inks = ("#c586c0", "#9cdcfe", "#dcdcaa", "#ce9178", "#6a9955")
    for n in range(24):
        pen.text((240, 20 + 30 * n), str(n + 1), "#858585", font(18))
        left = 290 + 40 * (n * 3 % 4)
        for k in range(1 + n * 5 % 4):
            text = ("def", "picture", "rows(board)", '"a drawing"', "# why")[(n + k) % 5]
            pen.text((left, 20 + 30 * n), text, inks[(n + k) % 5], font(18))
            left += 12 * len(text)
    return image


@scene("screenshot")
def page_of_text() -> Image.Image:
    """Draw a page of black text on white with a heading and a blue link."""
    image = Image.new("RGB", (820, 1000), "white")
    pen = ImageDraw.Draw(image)
    pen.text((60, 50), "A printer of pictures", "black", font(54))
    _lines(pen, (60, 150, 760, 540), "#202020", 22, 34)
    pen.text((60, 560), "Read more about it", "#1a0dab", font(26))
    _lines(pen, (60, 620, 760, 940), "#202020", 22, 34)
    return image


@scene("screenshot")
def chat_phone() -> Image.Image:
    """Draw a conversation on a phone: bubbles on both sides."""
    image = Image.new("RGB", (540, 960), "#efeae2")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 540, 90), "#075e54")
    pen.ellipse((20, 18, 74, 72), "#d0d8d4")
    pen.text((92, 28), "Ada", "white", font(30))
    for n, top in enumerate(range(120, 880, 130)):
        left = 24 if n % 2 else 150
        pen.rounded_rectangle((left, top, left + 360, top + 100), 22,
                              "white" if n % 2 else "#d9fdd3")  # fmt: skip
        _lines(pen, (left + 24, top + 18, left + 330, top + 80), "#303030", 22, 32)
    return image


# Line drawings


@scene("line drawing")
def house_lines() -> Image.Image:
    """Draw a house by a thin pen on white."""
    image, pen = canvas((480, 400))
    for box in ((400, 720, 1400, 1400), (560, 880, 760, 1080), (1040, 880, 1240, 1080),
                (800, 1080, 1000, 1400)):  # fmt: skip
        pen.rectangle(box, None, "black", 14)
    pen.line([(320, 740), (900, 260), (1480, 740), (320, 740)], "black", 14)
    pen.line([(1160, 460), (1160, 280), (1280, 280), (1280, 560)], "black", 14)
    for n in range(12):
        x = 120 + 140 * n
        pen.line([(x, 1440), (x + 30, 1380), (x + 60, 1440)], "black", 10)
    return small(image)


@scene("line drawing")
def cat_lines() -> Image.Image:
    """Draw a cat in one ink of two strengths, on white."""
    image, pen = canvas((400, 400))
    pen.ellipse((300, 560, 1300, 1440), None, "#202020", 20)
    pen.ellipse((460, 240, 1060, 760), None, "#202020", 20)
    for tip, a, b in (((480, 120), (490, 380), (640, 270)), ((1040, 120), (1030, 380), (880, 270))):
        pen.line([a, tip, b], "#202020", 20)
    for x in (630, 850):
        pen.ellipse((x, 430, x + 60, 500), "#202020")
    pen.polygon([(720, 560), (800, 560), (760, 600)], "#202020")
    for side in (-1, 1):
        for dy in (-20, 20, 60):
            pen.line([(760 + 90 * side, 590), (760 + 380 * side, 570 + dy)], "#202020", 8)
    pen.arc((1100, 800, 1560, 1460), 200, 420, "#202020", 20)
    return small(image)


@scene("line drawing")
def blueprint() -> Image.Image:
    """Draw white lines on blue, with a fine grid."""
    image, pen = canvas((480, 360), "#1d4e89")
    for n in range(0, 1920, 80):
        pen.line((n, 0, n, 1440), "#2f65a5", 4)
        pen.line((0, n, 1920, n), "#2f65a5", 4)
    pen.rectangle((280, 320, 1640, 1120), None, "white", 16)
    pen.line((920, 320, 920, 760), "white", 16)
    pen.line((280, 760, 1200, 760), "white", 16)
    pen.arc((1200, 640, 1440, 880), 90, 180, "white", 8)
    pen.ellipse((1320, 480, 1560, 720), None, "white", 10)
    return small(image)


@scene("line drawing")
def pencil() -> Image.Image:
    """Draw a tree by a grey pencil on rough paper, scanned."""
    image, pen = canvas((400, 480), "#f3efe6")
    rng = np.random.default_rng(17)

    def branch(x: float, y: float, angle: float, long: float, wide: float) -> None:
        if long < 40:
            return
        to = (x + long * math.cos(angle), y - long * math.sin(angle))
        pen.line((x, y, *to), "#55524e", max(6, round(wide)))
        for turn in (-0.5, 0.45):
            branch(*to, angle + turn + 0.2 * rng.normal(), long * 0.76, wide * 0.65)

    branch(800, 1840, math.pi / 2, 460, 60)
    pixels = np.asarray(small(image).convert("RGB"), dtype=np.float64)
    return photo(pixels + 10 * (waves(pixels.shape[:2], 91, 1.1)[..., None] - 0.5), 3, 13)


# Charts


@scene("chart")
def bars() -> Image.Image:
    """Draw bars with axes, numbers and a legend."""
    image = Image.new("RGB", (720, 480), "white")
    pen = ImageDraw.Draw(image)
    pen.text((200, 14), "Drops by planner", "black", font(30))
    for n in range(5):
        pen.line((80, 100 + 75 * n, 690, 100 + 75 * n), "#d8d8d8", 1)
        pen.text((36, 90 + 75 * n), str(400 - 100 * n), "#404040", font(16))
    for n, pair in enumerate(((150, 90), (310, 220), (230, 260), (120, 60), (280, 190))):
        for k, high in enumerate(pair):
            left = 110 + 115 * n + 40 * k
            pen.rectangle((left, 400 - high, left + 36, 400), ("#4472c4", "#ed7d31")[k])
        pen.text((120 + 115 * n, 410), "abcde"[n], "#404040", font(20))
    pen.line((80, 100, 80, 400, 690, 400), "black", 2)
    return image


@scene("chart")
def curves() -> Image.Image:
    """Draw three thin curves on a grid."""
    image, pen = canvas((640, 420))
    for n in range(9):
        pen.line((200, 160 + 160 * n, 2480, 160 + 160 * n), "#e0e0e0", 4)
    pen.line((200, 120, 200, 1480, 2500, 1480), "#202020", 10)
    for k, color in enumerate(("#1f77b4", "#d62728", "#2ca02c")):
        points = [
            (200 + 11.4 * n, 820 + (380 - 90 * k) * math.sin(n / (22 + 9 * k) + k) - 60 * k)
            for n in range(200)
        ]
        pen.line(points, color, 14)
    return small(image)


@scene("chart")
def pie() -> Image.Image:
    """Draw a pie of seven slices on white, with white lines between them."""
    image, pen = canvas((420, 420))
    colors = ("#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1")
    start = -90.0
    for color, share in zip(colors, (0.26, 0.2, 0.16, 0.13, 0.11, 0.08, 0.06), strict=True):
        pen.pieslice((120, 120, 1560, 1560), start, start + 360 * share, color, "white", 10)
        start += 360 * share
    return small(image)


@scene("chart")
def heat() -> Image.Image:
    """Draw a field of values in shades from blue to yellow."""
    size = 360
    x, y = grid(size, size)
    value = np.exp(-3 * ((x - 0.3) ** 2 + y**2)) + 0.7 * np.exp(
        -6 * ((x + 0.5) ** 2 + (y - 0.4) ** 2)
    )
    value = np.clip(value, 0, 1)
    image = np.where(
        (value < 0.5)[..., None],
        mix([48, 18, 120], [40, 150, 140], 2 * value),
        mix([40, 150, 140], [250, 230, 40], 2 * value - 1),
    )
    return Image.fromarray(np.clip(image, 0, 255).astype(np.uint8))


# Maps and flags


@scene("flag")
def flag_cross() -> Image.Image:
    """Draw a cross of three colours that fills the image."""
    image = Image.new("RGB", (640, 400), "#ba0c2f")
    pen = ImageDraw.Draw(image)
    pen.rectangle((180, 0, 280, 400), "white")
    pen.rectangle((0, 150, 640, 250), "white")
    pen.rectangle((205, 0, 255, 400), "#00205b")
    pen.rectangle((0, 175, 640, 225), "#00205b")
    return image


@scene("flag")
def flag_stars() -> Image.Image:
    """Draw stripes, and a corner with stars smaller than a square."""
    image, pen = canvas((570, 300), "white")
    for n in range(0, 13, 2):
        pen.rectangle((0, 92 * n, 2280, 92 * n + 91), "#b22234")
    pen.rectangle((0, 0, 912, 645), "#3c3b6e")
    for row in range(9):
        for column in range(6 - row % 2):
            cx, cy = 76 + 152 * column + 76 * (row % 2), 65 + 64 * row
            points = [
                (cx + (36 if k % 2 == 0 else 14) * math.sin(k * math.pi / 5),
                 cy - (36 if k % 2 == 0 else 14) * math.cos(k * math.pi / 5))
                for k in range(10)
            ]  # fmt: skip
            pen.polygon(points, "white")
    return small(image)


@scene("chart")
def island() -> Image.Image:
    """Draw a map: land with a coast, a river, roads and a lake in flat colours."""
    size = 512
    x, y = grid(size, size)
    land = np.hypot(x, y) + 0.5 * waves((size, size), 101) < 0.95
    image = np.full((size, size, 3), (170.0, 211.0, 223.0))
    image[land] = (242, 239, 233)
    image[land & (waves((size, size), 102) > 0.58)] = (173, 209, 158)
    image[land & (np.hypot(x - 0.2, y + 0.25) < 0.12)] = (170, 211, 223)
    image[land & (np.abs(x - 0.25 * np.sin(4 * y)) < 0.012)] = (232, 146, 162)
    image[land & (np.abs(y - 0.2 * np.sin(3 * x)) < 0.008)] = (249, 178, 156)
    return Image.fromarray(image.astype(np.uint8))
