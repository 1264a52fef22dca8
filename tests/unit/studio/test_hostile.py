"""What must not get through, whoever asks."""

import asyncio
import io
import json
import shutil
import struct
import subprocess
import sys
import zlib
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image
from starlette.testclient import TestClient

from tests.support.commands import EXAMPLES
from tests.unit.studio.conftest import HERE
from tetrisprinter.errors import InputError
from tetrisprinter.studio import page_engine
from tetrisprinter.studio.app import MAX_UPLOAD, _open_socket
from tetrisprinter.studio.prints import read_print_name

PAST = ("../../etc/passwd", "..", "/etc/passwd", "..\\..\\x", "%2e%2e%2f", "a\0b", "file:///etc")
EXAMPLE = {"kind": "example", "source": "heart"}


def test_a_foreign_host_is_refused(client: TestClient) -> None:
    hosts = ("evil.example", "127.0.0.1.evil.example", "", "[", "a@b", "user@127.0.0.1:8421",
             "10.0.0.7", "localhost.:8421", ":8421", "[::1]:8421")  # fmt: skip
    for host, path in product(hosts, ("/", "/api/state", "/static/x")):
        assert client.get(path, headers={"host": host}).status_code == 400, (host, path)
    assert client.get("/", headers={"host": "localhost:8421"}).status_code == 200


