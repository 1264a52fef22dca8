"""What all answers share: reading what is asked, saying that something is not here."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tetrisprinter.studio.asking import Fields

__all__ = ["fields_of", "not_here"]

_MAX_ASKED: Final = 1_000_000
"""Bytes of a request that is no file."""


async def fields_of(request: Request) -> Fields:
    """Return the fields of a request's body."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_ASKED:
            raise HTTPException(413, f"more than {_MAX_ASKED // 10**6} MB are not taken")
    return Fields.parse(bytes(body))


def not_here() -> HTTPException:
    """Return the error that there is nothing of that name."""
    return HTTPException(404, "there is nothing of that name here")
