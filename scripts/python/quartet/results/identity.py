"""Which machine a document is from. A processor's name alone does not tell: virtual machines hide it,
and one name stands for several generations."""

import re
from typing import Any

from quartet.results.document import device, isa
from quartet.text import in_bytes

Facts = tuple[tuple[str, str], ...]  # by name

_CONTAINER = re.compile(r"[0-9a-f]{12}")  # a name that a container engine gave: another each time


def processor(document: dict[str, Any]) -> tuple[str, ...]:
    """Returns what tells kinds of devices apart: name, count, family, model, stepping, vector instructions that
    the host computed with, caches. Older documents lack some of it."""
    context = document["context"]
    vectors = [isa(document)] if context["quartet"].get("device") == "host" and isa(document) else []
    return (device(document), *(f"{key} {value}" for key, value in numbers(document)), *vectors, *caches(document))


def numbers(document: dict[str, Any]) -> Facts:
    """Family, model and stepping of the processor, as far as they are recorded."""
    known = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    return tuple((key, str(known[key])) for key in ("family", "model", "stepping") if key in known)


def machine(document: dict[str, Any]) -> Facts:
    """What a document records of the kind of machine, whatever vector instructions somebody chose."""
    levels = ", ".join(caches(document))
    return ((f"{document['context']['quartet'].get('device')} device", device(document)), *numbers(document),
            *([("caches", levels)] if levels else []))


def are_different(one: Facts, other: Facts) -> bool:
    """True if two kinds of machines differ in what both documents record: what one lacks tells nothing."""
    first, second = dict(one), dict(other)
    return any(first[key] != second[key] for key in first.keys() & second.keys())


def caches(document: dict[str, Any]) -> tuple[str, ...]:
    """Each as "L3 32 MiB"; those of instructions are left out."""
    return tuple(f"L{cache.get('level')} {in_bytes(cache.get('size', 0))}"
                 for cache in document["context"].get("caches") or []
                 if str(cache.get("type")).lower() != "instruction")


def host(document: dict[str, Any]) -> str:
    """The host's name: of a cluster's node without its number, since its nodes are alike; empty where
    a container has hidden it."""
    context = document["context"]
    name = str(context.get("host_name") or "")
    if _CONTAINER.fullmatch(name):
        return ""
    is_node = bool(context["quartet"].get("slurm")) or int(context["quartet"].get("nodes", 1)) > 1
    return name.split(".")[0].rstrip("0123456789") if is_node else name


def names(documents: list[dict[str, Any]]) -> list[str]:
    """Names each document's machine: its device, and what tells it from others of that name."""
    keys = [(processor(document), host(document)) for document in documents]
    return [_name(key, [other for other in dict.fromkeys(keys) if other[0][0] == key[0][0]])
            for key in keys]


def _name(key: tuple[tuple[str, ...], str], fellows: list[Any]) -> str:
    (device_name, *details), host_name = key
    if len(fellows) == 1:
        return device_name
    telling = [detail for detail in details if not all(detail in other[0] for other in fellows)]
    if len({other[1] for other in fellows}) > 1 and host_name:
        telling.insert(0, host_name)
    return f"{device_name} ({', '.join(telling) or 'less is known of it'})"
