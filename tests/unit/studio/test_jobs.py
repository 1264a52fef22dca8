"""Jobs: done, stopped, gone on with, and not lost whoever is killed."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image
from starlette.testclient import TestClient

from tests.support.commands import EXAMPLES
from tests.support.judge import play_first_drops, shift_left
from tests.support.waiting import wait_until
from tests.unit.studio.conftest import StudioOpener
from tetrisprinter.formats import read_game
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.result import DropBound
from tetrisprinter.printing.task import Task
from tetrisprinter.studio.jobs import JobLimits
from tetrisprinter.studio.worker import _RunningPrint
from tetrisprinter.support.options import Limit

SQUARE = {"kind": "drawing", "source": "rr\nrr", "name": "square", "effort": 0}
HEART = {"kind": "example", "source": "heart", "name": "heart"}
LONG = {**HEART, "effort": 3}


def jobs_of(client: TestClient) -> dict[str, dict[str, Any]]:
    return {job["id"]: job for job in client.get("/api/state").json()["jobs"]}


def add(client: TestClient, options: dict[str, Any]) -> str:
    answer = client.post("/api/jobs", json=options)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def until(client: TestClient, identifier: str, *states: str, seconds: float = 300) -> Any:
    wait_until(lambda: jobs_of(client)[identifier]["state"] in states, "/".join(states), seconds)
    return jobs_of(client)[identifier]


def read_end_picture(path: Path) -> Picture:
    plan = read_game(path)
    picture = make_field_picture(plan, play_through(plan).field).trim()
    columns = [x for row in picture.rows for x, color in enumerate(row) if color]
    rows = (row[min(columns) : max(columns) + 1] for row in picture.rows)
    return Picture(tuple(rows))


def test_a_job_reports_the_bound_of_its_best_board_only(tmp_path: Path) -> None:
    """The highest bound of all boards says nothing about the best plan."""
    picture, news = Picture.parse("r.rb\nrrbb\n.rbb"), list[dict[str, Any]]()
    longer, shorter = sorted(
        (make_plan(Task.of(picture, board, "auto"), "rows") for board in ("9x13", "11x13")),
        key=lambda result: -result.drops,
    )
    assert longer.drops > shorter.drops
    job = _RunningPrint(tmp_path, news.append)
    job.keep(longer.raise_bound(DropBound(longer.drops, longer.task.board)))
    job.report(Progress("lns", 0.1, longer.drops, longer.drop_bound))
    job.keep(shorter)
    job.keep(shorter.raise_bound(DropBound(shorter.bound + 1, shorter.task.board)))
    bounds = [(one.get("best") or one)["bound"] for one in news]
    assert bounds == [longer.drops, longer.drops, shorter.bound, shorter.bound + 1]
    job.keep(longer)
    assert news[-1]["best"]["bound"] == shorter.bound + 1


def test_from_a_drawing_to_files(client: TestClient, tmp_path: Path) -> None:
    identifier = add(client, SQUARE)
    job = until(client, identifier, "done", "failed")
    assert job["state"] == "done", job
    assert job["best"]["drops"] == job["history"][-1][1] == job["best"]["bound"] == 1
    files = f"/api/jobs/{identifier}/files"
    drawn = Image.open(io.BytesIO(client.get(f"{files}/png?scale=1").content)).convert("RGB")
    assert drawn.getcolors() == [(4, (208, 48, 32))]  # a full rectangle has no margin
    answer = client.get(f"{files}/plan")
    assert "square.txt" in answer.headers["content-disposition"]
    (tmp_path / "plan.txt").write_bytes(answer.content)
    assert read_end_picture(tmp_path / "plan.txt").rows == Picture.parse("rr\nrr").rows
    assert len(read_game(tmp_path / "plan.txt")) == job["best"]["drops"]
    refused = client.get(f"{files}/fumen")
    assert refused.status_code == 409
    assert "ten" in refused.json()["error"] or "10" in refused.json()["error"]
    assert client.get(f"{files}/png?version=2").status_code == 404
    assert client.get(f"/play/{identifier}/1").text.count("<script") == 2
    assert client.get(f"/api/jobs/{identifier}/thumbnail").headers["content-type"] == "image/png"
    assert client.delete(f"/api/jobs/{identifier}").status_code == 200
    assert jobs_of(client) == {}
    assert client.get(f"{files}/png").status_code == 404


def test_what_cannot_be_printed_does_not_wait(client: TestClient) -> None:
    gap = {"kind": "drawing", "source": "r\n.\nr", "types": "J=d03020,T=d03020"}
    answer = client.post("/api/jobs", json=gap)
    assert answer.status_code == 409
    assert "gap row" in answer.json()["error"]
    assert "--" not in answer.json()["error"]
    mended = {**gap, "repair": True}
    seen = client.post("/api/preview", json=mended).json()
    assert seen["obstacle"]["cells"] == [[0, 1]]
    assert [(c["x"], c["y"], c["before"], c["after"]) for c in seen["changes"]] == [
        (0, 1, None, "d03020")
    ]
    assert seen["still"] is None


def test_a_preview_has_a_board_and_its_bound_only_if_a_board_is_named(client: TestClient) -> None:
    options = {"kind": "drawing", "source": "rrr"}
    seen = client.post("/api/preview", json=options).json()
    assert (seen["board"], seen["bound"]) == (None, 1)
    for more in ({"board": "21x42"}, {"pieces": "bag"}):
        seen = client.post("/api/preview", json=options | more).json()
        glance = client.post("/api/preview", json=options | more | {"glance": True}).json()
        assert seen["board"]
        assert glance["board"] == seen["board"]
    assert client.post("/api/preview", json=options | {"board": "21x42"}).json()["bound"] == 6


def test_a_colour_that_no_piece_shows_stays_in_the_picture(client: TestClient) -> None:
    options = {"kind": "drawing", "source": "rrb\nrbb", "types": "J=d03020,T=30a040"}
    seen = client.post("/api/preview", json=options).json()
    assert set(seen["picture"]["colors"]) == {"d03020", "3060c0"}
    assert "no piece type has the colour 3060c0" in seen["obstacle"]["sentence"]


def test_damaged_files_are_no_jobs(tmp_path: Path, open_studio: StudioOpener) -> None:
    for name, text in (
        ("0" * 16, "{"),
        ("1" * 16, "[]"),
        ("2" * 16, '{"id": 1}'),
        ("no number", "{}"),
        ("3" * 16, ""),
    ):
        folder = tmp_path / "studio" / "jobs" / name
        folder.mkdir(parents=True)
        (folder / "job.json").write_text(text)
    assert jobs_of(open_studio(tmp_path / "studio")) == {}


FLAG = "a=ffffff b=d03020 c=3060c0\naaba\nabca\nbccb"


def board_of(client: TestClient, identifier: str) -> list[tuple[int, int, int]]:
    answer = client.get(f"/api/jobs/{identifier}/files/png?scale=1&full=1")
    assert answer.status_code == 200, answer.text
    image = Image.open(io.BytesIO(answer.content)).convert("RGB")
    data = image.crop((3, image.height - 3, 7, image.height)).tobytes()
    assert {color for _, color in image.getcolors() or []} == set(COLORS.values())
    return [(data[k], data[k + 1], data[k + 2]) for k in range(0, len(data), 3)]


COLORS = {"a": (0xFF, 0xFF, 0xFF), "b": (0xD0, 0x30, 0x20), "c": (0x30, 0x60, 0xC0)}


@pytest.mark.slow
def test_everything_is_on_the_picture_s_background(client: TestClient) -> None:
    rows = FLAG.splitlines()[1:]
    wanted = [COLORS[letter] for row in rows for letter in row]
    options = {"kind": "drawing", "source": FLAG, "name": "flag", "background": "ffffff",
               "board": "10x22", "effort": 0}  # fmt: skip
    seen = client.post("/api/preview", json=options).json()
    assert (seen["field"], seen["background"]) == ("ffffff", "ffffff")
    identifier = add(client, options)
    assert until(client, identifier, "done", "failed")["state"] == "done"
    folder = client.app_state["jobs"].get_job_folder(identifier)
    plan = read_game(folder / "plan-1.txt")
    white = {int(piece) for piece, color in plan.colors if color == "ffffff"}
    left = play_through(plan).field
    assert white & {v for row in left.rows for v in row}, "the picture must be able to go wrong"
    assert board_of(client, identifier) == wanted
    thumbnail = client.get(f"/api/jobs/{identifier}/thumbnail").content
    assert Image.open(io.BytesIO(thumbnail)).convert("RGBA").getpixel((0, 0)) == (255,) * 4
    # What a link or a file brings is drawn on it, too; so is a plan that names no background.
    data = client.get(f"/api/jobs/{identifier}/files/plan").content
    brought = client.post("/api/plans?name=flag", content=data).json()["id"]
    assert board_of(client, brought) == wanted
    for file in folder.glob("file-*"):
        file.unlink()
    (folder / "plan-1.txt").write_text(str(replace(plan, background=None)))
    assert board_of(client, identifier) == wanted
    page = client.get(f"/play/{identifier}/1").text
    told = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert told["colors"][0] == ["#ffffff"]
    assert not any(told["visible"][kind] for kind in white)


def test_a_job_reports_the_stored_plan_and_only_shorter_ones(tmp_path: Path) -> None:
    """Also if it goes on from a plan that an earlier run has found; its bar never moves back."""
    task = Task.of(Picture.parse("r..r\nrrrr\n.rr.\n.rr."), "11x22")
    longer, shorter = make_plan(task, "rows"), make_plan(task, "shortest", Limit(effort=0.02))
    assert shorter.drops < longer.drops
    results = (longer, replace(longer, planner="another"), shorter, longer)
    for known, version, kept, expected in (
        (None, 0, results, [(1, "rows"), (1, "rows"), (2, "shortest"), (2, "shortest")]),
        (shorter.plan, 3, (longer, shorter), [(3, "shortest")]),
        (longer.plan, 3, (shorter,), [(4, "shortest")]),
    ):
        news: list[dict[str, Any]] = []
        job = _RunningPrint(tmp_path, news.append, version=version, known=known)
        for result in kept:
            job.keep(result)
        drops = {"rows": longer.drops, "shortest": shorter.drops}
        reports = [one["best"] for one in news]
        assert [(best["version"], best["planner"]) for best in reports] == expected
        assert all(best["drops"] == drops[best["planner"]] for best in reports)
    news.clear()
    for fraction in (0.5, 0.1, 0.7):  # a simpler version of the picture begins a new search
        job._last_report = 0.0
        job.report(Progress("the first game", fraction))
    assert [report["fraction"] for report in news] == [0.5, 0.5, 0.7]


@pytest.mark.slow
def test_a_killed_server_loses_no_plan(open_studio: StudioOpener, tmp_path: Path) -> None:
    """The next server lists the print with its best plan and improves it; waiting jobs are gone.

    A job that is removed leaves no process and no file.
    """
    client = open_studio()
    jobs = client.app_state["jobs"]
    identifier = add(client, LONG)
    waiting = add(client, SQUARE)
    wait_until(lambda: jobs_of(client)[identifier]["best"])
    best = jobs_of(client)[identifier]["best"]
    (process,) = jobs._processes
    watched = psutil.Process(process.pid)
    # As if it were killed: what lies in the folder now is all there is.
    shutil.copytree(jobs.folder, tmp_path / "again")
    client.__exit__(None, None, None)
    wait_until(lambda: not watched.is_running() or watched.status() == "zombie")
    client = open_studio(tmp_path / "again")
    jobs = client.app_state["jobs"]
    assert waiting not in jobs_of(client)
    job = jobs_of(client)[identifier]
    assert job["state"] == "stopped"
    assert job["best"]["drops"] <= best["drops"]
    plan = tmp_path / "plan.txt"
    plan.write_bytes(client.get(f"/api/jobs/{identifier}/files/plan").content)
    assert read_end_picture(plan).rows == load_picture(EXAMPLES / "heart.png").rows
    assert client.post(f"/api/jobs/{identifier}/resume").status_code == 200
    wait_until(lambda: jobs_of(client)[identifier]["progress"] is not None)
    (process,) = jobs._processes
    group = [p for p in psutil.process_iter() if os.getpgid(p.pid) == process.pid]
    assert group
    client.delete(f"/api/jobs/{identifier}")
    wait_until(lambda: all(not p.is_running() or p.status() == "zombie" for p in group))
    assert not (jobs.folder / "jobs" / identifier).exists()
    other = add(client, SQUARE)
    assert until(client, other, "done", "failed")["state"] == "done"


@pytest.mark.slow
def test_a_process_that_dies_or_takes_too_long(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrisprinter.studio.jobs._PATIENCE", 300)  # the machine may be busy
    jobs = client.app_state["jobs"]
    identifier = add(client, HEART)
    wait_until(lambda: len(jobs._processes) == 1)
    (process,) = jobs._processes
    os.kill(process.pid, signal.SIGKILL)
    job = until(client, identifier, "failed")
    assert "its process ended" in job["error"]
    client.post(f"/api/jobs/{identifier}/more")
    wait_until(lambda: jobs_of(client)[identifier]["best"])
    client.post(f"/api/jobs/{identifier}/stop")
    assert until(client, identifier, "stopped", "done", "failed")["state"] == "stopped"
    jobs.limits = JobLimits(seconds=3, workers=1)
    client.post(f"/api/jobs/{identifier}/more")  # the fewest drops: more than three seconds
    job = until(client, identifier, "stopped", "done", "failed")
    assert job["state"] == "stopped"


LOADING = """
import sys, time
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from tetrisprinter.studio import prints, worker
from tetrisprinter.support import signals
class Library(Loader):  # it replaces Ctrl-C by an error of its own, as compiled ones do
    def exec_module(self, module):
        try:
            while not signals.get_stop_signal():
                time.sleep(0.02)
        except KeyboardInterrupt:
            raise ImportError("initialization failed")
