"""The table of what is kept for a while: sign-ins, links, counted guesses, letters to look at.

Whatever lies here ends by itself, and is no record of anything. An app gives the table its real
name when it opens a store: `Store(driver, tables={kept: "vote_sessions"})`.
"""

from __future__ import annotations

from singletable import Table

kept = Table("kept", ttl="expires_at")
