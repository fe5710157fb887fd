"""What a page tells search engines and sites that link to it: titles, images and JSON-LD."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from markupsafe import Markup

from singletable_apps.portfolio.entities import Blog, Portfolio, SiteSettings
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.images import image_widths, parse_image_name

# The name of an image of ours, in its URL.
_MEDIA = re.compile(r"(.*/media/([^/]+))/[0-9]+\.webp")
# In JSON, these can be written as escapes; in HTML, they could end the script element.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


@dataclass(frozen=True, slots=True)
class Picture:
    """An image to show. Images of other sites have no known size."""

    url: str
    alt: str = ""
    srcset: str = ""
    width: int = 0
    height: int = 0


def picture_of(url: str, alt: str = "", *, largest: bool = False) -> Picture | None:
    """Return the image at a URL in all its widths; None without a URL."""
    match = _MEDIA.fullmatch(url)
    size = parse_image_name(match[2]) if match else None
    if match is None or size is None:
        return Picture(url, alt) if url else None
    folder, widths = match[1], image_widths(size.width)
    shown = size.scaled(widths[-1] if largest else widths[min(1, len(widths) - 1)])
    srcset = ", ".join(f"{folder}/{width}.webp {width}w" for width in widths)
    return Picture(
        f"{folder}/{shown.width}.webp",
        alt,
        srcset if len(widths) > 1 else "",
        shown.width,
        shown.height,
    )


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page. URLs are absolute; `article` are properties of Open Graph."""

    title: str
    window_title: str
    canonical: str
    description: str = ""
    kind: str = "website"
    image: Picture | None = None
    article: Sequence[tuple[str, str]] = ()
    json_ld: Markup | None = None
    previous: str = ""
    next: str = ""
    is_hidden: bool = False


def share_image(urls: Urls, url: str, alt: str = "") -> Picture | None:
    """Return the image that other sites show beside a link, with an absolute URL."""
    picture = picture_of(url, alt, largest=True)
    return picture and replace(picture, url=urls.absolute(picture.url), srcset="")


def json_ld(data: dict[str, object]) -> Markup:
    """Return JSON-LD as the content of a script element; empty members are left out."""
    shown = {name: value for name, value in data.items() if value}
    text = json.dumps({"@context": "https://schema.org", **shown}, ensure_ascii=False)
    # Every character that HTML would interpret is escaped.
    return Markup(text.translate(_ESCAPES))


def person_data(urls: Urls, person: Portfolio, site: SiteSettings) -> dict[str, object]:
    """Return the owner of the site as a Person of schema.org."""
    portrait = share_image(urls, person.profile_pic_url)
    return {
        "@type": "Person",
        "name": person.name or site.title,
        "description": person.headline,
        "url": urls.absolute(urls.page()),
        "image": portrait.url if portrait else "",
        "sameAs": [url for url in person.social_links.values() if url],
    }


def article_data(
    urls: Urls, blog: Blog, description: str, image: Picture | None, site: SiteSettings
) -> dict[str, object]:
    """Return a post as a BlogPosting of schema.org."""
    home = urls.absolute(urls.page())
    return {
        "@type": "BlogPosting",
        "headline": blog.title,
        "description": description,
        "datePublished": _time(blog.published_at),
        "dateModified": _time(blog.updated_at),
        "author": {"@type": "Person", "name": blog.author_name or site.title, "url": home},
        "publisher": {"@type": "Organization", "name": site.title, "url": home},
        "image": image.url if image else "",
        "keywords": ", ".join(blog.tags),
        "articleSection": blog.category,
        "inLanguage": site.language,
        "mainEntityOfPage": urls.absolute(urls.post(blog.slug)),
    }


def _time(at: datetime | None) -> str:
    return at.isoformat() if at else ""
