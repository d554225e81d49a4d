"""The style of all pictures: the colour shows the formulation, the marker the transport."""

import warnings
from contextlib import contextmanager
from typing import Any, Optional

from quartet.exit_codes import UNAVAILABLE, ScriptError

# Okabe and Ito's colours, which colour-blind readers can tell apart.
FORMULATIONS = {"native": "#0072b2", "dataflow": "#d55e00", "library": "#009e73", "tensorflow": "#cc79a7"}
TRANSPORTS = {"shm": "o", "mpi": "s", "rma": "^", "ipc": "p", "staged": "v", "nccl": "P", "grpc": "X"}
# Paul Tol's "muted" colours. Waiting is pale, so that work stands out.
PHASES = {"read": "#332288", "copy_in": "#88CCEE", "compute": "#117733", "copy_out": "#44AA99",
          "push": "#999933", "exchange": "#DDCC77", "reduce": "#CC6677", "merge": "#AA4499",
          "wait": "#e4e4e4", "checkpoint": "#882255"}
INK, GREY, FAINT, PAPER = "#1c1c1c", "#6b6b6b", "#dddddd", "#fefefe"
# Colours that the page defines as variables, and their values for readers who prefer dark pages.
_DARK = {"ink": (INK, "#ececec"), "quiet": (GREY, "#a6a6a6"), "faint": (FAINT, "#3a3d42"), "paper": (PAPER, "#16181c"),
         "native": (FORMULATIONS["native"], "#4aa3df"), "dataflow": (FORMULATIONS["dataflow"], "#f0803c"),
         "library": (FORMULATIONS["library"], "#2cc295"), "tensorflow": (FORMULATIONS["tensorflow"], "#e39cc4")}
VARIABLES = {light: name for name, (light, _) in _DARK.items()}
_DARK_COLOURS = " ".join(f"--{name}: {dark};" for name, (_, dark) in _DARK.items())
SCHEMES = f"@media (prefers-color-scheme: dark) {{ :root {{ {_DARK_COLOURS} }} svg {{ background: var(--paper); }} }}"
NO_MATPLOTLIB = ("this Python has no matplotlib (to get it: 'apt-get install "
                 "python3-matplotlib', then QUARTET_PYTHON=/usr/bin/python3, or 'python3 -m pip install matplotlib')")

WIDTH = 420.0  # of a chart, in points
TEXT = 11.0  # font size
LINE = 17.0  # height of a line of text, in points
POINTS_PER_INCH = 72
_SETTINGS = {
    "axes.edgecolor": GREY, "axes.labelcolor": GREY, "axes.labelsize": TEXT, "axes.facecolor": "none",
    "axes.spines.right": False, "axes.spines.top": False, "axes.axisbelow": True, "figure.facecolor": "none",
    **{f"figure.constrained_layout.{key}": value for key, value in (("use", True), ("h_pad", 0.04), ("w_pad", 0.04))},
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "font.size": TEXT, "legend.frameon": False,
    "grid.color": FAINT, "hatch.linewidth": 1.2, "lines.linewidth": 1.8, "lines.markersize": 6.5,
    "svg.fonttype": "none",  # texts stay texts: they can be found and copied
    "svg.hashsalt": "quartet",  # the same chart gives the same file
    "text.color": INK, "xtick.color": GREY, "ytick.color": GREY,
}


def colour(formulation: str) -> str:
    """The colour of a formulation; grey if it is none."""
    return FORMULATIONS.get(formulation, GREY)


def has_matplotlib() -> bool:
    try:
        import matplotlib.figure  # noqa: F401, optional and slow to load
    except ImportError:
        return False
    return True


def require_matplotlib() -> None:
    """Raises ScriptError if matplotlib is not installed."""
    if not has_matplotlib():
        raise ScriptError(NO_MATPLOTLIB, UNAVAILABLE)


@contextmanager
def applied() -> Any:
    """A context for drawing and saving: this style applies, and the user's own settings do not."""
    import matplotlib
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about characters that no font has
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def figure(height: float, width: float = WIDTH) -> Any:
    """An empty figure of that size in points. To be called within `applied`."""
    from matplotlib.figure import Figure
    return Figure((width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def plain(text: str) -> str:
    """The text on one line, with $ escaped so that it starts no formula."""
    return " ".join(text.split()).replace("$", r"\$")


def save(made: Any, file: Any, dots_per_inch: Optional[float] = None) -> None:
    """Saves in the format of the file's ending, without a date, so that equal pictures are equal files."""
    ending = str(file).rsplit(".", 1)[-1].lower()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    made.savefig(file, dpi=dots_per_inch or 150, metadata=dates.get(ending), facecolor="white")
