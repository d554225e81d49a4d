"""HTML as text. What is not Markup is escaped, so no document can write its own."""

import html
import re
from typing import Any

# No XML text may hold these, and some editors obey them.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_VOID = {"meta", "link", "br", "hr", "col"}


class Markup(str):
    """Text that is markup already."""


def escape(text: Any) -> Markup:
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(sound(text)))


def sound(text: Any) -> str:
    """The text without what XML forbids: control characters, lone surrogates."""
    whole = str(text).encode("utf-8", "replace").decode("utf-8")
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", whole)


def join(*parts: Any) -> Markup:
    return Markup("".join(escape(part) for part in parts))


def _attribute(name: str, value: Any) -> str:
    if isinstance(value, float):
        value = f"{value:.2f}".rstrip("0").rstrip(".")
    return f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element. `class_` is class, `http_equiv` http-equiv; attributes that are None are left out."""
    shown = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if name in _VOID:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{join(*children)}</{name}>")
