"""The table of everything that expires: sessions, password resets, counted attempts and e-mails.

An app gives the table its real name when it opens a store:
`Store(driver, tables={expiring: "vote_sessions"})`.
"""

from __future__ import annotations

from singletable import Table

expiring = Table("kept", ttl="expires_at")
