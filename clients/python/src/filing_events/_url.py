"""Addresses."""
from __future__ import annotations

from typing import Any, Dict, Mapping
from urllib import parse


def fill(path: str, values: Mapping[str, Any]) -> str:
    """Puts parameters into a path and its query. Example: `fill("/v1/sec/latest", {"form": ["3", "4"]})`."""
    query: Dict[str, str] = {}
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, bool):
            text = "true" if value else "false"
        else:
            text = str(value) if isinstance(value, (str, int, float)) else ",".join(value)
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", parse.quote(text, safe=""))
        else:
            query[name] = text
    return f"{path}?{parse.urlencode(query)}" if query else path