class Finder:
    def find_spec(self, name, path, target=None):
        return ModuleSpec(name, Library()) if name == "library" else None
sys.meta_path.insert(0, Finder())
def load(options, send):
    import library
    time.sleep(60)
worker.JOB_HANDLERS["print"] = load
worker.main()
"""


def test_a_stop_while_libraries_are_loaded() -> None:
    options = {"memory": 2**33, "seconds": 1000, "work": "print"}
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{json.dumps(options)}\nstop\n")
    process.stdin.flush()  # it stays open: its end would end the process
    assert json.loads(process.stdout.readline()) == {"event": "stopped"}
    assert process.wait(300) == 0
    process.stdin.close()
    process.stdout.close()


@pytest.mark.slow
def test_memory_is_limited(open_studio: StudioOpener) -> None:
    client = open_studio(limits=JobLimits(memory=150 * 2**20, workers=1))
    stream = io.BytesIO()
    Image.new("RGB", (7000, 7000)).save(stream, "PNG")
    answer = client.post("/api/uploads", content=stream.getvalue())
    assert answer.status_code in (400, 409)
    assert "memory" in answer.json()["error"]
    assert client.get("/").status_code == 200


@pytest.mark.slow
def test_proofs_and_tilings(client: TestClient) -> None:
    answer = client.post("/api/proofs", json={"width": 13, "rows": 3, "at": [3]})
    job = until(client, answer.json()["id"], "done", "failed")
    assert job["state"] == "done", job
    asked = client.post("/api/patterns/query", json={"width": 13, "at": [3]}).json()
    assert job["result"]["proved"] is (asked["heights"][2]["status"] != "matrix")
    names = job["result"]["files"]
    for number in range(len(names)):
        assert client.get(f"/api/jobs/{job['id']}/proof/{number}").content
    assert client.get(f"/api/jobs/{job['id']}/proof/{len(names)}").status_code == 404
    board = "\n".join(["........"] * 8)
    counted = client.post(
        "/api/tilings", json={"board": board, "pieces": "dominoes", "count": True}
    )
    assert counted.json()["count"] == "12988816"
    none = client.post("/api/tilings", json={"board": "#......#\n" + board, "pieces": "I4*inf"})
    assert none.json()["tilings"] == []
    assert none.json()["reason"]
    assert client.post("/api/tilings", json={"board": board, "pieces": "Q9"}).status_code == 400


def test_patterns_at_once(client: TestClient) -> None:
    heights = client.post("/api/patterns/query", json={"width": 21, "at": [4]}).json()["heights"]
    assert [h["status"] for h in heights][:3] == ["indivisible", "indivisible", "matrix"]
    assert client.get("/play/matrix?width=21&at=4&rows=3&piece=T").status_code == 200
    assert client.get("/play/matrix?width=21&at=4&rows=2&piece=T").status_code == 400
    for at in ([4, 6], [20], [-1], ["x"], "x", 4):
        answer = client.post("/api/patterns/query", json={"width": 21, "at": at})
        assert answer.status_code == 400, at
    table = client.get("/api/patterns/table?emitted=7").json()
    assert (table["total"], table["entries"][0]["at"]) == (1, [0, 3, 6, 9, 12, 15, 18])
    found = {(e["width"], e["emitted"]): e for e in client.get("/api/patterns/atlas").json()}
    assert found[21, 1]["by_height"]["3"] == 15


def test_six_jobs_wait_and_none_is_lost(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the order in which they came, one at a time; what each does is not done here."""
    jobs = client.app_state["jobs"]
    order = tmp_path / "order"
    worker = tmp_path / "worker"
    worker.write_text(
        "#!/bin/sh\n"
        f"mkdir {tmp_path}/busy || exit 1\n"  # another one is at work
        f'read options; echo "$options" >> {order}\n'
        f"rmdir {tmp_path}/busy\n"
        'echo \'{"event": "done"}\'\n'
    )
    worker.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(worker))
    names = list("abcdef")
    added = [add(client, {**SQUARE, "name": name}) for name in names]
    wait_until(lambda: all(job["state"] == "done" for job in jobs_of(client).values()))
    assert list(jobs_of(client)) == added
    assert [json.loads(line)["name"] for line in order.read_text().splitlines()] == names
    for identifier in added:
        kept = jobs.folder / "jobs" / identifier / "job.json"
        assert json.loads(kept.read_text())["state"] == "done"


