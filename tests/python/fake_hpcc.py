"""What HPC Challenge writes, with invented numbers."""

SECTION = """Begin of MPIFFT section.
Number of nodes: {ranks}
Vector size: {points:>20}
Generation time:     0.430
Tuning:     0.206
Computing:     0.616
Inverse FFT: {inverse:>9}
max(|x-x0|): {error}
Gflop/s: {rate:>9}
Current time (1795304387) is Sat Nov 21 23:39:47 2026

End of MPIFFT section.
"""
HEADER = "This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\n"


def section(ranks=2, points="POINTS", inverse="0.604", error="1.960e-15", rate="3.271"):
    return SECTION.format(ranks=ranks, points=points, inverse=inverse, error=error, rate=rate)
