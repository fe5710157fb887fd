"""Phase 1: the users in `glad-entities`, with a sort key and an index that nothing uses yet."""

from __future__ import annotations

from singletable import Index, Key, Table, casefold, pascal_case
from singletable_apps.skills.history.users import UserFields

# The projection of an index cannot be changed, so GSI1 has the final one from the start.
PROJECTION = [
    *("EntityType", "Username", "SkillId", "Endorsements", "Notes", "Source", "RatedBy"),
    *("CreatedAt", "UpdatedAt", "Revision"),
    *("SkillName", "ProficiencyLevel", "YearsOfExperience", "LastUsedDate"),
    *("Name", "Title", "Department", "Location", "JobRole", "Role"),
]
gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=PROJECTION)
entities = Table("glad-entities", indexes=[gsi1], ttl="ExpiresAt", attribute_names=pascal_case)


class User(UserFields, table=entities, type_tag=("EntityType", "User")):
    """A person with an account. The key ignores case: `Ada` and `ada` are one."""

    key = Key(pk=("USER", casefold(UserFields.username)), sk="PROFILE")
