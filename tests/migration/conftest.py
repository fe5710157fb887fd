"""The drivers that migrations run on are those of the apps: in memory, on a file, over HTTP."""

from tests.apps.conftest import drivers, far_end

__all__ = ["drivers", "far_end"]
