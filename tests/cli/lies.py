"""The smallest fault that each check sees, by the arithmetic of the checks.

lies_test.py puts each fault into a job at the first size of its kernel, as large as it says here, by a library that
lies (tests/faults/lie.hpp), and wants the row to be wrong.
"""

import functools
import math
from dataclasses import dataclass
from typing import Callable

SINGLE, DOUBLE = 2.0**-24, 2.0**-52  # unit roundoff of float, the checks' epsilon of double
SEED = 1  # of the data and the checks' vectors, unless --seed says otherwise
SURELY = 1.6  # what the rounding of a sound result may take off a fault, and some room


@dataclass(frozen=True)
class Size:
    label: str
    n: int
    part: int = 1  # matmul's tile, fft's tiles
    steps: int = 1  # stream's pushes, cg's iterations


@dataclass(frozen=True)
class Told:
    """The job that a fault is put into. `where` is SITE:RANK:CALL:TYPE of QUARTET_LIE. In the result the fault is
    `times` as large."""
    formulation: str
    where: str
    flags: str = ""
    ranks: int = 2
    times: float = 1
    transport: str = "mpi"


@dataclass(frozen=True)
class Flipped(Told):
    """The same where the program computes by itself: `where` is SITE:RANK:CALL:TYPE:ELEMENT of QUARTET_FAULT, and the
    lowest bit flips that makes a fault of that size."""


@dataclass(frozen=True)
class Fault:
    what: str
    change: str  # of QUARTET_LIE
    least: Callable[[Size], float]  # that is seen
    told: tuple[Told, ...]
    of_bits: bool = False  # what is left of numbers: fewer bits are seen, too


@dataclass(frozen=True)
class Kernel:
    name: str
    title: str
    sizes: tuple[Size, ...]
    flags: str  # of a size
    faults: tuple[Fault, ...]
    always: tuple[tuple[str, str, tuple[Told, ...]], ...]  # (what, CHANGE:NUMBER, jobs): seen at any size
    tried: int = 1  # sizes that jobs have


# stream: sums of whole numbers are exact. A pushed value v makes a sum of `steps` v, whose last bit is at most
# 2^-23 of it; a smaller change may be rounded off by later pushes.
def of_push(size):
    return size.steps * 2 * SINGLE


# matmul: a row of a tile may deviate by 1.5 sqrt(N + 64) u h (matmul/problem/verify.hpp). Entries are uniform in
# [0, 1), those of the check's vector 0.76 in the square mean, so h is 0.22 N sqrt(tile). An element of C is N / 4.
def bound(size):
    return 1.5 * math.sqrt(size.n + 64) * SINGLE * 0.22 * size.n * math.sqrt(size.part)


def philox(block, name, seed):
    """The four words of a block of a random array (common/core/data_source.hpp)."""
    stream = 0xcbf29ce484222325
    for character in name.encode():
        stream = (stream ^ character) * 0x100000001b3 % 2**64
    counter = [block % 2**32, block >> 32, stream % 2**32, stream >> 32]
    key = [seed % 2**32, seed >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(second >> 32) ^ counter[1] ^ key[0], second % 2**32,
                   (first >> 32) ^ counter[3] ^ key[1], first % 2**32]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


