"""The frame of an app: its declaration, from which the web app and the commands follow.

`AppSpec` declares an app. Handlers of the API depend on `current_service` and `signed_in_user`,
those of pages on `PageContext.visited` and `UserPageContext.signed_in`. `app_commands` is in
`shared.app_commands`, which does not load the web framework.
"""

from __future__ import annotations

from singletable_apps.shared.frame.jobs import Job as Job
from singletable_apps.shared.frame.page import PageContext as PageContext
from singletable_apps.shared.frame.page import UserPageContext as UserPageContext
from singletable_apps.shared.frame.people import PeopleSpec as PeopleSpec
from singletable_apps.shared.frame.problems import AppProblems as AppProblems
from singletable_apps.shared.frame.spec import AppSpec as AppSpec
from singletable_apps.shared.frame.spec import Opening as Opening
from singletable_apps.shared.frame.spec import read_picture as read_picture
from singletable_apps.shared.frame.state import AppState as AppState
from singletable_apps.shared.frame.state import Limits as Limits
from singletable_apps.shared.frame.state import Recent as Recent
from singletable_apps.shared.frame.state import authenticated_user as authenticated_user
from singletable_apps.shared.frame.state import count_request as count_request
from singletable_apps.shared.frame.state import count_user_request as count_user_request
from singletable_apps.shared.frame.state import current_service as current_service
from singletable_apps.shared.frame.state import current_state as current_state
from singletable_apps.shared.frame.state import limit_failures as limit_failures
from singletable_apps.shared.frame.state import limited as limited
from singletable_apps.shared.frame.state import signed_in_user as signed_in_user
from singletable_apps.shared.frame.state import state_of as state_of
from singletable_apps.shared.urls import Urls as Urls
