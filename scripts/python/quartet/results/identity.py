"""Identifies the machine of a document, and lists the other facts that it records. A processor's name alone does not
identify it: virtual machines hide it, and one name stands for several generations."""

import re
from collections.abc import Iterable
from typing import Any

from quartet.exit_codes import ScriptError
from quartet.results.document import PARTS, device, isa
from quartet.text import in_bytes
from quartet.units import GIB

Facts = tuple[tuple[str, str], ...]  # by name

OF_GPUS = ("name", "driver", "power_limit_watts", "error_correction")
# Variables that launchers set for their own processes.
_INTERNAL = re.compile("environment (OMPI_MCA_(orte_|ess|initial_wdir|shmem_RUNTIME|pmix)|PMIX_|"
                       "OMPI_(COMM|ARGV|FILE|APP|FIRST|NUM|UNIVERSE)|PRTE_|QUARTET_LAUNCHED)")
_CONTAINER = re.compile(r"[0-9a-f]{12}")  # a name from a container engine, different each time


def processor(document: dict[str, Any]) -> tuple[str, ...]:
    """The facts that distinguish kinds of devices: name, count, family, model, stepping, vector instructions of the
    host's loops, caches. Older documents lack some of them."""
    context = document["context"]
    vectors = [isa(document)] if context["quartet"].get("device") == "host" and isa(document) else []
    return (device(document), *(f"{key} {value}" for key, value in numbers(document)), *vectors, *caches(document))


def numbers(document: dict[str, Any]) -> Facts:
    """Family, model and stepping of the processor, as far as they are recorded."""
    known = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    return tuple((key, str(known[key])) for key in ("family", "model", "stepping") if key in known)


def machine(document: dict[str, Any]) -> Facts:
    """The recorded facts about the kind of machine, except the chosen vector instructions."""
    levels = ", ".join(caches(document))
    return ((f"{document['context']['quartet'].get('device')} device", device(document)), *numbers(document),
            *([("caches", levels)] if levels else []))


def are_different(one: Facts, other: Facts) -> bool:
    """True if two machines differ in a fact that both documents record."""
    first, second = dict(one), dict(other)
    return any(first[key] != second[key] for key in first.keys() & second.keys())


def require_one_machine(documents: list[dict[str, Any]], whose: str) -> None:
    """Raises ScriptError if the documents are of several kinds of machines; `whose` they are begins its text."""
    every = dict.fromkeys(map(machine, documents))
    if any(are_different(one, other) for one in every for other in every):
        raise ScriptError(f"{whose} of several machines ({'; '.join(sorted({*names(documents)}))}): name those of one")


def caches(document: dict[str, Any]) -> tuple[str, ...]:
    """The caches as "L3 32 MiB", without instruction caches."""
    return tuple(f"L{cache.get('level')} {in_bytes(cache.get('size', 0))}"
                 for cache in document["context"].get("caches") or []
                 if str(cache.get("type")).lower() != "instruction")


def host(document: dict[str, Any]) -> str:
    """The host's name; of a cluster's node without its number, since nodes are alike; empty if a container hides it."""
    context = document["context"]
    name = str(context.get("host_name") or "")
    if _CONTAINER.fullmatch(name):
        return ""
    is_node = bool(context["quartet"].get("slurm")) or int(context["quartet"].get("nodes", 1)) > 1
    return name.split(".")[0].rstrip("0123456789") if is_node else name


def hosts(document: dict[str, Any]) -> str:
    """The hosts of its ranks, without domains; in a container, which hides them, the kind of machine."""
    if not host(document):
        return re.sub(r", \d+ CPUs$", "", device(document))
    places = document["context"]["quartet"].get("placement") or [{"host": document["context"]["host_name"]}]
    found = {str(place["host"]) for place in places}  # addresses stay whole
    return " ".join(sorted({name if re.match(r"\d+\.", name) else name.partition(".")[0] for name in found}))


def names(documents: list[dict[str, Any]]) -> list[str]:
    """The name of each document's machine: its device, and how it differs from others of that name."""
    keys = [(processor(document), host(document)) for document in documents]
    distinct = dict.fromkeys(keys)
    return [_name(key, [other for other in distinct if other[0][0] == key[0][0]]) for key in keys]


def _name(key: tuple[tuple[str, ...], str], namesakes: list[Any]) -> str:
    (device_name, *details), host_name = key
    if len(namesakes) == 1:
        return device_name
    distinguishing = [detail for detail in details if not all(detail in other[0] for other in namesakes)]
    if len({other[1] for other in namesakes}) > 1 and host_name:
        distinguishing.insert(0, host_name)
    return f"{device_name} ({', '.join(distinguishing) or 'no more is known'})"


def facts(document: dict[str, Any], network_paths: Iterable[str] = ()) -> dict[str, str]:
    """The recorded facts of machine, build and environment, by name: any may be the cause when a rate changes. Facts
    that are not recorded are absent. `network_paths` are those of its rows."""
    context, quartet = document["context"], document["context"]["quartet"]
    found = {"version": quartet["version"], "commit": quartet["commit"], "MPI": quartet["mpi"],
             "network path": ", ".join(sorted({*network_paths} - {""})),
             "instruction set": isa(document), "CPUs": context["num_cpus"], "caches": ", ".join(caches(document)),
             "binding": "; ".join(str(place.get("cpus", "")) for place in quartet["placement"])}
    for part in PARTS:
        found.update(_flat("" if part in ("system", "build") else part.partition("_")[0], quartet.get(part) or {}))
    if "memory bytes" in found:  # kernels keep some of it
        found["memory bytes"] = f"{round(float(found['memory bytes']) / GIB)} GiB"
    found.update({f"GPU {key}": ", ".join(sorted({str(gpu[key]) for gpu in quartet["gpus"] if key in gpu}))
                  for key in OF_GPUS})
    return {key: str(value) for key, value in found.items() if value not in (None, "") and not _INTERNAL.match(key)}


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix} {key if prefix == 'environment' else key.replace('_', ' ')}".strip()
        found.update(_flat(name, value) if isinstance(value, dict) else {name: value})
    return found
