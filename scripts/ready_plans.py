"""Data for the playground of the site: ready plans, the player's page, pieces, colours."""

import base64
import json
import re
from pathlib import Path

from tetrisprinter.formats import read_game
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render.page import make_page, make_player_data
from tetrisprinter.render.paint import Look, choose_field_for, choose_muted
from tetrisprinter.render.still import crop_picture, draw_png

FOLDER = Path(__file__).resolve().parent / "playground"
PLANS = FOLDER.parents[1] / "examples" / "plans"


def make_playground_script() -> str:
    """Return a script with the ready plans, the player's page, pieces and colours."""
    plans = []
    for path in sorted(PLANS.glob("*.txt")):
        text = path.read_text("utf-8")
        plan = read_game(path)
        picture = crop_picture(make_field_picture(plan, play_through(plan).field))
        image = draw_png(picture, look=Look(2, field=choose_field_for(plan)))
        plans.append(
            {
                "name": path.stem,
                "text": text,
                "drops": len(plan),
                "image": "data:image/png;base64," + base64.b64encode(image).decode(),
                "data": json.loads(make_player_data(plan)),
            }
        )
    plans.sort(key=lambda one: one["name"] != "cat-face")
    page = make_page(plan, title="%TITLE%")
    data = r'(id="data">).*?(</script>)'
    page = re.sub(data, r"\1%DATA%\2", page, count=1, flags=re.DOTALL)
    contents = {
        "plans": plans,
        "page": page,
        "shapes": plans[0]["data"]["shapes"],
        "names": ["", *(piece.name for piece in PieceType)],
        "muted": choose_muted(len(PieceType), []),
    }
    return f"const PLAYGROUND = {json.dumps(contents, separators=(',', ':'))};\n"
