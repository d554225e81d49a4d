"""Where and how it was measured."""

import re
from typing import Any

from quartet.results import device, isa

from .factors import grouped, natural
from .sections import Section, Table

LONGEST = 300  # characters of a variable's values: one of NVIDIA's containers has thousands
# What launchers tell their own processes.
_INTERNAL = re.compile(r"OMPI_MCA_(orte_|ess|initial_wdir|shmem_RUNTIME|pmix)|PMIX_|OMPI_COMM|"
                       r"OMPI_ARGV|OMPI_COMMAND|OMPI_FILE|OMPI_APP|OMPI_FIRST|OMPI_NUM|"
                       r"OMPI_UNIVERSE|PRTE_|QUARTET_LAUNCHED")


def section(documents: list[tuple[str, dict[str, Any]]]) -> Section:
    """A table for each machine and build, one of options, one of the environment."""
    groups = grouped(documents, lambda item: (device(item[1]), *_build(item[1])))
    tables = [Table(("setting", "value"), _settings([item for _, item in members]),
                    caption=f"{members[0][1]['context'].get('host_name', '?')}: "
                            f"{device(members[0][1])}")
              for members in groups.values()]
    tables.append(Table(("option", "values", "programs"), _options(documents), caption="Options as resolved"))
    tables.append(Table(("variable", "values"), _environment(documents),
                        caption="Environment variables read (without those of the launcher "
                                "itself)"))
    return Section("machine", "Machines and settings",
                   "Documents from the same machine and build are described together.",
                   tables=[table for table in tables if table.rows])


def _quartet(document: dict[str, Any]) -> dict[str, Any]:
    return dict(document["context"]["quartet"])


def _build(document: dict[str, Any]) -> tuple[str, ...]:
    quartet = _quartet(document)
    return (str(quartet.get("commit")), str(quartet.get("build")), str(quartet.get("mpi")))


def _values(found: Any) -> str:
    """Each once, in a natural order; a long list shortened."""
    distinct = sorted({str(value) for value in found if value not in ("", None)}, key=natural)
    return ", ".join(distinct[:12]) + (f" and {len(distinct) - 12} more" if len(distinct) > 12 else "")


def _settings(documents: list[dict[str, Any]]) -> list[tuple[str, str]]:
    contexts = [document["context"] for document in documents]
    quartets = [_quartet(document) for document in documents]
    places = [place for quartet in quartets for place in quartet.get("placement") or []]
    gpus = [gpu for quartet in quartets for gpu in quartet.get("gpus") or []]
    first = quartets[0].get("build") or {}
    rows = [
        ("documents", str(len(documents))),
        ("measured", _span(context.get("date", "") for context in contexts)),
        ("hosts", _values(place.get("host") for place in places)),
        ("device", _values(quartet.get("device_description") for quartet in quartets)),
        ("vector instructions", _values(map(isa, documents))),
        ("why no GPU", _values(quartet.get("why_no_gpu") for quartet in quartets)),
        *_gpu_rows(gpus),
        ("caches", _caches(contexts[0].get("caches") or [])),
        ("CPUs a node, MHz", _values(f"{context.get('num_cpus')} at {context.get('mhz_per_cpu')}"
                                     for context in contexts)),
        ("frequency scaling", _values(
            "on" if context.get("cpu_scaling_enabled") else "off or hidden"
            for context in contexts)),
        ("load before", _values(f"{load[0]:.1f}" for load in
                                (context.get("load_avg") for context in contexts)
                                if load and isinstance(load[0], (int, float)))),
        ("ranks on nodes", _values(f"{quartet.get('ranks')} on {quartet.get('nodes')}"
                                   for quartet in quartets)),
        ("threads a rank", _values(quartet.get("threads") for quartet in quartets)),
        ("places", _values(f"rank {place.get('rank')} ({place.get('role')}): {place.get('host')} "
                           f"CPUs {place.get('cpus')}" for place in places)),
        ("Slurm job", _values((quartet.get("slurm") or {}).get("SLURM_JOB_ID")
                              for quartet in quartets)),
        ("MPI", _values(quartet.get("mpi") for quartet in quartets)),
        ("version, commit", _values(f"{quartet.get('version')}, {quartet.get('commit')}"
                                    for quartet in quartets)),
        *((str(key), str(value)) for key, value in first.items()),
    ]
    return [(name, text) for name, text in rows if text]


def _gpu_rows(gpus: list[dict[str, Any]]) -> list[tuple[str, str]]:
    flat = [dict(_flat(gpu)) for gpu in gpus]
    keys = list(dict.fromkeys(key for gpu in flat for key in gpu))
    return [(f"GPU: {key}", _values(gpu.get(key) for gpu in flat)) for key in keys]


def _flat(record: dict[str, Any], prefix: str = "") -> Any:
    """Keys and values; of a record within the record as "before clock mhz"."""
    for key, value in record.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, dict):
            yield from _flat(value, f"{name} ")
        else:
            yield name, ", ".join(map(str, value)) if isinstance(value, list) else value


def _span(dates: Any) -> str:
    ordered = sorted(str(date) for date in dates)
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _caches(caches: list[dict[str, Any]]) -> str:
    def size(cache: dict[str, Any]) -> str:
        kibibytes = cache.get("size", 0) / 1024
        return f"{kibibytes / 1024:g} MiB" if kibibytes >= 1024 else f"{kibibytes:g} KiB"

    return ", ".join(f"L{cache.get('level')} {str(cache.get('type')).lower()} {size(cache)} "
                     f"shared by {cache.get('num_sharing')}" for cache in caches)


def _options(documents: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, str, str]]:
    ignored = {"json", "force", "progress", "list", "dry-run", "config", "quiet", "trace"}
    found: dict[str, dict[str, set[str]]] = {}
    for _, document in documents:
        quartet = _quartet(document)
        for key, value in (quartet.get("options") or {}).items():
            if key not in ignored and value != "":
                found.setdefault(key, {}).setdefault(str(value), set()).add(str(quartet.get("program")))
    return [(f"--{key}", _values(values), _values(
        program for programs in values.values() for program in programs))
            for key, values in sorted(found.items())]


def _environment(documents: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for _, document in documents:
        for key, value in (_quartet(document).get("environment") or {}).items():
            if not _INTERNAL.match(key):
                found.setdefault(key, []).append(str(value))
    texts = {key: _values(values) for key, values in sorted(found.items())}
    return [(key, text[:LONGEST] + " .." * (len(text) > LONGEST)) for key, text in texts.items()]
