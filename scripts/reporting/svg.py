"""Charts as SVG, to be read at 360 pixels' width as well as at 600."""

from dataclasses import dataclass, field
from typing import Optional

from .chart import GREY
from .markup import Markup, join, tag

WIDTH = 400
LEFT, RIGHT = 46, 14
TEXT = 11  # font size
LINE = 15  # height of a line of text
BOLD = 1.13  # how much wider bold text is
INK, FAINT = "#1c1c1c", "#dddddd"
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
_WIDE, _NARROW = set("mwMW@%"), set("iljtfrI.,:;|'()[]/ 1")


def width_of(text: str, size: float = TEXT) -> float:
    """About how wide a text is drawn, rather too much than too little."""
    units = sum(0.92 if character in _WIDE else 0.38 if character in _NARROW else
                0.7 if character.isupper() else 0.61 for character in text)
    return units * size


def wrapped(text: str, width: float, size: float = TEXT) -> list[str]:
    """The text in lines that are no wider; a word that is wider is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(clipped(word, width, size))
    return lines[1:] if len(lines) > 1 and not lines[0] else lines


def clipped(text: str, width: float, size: float = TEXT) -> str:
    while width_of(text, size) > width and len(text) > 2:
        text = text[:-2] + "…"
    return text


@dataclass
class Canvas:
    """Elements from top to bottom; `y` is how far down the next one goes."""

    y: float = 0
    parts: list[Markup] = field(default_factory=list)

    def add(self, *parts: Markup) -> None:
        self.parts += parts

    def text(self, x: float, y: float, content: str, anchor: Optional[str] = None,
             size: float = TEXT, fill: str = INK, **attributes) -> None:
        self.add(tag("text", content, x=float(x), y=float(y), text_anchor=anchor,
                     font_size=None if size == TEXT else float(size),
                     fill=None if fill == INK else fill, **attributes))

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = FAINT,
             width: float = 1, dash: str = "") -> None:
        self.add(tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=stroke,
                     stroke_width=float(width), stroke_dasharray=dash or None))

    def title(self, text: str) -> None:
        for line in wrapped(text, WIDTH, 13 * BOLD):
            self.y += 17
            self.text(0, self.y, line, size=13, font_weight="600")
        self.y += 6

    def svg(self, label: str) -> Markup:
        return tag("svg", tag("title", label), *self.parts, xmlns="http://www.w3.org/2000/svg",
                   viewBox=f"0 0 {WIDTH} {self.y + 6:.0f}", role="img", aria_label=label,
                   font_family=FONT, font_size=TEXT, fill=INK)


def marker(shape: str, x: float, y: float, colour: str, title: str = "", size: float = 4) -> Markup:
    """A point of a line; `title` is shown where the pointer rests on it."""
    name = [tag("title", title)] if title else []
    if shape in ("circle", "ring"):
        return tag("circle", *name, cx=float(x), cy=float(y), r=float(size),
                   fill=colour if shape == "circle" else "#fff", stroke=colour, stroke_width=1.5)
    if shape == "dash":
        return tag("path", *name, d=f"M{x - 9:.1f} {y:.1f}h18", stroke=colour, stroke_width=2,
                   stroke_dasharray="2 2")
    if shape in ("cross", "plus"):
        step = size if shape == "plus" else size * 0.8
        arms = (f"M{x - step:.1f} {y:.1f}h{2 * step:.1f}M{x:.1f} {y - step:.1f}v{2 * step:.1f}"
                if shape == "plus" else
                f"M{x - step:.1f} {y - step:.1f}l{2 * step:.1f} {2 * step:.1f}"
                f"M{x - step:.1f} {y + step:.1f}l{2 * step:.1f} {-2 * step:.1f}")
        return tag("path", *name, d=arms, stroke=colour, stroke_width=2, fill="none")
    corners = {"square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
               "triangle": ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
               "down": ((0, 1.2), (1.15, -0.9), (-1.15, -0.9))}.get(
                   shape, ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)))
    points = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in corners)
    hollow = shape == "published"
    return tag("polygon", *name, points=points, fill="#fff" if hollow else colour,
               stroke=GREY if hollow else colour, stroke_width=1.5)


def whisker(canvas: Canvas, x: float, low: float, high: float, colour: str) -> None:
    canvas.add(tag("path", d=f"M{x - 3:.1f} {low:.1f}h6M{x - 3:.1f} {high:.1f}h6"
                             f"M{x:.1f} {low:.1f}V{high:.1f}", stroke=colour, stroke_width=1.2,
                   fill="none"))


def standalone(markup: Markup) -> str:
    """A chart's SVG as a file of its own."""
    return join(Markup('<?xml version="1.0" encoding="UTF-8"?>\n'), markup, "\n")
