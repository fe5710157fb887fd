"""QR codes, for links that are shown on a screen or on paper."""

from __future__ import annotations

import segno


def qr_svg(text: str) -> str:
    """The QR code of a text as SVG: it has no size of its own, and fits into any page."""
    # A phone reads it even if a sixth of it is dirty or torn off.
    code = segno.make(text, error="m", micro=False)
    return code.svg_inline(
        omitsize=True, svgns=True, light="white", title="QR code", lineclass=None
    )
