"""Which features are compared with which peer, and why the peer can be trusted there.

Rule 1: what is generated for a peer is what is listed here for it, and nothing else.
Rule 2: where a peer is wrong inside a feature, `differences.py` says where, one by one.
"""

from __future__ import annotations

from enum import Enum, auto


class Feature(Enum):
    """A feature that a request may use."""

    STRING_KEYS = auto()
    NUMBER_KEYS = auto()
    BINARY_KEYS = auto()
    LOCAL_INDEXES = auto()
    GLOBAL_INDEXES = auto()
    SETS = auto()
    DOCUMENTS = auto()
    EMPTY_VALUES = auto()
    ODD_NUMBERS = auto()
    CONDITIONS = auto()
    CONDITIONS_ON_PATHS = auto()
    UPDATES = auto()
    UPDATES_OF_PATHS = auto()
    PROJECTIONS = auto()
    PROJECTIONS_OF_PATHS = auto()
    FILTERS = auto()
    PAGES = auto()
    SEGMENTS = auto()
    SELECT = auto()
    RETURN_VALUES = auto()
    RETURN_ON_FAILURE = auto()
    LEGACY_CONDITIONS = auto()
    LEGACY_UPDATES = auto()
    LEGACY_READS = auto()
    BATCHES = auto()
    TRANSACTIONS = auto()
    MISTAKES = auto()
    ERROR_TEXTS = auto()


# Both are widely used to test programs that then run on AWS, and for these features most of all.
_EVERYDAY = {
    Feature.STRING_KEYS: "what everyone uses",
    Feature.NUMBER_KEYS: "both order them by value; moto tells 1 from 1.0, which habits leave out",
    Feature.BINARY_KEYS: "both order them by their bytes",
    Feature.LOCAL_INDEXES: "both keep them with the table",
    Feature.GLOBAL_INDEXES: "both keep them sparse, and project what was declared",
    Feature.SETS: "both compare and change them as sets",
    Feature.DOCUMENTS: "both keep them as they are",
    Feature.EMPTY_VALUES: "both keep them as they are",
    Feature.ODD_NUMBERS: "both read every spelling that JSON clients send",
    Feature.CONDITIONS: "both implement the whole language, each with a parser of its own",
    Feature.CONDITIONS_ON_PATHS: "both walk into documents",
    Feature.UPDATES: "both implement all four sections and both functions",
    Feature.UPDATES_OF_PATHS: "both walk into documents, and refuse paths that lead nowhere",
    Feature.PROJECTIONS: "both give exactly what is asked for",
    Feature.FILTERS: "the same code as conditions, in both",
    Feature.PAGES: "both count a page before its filter",
    Feature.SELECT: "both know all four",
    Feature.RETURN_VALUES: "both know all five",
    Feature.BATCHES: "both carry them out item by item",
}
COMPARED: dict[str, dict[Feature, str]] = {
    "moto": _EVERYDAY
    | {
        Feature.PROJECTIONS_OF_PATHS: "moto's tests of these are marked as verified on AWS",
        Feature.SEGMENTS: "the union of the segments is the table, however they are cut",
        Feature.RETURN_ON_FAILURE: "moto's tests of these are marked as verified on AWS",
        Feature.TRANSACTIONS: "the one peer that has them; all or nothing, and the reasons' codes",
    },
    "dynalite": _EVERYDAY
    | {
        Feature.PROJECTIONS_OF_PATHS: "its tests ran on AWS",
        Feature.SEGMENTS: "the union of the segments is the table, however they are cut",
        Feature.LEGACY_CONDITIONS: "it was written when these were the only ones",
        Feature.LEGACY_UPDATES: "it was written when these were the only ones",
        Feature.LEGACY_READS: "it was written when these were the only ones",
        Feature.MISTAKES: "its checks and their order were taken from AWS one by one",
        Feature.ERROR_TEXTS: "its texts were taken from AWS; texts.py has those that changed since",
    },
}
# Not compared with any peer: capacity, because moto invents it and dynalite ignores indexes; and
# multi-attribute keys, because neither has them.