def test_what_is_no_film(client: TestClient) -> None:
    one = add(client, SQUARE)
    for jobs, sentence in (
        ([one], "a list of 2 to 40"),
        ([one] * 41, "a list of 2 to 40"),
        ("../..", "a list of 2 to 40"),
        ([one, "../../etc"], "sixteen hex digits"),
        ([one, "0" * 16], "not a print or was removed"),
    ):
        answer = client.post("/api/films", json={"jobs": jobs})
        assert (answer.status_code, sentence in answer.json()["error"]) == (400, True), answer.text
    for more, sentence in (
        ({"board": "ten"}, "ten"),
        ({"hold": 0}, "hold: 0 is out of range; expected 0.1 to 60"),
    ):
        answer = client.post("/api/films", json={"jobs": [one, one], **more})
        assert (answer.status_code, sentence in answer.json()["error"]) == (400, True), answer.text
    assert list(jobs_of(client)) == [one]


def test_an_animated_picture_becomes_one_game(client: TestClient, tmp_path: Path) -> None:
    """Its frames are listed when it is uploaded; each stands at its stop of the game."""
    drawings = ["r..\nrrr", ".r.\nrrr", "..r\nrrr"]
    frames = [Image.new("RGBA", (3, 2)) for _ in range(4)]  # the first one stays blank
    for frame, drawing in zip(frames[1:], drawings, strict=True):
        for x, y in Picture.parse(drawing).cells():
            frame.putpixel((x, 1 - y), (208, 48, 32, 255))
    stream = io.BytesIO()
    frames[0].save(stream, "PNG", save_all=True, append_images=frames[1:], duration=100)
    answer = client.post("/api/uploads?name=a.png", content=stream.getvalue()).json()
    assert answer["frames"] == 3
    request = {"kind": "upload", "source": answer["id"], "name": "a"}
    film = client.post("/api/films", json={"request": request})
    assert film.status_code == 201, film.text
    job = until(client, film.json()["id"], "done", "failed")
    assert job["state"] == "done", job
    (tmp_path / "film.txt").write_bytes(client.get(f"/api/jobs/{job['id']}/files/plan").content)
    plan = read_game(tmp_path / "film.txt")
    # It begins with the first frame and comes back to it.
    for drawing, stop in zip([*drawings[1:], drawings[0]], plan.stops, strict=True):
        assert shift_left(play_first_drops(plan, stop)) == Picture.parse(drawing).cells()
    assert client.get(f"/api/jobs/{job['id']}/thumbnail").status_code == 200
    assert '"stops":[' in client.get(f"/play/{job['id']}/1").text
    refused = client.post("/api/films", json={"request": {**request, "source": "0" * 16}})
    assert refused.status_code == 400
    assert "not an animated picture" in refused.json()["error"]
