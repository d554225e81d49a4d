"""The launches of documents, with what each records of the machine and the build: what may have changed when a rate
did."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from quartet.history.rule import Launch
from quartet.results import Case, device, identity, judged

DAY = 24 * 3600
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
            for known in [identity.facts(document, (case.network_path.most for case in cases))]
            for case in cases], undated


def _hosts(document: Document) -> str:
    """The hosts of its ranks. Where a container hid them, the kind of machine stands for them."""
    if not identity.host(document):
        return device(document)
    hosts = {str(place["host"]) for place in document["context"]["quartet"].get("placement") or []}
    return " ".join(sorted(hosts)) or str(document["context"]["host_name"])


def _processor(document: Document) -> str:
    known = (document["context"]["quartet"].get("system") or {}).get("processor") or {}
    return f"{known.get('name', 'unknown processor')}, {document['context']['num_cpus']} CPUs"
