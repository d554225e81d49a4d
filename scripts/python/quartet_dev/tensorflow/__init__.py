"""The paper's data flows (Chien et al., IV) as programs of TensorFlow, beside which ours are measured (quartet peers).
TensorFlow comes in as an argument, so that all imports without it."""
