"""Links that carry a whole game: a page made by ``tetrisprinter page`` plays what follows the #.

The text of the plan is deflated without a header (RFC 1951) and written as base64url without
padding, which browsers read with ``DecompressionStream("deflate-raw")``. Nothing is sent to the
server of the page, because browsers keep what follows the # to themselves.
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
"""Characters of the longest plan in a link: more is cut off by programs that pass links on."""

_LARGEST_TEXT: Final = 1_000_000
_LINK: Final = re.compile(r"#plan=([\w-]+)(?:&name=([^&]*))?")


def find_page() -> str:
    """Return the address of the page, without what follows a #."""
    page = os.environ.get(PAGE_ADDRESS, "").partition("#")[0]
    if not page:
        raise InputError(
            f"a link needs the address of a page, and {PAGE_ADDRESS} is not set; "
            f"make a page with `tetrisprinter page`, and set {PAGE_ADDRESS} to its address"
        )
    return page


def make_link(plan: Plan, name: str, page: str) -> str:
    """Return a link to the page that carries a plan.

    >>> plan = Plan.parse("board 4x6 O=ff0000\\n\\n.AA.\\n.AA.\\n")
    >>> link = make_link(plan, "a square", "https://example.org/print/")
    >>> link.partition("=")[0], read_link(link) == (plan, "a square")
    ('https://example.org/print/#plan', True)
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(str(plan).encode()) + packer.flush()
    code = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(code) > LONGEST_CODE:
        raise JobError(
            f"{name}: this game is too long for a link: {len(code)} characters, at most "
            f"{LONGEST_CODE}; pass its plan on as a file (--plan FILE)"
        )
    return f"{page}#plan={code}&name={quote(name, safe='')}"


def read_link(link: str) -> tuple[Plan, str]:
    """Return the plan that a link carries, and its name."""
    found = _LINK.search(link)
    if found is None:
        raise InputError("this link carries no plan; expected ...#plan=CODE")
    code, name = found[1], unquote(found[2] or "")
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        text = zlib.decompressobj(-15).decompress(packed, _LARGEST_TEXT).decode()
    except (ValueError, zlib.error) as error:
        raise InputError(f"the link cannot be read: {error}") from error
    return Plan.parse(text, name or "link"), name
