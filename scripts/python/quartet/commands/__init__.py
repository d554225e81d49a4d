"""The users' commands. Each is a module here with EXAMPLE, add_arguments(parser) and run(options), which returns the
exit code. Its docstring is its help. One that sets TAKES_COMMAND finds the words after -- in options.command."""

# In the order of `quartet --help`.
SUMMARIES = {
    "run": "measures with every program here, and ends with a verdict",
    "check-machine": "says whether this machine is fit to be measured",
    "launch": "runs one program: launch RANKS PROGRAM [ARGUMENTS...]",
    "start": "runs one program on the nodes of a Slurm job",
    "table": "shows documents as a table, Markdown or CSV",
    "compare": "says which of two results are faster",
    "sweep": "runs programs over sizes, ranks, formulations; in Slurm, too",
    "report": "makes one page of results, with charts",
    "trace": "draws the timeline that a program's --trace left",
    "history": "says since when rows are slower, and what else changed then",
    "machine": "writes the machine file of a Slurm cluster, or checks one",
    "submit": "submits one job to Slurm",
    "nodes": "finds slow nodes of a cluster; --this: checks this one",
    "predict": "computes how long a kernel should take on any number of ranks",
}
SHELL_SCRIPTS = {"launch": "launch.sh", "start": "slurm/start.sh"}  # below scripts/
