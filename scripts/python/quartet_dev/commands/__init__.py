"""The developers' commands, made as those in quartet.commands."""

# In the order of `quartet --all`.
SUMMARIES = {
    "limits": "measures each kernel beside its limit and its peers",
    "peers": "runs the same data flows by TensorFlow beside ours",
    "gpu": "builds, tests and measures everything on the GPU that is here",
    "soak": "disturbs small jobs, and looks for what is lost or left",
    "release": "makes a release tarball",
}
