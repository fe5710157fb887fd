"""Codecs: how Python values are stored in attributes, and whole items in one compiled step."""

from singletable.schema.codec.annotations import codec_of
from singletable.schema.codec.codec import Codec
from singletable.schema.codec.compression import Compressed
from singletable.schema.codec.containers import StoredField
from singletable.schema.codec.dynamic import Json
from singletable.schema.codec.encryption import Encrypted
from singletable.schema.codec.field_codec import FieldCodec
from singletable.schema.codec.items import ItemCodec, compile_codec, run_check
from singletable.schema.codec.times import TimeFormat

__all__ = [
    "Codec",
    "Compressed",
    "Encrypted",
    "FieldCodec",
    "ItemCodec",
    "Json",
    "StoredField",
    "TimeFormat",
    "codec_of",
    "compile_codec",
    "run_check",
]
