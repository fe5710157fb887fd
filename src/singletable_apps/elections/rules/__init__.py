"""The rules of elections: who may do what, when, and what can be; each refusal says why.

Rules know no table and no clock: they are given what they judge, and what time it is.
"""

from __future__ import annotations

from singletable_apps.elections.rules.elections import (
    check_candidates,
    check_create,
    check_delete,
    check_finalise,
    check_fix,
    check_handover,
    check_launch,
    check_owner,
    check_rename,
    check_settings,
    check_voters,
    state_of,
    status_of,
)
from singletable_apps.elections.rules.names import (
    candidate_name,
    candidate_names,
    election_name,
    email,
    folded,
    same,
    user_name,
    voter_names,
)
from singletable_apps.elections.rules.people import (
    allowed_roles,
    check_edit,
    check_may,
    check_password_change,
    check_removal,
    check_role_change,
    check_see,
    is_transfer,
    role_of_newcomer,
)
from singletable_apps.elections.rules.visibility import (
    Shown,
    check_see_ballot,
    check_tally,
    default_publication,
    may_list,
)
from singletable_apps.elections.rules.voting import (
    check_cast,
    check_voter,
    check_withdraw,
    effective,
    is_eligible,
    lines_of,
    ranking_of,
)
from singletable_apps.elections.rules.window import check_window, has_begun, has_ended

__all__ = [
    "Shown",
    "allowed_roles",
    "candidate_name",
    "candidate_names",
    "check_candidates",
    "check_cast",
    "check_create",
    "check_delete",
    "check_edit",
    "check_finalise",
    "check_fix",
    "check_handover",
    "check_launch",
    "check_may",
    "check_owner",
    "check_password_change",
    "check_removal",
    "check_rename",
    "check_role_change",
    "check_see",
    "check_see_ballot",
    "check_settings",
    "check_tally",
    "check_voter",
    "check_voters",
    "check_window",
    "check_withdraw",
    "default_publication",
    "effective",
    "election_name",
    "email",
    "folded",
    "has_begun",
    "has_ended",
    "is_eligible",
    "is_transfer",
    "lines_of",
    "may_list",
    "ranking_of",
    "role_of_newcomer",
    "same",
    "state_of",
    "status_of",
    "user_name",
    "voter_names",
]
