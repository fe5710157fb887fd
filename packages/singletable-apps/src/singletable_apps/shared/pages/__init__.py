"""Server-rendered pages: templates, forms, lists, flash messages and the design system.

See the README of `shared` for examples and all components.
"""

from __future__ import annotations

from singletable_apps.shared.pages.flash import Flash as Flash
from singletable_apps.shared.pages.forms import Confirmation as Confirmation
from singletable_apps.shared.pages.forms import ConfirmField as ConfirmField
from singletable_apps.shared.pages.forms import ConfirmForm as ConfirmForm
from singletable_apps.shared.pages.forms import Form as Form
from singletable_apps.shared.pages.forms import PostedForm as PostedForm
from singletable_apps.shared.pages.forms import RevisionConflict as RevisionConflict
from singletable_apps.shared.pages.forms import submit_form as submit_form
from singletable_apps.shared.pages.forms import submit_values as submit_values
from singletable_apps.shared.pages.lists import ListPage as ListPage
from singletable_apps.shared.pages.lists import ListQuery as ListQuery
from singletable_apps.shared.pages.lists import ListQueryParameters as ListQueryParameters
from singletable_apps.shared.pages.lists import Pager as Pager
from singletable_apps.shared.pages.page_context import FORM_METHODS as FORM_METHODS
from singletable_apps.shared.pages.page_context import ConfirmedAction as ConfirmedAction
from singletable_apps.shared.pages.page_context import PageContext as PageContext
from singletable_apps.shared.pages.page_context import confirm as confirm
from singletable_apps.shared.pages.pages import POLICY as POLICY
from singletable_apps.shared.pages.pages import Link as Link
from singletable_apps.shared.pages.pages import Pages as Pages
from singletable_apps.shared.pages.pages import ProblemPage as ProblemPage
from singletable_apps.shared.pages.pages import Product as Product
from singletable_apps.shared.pages.sessions import SessionCookies as SessionCookies
from singletable_apps.shared.pages.sessions import describe_browser as describe_browser
from singletable_apps.shared.pages.times import LocalTime as LocalTime
from singletable_apps.shared.pages.times import request_time_zone as request_time_zone
from singletable_apps.shared.pages.uploads import PostedUpload as PostedUpload
from singletable_apps.shared.pages.uploads import Upload as Upload
from singletable_apps.shared.pages.uploads import UploadedFile as UploadedFile
from singletable_apps.shared.pages.urls import local_url as local_url
from singletable_apps.shared.pages.urls import path_of as path_of
from singletable_apps.shared.pages.urls import url_of as url_of
