"""Validate feeds and sitemaps against schemas written after their specifications."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import feedparser
import jsonschema
from lxml import etree

_SCHEMAS = Path(__file__).parents[2] / "data" / "feeds"


@cache
def _schema(name: str) -> Any:
    return etree.RelaxNG(etree.parse(_SCHEMAS / f"{name}.rng"))


def check_xml(name: str, document: bytes) -> Any:
    """Fail unless the document is valid against the schema `atom`, `rss` or `sitemap`."""
    root = etree.fromstring(document)
    schema = _schema(name)
    assert schema.validate(root), schema.error_log
    return root


def check_json_feed(document: bytes) -> Any:
    """Fail unless the document is a JSON Feed; return it."""
    feed = json.loads(document)
    jsonschema.validate(feed, json.loads((_SCHEMAS / "json_feed.json").read_bytes()))
    return feed


def read_as_reader(document: bytes) -> Any:
    """Return what a feed reader reads, and fail if it complains."""
    feed = feedparser.parse(document)
    assert not feed.bozo, feed.get("bozo_exception")
    return feed
