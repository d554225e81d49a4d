"""Result documents as the programs would write them, with invented numbers."""

import copy

CONTEXT = {
    "date": "2026-01-02T03:04:05+00:00",
    "host_name": "host",
    "executable": "build/host-release/bin/stream",
    "num_cpus": 4,
    "mhz_per_cpu": 3000,
    "cpu_scaling_enabled": False,
    "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 1}],
    "load_avg": [0.5, 0.25, 0.125],
    "library_version": "0.1.0",
    "library_build_type": "release",
    "json_schema_version": 1,
    "quartet": {
        "schema_version": 2,
        "version": "0.1.0",
        "commit": "1a2b3c4",
        "program": "stream",
        "build": {"compiler": "GNU 12.2.0", "flags": "-O3", "type": "Release", "cblas": "OpenBLAS"},
        "options": {"runs": "10"},
        "ranks": 2,
        "nodes": 1,
        "threads": 1,
        "placement": [{"rank": rank, "role": "worker", "host": "host", "node": 0,
                       "local_rank": rank, "cpus": str(rank), "cores": 1} for rank in (0, 1)],
        "device": "host",
        "gpus": [],
        "mpi": "Open MPI 4.1.4",
        "slurm": {},
        "environment": {"OMP_NUM_THREADS": "1"},
        "warnings": [],
    },
}

GPU = {
    "name": "NVIDIA H200",
    "uuid": "GPU-01234567-89ab-cdef-0123-456789abcdef",
    "driver": "570.1",
    "pci_bus": "0000:01:00.0",
    "memory": 139 * 2**30,
    "error_correction": True,
    "power_limit_watts": 700,
    "host": "host",
    "ranks": [0, 1],
    "before": {"clock_mhz": 345, "power_capped_seconds": 0.5, "energy_joules": 100.5,
               "throttled_by": ["idle"]},
    "after": {"clock_mhz": 1980, "energy_joules": 300.5, "throttled_by": []},
    "energy_joules": 200,
}

PUBLISHED = {"value": 6000, "unit": "MiB/s", "bound": "above", "conditions": "two nodes, host memory, RDMA", "nodes": 2,
             "source": "Chien et al. 2019, section VI.A", "caveat": "between two nodes", "ratio": 1.5}

PLACE = CONTEXT["quartet"]["placement"][0]


def document(*rows, warnings=(), nodes=1):
    """A document with these rows (lists of rows are joined)."""
    context = copy.deepcopy(CONTEXT)
    context["quartet"].update(warnings=list(warnings), nodes=nodes)
    flat = [row for item in rows for row in (item if isinstance(item, list) else [item])]
    return {"context": context, "benchmarks": flat}


def stream_name(formulation="native", transport="shm", size="2MiB", ranks=2):
    return f"stream/{formulation}/host/{transport}/size:{size}/pushes:100/ranks:{ranks}/threads:1"


def stream(rate, formulation="native", transport="mpi", size="2MiB", **more):
    return case(stream_name(formulation, transport, size), rate, **more)


def _median(values):
    # Python's own module takes longer to import than a fake program runs.
    ordered, middle = sorted(values), len(values) // 2
    return (ordered[middle] + ordered[~middle]) / 2


def case(run_name, rate, unit="MiB/s", repetitions=10, **median):
    """The rows of one case: its runs and its aggregates. `rate` may be a list, of each run's.
    Keywords replace keys of the median."""
    if isinstance(rate, list):
        rows = case(run_name, _median(rate), unit, len(rate), **median)
        for row, run in zip(rows, rate):
            row.update(case(run_name, run, unit, 1)[0], repetitions=len(rate), repetition_index=row["repetition_index"])
        return rows
    seconds = 1000 / rate
    common = {"run_name": run_name, "repetitions": repetitions, "threads": 1,
              "real_time": seconds, "cpu_time": seconds, "time_unit": "s"}
    rates = {"MiB/s": rate, "bytes_per_second": rate * 2**20} if unit == "MiB/s" else {unit: rate}
    runs = [{**common, **rates, "name": run_name, "run_type": "iteration", "iterations": 1,
             "repetition_index": index} for index in range(repetitions)]

    def aggregate(name, factor=1.0):
        return {**common, **{key: value / factor for key, value in rates.items()},
                "name": f"{run_name}_{name}", "run_type": "aggregate", "aggregate_name": name,
                "aggregate_unit": "percentage" if name == "cv" else "time",
                "iterations": repetitions, "real_time": seconds * factor}

    details = {
        "rank_seconds": [seconds, seconds], "phases": {"push": seconds}, "flops": 0, "bytes": 1000,
        "stolen_share": 0, "core_loop_seconds": 4e-5,
        "workers": 1, "verified": True, "error": 0, "tolerance": 0,
        "total_seconds": seconds,
        "limit": {"what": "the receiver's own local add", "seconds": seconds * 0.8,
                  "rate": rate / 0.8},
        "fraction_of_limit": 0.8,
    }
    details.update(median)
    if "limit" not in median and isinstance(details["fraction_of_limit"], float):
        of_it = details["fraction_of_limit"]
        details["limit"] = {**details["limit"], "seconds": seconds * of_it, "rate": rate / of_it}
    details.update(_judged_alone(details))
    details = {key: value for key, value in details.items() if value is not Ellipsis}
    return [*runs, {**aggregate("median"), **details}, aggregate("ci95_low", 0.98),
            aggregate("ci95_high", 1.01), aggregate("cv", 0.01)]


def _judged_alone(median):
    """What a program says of a row whose runs differ, or that is above its limit."""
    given = median.get("flags", ...)
    flags = [] if given is ... else list(given)
    if given is ... and median.get("spread"):
        flags.append({"kind": "unsteady", "text": f"the runs differ by {median['spread']:.0%}"})
    if given is ... and isinstance(median["fraction_of_limit"], float) and median["fraction_of_limit"] > 1.05:
        flags.append({"kind": "above_limit", "text": "limit and rate disagree"})
    distrusted = any(flag["kind"] != "above_limit" for flag in flags)
    return {"flags": flags, "distrusted": median.get("distrusted", distrusted)}


def paper(run_name, rate):
    """The sibling of a case that is timed by the paper's clock, without its runs."""
    return [row for row in case(run_name + "/paper", rate, published=PUBLISHED) if row["run_type"] == "aggregate"]


def error(run_name, message):
    return {"name": run_name + "/error", "run_type": "aggregate", "error_occurred": True, "error_message": message}


def number(**more):
    """A published number."""
    return {"kernel": "stream", "section": "I", "machine": "A machine", "device": "A CPU",
            "printed": "1 GB/s", "value": 1000, "unit": "MiB/s", "bound": "about",
            "conditions": "a machine", "match": {"kernel": "stream", "device": "host"}, **more}


def published(numbers, **more):
    """A file of published numbers."""
    source = {"short": "Someone 2000", "authors": "Someone", "title": "Some", "year": 2000, "identifier": "doi:10.1/2"}
    return {"schema_version": 1, "source": source, "numbers": numbers, **more}
