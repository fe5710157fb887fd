"""What a browser says of itself, in the words of who sits before it."""

from __future__ import annotations

# In this order, for most of them claim to be those that come later, too.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "a Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_SHOWN = 60


def browser_named(about: str) -> str:
    """As `Firefox on Linux`; what nobody knows is shown as it is, if it says anything."""
    browser = next((name for mark, name in _BROWSERS if mark in about), None)
    system = next((name for mark, name in _SYSTEMS if mark in about), None)
    match browser, system:
        case None, _:
            return about[:_SHOWN].strip() or "A browser"
        case str(), None:
            return browser
        case _:
            return f"{browser} on {system}"
