"""QR codes for links."""

from __future__ import annotations

import io
from functools import lru_cache

import segno


# Drawing one takes 15 ms, and pages show the same ones again and again.
@lru_cache(maxsize=256)
def qr_svg(text: str) -> str:
    """Return a QR code as SVG without a fixed size."""
    # Level M stays readable when 15 % of the code is dirty or torn off.
    code = segno.make(text, error="m", micro=False)
    output = io.BytesIO()
    code.save(output, kind="svg", xmldecl=False, nl=False, omitsize=True, light="white")
    return output.getvalue().decode()
