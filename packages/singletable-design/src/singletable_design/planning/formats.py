"""Figures as text: dollars, bytes and rates as people write them."""

from __future__ import annotations

import math

# Fewer units per second are not worth their digits.
_LEAST_UNITS = 0.01


def format_number(value: float) -> str:
    """Format a number with at most three digits that matter: 0.25, 12.5, 1,234."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.3g}"


def format_percent(share: float) -> str:
    """Format a share: 0 %, 0.05 %, 12 %."""
    if 0 < share < 0.0001:
        return "< 0.01 %"
    return f"{format_number(100 * share)} %"


def format_latency(seconds: float) -> str:
    """Format a latency in milliseconds or seconds."""
    if not seconds:
        return "–"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"


def format_dollars(amount: float) -> str:
    """Format dollars: $0, < $0.01, $12.34, $1,234."""
    if amount < 0:
        return f"−{format_dollars(-amount)}"
    if 0 < amount < 0.005:
        return "< $0.01"
    if amount >= 1000 or not amount:
        return f"${amount:,.0f}"
    return f"${amount:,.2f}"


def format_difference(amount: float) -> str:
    """Format dollars with their sign: +$12.34, −$1,234."""
    return format_dollars(amount) if amount < 0 else f"+{format_dollars(amount)}"


def format_change(percent: float) -> str:
    """Format a difference in percent with its sign: +65 %, −73 %."""
    return f"{percent:+,.0f} %".replace("-", "−")


def format_units(units: float, kind: str) -> str:
    """Format read or write units of a call: 0.5 read units, 1 write unit."""
    number = format_number(units)
    return f"{number} {kind} unit{'' if number == '1' else 's'}"


def format_bytes(size: float) -> str:
    """Format a number of bytes: 0, 12.5 MB, 1.2 GB. A GB has 2**30 bytes, as on AWS's bill."""
    units = ["bytes", "KB", "MB", "GB", "TB"]
    power = min(int(math.log(max(size, 1), 1024)), len(units) - 1)
    return f"{format_number(size / 1024**power)} {units[power]}" if size else "0"


def format_rate(calls: float | None) -> str:
    """Format calls per second in the unit people would use: 50/s, 10/min, 1/day."""
    if not calls:
        return "" if calls is None else "0"
    for seconds, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if calls * seconds >= 1:
            return f"{format_number(calls * seconds)}/{unit}"
    return f"{format_number(calls * 86400)}/day"


def format_load(read: float, write: float) -> str:
    """Format read and write units: 250r, 12.5r 3w, < 0.01."""
    pairs = ((read, "r"), (write, "w"))
    parts = [f"{format_number(units)}{kind}" for units, kind in pairs if units >= _LEAST_UNITS]
    return " ".join(parts) or ("< 0.01" if read + write else "0")
