"""Phase 1: the users in `glad-entities`, with a sort key and an index that nothing uses yet."""

from __future__ import annotations

from datetime import datetime

from singletable import Attr, Entity, Key, Table, attr, casefold, created, pascal_case, updated
from singletable_apps.skills.entities import gsi1

# The projection of an index cannot be changed, so GSI1 is the final one from the start.
entities = Table("glad-entities", indexes=[gsi1], ttl="ExpiresAt", attribute_names=pascal_case)


class User(Entity, table=entities, type_tag=("EntityType", "User")):
    """A person with an account. The key ignores case: `Ada` and `ada` are one."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()

    key = Key(pk=("USER", casefold(username)), sk="PROFILE")
