"""What can be chosen about a poll: who sees results when, and how votes are protected."""

from __future__ import annotations

from singletable_apps.polls.entities import Protection, Results

# (value, name, what it means)
RESULTS = (
    (Results.ALWAYS, "Everybody, at any time", "Also before they vote; it changes live."),
    (
        Results.AFTER_VOTING,
        "Those who have voted",
        "So that nobody is led by the others. Everybody, once it has closed.",
    ),
    (
        Results.AFTER_CLOSING,
        "Everybody, once it has closed",
        "Until then you alone see how it stands.",
    ),
)
PROTECTIONS = (
    (
        Protection.BROWSER,
        "One vote a browser",
        "Keeps out double clicks and honest mistakes, not somebody who clears cookies. Right for "
        "friends and colleagues.",
    ),
    (
        Protection.CODES,
        "One vote a code",
        "You hand out one-time codes, on paper or as links. As strong as the way you hand them "
        "out: right when it matters.",
    ),
    (
        Protection.OPEN,
        "Anybody, as often as they like",
        "A straw poll: one shared tablet, a show of hands. It proves nothing.",
    ),
)
