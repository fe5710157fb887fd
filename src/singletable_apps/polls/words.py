"""What a poll is, said in the same words on pages, in results and in the API."""

from __future__ import annotations

from singletable_apps.polls.entities import Protection, Results

# What keeps people from voting twice, and what that is worth.
PROTECTION_WORDS = {
    Protection.BROWSER: (
        "One vote a browser: it keeps out double clicks and honest mistakes, not somebody who "
        "clears cookies."
    ),
    Protection.CODES: "One vote a code: as strong as the way the codes were handed out.",
    Protection.OPEN: "Anybody, as often as they like: a straw poll.",
}
# Who sees how it stands, and when.
RESULTS_WORDS = {
    Results.ALWAYS: "Everybody who has the link, at any time.",
    Results.AFTER_VOTING: "Those who have voted; everybody once it has closed.",
    Results.AFTER_CLOSING: "Everybody, once it has closed.",
}
# Said where the methods differ.
DECIDES = "This poll is decided by instant runoff, whatever the others say."
