"""What must not get through, whoever asks."""

import asyncio
import io
import json
import struct
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.support.commands import EXAMPLES
from tests.unit.studio.conftest import HERE, PORT, Opening
from tetrisprinter.studio.access import AccessMiddleware, AccessPolicy
from tetrisprinter.studio.app import MAX_UPLOAD

PAST = ("../../etc/passwd", "..", "/etc/passwd", "..\\..\\x", "%2e%2e%2f", "a\0b", "file:///etc")
EXAMPLE = {"kind": "example", "source": "heart"}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        f"127.0.0.1:{PORT + 1}",
        "127.0.0.1",
        "",
        "[",
        "a@b",
    ],
)
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    for path in ("/", "/api/state", "/static/x"):
        assert client.get(path, headers={"host": host}).status_code == 403


def test_its_own_names_are_known() -> None:
    access = AccessPolicy({"127.0.0.1", "localhost", "::1"}, PORT)
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"):
        assert access.is_own_host(host), host
    assert not access.is_own_host(f"10.0.0.7:{PORT}")
    assert AccessPolicy(access.names, PORT, "t", True).is_own_host(f"10.0.0.7:{PORT}")
    assert not AccessPolicy(access.names, PORT, "t", True).is_own_host(f"evil.example:{PORT}")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"http://127.0.0.1:{PORT}.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_another_page_starts_nothing(client: TestClient, headers: dict[str, str]) -> None:
    for method, path in (
        ("POST", "/api/jobs"),
        ("POST", "/api/films"),
        ("POST", "/api/uploads"),
        ("POST", "/api/plans"),
        ("DELETE", "/api/jobs/0123456789abcdef"),
    ):
        answer = client.request(method, path, headers=headers, content=json.dumps(EXAMPLE))
        assert answer.status_code == 403
        assert "other pages" in answer.json()["error"]
    assert client.get("/api/state").json()["jobs"] == []


def test_another_page_may_lead_here_but_not_look(client: TestClient) -> None:
    visit = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=visit).status_code == 200
    peek = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get("/api/state", headers=peek).status_code == 403
    own = {"origin": HERE, "sec-fetch-site": "same-origin"}
    assert client.post("/api/preview", json=EXAMPLE, headers=own).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/state", "/nothing", "/static/../x", "/play/x/1"])
