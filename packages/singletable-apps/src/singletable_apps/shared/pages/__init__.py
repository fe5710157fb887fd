"""Server-rendered pages: templates, forms, lists, flash messages and the design system.

See the README of `shared` for examples and all components.
"""

from __future__ import annotations

from singletable_apps.shared.pages.confirmations import ConfirmedAction, confirm
from singletable_apps.shared.pages.flash import Flash
from singletable_apps.shared.pages.forms import (
    Confirmation,
    ConfirmField,
    ConfirmForm,
    Form,
    PostedForm,
    RevisionConflict,
    submit_form,
    submit_values,
)
from singletable_apps.shared.pages.lists import (
    ListPage,
    ListQuery,
    ListQueryParameters,
    Pager,
)
from singletable_apps.shared.pages.page_context import FORM_METHODS, PageContext
from singletable_apps.shared.pages.pages import POLICY, Link, Pages, ProblemPage, Product
from singletable_apps.shared.pages.sessions import (
    SessionCookies,
    describe_browser,
)
from singletable_apps.shared.pages.times import LocalTime, request_time_zone
from singletable_apps.shared.pages.uploads import PostedUpload, Upload, UploadedFile
from singletable_apps.shared.pages.urls import local_url, path_of

__all__ = [
    "FORM_METHODS",
    "POLICY",
    "ConfirmField",
    "ConfirmForm",
    "Confirmation",
    "ConfirmedAction",
    "Flash",
    "Form",
    "Link",
    "ListPage",
    "ListQuery",
    "ListQueryParameters",
    "LocalTime",
    "PageContext",
    "Pager",
    "Pages",
    "PostedForm",
    "PostedUpload",
    "ProblemPage",
    "Product",
    "RevisionConflict",
    "SessionCookies",
    "Upload",
    "UploadedFile",
    "confirm",
    "describe_browser",
    "local_url",
    "path_of",
    "request_time_zone",
    "submit_form",
    "submit_values",
]
