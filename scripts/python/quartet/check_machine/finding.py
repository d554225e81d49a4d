"""What was found about a machine, and what to do about it."""

import textwrap
from dataclasses import dataclass
from enum import Enum

from quartet.terminal import GREEN, RED, YELLOW, Style
from quartet.text import WIDTH


class Level(Enum):
    OK = "ok"
    LOOK = "look"  # figures may suffer
    BAD = "bad"  # figures will suffer

    @property
    def colour(self) -> str:
        return {Level.OK: GREEN, Level.LOOK: YELLOW, Level.BAD: RED}[self]


@dataclass(frozen=True)
class Finding:
    what: str
    level: Level
    text: str
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """Returns the finding in words, without its level."""
        return f"{self.what}: {self.text}" + (f" ({self.remedy})" if self.remedy else "")

    def lines(self, style: Style, width: int = 0) -> list[str]:
        """One line, and the remedy below where it is not ok; `width` is that of the longest `what`."""
        label = f"{self.what:<{width}}"
        text = f"{self.level.value:<4}  {label}  {self.text}"
        if self.level is not Level.OK and self.remedy:
            text += f": {self.remedy}"
        lines = textwrap.wrap(text, WIDTH, subsequent_indent=" " * (8 + len(label)), break_long_words=False)
        head = self.level.value
        return [style.paint(head, self.level.colour) + lines[0][len(head):], *lines[1:]]


def graded(value: float, look: float, bad: float) -> Level:
    """OK below `look`, BAD from `bad` on."""
    return Level.BAD if value >= bad else Level.LOOK if value >= look else Level.OK
