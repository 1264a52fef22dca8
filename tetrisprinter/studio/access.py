"""Access control for the studio's HTTP requests, and security headers for its answers.

Every page that a browser shows can send requests to a server on the same machine. So a request
must name this server as its host (against DNS rebinding), must not come from another page (against
cross-site requests), and must show the token where the server can be reached from outside.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections.abc import Collection
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY", "AccessMiddleware", "AccessPolicy", "RefusedBodyError"]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
    "form-action 'none'"
)
"""The content security policy: pages load nothing but the studio's own files."""

COOKIE: Final = "tetrisprinter-studio"
_MAX_PAUSE_SECONDS: Final = 20.0  # the longest wait for the next bytes of a request, in seconds
_MAX_BODY_SECONDS: Final = 120.0  # the longest time for the complete body of a request, in seconds

_HEADERS: Final = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"SAMEORIGIN",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}


class RefusedBodyError(Exception):
    """The body of a request is too large or takes too long; ``status`` says which."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Where the server can be reached, and what a request must show."""

    names: Collection[str]  # host names, without port, under which the server answers
    port: int  # the server's port
    token: str = ""  # what a request must show; empty: it need show nothing
    any_address: bool = False  # whether the server answers under any IP address
    read_only: bool = False  # whether the server only shows prints

    def is_own_host(self, host: str) -> bool:
        """Return whether a ``Host`` header names this server."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.path or parts.query or parts.username is not None:
            return False
        return name in self.names or (self.any_address and _is_ip_address(name))


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class AccessMiddleware:
    """The middleware that applies an access policy to every request."""

    def __init__(
        self,
        app: ASGIApp,
        access: AccessPolicy,
        max_body: int,
        patience: float = _MAX_PAUSE_SECONDS,
    ) -> None:
        self.app, self.access = app, access
        self.max_body, self.patience = max_body, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer with a refusal."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._find_refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self.access.token:
            given_token = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token", "")
            if given_token and self._is_token(given_token) and scope["method"] == "GET":
                await self._set_cookie(scope, send)
                return
            if not self._is_token(_read_token_cookie(headers)):
                sentence = "open the address that the command printed; it ends with a token"
                await _answer(send, 401, sentence)
                return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {key for key, _ in message["headers"]}
                missing = [(key, value) for key, value in _HEADERS.items() if key not in names]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        await self.app(scope, self._limit_body(receive), send_with_headers)

    def _find_refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Return the status and the message of a refusal; None if the request is allowed."""
        if not self.access.is_own_host(headers.get("host", "")):
            return 403, "unknown host; use the address that the command printed"
        is_read = scope["method"] in ("GET", "HEAD")
        if self.access.read_only and not is_read:
            return 405, "a gallery cannot be changed"
        origin = headers.get("origin")
        if origin is not None:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not self.access.is_own_host(parts.netloc):
                return 403, "requests from other pages are refused"
        site = headers.get("sec-fetch-site", "none")
        is_visit = headers.get("sec-fetch-mode") == "navigate" and is_read
        if site not in ("same-origin", "none") and not is_visit:
            return 403, "requests from other pages are refused"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.max_body:
            return 413, _describe_size_limit(self.max_body)
        return None

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.access.token.encode())

    async def _set_cookie(self, scope: Scope, send: Send) -> None:
        """Redirect to the same address without the token, and set the token as a cookie."""
        query_fields = parse_qsl(scope["query_string"].decode("latin-1"))
        fields = [field for field in query_fields if field[0] != "token"]
        # Exactly one slash: a location that begins with two slashes names another server.
        location = "/" + scope["path"].lstrip("/") + ("?" + urlencode(fields) if fields else "")
        location = location.encode("ascii", "ignore").decode().replace("\\", "")
        cookie = f"{COOKIE}={self.access.token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"
        headers = [(b"location", location.encode()), (b"set-cookie", cookie.encode())]
        await _answer(send, 303, "", headers)

    def _limit_body(self, receive: Receive) -> Receive:
        """Return a receive function that refuses a body that is too long or too slow."""
        loop = asyncio.get_running_loop()
        received, deadline, is_complete = 0, loop.time() + _MAX_BODY_SECONDS, False

        async def receive_limited() -> Message:
            nonlocal received, is_complete
            if is_complete:  # only the end of the connection can follow
                return await receive()
            try:
                max_wait = min(self.patience, deadline - loop.time())
                message = await asyncio.wait_for(receive(), max(0.01, max_wait))
            except TimeoutError as error:
                raise RefusedBodyError(408, "the request takes too long") from error
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if received > self.max_body:
                    raise RefusedBodyError(413, _describe_size_limit(self.max_body))
            return message

        return receive_limited


def _describe_size_limit(max_bytes: int) -> str:
    return f"the request is too large; expected at most {max_bytes // 10**6} MB"


def _read_token_cookie(headers: dict[str, str]) -> str:
    """Return the token in a request's cookie; an empty text if there is none."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


async def _answer(
    send: Send, status: int, sentence: str, extra_headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    """Send an answer without body, or with a sentence as a JSON error."""
    body = json.dumps({"error": sentence}).encode() if sentence else b""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS.items(),
        *(extra_headers or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
