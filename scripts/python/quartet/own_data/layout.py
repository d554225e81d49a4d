"""How a user's own arrays are laid out in files, as the programs read them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Callable, Iterator

from quartet.exit_codes import ScriptError

Shape = tuple[int, ...]
ShapeOf = Callable[[str], Shape]  # of a file, by its name


@dataclass(frozen=True)
class Piece:
    """One file: a part of one of the arrays."""

    file: str
    array: int
    part: tuple[slice, ...]
    shape: Shape


@dataclass(frozen=True)
class Cut:
    """All files of some data, and what a manifest says of them."""

    pieces: list[Piece]
    shape: Shape
    tile: int


def _extent(part: slice) -> int:
    return len(range(part.start, part.stop, part.step or 1))


def _piece(file: str, array: int, *part: slice) -> Piece:
    return Piece(file, array, part, tuple(map(_extent, part)))


def _ranges(bounds: list[int]) -> list[slice]:
    return [slice(begin, end) for begin, end in zip(bounds, bounds[1:])]


def _bounds(heights: Iterator[int]) -> list[int]:
    bounds = [0]
    for height in heights:
        bounds.append(bounds[-1] + height)
    return bounds


class Layout(ABC):
    flag: str  # how large the pieces are, or how many
    meaning: str
    dtype: str
    arrays: tuple[tuple[str, int], ...]  # names and dimensions
    order: str  # in a manifest

    @abstractmethod
    def cut(self, size: int, count: int) -> Cut:
        """Arrays of an edge or length of `size`, by the flag's number."""

    @abstractmethod
    def found(self, count_of: Callable[[str], int], shape_of: ShapeOf) -> Cut:
        """Returns what the files of a folder make up; `count_of` counts files whose names are a pattern's, for
        0, 1 and so on. Their shapes are not compared yet."""


class SquareTiles(Layout):
    """Tiles A_i_j of square matrices; those at the end may be smaller."""

    flag, meaning = "--tile", "rows and columns of a tile"
    order = "row-major"

    def __init__(self, dtype: str, *names: str):
        self.dtype, self.arrays = dtype, tuple((name, 2) for name in names)

    def cut(self, size: int, count: int) -> Cut:
        return self._of([*range(0, size, count), size], min(size, count))

    def found(self, count_of: Callable[[str], int], shape_of: ShapeOf) -> Cut:
        name = self.arrays[0][0]
        edges = [shape_of(f"{name}_{i}_{i}.npy")[0] for i in range(count_of(f"{name}_{{0}}_{{0}}.npy"))]
        return self._of(_bounds(iter(edges)), edges[0] if edges else 0)

    def _of(self, bounds: list[int], tile: int) -> Cut:
        ranges = _ranges(bounds)
        pieces = [_piece(f"{name}_{i}_{j}.npy", array, rows, columns)
                  for array, (name, _) in enumerate(self.arrays)
                  for i, rows in enumerate(ranges) for j, columns in enumerate(ranges)]
        return Cut(pieces, (bounds[-1], bounds[-1]), tile)


class RowBlocks(Layout):
    """Blocks of rows, A-r and b-r, of a square matrix and a vector."""

    flag, meaning = "--blocks", "blocks of rows"
    order = "own, row-major"

    def __init__(self, dtype: str, matrix: str, vector: str):
        self.dtype, self.arrays = dtype, ((matrix, 2), (vector, 1))

    def cut(self, size: int, count: int) -> Cut:
        return self._of([block * size // count for block in range(count + 1)])

    def found(self, count_of: Callable[[str], int], shape_of: ShapeOf) -> Cut:
        name = self.arrays[0][0]
        return self._of(_bounds(shape_of(f"{name}-{r}.npy")[0] for r in range(count_of(f"{name}-{{0}}.npy"))))

    def _of(self, bounds: list[int]) -> Cut:
        (matrix, _), (vector, _) = self.arrays
        size = bounds[-1]
        ranges = _ranges(bounds)
        return Cut([*(_piece(f"{matrix}-{r}.npy", 0, rows, slice(0, size))
                      for r, rows in enumerate(ranges)),
                    *(_piece(f"{vector}-{r}.npy", 1, rows) for r, rows in enumerate(ranges))],
                   (size, size), len(ranges))


class EveryNth(Layout):
    """Tiles x-t of a vector: tile t of T is x[t::T]."""

    flag, meaning = "--tiles", "tiles, a divisor of the length"
    order = "x[t::T]"

    def __init__(self, dtype: str, name: str):
        self.dtype, self.arrays = dtype, ((name, 1),)

    def cut(self, size: int, count: int) -> Cut:
        if size % count:
            raise ScriptError(f"{self.flag}: {count} tiles of one length cannot have {size} points (it "
                              "is no divisor): name one")
        name = self.arrays[0][0]
        return Cut([_piece(f"{name}-{t}.npy", 0, slice(t, size, count)) for t in range(count)],
                   (size,), size // count)

    def found(self, count_of: Callable[[str], int], shape_of: ShapeOf) -> Cut:
        name = self.arrays[0][0]
        tiles = count_of(f"{name}-{{0}}.npy")
        return self.cut(tiles * shape_of(f"{name}-0.npy")[0] if tiles else 0, tiles or 1)


LAYOUTS: dict[str, Layout] = {"matmul": SquareTiles("<f4", "A", "B"), "cg": RowBlocks("<f8", "A", "b"),
                              "fft": EveryNth("<c16", "x")}
