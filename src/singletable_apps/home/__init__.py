"""The front door: one home page, the apps that exist, and one server for all of them.

`make_front_app([Served(door, opened), …])` is the whole site on apps that are open.
"""

from __future__ import annotations

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import ServedApp

__all__ = ["ServedApp", "make_site_app"]
