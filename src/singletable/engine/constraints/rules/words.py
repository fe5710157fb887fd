"""The words that members may hold, in the order in which AWS lists them."""

from __future__ import annotations

from singletable.engine.constraints.shape import Choice, Custom

RETURN_CONSUMED_CAPACITY = Choice(("INDEXES", "TOTAL", "NONE"))
RETURN_ITEM_COLLECTION_METRICS = Choice(("SIZE", "NONE"))
RETURN_ON_FAILURE = Choice(("ALL_OLD", "NONE"))
# The newer lists are wrong (UPDATE_NEW for UPDATED_NEW, ALL for AND), and AWS prints them so.
RETURN_VALUES = Choice(
    ("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    nameless=("ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"),
)
CONDITIONAL_OPERATOR = Choice(("OR", "AND"), nameless=("ALL", "OR"))
COMPARISON_OPERATOR = Choice(
    (
        *("IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT"),
        *("NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"),
    )
)
ATTRIBUTE_ACTION = Choice(("ADD", "PUT", "DELETE"))
SELECT = Choice(
    ("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"),
)

ATTRIBUTE_TYPE = Choice(("B", "N", "S"))
KEY_TYPE = Choice(("HASH", "RANGE"))
PROJECTION_TYPE = Choice(("ALL", "INCLUDE", "KEYS_ONLY"))
BILLING_MODE = Choice(("PROVISIONED", "PAY_PER_REQUEST"))
STREAM_VIEW_TYPE = Choice(("OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"))
SSE_TYPE = Choice(("AES256", "KMS"))
TABLE_CLASS = Custom(
    ("STANDARD", "STANDARD_INFREQUENT_ACCESS"),
    "Invalid table-class parameter provided. Please try again with a valid table-class value: "
    "[STANDARD, STANDARD_INFREQUENT_ACCESS].",
)
