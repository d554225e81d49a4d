"""What scripts/predict.py says of the hosts here, from what runs on them have shown."""

import json
import sys

from documents import PROGRAMS, medians, read
from enclosure import ROOT, scratch

# Two runs of stream between two hosts, from which a link's latency and rate follow.
LINK = (("--sizes", "64B", "--pushes", "1", "--runs", "20"), ("--sizes", "256k", "--pushes", "4", "--runs", "3"))
# What no document shows. It is a small part of all that is measured on slow links.
OVERHEAD = {"value": 1e-5, "uncertainty": 1.0, "source": "assumed: a system call or two"}
# Of Open MPI: long messages are sent. By default a receiver fetches them, and an all-to-all among four hosts takes 1.65
# times as long as the links need (with this 1.03 times; measured here).
SENDS = {"btl_tcp_flags": "1"}
DISTURBED = ("disturbed", "drift", "step", "two_speeds")
PER_SECOND = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}


def stream_between_hosts(run):
    """The link's documents. `run` takes a program with its arguments."""
    files = [scratch() / name for name in ("short.json", "long.json")]
    for file, arguments in zip(files, LINK):
        run(PROGRAMS / "stream", "--device", "host", "--transport", "mpi", "--threads", "1", "--limits", "off",
            *arguments, "--json", file, "--force")
        forgive_disturbance(file)
    return files


def forgive_disturbance(file):
    """Hosts of one machine wait for one another's cores. That marks a row, of which no rate would be taken."""
    document = json.loads(file.read_text(encoding="utf-8"))
    for row in document["benchmarks"]:
        row["flags"] = [flag for flag in row.get("flags", []) if flag["kind"] not in DISTURBED]
        row["distrusted"] = bool(row["flags"])
    file.write_text(json.dumps(document), encoding="utf-8")


def seconds_of(file):
    """The median of the one case in a document; its row by the paper's clock does not count."""
    [row] = [row for row in medians(read(file)) if not row["run_name"].endswith("/paper")]
    return row["real_time"] / PER_SECOND[row["time_unit"]]


def predicted(host, machine, kernel, size, ranks, documents, formulation="native", flags=()):
    """Points, by their numbers of ranks; each has `seconds`, `rate`, `low` and `high`."""
    file = scratch() / "predicted.json"
    shown = [word for document in documents for word in ("--from", document)]
    host.must(sys.executable, "-B", ROOT / "scripts" / "predict.py", machine, kernel, "--sizes", size, "--ranks", ranks,
              "--formulation", formulation, "--arguments", " ".join(flags), "--json", file, *shown)
    return {point["ranks"]: point for point in json.loads(file.read_text())["curves"][0]["points"]}
