"""What a user asks to be predicted: a kernel, its sizes and its flags, as the programs take
them. All raise ScriptError."""

import shlex

from quartet.exit_codes import ScriptError
from quartet.kernels import KERNELS, Kernel
from quartet.predict.models import MODELS
from quartet.text import one_of


def kernel_called(name: str) -> Kernel:
    """One that has a model."""
    if name not in MODELS:
        raise ScriptError(f"kernel '{name:.60}' ({one_of(name, MODELS)})")
    return KERNELS[name]


def formulation_called(name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise ScriptError(f"--formulation '{name:.40}' ({one_of(name, known)})")
    return name


def sizes_in(text: str, kernel: Kernel) -> list[int]:
    """Each once."""
    try:
        return list(dict.fromkeys(map(MODELS[kernel.name].size_of, text.split(","))))
    except ValueError as error:
        raise ScriptError(f"--sizes: {error}") from None


def flags_in(text: str) -> dict[str, str]:
    """The flags in --arguments: values by their names without dashes."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ScriptError(f"--arguments '{text:.60}' ({error}): close the quotation") from None
    flags, values = words[::2], words[1::2]
    if len(flags) != len(values) or not all(flag.startswith("--") for flag in flags):
        raise ScriptError(f"--arguments '{text:.60}': write --name value")
    return {flag[2:]: value for flag, value in zip(flags, values)}
