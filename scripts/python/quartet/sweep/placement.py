"""Whether a launch ran where it was asked to: its document tells the host of each rank."""

from collections import Counter
from typing import Any

from quartet.results import load
from quartet.sweep.folder import Launch, SweepFolder
from quartet.sweep.plan import Configuration
from quartet.text import counted


def problems_of(folder: SweepFolder, launch: Launch) -> list[str]:
    """The problems of a launch's placement; none if it left no document, or no nodes were asked for."""
    if not launch.configuration.nodes:
        return []
    try:
        return problems(load(folder.document(launch)), launch.configuration)
    except (OSError, ValueError):
        return []


def problems(document: dict[str, Any], wanted: Configuration) -> list[str]:
    """Says how a launch's nodes differ from those that were asked for."""
    quartet = document["context"]["quartet"]
    places = quartet.get("placement") or []
    found = []
    if len(places) != wanted.ranks:
        found.append(f"it ran on {counted(len(places), 'rank')} ({wanted.ranks} were asked for)")
    ranks_of = Counter(place["node"] for place in places)
    if len(ranks_of) != wanted.nodes:
        found.append(f"it ran on {counted(len(ranks_of), 'node')} ({wanted.nodes} were asked for)")
    elif max(ranks_of.values()) > -(-wanted.ranks // wanted.nodes):
        numbers = ", ".join(map(str, ranks_of.values()))
        found.append(f"its nodes had {numbers} ranks (they should be dealt evenly)")
    hosts = {str(place["host"]).split(".")[0] for place in places}
    strangers = hosts - {host.split(".")[0] for host in wanted.hosts}
    if wanted.hosts and strangers:
        found.append(f"it ran on {', '.join(sorted(strangers))} (not on {' and '.join(wanted.hosts)})")
    restarts = str((quartet.get("slurm") or {}).get("SLURM_RESTART_COUNT", "0"))
    if restarts != "0":
        found.append(f"its job was requeued {restarts} times (a node may have failed, others measured)")
    return found
