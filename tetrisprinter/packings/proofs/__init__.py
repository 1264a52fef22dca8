"""Impossibility claims with certificates that external checkers verify.

>>> from tetrisprinter import proofs
>>> claim = proofs.EmitterClaim(21, 3, ((7,),), True)
>>> claim.name
'width21-emitted1-rows3-at7-held'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tetrisprinter.support.lazy import make_lazy

if TYPE_CHECKING:
    from tetrisprinter.packings.proofs.certificates import certify, verify
    from tetrisprinter.packings.proofs.claims import EmitterClaim, PlatformClaim
    from tetrisprinter.packings.proofs.manifest import (
        Certificate,
        get_certificates_folder,
        read_manifest,
    )
    from tetrisprinter.packings.proofs.rup import ProofError

__all__ = [
    "Certificate",
    "EmitterClaim",
    "PlatformClaim",
    "ProofError",
    "certify",
    "get_certificates_folder",
    "read_manifest",
    "verify",
]

__getattr__, __dir__ = make_lazy(
    __name__,
    {
        "Certificate": "manifest",
        "EmitterClaim": "claims",
        "PlatformClaim": "claims",
        "ProofError": "rup",
        "certify": "certificates",
        "read_manifest": "manifest",
        "get_certificates_folder": "manifest",
        "verify": "certificates",
    },
)
