"""Pages for people: how they are made, and how they look; `/parts` shows every part.

- `Pages("elections", folder, secret=…)` renders templates, serves static files, and shows problems
  as pages: `pages.mount(app)`.
- `pages.render(request, "elections/home.html", election=…)` returns a page;
  `pages.redirect(request, url, "Saved.")` redirects, and the next page shows the message once.
- `form: PostedForm` in a handler is the posted form; `submit_form` validates it, acts, and shows it
  again with errors beside its fields. `Form({"name": …})` is one that is filled in.
- `request_time_zone(request)` is the reader's time zone; `{{ time | moment }}` shows a time in it.
- `path_of(request)` is the path of the page, quoted as `address` of an app does it.
- `local_address(text, "/")` is where to go back to, if that is on this site.
"""

from __future__ import annotations

from singletable_apps.shared.pages.flash import Flash
from singletable_apps.shared.pages.forms import (
    Form,
    PostedForm,
    RevisionCheck,
    RevisionConflict,
    any_revision,
    submit_form,
)
from singletable_apps.shared.pages.lists import ListPage, ListQuery, ListQueryParameters
from singletable_apps.shared.pages.pages import POLICY, Link, Pages, ProblemPage, Product
from singletable_apps.shared.pages.times import LocalTime, request_time_zone
from singletable_apps.shared.pages.urls import local_url, path_of

__all__ = [
    "POLICY",
    "Flash",
    "Form",
    "Link",
    "ListPage",
    "ListQuery",
    "ListQueryParameters",
    "LocalTime",
    "Pages",
    "PostedForm",
    "ProblemPage",
    "Product",
    "RevisionCheck",
    "RevisionConflict",
    "any_revision",
    "local_url",
    "path_of",
    "request_time_zone",
    "submit_form",
]
