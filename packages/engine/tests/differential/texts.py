"""Error texts: dynalite's older wording, and AWS's current one.

Dynalite's texts were taken from AWS between 2013 and 2020, and its own tests ran against AWS. Since
then AWS has reworded some. What stands here is the old wording and the new; everything else must be
equal to the letter, but for the envelope that single writes have got since.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENVELOPE = "1 validation error detected: "
_CONFORMANCE = "paritysuite/dynamodb-conformance, "


@dataclass(frozen=True)
class Reworded:
    """An older text and its current form, both as patterns; {1} is the first group of the old."""

    was: str
    now: str
    evidence: str


REWORDED: list[Reworded] = [
    Reworded(
        r"(Invalid \w+: Syntax error; )Expected .* found\.",
        r'{1}token: ".+", near: ".+"',
        _CONFORMANCE + "tier3/error-messages/getItem: the token and what is near it",
    ),
    Reworded(
        r"One or more parameter values were invalid: (The AttributeValue for a key attribute .*)",
        r"One or more parameter values are not valid\. {1}",
        _CONFORMANCE + "tier3/error-messages/getItem: empty keys",
    ),
    Reworded(
        r"The parameter cannot be converted to a numeric value",
        r"The parameter cannot be converted to a numeric value: ",
        _CONFORMANCE + "tier3/error-messages/valueLayers",
    ),
    Reworded(
        r"One or more parameter values were invalid: Input collection \[.*\](of type BS)? ?"
        r"contains duplicates\.",
        r'One or more parameter values were invalid: Input collection \[".*"\] ?{1} ?'
        r"contains duplicates\.",
        _CONFORMANCE + "tier3/error-messages/valueLayers: members are quoted, and sorted first",
    ),
    Reworded(
        r"Input collection contains duplicates",
        r"One or more parameter values were invalid: Input collection contains duplicates\.",
        _CONFORMANCE + "tier3/error-messages/valueLayers",
    ),
    Reworded(
        r"ExpressionAttributeValues contains invalid value: (.*) for key :\w+",
        r"{1}",
        _CONFORMANCE + "tier3/error-messages/valueLayers: named by Scan and batches alone",
    ),
    Reworded(
        r"(ExpressionAttributeValues can only be specified when using expressions): .*",
        r"{1}",
        _CONFORMANCE + "tier3/error-messages/putItem",
    ),
    Reworded(
        r"1 validation error detected: Value '-?\d+' at '(?:limit|segment|totalSegments)' "
        r"(failed to satisfy constraint: .*)",
        r"Value at '(Limit|Segment|TotalSegments)' {1}",
        _CONFORMANCE + "tier3/error-messages/query, scan: Limit 0, Segment -1",
    ),
    Reworded(
        r"(The Segment parameter is zero-based and must be less than parameter TotalSegments): .*",
        r"{1}",
        _CONFORMANCE + "tier3/error-messages/scan: Segment 5 of 5",
    ),
    Reworded(
        r"(The provided starting key is invalid): The provided key element does not match .*",
        r"{1}",
        _CONFORMANCE + "tier3/error-messages/scan: a start key that is no key",
    ),
    Reworded(
        r"(The provided starting key is invalid: )One or more parameter values were invalid: "
        r"The AttributeValue for a key attribute cannot contain an empty (?:string|binary) value.*",
        r"{1}One or more parameter values are not valid\. The AttributeValue for a key .*",
        _CONFORMANCE + "tier3/error-messages/getItem: empty keys",
    ),
]


def same_text(ours: str, theirs: str) -> bool:
    """Return whether our text is the current AWS wording of the peer's text."""
    ours = ours.removeprefix(_ENVELOPE)
    if ours == theirs.removeprefix(_ENVELOPE):
        return True
    for reworded in REWORDED:
        if old := re.fullmatch(reworded.was, theirs):
            groups = [re.escape(group or "") for group in old.groups()]
            if re.fullmatch(reworded.now.replace("{1}", (groups or [""])[0]), ours):
                return True
    return False
