"""The paper's own programs as models, beside the numbers that it printed: why its scaling flattened."""
