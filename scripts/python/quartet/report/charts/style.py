"""How every picture looks: the colour is the formulation, the marker is the transport."""

from contextlib import contextmanager
from typing import Any, Optional

from quartet.exit_codes import UNAVAILABLE, ScriptError

# Okabe and Ito's colours, which colour-blind readers can tell apart.
FORMULATIONS = {"native": "#0072b2", "dataflow": "#d55e00", "library": "#009e73", "tensorflow": "#cc79a7"}
TRANSPORTS = {"shm": "o", "mpi": "s", "rma": "^", "ipc": "p", "staged": "v", "nccl": "P", "grpc": "X"}
# Lines of one formulation and one transport differ by their dashes and by how markers are filled.
DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)))
FILLS = ("full", "none", "left", "bottom")
# Paul Tol's "muted" colours. Waiting is pale, so that work stands out.
PHASES = {"read": "#332288", "copy_in": "#88CCEE", "compute": "#117733", "copy_out": "#44AA99",
          "push": "#999933", "exchange": "#DDCC77", "reduce": "#CC6677", "merge": "#AA4499",
          "wait": "#e4e4e4", "checkpoint": "#882255"}
MEANINGS = {"read": "files", "copy_in": "data to the device, or into place",
            "compute": "the kernel's own work", "copy_out": "results from the device",
            "push": "vectors to another rank, which adds them", "exchange": "data between ranks",
            "reduce": "sums over ranks", "merge": "parts put together",
            "wait": "for other ranks or a queue", "checkpoint": "the state to a file"}
# Paul Tol's "vibrant" colours, which show on white and on black.
NODES = ("#0077bb", "#ee7733", "#009988", "#ee3377", "#33bbee", "#cc3311")
INK, GREY, FAINT, TRACK, PAPER = "#1c1c1c", "#6b6b6b", "#dddddd", "#eeeeee", "#fefefe"
ON_COLOUR = "#1b1b1b"  # text on a colour of ours, dark in any scheme
# What a page may replace, and by what where the reader wants dark pages.
_DARK = {"ink": (INK, "#ececec"), "quiet": (GREY, "#a6a6a6"), "faint": (FAINT, "#3a3d42"),
         "track": (TRACK, "#2b2e33"), "paper": (PAPER, "#16181c"),
         "read": (PHASES["read"], "#7a6be0"), "checkpoint": (PHASES["checkpoint"], "#c2508a"),
         "wait": (PHASES["wait"], "#4b4f56"),
         "native": (FORMULATIONS["native"], "#4aa3df"),
         "dataflow": (FORMULATIONS["dataflow"], "#f0803c"),
         "library": (FORMULATIONS["library"], "#2cc295"),
         "tensorflow": (FORMULATIONS["tensorflow"], "#e39cc4")}
VARIABLES = {light: name for name, (light, _) in _DARK.items()}
_DARK_COLOURS = " ".join(f"--{name}: {dark};" for name, (_, dark) in _DARK.items())
SCHEMES = f"@media (prefers-color-scheme: dark) {{ :root {{ {_DARK_COLOURS} }} svg {{ background: var(--paper); }} }}"
NO_MATPLOTLIB = ("this Python has no matplotlib (to get it: 'apt-get install "
                 "python3-matplotlib', then QUARTET_PYTHON=/usr/bin/python3, or 'python3 -m pip install matplotlib')")

WIDTH = 400.0  # of a chart, in points; a page shows a point as about a pixel
TEXT = 11.0  # font size
TITLE: dict[str, Any] = {"size": TEXT + 1, "weight": "bold"}
LINE = 16.0  # height of a line of text, in points
POINTS_PER_INCH = 72
_SETTINGS = {
    "axes.edgecolor": GREY, "axes.labelcolor": GREY, "axes.labelsize": TEXT,
    "axes.facecolor": "none", "figure.facecolor": "none",
    "axes.spines.right": False, "axes.spines.top": False, "axes.axisbelow": True,
    "figure.constrained_layout.use": True, "figure.constrained_layout.h_pad": 0.04,
    "figure.constrained_layout.w_pad": 0.04,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "font.size": TEXT,
    "grid.color": FAINT, "hatch.linewidth": 1.2, "legend.borderaxespad": 0, "legend.borderpad": 0,
    "legend.columnspacing": 1.2, "legend.frameon": False, "legend.handletextpad": 0.5,
    "lines.linewidth": 1.8, "lines.markersize": 6.5,
    "svg.fonttype": "none",  # texts stay texts: they can be found and copied
    "svg.hashsalt": "quartet",  # the same chart gives the same file
    "text.color": INK, "xtick.color": GREY, "ytick.color": GREY,
}


def colour(formulation: str) -> str:
    """Grey for what belongs to no formulation."""
    return FORMULATIONS.get(formulation, GREY)


def marker(transport: str) -> str:
    return TRANSPORTS.get(transport, "*")


def dash(variant: int) -> Any:
    return DASHES[variant % len(DASHES)]


def fill(variant: int) -> str:
    return FILLS[variant % len(FILLS)]


def text_on(shade: Any) -> str:
    """The colour of a text on this colour."""
    from matplotlib.colors import to_rgb
    red, green, blue = to_rgb(shade)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else \
        INK if shade == PHASES["wait"] else ON_COLOUR  # what is pale, or dark where pages are


def has_matplotlib() -> bool:
    try:
        import matplotlib.figure  # noqa: F401, optional and slow to load
    except ImportError:
        return False
    return True


def require_matplotlib() -> None:
    """Raises ScriptError where there is none."""
    if not has_matplotlib():
        raise ScriptError(NO_MATPLOTLIB, UNAVAILABLE)


@contextmanager
def applied() -> Any:
    """Draw and save within this: the style holds, the user's own settings do not."""
    import matplotlib
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def figure(height: float, width: float = WIDTH) -> Any:
    """An empty figure, in points; within `applied`."""
    from matplotlib.figure import Figure
    return Figure((width / POINTS_PER_INCH, height / POINTS_PER_INCH))


def save(made: Any, file: Any, dots_per_inch: Optional[float] = None) -> None:
    """By the file's ending. No date is written, so that equal pictures are equal files."""
    ending = str(file).rsplit(".", 1)[-1].lower()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    made.savefig(file, dpi=dots_per_inch or 150, metadata=dates.get(ending), facecolor="white")
