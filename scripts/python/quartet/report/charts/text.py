"""Text as the charts need it: measured, wrapped, without formulas."""

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from .markup import sound
from .style import TEXT


def plain(text: str) -> str:
    """The text on one line, without what XML forbids; a $ starts no formula."""
    return " ".join(sound(text).split()).replace("$", r"\$")


def width(text: str, size: float = TEXT, weight: str = "normal") -> float:
    """In points."""
    font = FontProperties(family="sans-serif", size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def wrapped(text: str, room: float, size: float = TEXT, weight: str = "normal") -> str:
    """The text in lines of at most `room` points; a wider word is broken."""
    lines = [""]
    for word in plain(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size, weight) <= room:
            lines[-1] = longer
            continue
        while width(word, size, weight) > room:
            head = _head(word, room, size, weight)
            lines.append(head)
            word = word[len(head):]
        lines.append(word)
    return "\n".join(line for line in lines if line)


def _head(word: str, room: float, size: float, weight: str) -> str:
    """Returns as much of the word as fits, at least one character."""
    fitting, too_many = 1, len(word)
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if width(word[:middle], size, weight) <= room:
            fitting = middle
        else:
            too_many = middle
    return word[:fitting]


def lines_of(text: str) -> int:
    return text.count("\n") + 1
