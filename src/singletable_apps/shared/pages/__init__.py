"""Pages for people: how they are made, and how they look; `/parts` shows every part.

- `Pages("elections", folder, secret=…)` renders templates, serves static files, and shows problems
  as pages: `pages.serve(app)`.
- `pages.page(request, "elections/home.html", election=…)` is a page; `pages.redirect(to, "Saved.")`
  goes elsewhere, and says so there once.
- `form: Typed` in a handler is what somebody has typed; `form.read(Model)` is the model, or the
  form with what is wrong beside each field. `Form({"name": …})` is one that is filled in.
- `zone_of(request)` is the zone of who reads; `{{ moment | moment }}` shows a time in it.
- `path_of(request)` is the path of the page, quoted as `address` of an app does it.
- `local_address(text, "/")` is where to go back to, if that is on this site.
"""

from __future__ import annotations

from singletable_apps.shared.pages.flash import Flash
from singletable_apps.shared.pages.forms import Form, PostedForm
from singletable_apps.shared.pages.pages import POLICY, Link, Pages, Product
from singletable_apps.shared.pages.times import LocalTime, request_time_zone
from singletable_apps.shared.pages.urls import local_url, path_of

__all__ = [
    "POLICY",
    "Flash",
    "Form",
    "Link",
    "LocalTime",
    "Pages",
    "PostedForm",
    "Product",
    "local_url",
    "path_of",
    "request_time_zone",
]
