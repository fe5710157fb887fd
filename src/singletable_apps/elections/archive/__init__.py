"""The log in a file, back from it, and whether log and table are what they should be."""

from __future__ import annotations

from singletable_apps.elections.archive.exporting import export_log
from singletable_apps.elections.archive.lines import End
from singletable_apps.elections.archive.restoring import restore_log
from singletable_apps.elections.archive.verifying import Difference, Verified, verify_log

__all__ = ["Difference", "End", "Verified", "export_log", "restore_log", "verify_log"]
