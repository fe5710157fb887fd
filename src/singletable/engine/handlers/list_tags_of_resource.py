"""Handle ListTagsOfResource."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.settings import check_tag_resource, find_tagged_table
from singletable.operations import ListTagsOfResource, ListTagsOfResourceOutput


def run(request: ListTagsOfResource, session: Session) -> ListTagsOfResourceOutput:
    """Return all tags of a table. They fit one page; a page token is ignored, as on AWS."""
    check_tag_resource(request.resource_arn, "ListTagsOfResource", session)
    return ListTagsOfResourceOutput(
        list(find_tagged_table(request.resource_arn, session).record.tags)
    )
