"""What quartet predict says of the hosts here, from what runs on them have shown."""

import json
import shutil

from documents import PROGRAMS, medians, read
from enclosure import ROOT, scratch
from tree import QUARTET

# Two runs of stream between two hosts, from which a link's latency and rate follow.
LINK = (("--sizes", "4B", "--pushes", "1", "--runs", "20"), ("--sizes", "256k", "--pushes", "4", "--runs", "3"))
# What no document shows. It is a small part of all that is measured on slow links.
OVERHEAD = {"value": 1e-5, "uncertainty": 1.0, "source": "assumed: a system call or two"}
# Of Open MPI: long messages are sent. By default a receiver fetches them, and an all-to-all among four hosts takes 1.65
# times as long as the links need (with this 1.03 times; measured here).
SENDS = {"btl_tcp_flags": "1"}
SIMULATED = ROOT / "build" / "simulate" / "bin"
PREDICTED = "predicted.json"
# Rates without which nothing is simulated, and which count for nothing: one rank has a node, and a kernel operations of
# one kind. Where one counts, it was measured, and replaces what stands here.
UNUSED = {name: {"value": value, "uncertainty": 0.0, "source": "not used"}
          for name, value in (("node_bytes_per_second", 1e9), ("node_latency_seconds", 1e-6),
                              ("sgemm_flops_per_second", 1e9), ("fft_flops_per_second", 1e9))}
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


def exchange_among_hosts(run, nodes):
    """The document of an all-to-all, as fft's limit measures it."""
    file = scratch() / f"exchange-{nodes}.json"
    run(PROGRAMS / "fft", "--device", "host", "--transport", "mpi", "--threads", "1", "--size", "2^17",
        "--formulation", "native", "--runs", "5", "--json", file, "--force")
    forgive_disturbance(file)
    return file


def forgive_disturbance(file):
    """Hosts of one machine wait for one another's cores. That marks a row, of which no rate would be taken."""
    document = json.loads(file.read_text(encoding="utf-8"))
    for row in document["benchmarks"]:
        row["flags"] = [flag for flag in row.get("flags", []) if flag["kind"] not in DISTURBED]
        row["distrusted"] = any(flag["kind"] != "overhead" for flag in row["flags"])
    file.write_text(json.dumps(document), encoding="utf-8")


def seconds_of(file):
    """The median of the one case in a document; its row by the paper's clock does not count."""
    [row] = [row for row in medians(read(file)) if not row["run_name"].endswith("/paper")]
    return row["real_time"] / PER_SECOND[row["time_unit"]]


def predicted(machine, documents, host, kernel, size, ranks, formulation="native", flags=()):
    """Points, by their numbers of ranks; each has `seconds`, `rate`, `low` and `high`."""
    shown = [word for document in documents for word in ("--from", document)]
    host.must(*_script("predict", machine, kernel, size, ranks, formulation, flags), "--json", scratch() / PREDICTED, *shown)
    return {point["ranks"]: point for point in json.loads((scratch() / PREDICTED).read_text())["curves"][0]["points"]}


def can_simulate():
    return shutil.which("smpirun") is not None and all((SIMULATED / name).is_file() for name in ("cg", "fft", "matmul"))


def simulated(host, kernel, size, ranks, formulation="native", flags=()):
    """Seconds, by the rates of the last prediction."""
    rates = json.loads((scratch() / PREDICTED).read_text())["rates"]
    rates = {name: rate for name, rate in rates.items() if rate["value"]}  # a machine file leaves out what is 0
    machine, out = scratch() / "simulated.json", scratch() / "simulated"
    machine.write_text(json.dumps({"name": "simulated hosts", "cores_per_node": 1, "rates": {**UNUSED, **rates}}))
    shutil.rmtree(out, ignore_errors=True)
    host.must(*_script("simulate", machine, kernel, size, ranks, formulation, flags), "--build", SIMULATED.parent,
              "--results", out)
    [document] = out.glob("*.json")
    return seconds_of(document)


def _script(name, machine, kernel, size, ranks, formulation, flags):
    return (*QUARTET, name, machine, kernel, "--sizes", size, "--ranks", ranks,
            "--formulation", formulation, "--arguments", " ".join(flags))
