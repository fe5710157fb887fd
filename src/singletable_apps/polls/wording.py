"""What people are told, wherever they are: what keeps votes from being cast twice, and how well."""

from __future__ import annotations

from singletable_apps.polls.entities import Protection

PROTECTED = {
    Protection.BROWSER: (
        "One vote a browser: it keeps out double clicks and honest mistakes, not somebody who "
        "clears cookies."
    ),
    Protection.CODES: "One vote a code: as strong as the way the codes were handed out.",
    Protection.OPEN: "Anybody, as often as they like: a straw poll.",
}
