"""QR codes, for links that are shown on a screen or on paper."""

from __future__ import annotations

import io

import segno


def qr_svg(text: str) -> str:
    """The QR code of a text as SVG, in a page or by itself: it has no size, and fits anywhere."""
    # A phone reads it even if a seventh of it is dirty or torn off.
    code = segno.make(text, error="m", micro=False)
    drawn = io.BytesIO()
    code.save(drawn, kind="svg", xmldecl=False, nl=False, omitsize=True, light="white")
    return drawn.getvalue().decode()
