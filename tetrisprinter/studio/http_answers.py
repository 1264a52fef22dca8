"""Helpers of all route handlers: they read a request's fields and make the error 404."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tetrisprinter.studio.print_request import Fields

__all__ = ["make_not_found_error", "read_fields"]

_MAX_BODY: Final = 1_000_000
"""Bytes of the largest body that is not a file."""


async def read_fields(request: Request) -> Fields:
    """Read the fields of a request's body."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise HTTPException(
                413, f"the request is too large; expected at most {_MAX_BODY // 10**6} MB"
            )
    return Fields.parse(bytes(body))


def make_not_found_error() -> HTTPException:
    """Return the error for a name that does not exist."""
    return HTTPException(404, "not found")
