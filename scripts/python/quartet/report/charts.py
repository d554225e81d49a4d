"""What a chart shows, apart from how it is drawn. Each can be a table (`rows`). `title` says what is to be seen,
`about` what was measured, `notes` why points are marked."""

from dataclasses import dataclass
from typing import Any, Optional, Union


@dataclass(frozen=True)
class Bar:
    label: str
    share: float  # of the limit
    text: str  # as shown
    formulation: str = ""
    mark: str = ""  # where it is not to be quoted: drawn hatched
    about: str = ""


@dataclass(frozen=True)
class ShareChart:
    """Bars in per cent of one limit, in groups under headings."""

    title: str
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    @property
    def bars(self) -> list[Bar]:
        return [bar for _, bars in self.groups for bar in bars]

    def rows(self) -> list[tuple[Any, ...]]:
        return [("group", "bar", "per cent of the limit", "text", "case", "mark")] + [
            (group, bar.label, 100 * bar.share, bar.text, bar.about, bar.mark)
            for group, bars in self.groups for bar in bars]


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    interval: Optional[tuple[float, float]] = None
    about: str = ""
    mark: str = ""  # drawn hollow
    why: str = ""  # it is marked


@dataclass(frozen=True)
class Line:
    """Grey without a formulation: a limit, an ideal, or what is published (a number may be a single point)."""

    label: str
    points: tuple[Point, ...]
    formulation: str = ""
    transport: str = ""
    role: str = "measured"


@dataclass(frozen=True)
class LineChart:
    """Both axes are logarithmic."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    about: str = ""
    notes: tuple[str, ...] = ()
    x_is_bytes: bool = False

    def rows(self) -> list[tuple[Any, ...]]:
        return [("line", "role", self.x_label, self.y_label, "low", "high", "case", "mark")] + [
            (line.label, line.role, point.x, point.y, *(point.interval or ("", "")), point.about, point.mark)
            for line in self.lines for point in line.points]


Chart = Union[ShareChart, LineChart]
