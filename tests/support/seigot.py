"""The seigot/tetris game itself, if its folder is beside the repository.

``python seigot.py ART.json`` plays a file in the game's own code and prints, as JSON, the
board after every drop and the number of game overs until then.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "clients"
CLIENTS = Path(os.environ.get("TETRISPRINTER_CLIENTS", _BESIDE))
"""The game's folder: beside the repository, or where the environment says."""


def play_in_seigot(art: Path) -> list[tuple[dict[tuple[int, int], str], int]]:
    """Return for every drop the squares, y from the bottom, and the number of game overs."""
    completed = subprocess.run(
        [sys.executable, __file__, art], capture_output=True, text=True, timeout=300, check=True
    )
    game = json.loads(completed.stdout)
    width, height = game["size"]
    return [
        (
            {
                (place % width, height - 1 - place // width): game["colors"][kind]
                for place, kind in enumerate(board)
                if kind
            },
            over,
        )
        for board, over in game["drops"]
    ]


def _play(art: str) -> dict[str, Any]:
    """Play a file in this process; return the drops, the colours and the size of the board."""
    sys.path[:0] = [str(CLIENTS), str(CLIENTS / "seigot" / "game_manager")]
    import seigot_driver  # type: ignore[import-not-found]

    seigot_driver.stub_qt()
    options = {
        "game_time": -1, "seed": 0, "obstacle_height": 0, "obstacle_probability": 0,
        "all_block_clear_score": 500, "drop_interval": 1, "mode": "art",
        "nextShapeMode": "default", "user_name": "w", "resultlogjson": "",
        "train_yaml": "config/default.yaml", "predict_weight": "default", "ShapeListMax": 6,
        "BlockNumMax": -1, "art_config_filepath": art,
    }  # fmt: skip
    sys.argv = ["game"]
    for name, value in options.items():
        sys.argv += [f"--{name}", str(value)]
    import contextlib
    import io
    import pprint

    pprint.pprint = lambda *_, **__: None
    import board_manager  # type: ignore[import-not-found]
    import game_manager  # type: ignore[import-not-found]

    content = json.loads(Path(art).read_text())
    board = board_manager.BoardData
    if "board" in content:  # The game ignores it: its own board has to be changed.
        board.width, board.height = map(int, content["board"].split("x"))
        board_manager.BOARD_DATA.__init__()
    with contextlib.redirect_stdout(io.StringIO()):
        manager = game_manager.Game_Manager()
        game_manager.GAME_MANEGER = manager
        data = game_manager.BOARD_DATA
        locks = 0
        merge = data.mergePiece

        def count_and_merge() -> None:
            nonlocal locks
            locks += 1
            merge()

        data.mergePiece = count_and_merge
        drops: list[tuple[list[int], int]] = []
        while locks < len(content["block_order"]):
            manager.timerEvent(seigot_driver.Event(manager.timer.timerId()))
            if locks > len(drops):
                drops.append(([int(v) for v in data.backBoard], manager.tboard.reset_cnt))
    colors = [f"{color:06x}" for color in data.colorTable]
    return {"drops": drops, "colors": colors, "size": [data.width, data.height]}


if __name__ == "__main__":
    print(json.dumps(_play(sys.argv[1])))
