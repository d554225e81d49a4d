"""The models, by kernel: those that can be predicted."""

from quartet.predict import cg, fft, matmul, stream
from quartet.predict.model import Model

MODELS: dict[str, Model] = {"stream": stream.MODEL, "matmul": matmul.MODEL, "cg": cg.MODEL, "fft": fft.MODEL}
