"""The site: a home page, the guide, and every installed app behind one server.

`make_site_app([ServedApp(info, running), …])` returns the whole site as one ASGI app.
"""

from __future__ import annotations

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import ServedApp

__all__ = ["ServedApp", "make_site_app"]
