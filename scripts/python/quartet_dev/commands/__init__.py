"""The developers' commands, made as those in quartet.commands."""

# In the order of `quartet --help`.
SUMMARIES = {
    "limits": "says how near each kernel is to its limit, and how far ahead of its peers",
    "peers": "runs the same data flows by TensorFlow beside ours",
    "cost": "measures time and memory against size, draws both beside the formulas",
    "gpu": "builds, tests and measures everything on the GPU that is here",
    "simulate": "runs programs on simulated ranks of a described machine",
    "soak": "disturbs small jobs, and looks for what is lost or left",
    "reference": "makes a sweep's results the reference of their device",
    "schemas": "compiles the JSON Schemas into the checks of documents",
    "dist": "makes a release tarball",
}
