"""Odd names, numbers, texts and values for malformed requests."""

from __future__ import annotations

from tools.testing.fuzz.json_tree import Tree, Verbatim

TABLES = [
    *("votes", "counts", "blobs", "empty", "coming", "leaving", "changing", "none", "VOTES"),
    *("vo", "x" * 256, "a b", "vötes", ""),
]
INDEXES = ["by_time", "by_voter", "by_place", "by_new", "by_none", "", "x" * 256]
ATTRIBUTES = ["pk", "sk", "n", "id", "at", "time", "voter", "place", "day", "seat", "ttl", "steps"]
ARNS = [
    "arn:aws:dynamodb:us-east-1:123456789012:table/votes",
    "arn:aws:dynamodb:us-east-1:123456789012:table/votes/index/by_time",
    "arn:aws:dynamodb:us-east-1:123456789012:table/votes/stream/2023-11-14T22:13:20.000",
    "arn:aws:dynamodb:eu-west-2:000000000000:table/votes",
    "arn:aws:dynamodb:us-east-1:123456789012:table/",
    "arn:aws:dynamodb:us-east-1:123456789012:table/none",
    "arn:aws:dynamodb:us-east-1:123456789012:global-table/votes",
    "arn:aws:dynamodb:::table/votes",
    "arn:aws-cn:dynamodb:us-east-1:123456789012:table/votes",
    "arn:aws:s3:::votes",
    "arn:aws:dynamodb",
    "arn:",
    "arn:" + ":" * 5000,
    "arn:aws:dynamodb:us-east-1:123456789012:table/" + "x" * 300,
    "arn:aws:dynamodb:us-east-1:123456789012:table/votes\n",
]
# JSON numbers, in valid and in invalid forms.
JSON_NUMBERS: list[Tree] = [
    *(0, -1, 1, 2, 100, 101, 999_999, 1_000_000, 1_000_001, 2**31 - 1, 2**31, 2**63 - 1, 2**63),
    *(2**64, -(2**63), -(2**63) - 1, 10**40, 0.5, -0.0, 1e15, 1e308, -1e-308, 1.0),
    *(
        Verbatim(text)
        for text in (
            b"1e400",
            b"-1e400",
            b"1e-400",
            b"1E5",
            b"-0",
            b"00",
            b"01",
            b"+1",
            b".5",
            b"5.",
            b"0x10",
            b"1_000",
            b"NaN",
            b"Infinity",
            b"-Infinity",
            b"-",
            b"1e",
            b"9" * 400,
            b"9" * 5000,
            b"0." + b"3" * 5000,
            b"1e" + b"9" * 5000,
        )
    ),
]
# Texts of numbers, as in attribute values.
NUMBERS = [
    *("0", "-0", "+1", "1", "1.0", "01", "1e2", "1E+125", "9.99E+125", "1E126", "1E-130", "1E-131"),
    *("", " ", " 1", "1 ", "1\n", ".5", "5.", ".", "e", "1e", "1e+", "--1", "0x10", "1_0", "1,0"),
    *("NaN", "Infinity", "-Infinity", "nan", "inf", "١", "²", "1e99999999999999999999", "1\x00"),
    *("1" * 38, "1" * 39, "9" * 5000, "1e-" + "9" * 5000, "1e2147483647", "-1e-2147483648"),
    *("0." + "0" * 200 + "1", "1" + "0" * 126, "123456789012345678901234567890123456789.5"),
]
# Strings that are hard to parse or to store.
TEXTS: list[Tree] = [
    *(
        "",
        "a",
        " ",
        "\x00",
        "a\x00b",
        "\n",
        "\u2028",
        "\ufeff",
        "\ufffe",
        "\U0001f5f3",
        "é",
        "e\u0301",
    ),
    *(
        "null",
        "true",
        "#",
        ":",
        "#a",
        ":a",
        "pk",
        "a.b",
        "a[0]",
        "'",
        '"',
        "\\",
        "DROP TABLE tables",
    ),
    *("x" * 255, "x" * 256, "x" * 1024, "x" * 1025, "x" * 2048, "x" * 2049, "é" * 1025, "x" * 4097),
    *("x" * 65_536, "x" * 409_600, "x" * 410_000, "\U0001f5f3" * 600, "\x00" * 3000),
    *(
        Verbatim(text)
        for text in (
            rb'"\ud800"',
            rb'"\udfff\ud800"',
            rb'"a\ud83d"',
            rb'"\ud83d\u0041"',
            rb'"\u00zz"',
            rb'"\x41"',
            rb'"\u0000"',
            b'"\x00"',
            b'"\t"',
            b'"\xff"',
            b'"\xc3"',
            b'"\xed\xa0\x80"',
            b'"\xf4\x90\x80\x80"',
            b'"\xc0\x80"',
            b'"',
            b"'a'",
        )
    ),
]
ENUMERATIONS = [
    *("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW", "INDEXES", "TOTAL", "SIZE"),
    *("AND", "OR", "EQ", "NE", "IN", "LE", "LT", "GE", "GT", "BETWEEN", "NOT_NULL", "NULL"),
    *("CONTAINS", "NOT_CONTAINS", "BEGINS_WITH", "ADD", "PUT", "DELETE", "HASH", "RANGE"),
    *("S", "N", "B", "BOOL", "SS", "ALL", "KEYS_ONLY", "INCLUDE", "PROVISIONED", "PAY_PER_REQUEST"),
    *("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT", "STANDARD"),
    *("STANDARD_INFREQUENT_ACCESS", "AES256", "KMS", "NEW_IMAGE", "NEW_AND_OLD_IMAGES", "eq", "X"),
]
# Attribute values, most of them invalid.
VALUES: list[Tree] = [
    *(
        {"S": ""},
        {"S": "x"},
        {"S": "x" * 1025},
        {"S": "x" * 2049},
        {"S": "x" * 409_601},
        {"S": None},
    ),
    *(
        {"B": ""},
        {"B": "AAE="},
        {"B": "AAE"},
        {"B": "A==="},
        {"B": "AB=="},
        {"B": "é==="},
        {"B": 1},
    ),
    *({"N": "1"}, {"N": 1}, {"N": ""}, {"N": None}, {"N": "1", "S": "1"}, {"BOOL": True}),
    *(
        {"BOOL": "true"},
        {"BOOL": "maybe"},
        {"BOOL": 1},
        {"NULL": False},
        {"NULL": "no"},
        {"NULL": 0},
    ),
    *({"SS": []}, {"SS": ["a", "a"]}, {"SS": [1]}, {"SS": ["", "a"]}, {"SS": "a"}, {"SS": [None]}),
    *({"NS": ["1", "1.0"]}, {"NS": ["x"]}, {"NS": []}, {"BS": ["AA==", "AA=="]}, {"BS": ["A"]}),
    *(
        {"L": []},
        {"L": [{}]},
        {"L": [{"S": "a"}, {"N": "x"}]},
        {"L": {}},
        {"L": [None]},
        {"L": None},
    ),
    *({"M": {}}, {"M": {"": {"S": "a"}}}, {"M": {"a": {}}}, {"M": []}, {"M": {"a": None}}),
    *({}, {"X": 1}, {"s": "a"}, {"S": "a", "X": 1}, {"": ""}, None, [], "S", 5, True),
    *({"SS": [str(n) for n in range(2000)]}, {"L": [{"N": str(n)} for n in range(2000)]}),
    *(
        {"NS": [f"{n}e-5" for n in range(2000)]},
        {"M": {str(n): {"NULL": True} for n in range(2000)}},
    ),
]
OTHERS: list[Tree] = [None, True, False, [], {}, [[]], [{}], [None]]
# Tokens of expressions, and similar text.
TOKENS = [
    *(
        "(",
        ")",
        "[",
        "]",
        "[0]",
        "[99999999999]",
        "[-1]",
        ".",
        ",",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
    ),
    *("+", "-", "*", " ", "AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"),
    *("size(", "contains(", "attribute_exists(", "attribute_not_exists(", "attribute_type("),
    *("begins_with(", "if_not_exists(", "list_append(", "unknown(", "pk", "sk", "title", "doc.a"),
    *("#p", "#t", "#m", "#c", "#none", ":s", ":t", ":one", ":n", ":v", ":none", "#", ":", "status"),
    *("1", "'a'", '"a"', "\x00", "é", "\U0001f5f3", "steps[0]", "x" * 300, "#" + "x" * 300, "--"),
]
# Depths of nesting: around the limits of items, requests and Python, and far beyond.
DEPTHS = [1, 2, 15, 16, 30, 31, 32, 33, 60, 62, 64, 126, 128, 200, 330, 480, 500, 900, 1000, 1100]
FAR_DEEPER = [5000, 50_000, 200_000]
# Repetitions of a member: around the limits of batches, transactions and indexes.
TIMES = [2, 3, 5, 9, 10, 11, 21, 25, 26, 51, 100, 101, 300, 1500]
