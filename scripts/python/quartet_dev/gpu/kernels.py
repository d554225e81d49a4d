"""What `quartet gpu` runs, by kernel: what takes least, and says most, first."""

from quartet_dev.gpu import cg, fft, matmul, stream
from quartet_dev.gpu.promise import OnGpu

ON_GPU: dict[str, OnGpu] = {"cg": cg.ON_GPU, "fft": fft.ON_GPU, "stream": stream.ON_GPU, "matmul": matmul.ON_GPU}