def test_only_this_machine_can_connect() -> None:
    with _open_socket(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
        port = listener.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on {port}: another program uses it"):
            _open_socket(port)


def test_a_fault_is_a_sentence_everywhere(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an answer, in a job, and in the page without a server: no status alone, no Python name."""
    quiet = TestClient(client.app, base_url=HERE, raise_server_exceptions=False)

    def fail(*given: Any, **named: Any) -> Any:
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr("tetrisprinter.studio.prints.find_picture_file", fail)
    answer = quiet.post("/api/jobs", json=EXAMPLE)
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("internal error at app.py:")
    assert answer.json()["error"].endswith("the input, the settings and the version")
    assert quiet.get("/nothing").json() == {"error": "not found"}
    assert "not possible" in quiet.put("/api/jobs").json()["error"]
    monkeypatch.setitem(page_engine._ANSWERS, "preview", fail)
    assert "internal error" in json.loads(page_engine.answer("preview", "{}", print))["error"]
    options = json.dumps({"memory": 2**40, "seconds": 60, "work": "print"}).encode() + b"\n"
    script = (
        "from tetrisprinter.studio import worker\n"
        "worker.JOB_HANDLERS['print'] = lambda options, send: 1 / 0\n"
        "worker.main()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(options)
        process.stdin.flush()  # and stays open: its end would end the process
        news = json.loads(process.stdout.readline())
    assert (news["event"], news["code"]) == ("failed", 500)
    assert news["error"].startswith("internal error")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_makes_sentences_of_faults(tmp_path: Path) -> None:
    script = """
        const { describeError, describeStatus } = await import(process.argv[1]);
        console.error = () => {};
        const python = new Error("Traceback\\nZeroDivisionError: division by zero");
        const named = Object.assign(new Error("x"), { name: "PythonError" });
        const type = new TypeError("x.y is not a function");
        const errors = [new Error("a.png: is empty"), type, python, named, undefined];
        const statuses = [404, 500, 503].map(describeStatus);
        console.log(JSON.stringify([...errors.map(describeError), ...statuses]));
    """
    faults = Path(page_engine.__file__).parent / "static" / "faults.js"
    shutil.copy(faults, tmp_path / "faults.mjs")
    command = ["node", "--input-type=module", "-e", script, (tmp_path / "faults.mjs").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    empty, *others, unknown, failed, busy = json.loads(done.stdout)
    assert empty == "a.png: is empty"
    assert all(sentence.startswith("internal error; please report") for sentence in others)
    assert unknown == "not found"
    assert busy == "the studio has too many visitors; try again in a moment"
    assert failed.startswith("the studio failed to answer (status 500); please report")


def test_another_page_starts_nothing(client: TestClient) -> None:
    origins = ("https://evil.example", "null", "http://127.0.0.1:8422", "http://localhost:8421",
               "http://127.0.0.1:8421.evil.example")  # fmt: skip
    headers = [
        *({"origin": origin} for origin in origins),
        *({"sec-fetch-site": site} for site in ("cross-site", "same-site")),
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ]
    changes = [("POST", f"/api/{name}") for name in ("jobs", "films", "uploads", "plans")]
    for named, change in product(headers, [*changes, ("DELETE", "/api/jobs/0123456789abcdef")]):
        answer = client.request(*change, headers=named, content=json.dumps(EXAMPLE))
        assert answer.status_code == 403, (named, change)
        assert "other pages" in answer.json()["error"]
    assert client.get("/api/state").json()["jobs"] == []


def test_every_answer_forbids_what_is_not_needed(client: TestClient) -> None:
    for path in ("/", "/api/state", "/nothing", "/static/../x", "/play/x/1"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "field", ["kind", "source", "name", "background", "palette", "board", "types", "pieces"]
)
def test_no_field_is_a_path(client: TestClient, field: str, tmp_path: Path) -> None:
    values: tuple[object, ...] = (*PAST, "map.tetrio", 7, None, [], {"a": 1}, True, "x" * 300_000)
    for kind, value in product(("example", "upload", "drawing"), values):
        if field == "name" and kind == "example" and isinstance(value, str):
            continue  # a name is a name, whatever it looks like; see below
        asked = {**EXAMPLE, "kind": kind, field: value}
        answer = client.post("/api/preview", content=json.dumps(asked))
        if answer.status_code == 200:
            assert value is None  # as if it had not been sent
        else:
            assert answer.status_code == 400, (kind, value)
            for hidden in ("Traceback", str(tmp_path), "root:", "cannot be read"):
                assert hidden not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/static/{}", "/player/{}", "/api/jobs/{}/files/png", "/api/jobs/{}/thumbnail",
        "/play/{}/1", "/api/examples/{}", "/api/jobs/0123456789abcdef/files/{}", "/{}",
    ],
)  # fmt: skip
def test_no_address_is_a_path(client: TestClient, path: str) -> None:
    for written in (*PAST, *(quote(word, safe="") for word in PAST)):
        status, body = asyncio.run(ask(client.app, path.format(written)))
        assert status == 404, (path, written)
        assert b"not found" in body or b"Not Found" in body


def test_a_body_that_is_no_request(client: TestClient) -> None:
    bodies = (b"", b"nothing", b"[]", b"{" * 100_000, b'"x"', b"\xff\xfe", b'{"kind": NaN}')
    paths = [f"/api/{name}" for name in ("preview", "jobs", "films", "patterns/query", "tilings")]
    for path, body in product(paths, bodies):
        answer = client.post(path, content=body)
        assert answer.status_code == 400, (path, body[:20])
        assert answer.json()["error"]


@pytest.mark.parametrize(
    "more",
    [
        {"fit": 10**9}, {"fit": -1}, {"fit": 1.5}, {"colors": 0}, {"colors": 8}, {"colors": True},
        {"board": "99999x99999"}, {"board": "0x0"}, {"types": "X=ff0000"}, {"types": "J=red"},
        {"crop": {"x": 2, "y": 0, "width": 1, "height": 1}}, {"crop": {"x": 0}}, {"crop": []},
        {"crop": {"x": 0, "y": 0, "width": 0, "height": 0}}, {"background": "javascript:"},
        {"dither": "yes"}, {"pieces": "T9"},
        {"kind": "text", "source": "x" * 401}, {"kind": "text", "source": ""},
        {"kind": "drawing", "source": "?"}, {"kind": "drawing", "source": "a=zz\na"},
    ],
)  # fmt: skip
def test_nonsense_is_told_in_a_sentence(client: TestClient, more: dict[str, Any]) -> None:
    answer = client.post("/api/preview", json={**EXAMPLE, **more})
    assert answer.status_code == 400
    sentence = answer.json()["error"]
    assert 10 < len(sentence) < 400
    assert "\n" not in sentence.strip()


def test_a_body_too_large_is_not_read(client: TestClient) -> None:
    def endless() -> Any:
        for _ in range(MAX_UPLOAD // 10**6 + 10):
            yield b"x" * 10**6

    assert client.post("/api/uploads", content=endless()).status_code == 413
    assert client.post("/api/preview", content=b" " * 1_100_000).status_code == 413


def make_png_header(width: int, height: int) -> bytes:
    """Make the smallest file that says it is a picture of that size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_bombs_and_rubbish_are_refused(client: TestClient, tmp_path: Path) -> None:
    """Each is looked at in a process of its own; nothing of it stays."""
    for data, reason in (
        (make_png_header(30_000, 30_000), "megapixels"),
        (b"GIF89a" + b"\0" * 50, "unknown image format"),
    ):
        answer = client.post("/api/uploads?name=photo.png", content=data)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("photo.png: ")
        assert reason in answer.json()["error"] or "damaged" in answer.json()["error"]
    assert not list((tmp_path / "studio" / "uploads").iterdir())


async def ask(app: Any, path: str) -> Any:
    """Ask as no browser would: the path as it stands."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", b"127.0.0.1:8421")],
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 8421), "root_path": "",
    }  # fmt: skip
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_names_are_only_names() -> None:
    for name in (*PAST[:5], "<script>", "a\nb\rc", "x" * 200):
        read_name = read_print_name({**EXAMPLE, "name": name})
        assert not set(read_name) & set('\\/<>"\n\r')
        assert len(read_name) <= 80
        assert not read_name.startswith(".")


def test_what_is_sent_is_what_is_kept(client: TestClient) -> None:
    """A picture that was sent is decoded, not stored: no byte of the file survives as such."""
    stream = io.BytesIO()
    image = Image.open(EXAMPLES / "heart.png")
    image.save(stream, "PNG")
    answer = client.post("/api/uploads", content=stream.getvalue() + b"<script>")
    assert answer.status_code == 200
    assert answer.json()["width"] == image.width
    (kept,) = (client.app_state["jobs"].uploads).iterdir()
    assert b"<script>" not in kept.read_bytes()
