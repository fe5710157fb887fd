"""Phase 2: users get their key in GSI1. Skills are new, so that none has to be changed."""

from __future__ import annotations

from singletable.migration import Backfill, Migration
from singletable_apps.skills.history import phase2

migration = Migration(Backfill(phase2.User), schema="98d7bac2ad35")