def test_every_answer_forbids_what_is_not_needed(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("field", ["kind", "source", "name", "background", "board", "types"])
@pytest.mark.parametrize("value", [*PAST, 7, None, [], {"a": 1}, True, "x" * 300_000])
def test_no_field_is_a_path(client: TestClient, field: str, value: object, tmp_path: Path) -> None:
    for kind in ("example", "upload", "drawing"):
        asked = {**EXAMPLE, "kind": kind, field: value}
        answer = client.post("/api/preview", content=json.dumps(asked))
        if field == "name" and kind == "example" and isinstance(value, str):
            continue  # a name is a name, whatever it looks like; see below
        if answer.status_code == 200:
            assert value is None  # as if it had not been sent
        else:
            assert answer.status_code == 400
            assert "Traceback" not in answer.text
            assert str(tmp_path) not in answer.text
            assert "root:" not in answer.text


@pytest.mark.parametrize("word", PAST)
@pytest.mark.parametrize(
    "path",
    [
        "/static/{}", "/player/{}", "/api/jobs/{}/files/png", "/api/jobs/{}/thumbnail",
        "/play/{}/1", "/api/examples/{}", "/api/jobs/0123456789abcdef/files/{}", "/{}",
    ],
)  # fmt: skip
def test_no_address_is_a_path(client: TestClient, path: str, word: str) -> None:
    for written in (word, quote(word, safe="")):
        status, body = asyncio.run(asked(asgi(client), path.format(written)))
        assert status == 404, (path, written)
        assert b"not found" in body or b"Not Found" in body


@pytest.mark.parametrize(
    "body", [b"", b"nothing", b"[]", b"{" * 100_000, b'"x"', b"\xff\xfe", b'{"kind": NaN}']
)
def test_a_body_that_is_no_request(client: TestClient, body: bytes) -> None:
    for path in ("/api/preview", "/api/jobs", "/api/films", "/api/patterns/query", "/api/tilings"):
        answer = client.post(path, content=body)
        assert answer.status_code == 400
        assert answer.json()["error"]


@pytest.mark.parametrize(
    "more",
    [
        {"fit": 10**9}, {"fit": -1}, {"fit": 1.5}, {"colors": 0}, {"colors": 8}, {"colors": True},
        {"board": "99999x99999"}, {"board": "0x0"}, {"types": "X=ff0000"}, {"types": "J=red"},
        {"crop": {"x": 2, "y": 0, "width": 1, "height": 1}}, {"crop": {"x": 0}}, {"crop": []},
        {"crop": {"x": 0, "y": 0, "width": 0, "height": 0}}, {"background": "javascript:"},
        {"dither": "yes"}, {"kind": "text", "source": "x" * 401}, {"kind": "text", "source": ""},
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
    long = {"content-length": str(MAX_UPLOAD + 1)}
    assert client.post("/api/uploads", content=b"x", headers=long).status_code == 413

    def endless() -> Any:
        for _ in range(MAX_UPLOAD // 10**6 + 10):
            yield b"x" * 10**6

    assert client.post("/api/uploads", content=endless()).status_code == 413
    assert client.post("/api/preview", content=b" " * 1_100_000).status_code == 413


def claims(width: int, height: int) -> bytes:
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
        (claims(30_000, 30_000), "megapixels"),
        (b"GIF89a" + b"\0" * 50, "unknown image format"),
    ):
        answer = client.post("/api/uploads?name=photo.png", content=data)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("photo.png: ")
        assert reason in answer.json()["error"] or "damaged" in answer.json()["error"]
    for folder in ("incoming", "uploads"):
        assert not list((tmp_path / "studio" / folder).iterdir())


def test_strangers_need_the_token(opened: Opening) -> None:
    client = opened(token="a-word-of-more-than-twenty-letters")
    for path in ("/", "/api/state", "/static/studio.js", "/api/events"):
        assert client.get(path).status_code == 401
        assert client.get(path + "?token=another").status_code == 401
    assert client.post("/api/preview", json=EXAMPLE).status_code == 401
    entered = client.get("/patterns?token=a-word-of-more-than-twenty-letters&x=1")
    assert entered.status_code == 303
    assert entered.headers["location"] == "/patterns?x=1"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get("/").status_code == 200
    assert client.post("/api/preview", json=EXAMPLE).status_code == 200


def test_the_token_leads_nowhere_else(opened: Opening) -> None:
    client = opened(token="a-word-of-more-than-twenty-letters")
    for path in ("//evil.example/", "/\\evil.example"):
        answer = client.get(HERE + path + "?token=a-word-of-more-than-twenty-letters")
        if answer.status_code == 303:
            assert not answer.headers["location"].startswith(("//", "/\\", "http"))


def asgi(client: TestClient) -> Any:
    return client.app


async def asked(app: Any, path: str, method: str = "GET", body: bytes | None = b"") -> Any:
    """Ask as no browser would: the path as it stands; without a body, nothing ever comes."""
    sent: list[Any] = []

    async def receive() -> Any:
        if body is None:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", f"127.0.0.1:{PORT}".encode())],
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", PORT), "root_path": "",
    }  # fmt: skip
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_a_client_that_sends_nothing_is_let_go(client: TestClient) -> None:
    usual = asgi(client)
    hasty = AccessMiddleware(usual.app, usual.access, usual.max_body, patience=0.05)
    for path in ("/api/uploads", "/api/preview", "/api/jobs"):
        assert asyncio.run(asked(hasty, path, "POST", None))[0] == 408


def test_a_hundred_uploads_at_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is lost, and nothing is left lying about."""
    import httpx

    studio = client.app_state["studio"]
    picture = (EXAMPLES / "heart.png").read_bytes()
    at_once = most = 0

    async def small(work: str, asked: dict[str, Any]) -> dict[str, Any]:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.001)
        at_once -= 1
        assert Path(asked["source"]).read_bytes() == picture
        return {"event": "done", "width": 1, "height": 1, "was": [1, 1]}

    monkeypatch.setattr(studio.jobs, "run_small", small)

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(picture), 100):
            yield picture[start : start + 100]
            await asyncio.sleep(0)

    async def all_of_them() -> list[int]:
        transport = httpx.ASGITransport(app=asgi(client))
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as browser:
            answers = await asyncio.gather(
                *(browser.post("/api/uploads", content=pieces()) for _ in range(100))
            )
            return [answer.status_code for answer in answers]

    assert asyncio.run(all_of_them()) == [200] * 100
    assert most > 1
    assert studio.receiving == 0
    assert not list((studio.store.folder / "incoming").iterdir())


def test_slow_clients_keep_nobody_waiting(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A good upload is answered while twenty others have sent their first byte only."""
    import httpx

    studio = client.app_state["studio"]

    async def small(work: str, asked: dict[str, Any]) -> dict[str, Any]:
        return {"event": "done", "width": 1, "height": 1, "was": [1, 1]}

    monkeypatch.setattr(studio.jobs, "run_small", small)

    async def slowly() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(3600)

    async def all_of_them() -> int:
        transport = httpx.ASGITransport(app=asgi(client))
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as browser:
            slow = [
                asyncio.create_task(browser.post("/api/uploads", content=slowly()))
                for _ in range(20)
            ]
            while studio.receiving < len(slow):
                await asyncio.sleep(0)
            good = await asyncio.wait_for(browser.post("/api/uploads", content=b"good"), 25)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
            return good.status_code

    assert asyncio.run(all_of_them()) == 200
    assert studio.receiving == 0


def test_what_is_received_has_a_limit(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrisprinter.studio.app.MAX_RECEIVING", 10)
    answer = client.post("/api/uploads", content=b"more than ten")
    assert answer.status_code == 503
    assert client.app_state["studio"].receiving == 0


def test_a_gallery_changes_nothing(opened: Opening) -> None:
    client = opened(read_only=True)
    for method, path in (
        ("POST", "/api/jobs"), ("POST", "/api/uploads"), ("POST", "/api/preview"),
        ("DELETE", "/api/jobs/0123456789abcdef"), ("PUT", "/"), ("POST", "/api/proofs"),
    ):  # fmt: skip
        assert client.request(method, path, json=EXAMPLE).status_code == 405
    assert client.get("/api/examples/heart").status_code == 404
    assert client.get("/api/state").json()["readOnly"] is True


def test_names_are_only_names(client: TestClient) -> None:
    from tetrisprinter.studio.print_request import Fields, read_print_request

    for name in (*PAST[:5], "<script>", "a\nb\rc", "x" * 200):
        wanted = read_print_request(Fields({**EXAMPLE, "name": name}), ["heart"])
        assert not set(wanted.name) & set('\\/<>"\n\r')
        assert len(wanted.name) <= 80
        assert not wanted.name.startswith(".")


def test_what_is_sent_is_what_is_kept(client: TestClient) -> None:
    """A picture that was sent is decoded, not stored: no byte of the file survives as such."""
    from PIL import Image

    stream = io.BytesIO()
    image = Image.open(EXAMPLES / "heart.png")
    image.save(stream, "PNG")
    answer = client.post("/api/uploads", content=stream.getvalue() + b"<script>")
    assert answer.status_code == 200
    assert answer.json()["width"] == image.width
    (kept,) = (client.app_state["studio"].store.folder / "uploads").iterdir()
    assert b"<script>" not in kept.read_bytes()
