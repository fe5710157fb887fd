"""Codecs: how Python values are stored in attributes, and whole items in one compiled step."""

from singletable.schema.codec.annotations import codec_of as codec_of
from singletable.schema.codec.codec import Codec as Codec
from singletable.schema.codec.compression import Compressed as Compressed
from singletable.schema.codec.containers import StoredField as StoredField
from singletable.schema.codec.dynamic import Json as Json
from singletable.schema.codec.encryption import Encrypted as Encrypted
from singletable.schema.codec.field_codec import FieldCodec as FieldCodec
from singletable.schema.codec.items import ItemCodec as ItemCodec
from singletable.schema.codec.items import compile_codec as compile_codec
from singletable.schema.codec.items import run_check as run_check
from singletable.schema.codec.times import TimeFormat as TimeFormat
