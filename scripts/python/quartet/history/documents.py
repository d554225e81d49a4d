"""The launches of documents, with what each records of the machine and the build: what may have changed when a rate
did."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from quartet.history.rule import Launch
from quartet.results import Case, device, identity, isa, judged
from quartet.units import GIB

DAY = 24 * 3600
PARTS = ("system", "build", "mpi_settings", "environment")  # of the document, each with facts of its own
OF_GPUS = ("name", "driver", "vbios", "power_limit_watts", "error_correction", "mig")
Document = dict[str, Any]


def launches(documents: Iterable[tuple[Path, Document]]) -> tuple[list[Launch], list[Path]]:
    """A launch for each row, and the files whose date is invalid. Rows that failed, are wrong or in doubt are not
    sound. Machines that share a name, as every virtual machine that is called vm, are nodes of their own."""
    found: list[tuple[float, str, str, Document, list[Case]]] = []
    undated = []
    for file, document in documents:
        try:
            time = datetime.fromisoformat(str(document["context"]["date"]).replace("Z", "+00:00")).timestamp()
        except (ValueError, OverflowError):
            undated.append(file)
            continue
        # By itself: beside launches of better times a row that fell would be in doubt, and vanish.
        found.append((time / DAY, _hosts(document), _processor(document), document, judged([document])[0]))
    machines: dict[str, set[str]] = defaultdict(set)
    for _, hosts, processor, _, _ in found:
        machines[hosts].add(processor)
    return [Launch(time, f"{hosts} ({processor})" if len(machines[hosts]) > 1 else hosts, case.text, case.rate,
                   not case.error and not case.is_distrusted and case.verified is not False, known)
            for time, hosts, processor, document, cases in found
            for known in [facts(document, cases)] for case in cases], undated


def _hosts(document: Document) -> str:
    """The hosts of its ranks. Where a container hid them, the kind of machine stands for them."""
    if not identity.host(document):
        return device(document)
    hosts = {str(place["host"]) for place in document["context"]["quartet"].get("placement") or []}
    return " ".join(sorted(hosts)) or str(document["context"]["host_name"])


def _processor(document: Document) -> str:
    known = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    return f"{known.get('name', 'unknown processor')}, {document['context']['num_cpus']} CPUs"


def facts(document: Document, cases: Iterable[Case]) -> dict[str, str]:
    """The facts by name, of a document with these rows. What a document does not record is absent."""
    context, quartet = document["context"], document["context"]["quartet"]
    found = {"version": quartet["version"], "commit": quartet["commit"], "MPI": quartet["mpi"],
             "network path": ", ".join(sorted({case.network_path.most for case in cases} - {""})),
             "instruction set": isa(document), "CPUs": context["num_cpus"],
             "binding": "; ".join(str(place.get("cpus", "")) for place in quartet["placement"])}
    for part in PARTS:
        found.update(_flat("" if part in ("system", "build") else part.partition("_")[0], quartet.get(part) or {}))
    if "memory bytes" in found:  # kernels keep some of it
        found["memory bytes"] = f"{round(float(found['memory bytes']) / GIB)} GiB"
    found.update({f"GPU {key}": ", ".join(sorted({str(gpu[key]) for gpu in quartet["gpus"] if key in gpu}))
                  for key in OF_GPUS})
    return {key: str(value) for key, value in found.items() if value not in (None, "")}


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix} {key if prefix == 'environment' else key.replace('_', ' ')}".strip()
        found.update(_flat(name, value) if isinstance(value, dict) else {name: value})
    return found
