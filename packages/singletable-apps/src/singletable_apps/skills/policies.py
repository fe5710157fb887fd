"""The IAM policy for a program that reads and writes one person's items without the service."""

from __future__ import annotations

from typing import Any

from singletable_apps.skills import patterns
from singletable_design.infrastructure.iam import (
    Owner,
    create_policy,
    grants_for_patterns,
    restrict_to_owner,
)

OWN_READS = (
    patterns.user_by_name,
    patterns.skills_of_user,
    patterns.user_skill,
    patterns.user_with_skills,
)
# What people may write about themselves without the service. Their role, password and the keys of
# indexes are in the same partition, so that the partition key alone does not protect them.
# The service confirms a new address first, because passwords are reset by e-mail.
WRITABLE = ("Title", "Department", "Location", "About", "UpdatedAt", "Revision")


def own_data_policy(username: str = "${aws:PrincipalTag/username}") -> dict[str, Any]:
    """Return the policy for the items of one person: reads, and edits of the profile.

    `username` is an IAM variable or a username. The value of a variable must be in lower case, as
    it is in the keys; otherwise it reaches nothing.
    """
    owner = Owner({"username": username})
    reads, _ = restrict_to_owner(grants_for_patterns(OWN_READS), owner)
    policy: dict[str, Any] = create_policy(reads, owner=owner)
    edits, _ = restrict_to_owner(grants_for_patterns([patterns.edit_user]), owner)
    writes = [grant for grant in edits if grant.action == "UpdateItem"]
    written: dict[str, Any] = create_policy(writes, owner=owner)
    (statement,) = written["Statement"]
    statement["Sid"] = "OwnProfile"
    statement["Condition"] |= {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["PK", "SK", *WRITABLE]},
        # Returned items would show other attributes.
        "StringEqualsIfExists": {"dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]},
    }
    policy["Statement"].append(statement)
    return policy
