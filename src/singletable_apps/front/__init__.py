"""The front door: one home page, the apps that exist, and one server for all of them.

`make_front_app([Served(door, opened), …])` is the whole site on apps that are open.
"""

from __future__ import annotations

from singletable_apps.front.app import make_front_app
from singletable_apps.front.opening import Served

__all__ = ["Served", "make_front_app"]
