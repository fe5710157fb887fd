"""Phase 1: the users in `glad-entities`, with a sort key and an index that nothing uses yet."""

from __future__ import annotations

from datetime import datetime

from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    Table,
    attr,
    casefold,
    created,
    pascal_case,
    updated,
)

# The projection of an index cannot be changed, so GSI1 has the final one from the start.
PROJECTION = [
    *("EntityType", "Username", "SkillId", "Endorsements", "Notes", "Source", "RatedBy"),
    *("CreatedAt", "UpdatedAt", "Revision"),
    *("SkillName", "ProficiencyLevel", "YearsOfExperience", "LastUsedDate"),
    *("Name", "Title", "Department", "Location", "JobRole", "Role"),
]
gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=PROJECTION)
entities = Table("glad-entities", indexes=[gsi1], ttl="ExpiresAt", attribute_names=pascal_case)


class User(Entity, table=entities, type_tag=("EntityType", "User")):
    """A person with an account. The key ignores case: `Ada` and `ada` are one."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()

    key = Key(pk=("USER", casefold(username)), sk="PROFILE")
