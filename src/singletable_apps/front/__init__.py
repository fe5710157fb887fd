"""The front door: one home page, the apps that exist, and one server for all of them.

`make_front_app(elections, settings=ApiSettings(…))` is the whole site on services that are open.
"""

from __future__ import annotations

from singletable_apps.front.app import make_front_app

__all__ = ["make_front_app"]
