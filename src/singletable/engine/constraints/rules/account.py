"""The rules of the operations on tags and on the account."""

from __future__ import annotations

from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.shape import List, Member, Struct, Text, required
from singletable.engine.constraints.wording import TABLE as ANSWERS
from singletable.operations import (
    DescribeEndpoints,
    DescribeLimits,
    ListTagsOfResource,
    Tag,
    TagResource,
    UntagResource,
)

# A tag's key and value are checked with the tags already there; even null is told in other words.
TAGS = List(Struct(Tag, (Member("key", Text()), Member("value", Text()))))
RESOURCE = required("resource_arn", Text(), absent="Invalid TableArn")

ACCOUNT = tuple(
    Rule(shape, ANSWERS, falls_back=False)
    for shape in (
        Struct(TagResource, (RESOURCE, required("tags", TAGS))),
        Struct(UntagResource, (RESOURCE, required("tag_keys", List(Text())))),
        Struct(ListTagsOfResource, (RESOURCE, Member("next_token", Text()))),
        Struct(DescribeLimits, ()),
        Struct(DescribeEndpoints, ()),
    )
)