@functools.cache
def largest_sum(size):
    """The largest sum, over the tile columns, of the entries of the check's vector x: what a factor that all elements
    of a row have is multiplied by."""
    entries = []
    for block in range((size.n + 1) // 2):
        words = philox(block, "matmul/check", SEED)
        for low, high in (words[:2], words[2:]):
            uniform = ((high << 32 | low) >> 11) * 2.0**-53
            entries.append(uniform if uniform >= 0.5 else -0.5 - uniform)
    return max(abs(sum(entries[first:first + size.part])) for first in range(0, size.n, size.part))


def of_element(size):  # |x| is 1/2 at least
    return 2 * SURELY * bound(size) / (size.n / 4)


def of_row(size):
    return SURELY * bound(size) / (size.n / 4 * largest_sum(size))


def of_partial_tile(size):
    return of_element(size) * size.n / size.part


def of_entry(size):
    """An entry of B, which changes a column of C by as much times A's entries, some near 1."""
    return 2 * SURELY * bound(size)


def of_inputs(size):
    """Entries of A off by 2^-bits at most, 0.41 of that in the square mean with all mantissas, times half the sum of x,
    as B's entries are 1/2 in the mean; the worst of thousands of rows has three times the deviation of one."""
    error = math.sqrt(size.n / 3) * 0.41 * largest_sum(size) / 2 * 3
    return math.floor(math.log2(error / bound(size)))


# cg: r may be off b - A x by eps sqrt(k + 1) (sqrt(N) / 2 + 4) (|A| |x| + |b|) (cg/problem/verify.hpp). The random
# matrix's eigenvalues run evenly from 1 to 4096 on a logarithmic scale, so |A| |x| is 4.1 |b|.
RANDOM = 4096 / math.sqrt((4096**2 - 1) / (2 * math.log(4096)))


def laplace(size):
    return (size.n / math.pi) ** 2


def gap(size, norms=RANDOM):
    return DOUBLE * math.sqrt(size.steps + 1) * (math.sqrt(size.n) / 2 + 4) * (norms + 1)


def of_products(size):
    return SURELY * gap(size)


def of_product_element(size):  # of a usual size, |b| / sqrt(N), or down to a third of it
    return 3 * SURELY * gap(size) * math.sqrt(size.n)


# laplace also makes one iteration from random numbers z: |A| |x| is 2 |z| there, and alpha |A z| is 1.22 |z|.
def of_step(size):
    return SURELY * math.sqrt(2) * DOUBLE * (math.sqrt(size.n) / 2 + 4) * 3 / 1.22


def of_step_element(size):
    return 3 * of_step(size) * math.sqrt(size.n)


def of_step_bits(size):
    return math.floor(-math.log2(of_step(size))) - 2


def of_laplace_element(size):
    return 3 * SURELY * gap(size, laplace(size)) * math.sqrt(size.n)


def of_direction_element(size):
    """An element of p that is another rank's: of a column of A, off the diagonal, sqrt(N) elements make one of it."""
    return of_product_element(size) * math.sqrt(size.n)


def of_product_bits(size):
    return math.floor(-math.log2(of_products(size))) - 2


# fft: 4 eps (1 + log2 N), of |x| in a bin and of sqrt(N) |x| in the checksum (fft/problem/verify.hpp). A bin is as
# large as |x| in the square mean.
def tolerance(size):
    return 4 * DOUBLE * (1 + math.log2(size.n))


def of_bins(size):  # one of the bins, 64 of a power of two, is larger than |x|
    return SURELY * tolerance(size)


def of_bin(size):  # of a usual size, down to a third; a point changes all bins by as much as itself
    return 3 * SURELY * tolerance(size) * math.sqrt(size.n)


def of_tile_bin(size):
    """A bin of a tile of N / T points is sqrt(T) times smaller."""
    return of_bin(size) * math.sqrt(size.part)


def of_bin_bits(size):
    return math.floor(-math.log2(of_bins(size))) - 1


PUSH = "message@32768:1:1:float"
PARTIAL_TILE = "message@262144:1:1:float"
DIRECTION = "message@4000:0:1:double"  # the element in the middle is the other rank's
PAYLOAD = "message@4000:1:1:double"
PUSHED = (Told("native", PUSH), Told("native", PUSH, transport="rma"), Told("dataflow", PUSH), Told("library", PUSH))
# The products that find the arithmetic come first, and see any fault of their own.
PRODUCTS = (Told("native", "sgemm:all:2+:float", times=1.5),
            Told("dataflow", "sgemm:all:2+:float", "--reducers 1", ranks=3),
            Told("library", "sgemm:all:2+:float", "--distribution 1x2x256", times=8))
WITHIN_PSGEMM = (Told("library", "message@16384:all:1:float", "--distribution 2x1x256", times=0.3),)
PARTIAL_TILES = (Told("dataflow", PARTIAL_TILE, "--reducers 1", ranks=3),)
GEMV = (Told("library", "dgemv:all:1+:double"),)
PRODUCT = (Flipped("native", "product:1:1+:double:350"),
           Flipped("native", "reduce:1:1+:double:250", "--storage symmetric --algorithm single-reduction"),
           Flipped("dataflow", "product:2:1+:double:350", ranks=3))
ONCE = (Told("library", "dgemv:1:1:double", times=0.2),)
ONCE_ON_LAPLACE = (Told("library", "dgemv:0:1:double"),)  # where the right side is largest
DIRECTIONS = (Told("native", DIRECTION, times=0.1), Told("dataflow", PAYLOAD, ranks=3, times=0.01),
              Told("library", DIRECTION, times=0.1))
FFT_MPI = (Told("library", "fftmpi:1:1+:double"), Told("library", "fftmpi:1:1+:double", "--order natural"))
TILES = (Told("native", "message@16384:1:1:double"), Told("native", "message@16384:1:1:double", "--order natural"),
         Told("dataflow", "message@4096:1:1:double"))
ROWS = (Flipped("native", "rows:1:1+:double:100"), Flipped("native", "rows:1:1+:double:100", "--order natural"),
        Flipped("dataflow", "rows:0:1+:double:100"))
COLUMNS = (Flipped("native", "columns:1:1:double:100"), Flipped("dataflow", "columns:1:1:double:10"))
FFT_OF_TILES = (Told("native", "fft:all:1+:double"), Told("dataflow", "fft:all:1+:double"))

STREAM = Kernel(
    "stream", "`stream`, one sender", (Size("3 pushes", 16384, steps=3), Size("100 pushes", 16384, steps=100)),
    "--sizes 64KiB --pushes {size.steps}",
    (Fault("one element of one message", "one", of_push, PUSHED),),
    (("half of a message lost", "lost:0", PUSHED),
     ("half of a message twice", "twice:0", PUSHED)))
MATMUL = Kernel(
    "matmul", "`matmul`", (Size("N = 512, tile 256", 512, 256), Size("8192, 1024", 8192, 1024),
                           Size("65536, 8192", 65536, 8192)),
    "--size {size.n} --tile {size.part}",
    (Fault("one element of a tile of C", "one", of_element, PRODUCTS),
     Fault("one column of a tile of C", "column", of_element, PRODUCTS),
     Fault("one row of C, by one factor", "row", of_row, PRODUCTS),
     Fault("all of C, by one factor", "all", of_row, PRODUCTS),
     Fault("inputs rounded, but for the small products", "inputs", of_inputs, PRODUCTS, of_bits=True),
     Fault("one element of a partial tile on its way", "one", of_partial_tile, PARTIAL_TILES),
     Fault("one entry of A or B on its way within psgemm (they are below 1)", "one", of_entry, WITHIN_PSGEMM)),
    (("a row left out", "lastrow:0", PRODUCTS),
     ("a column left out", "lastcolumn:0", PRODUCTS),
     ("the last inner element left out", "lastinner:0", PRODUCTS),
     ("two rows swapped", "swap:0", PRODUCTS),
     ("half of a partial tile lost", "lost:0", PARTIAL_TILES),
     ("half of a partial tile twice", "twice:0", PARTIAL_TILES)))
CG = Kernel(
    "cg", "`cg --problem random`", (Size("N = 1000, 30 iterations", 1000, steps=30), Size("8192, 500", 8192, steps=500),
                                    Size("65536, 500", 65536, steps=500)),
    "--size {size.n} --iterations {size.steps} --problem random",
    (Fault("all products, by one factor", "all", of_products, GEMV),
     Fault("one element of all products", "one", of_product_element, (*PRODUCT, *GEMV)),
     Fault("one element of the first product, of the root mean square of all", "one", of_product_element, ONCE),
     Fault("products in a narrower format", "keep", of_product_bits, GEMV, of_bits=True),
     Fault("one element of the first p on its way, of the root mean square of all", "one", of_direction_element,
           DIRECTIONS)),
    (("a row left out", "lastrow:0", GEMV),
     ("a column left out", "lastcolumn:0", GEMV),
     ("half of the first p lost", "lost:0", DIRECTIONS),
     ("half of the first p twice", "twice:0", DIRECTIONS)))
LAPLACE = Kernel(
    "cg", "`cg --problem laplace`", CG.sizes, "--size {size.n} --iterations {size.steps}",
    (Fault("all products, by one factor", "all", of_step, GEMV),
     Fault("one element of all products", "one", of_step_element, (*PRODUCT, *GEMV)),
     Fault("products in a narrower format", "keep", of_step_bits, GEMV, of_bits=True),
     Fault("one element of the first product, of the root mean square of all", "one", of_laplace_element,
           ONCE_ON_LAPLACE)),
    (("a row left out", "lastrow:0", GEMV),))
FFT = Kernel(
    "fft", "`fft`", (Size("2^14 points, 32 tiles", 2**14, 32), Size("2^24, 4096", 2**24, 4096),
                     Size("2^31, 128", 2**31, 128)),
    "--size {size.n} --tiles {size.part}",
    (Fault("all bins, by one factor", "all", of_bins, FFT_MPI),
     Fault("one bin", "row", of_bin, (*ROWS, *FFT_MPI)),
     Fault("bins in a narrower format", "keep", of_bin_bits, FFT_MPI, of_bits=True),
     Fault("one bin of a tile", "one", of_tile_bin, COLUMNS),
     Fault("one bin of a tile on its way", "one", of_tile_bin, TILES),
     Fault("one point on its way within FFTW-MPI", "one", of_bin,
           (Told("library", "message@16384:1:1+:double", "--order natural"),))),
    (("a bin lost", "row:-1", FFT_MPI),
     ("conjugate bins", "column:-2", FFT_MPI),
     ("two bins swapped", "swap:0", FFT_MPI),
     ("half of a tile lost", "lost:0", TILES),
     ("half of a tile twice", "twice:0", TILES)))
FFTW = Kernel(
    "fft", "`fft`, tiles that FFTW transforms", (Size("30030 points, 30 tiles", 30030, 30),
                                                Size("20014, 2", 20014, 2)),
    "--size {size.n} --tiles {size.part}",
    (Fault("all bins of all tiles, by one factor", "all", of_bins, FFT_OF_TILES),
     Fault("one bin of each tile", "row", of_tile_bin, FFT_OF_TILES),
     Fault("bins of tiles in a narrower format", "keep", of_bin_bits, FFT_OF_TILES, of_bits=True)),
    (("a bin of each tile lost", "row:-1", FFT_OF_TILES),), tried=2)


def lowest_bit(least, told):
    """Bit b of a mantissa is 2^(b - 24) of a float at least, 2^(b - 53) of a double."""
    return math.ceil(math.log2(least)) + (24 if ":float:" in told.where else 53)
