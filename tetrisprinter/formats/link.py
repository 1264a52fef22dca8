"""Links that contain a game; a page made by ``tetrisprinter page`` plays the game of its link.

The text of the plan is deflated without a header (RFC 1951) and written as base64url without
padding, which browsers read with ``DecompressionStream("deflate-raw")``. The page's server does
not receive the plan, because browsers do not send the part after the #.
"""

from __future__ import annotations

import base64
import os
import re
import zlib
from typing import Final
from urllib.parse import quote, unquote

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.plan import Plan

PAGE_ADDRESS: Final = "TETRISPRINTER_PAGE"
"""The environment variable with the address of the page, for commands and the studio."""

LONGEST_CODE: Final = 12_000
"""The most characters of a plan in a link; many programs truncate longer links."""

_LARGEST_TEXT: Final = 1_000_000
_LINK: Final = re.compile(r"#plan=([\w-]+)(?:&name=([^&]*))?")


def get_page_address() -> str:
    """Return the address of the page, without the part after a #."""
    page = os.environ.get(PAGE_ADDRESS, "").partition("#")[0]
    if not page:
        raise InputError(
            f"no page for links: {PAGE_ADDRESS} is not set; make a page with `tetrisprinter page` "
            f"and set {PAGE_ADDRESS} to its address"
        )
    return page


def make_link(plan: Plan, name: str, page: str) -> str:
    """Return a link to a page that contains a plan.

    >>> plan = Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> link = make_link(plan, "a square", "https://example.org/print/")
    >>> link.partition("=")[0], read_link(link) == (plan, "a square")
    ('https://example.org/print/#plan', True)
    """
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    compressed = compressor.compress(str(plan).encode()) + compressor.flush()
    code = base64.urlsafe_b64encode(compressed).decode().rstrip("=")
    if len(code) > LONGEST_CODE:
        raise JobError(
            f"{name}: the game is too long for a link: {len(code)} characters; expected at most "
            f"{LONGEST_CODE} (--plan FILE writes the plan to a file)"
        )
    return f"{page}#plan={code}&name={quote(name, safe='')}"


def read_link(link: str) -> tuple[Plan, str]:
    """Return the plan in a link, and its name."""
    match = _LINK.search(link)
    if match is None:
        raise InputError("the link contains no plan; expected ...#plan=CODE")
    code, name = match[1], unquote(match[2] or "")
    try:
        compressed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        text = zlib.decompressobj(-15).decompress(compressed, _LARGEST_TEXT).decode()
    except (ValueError, zlib.error) as error:
        raise InputError(f"the link cannot be read: {error}") from error
    return Plan.parse(text, name or "link"), name
