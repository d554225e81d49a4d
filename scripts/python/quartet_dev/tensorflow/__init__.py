"""The paper's data flows (Chien et al., IV) as TensorFlow programs, with which ours are compared (quartet peers). The
module TensorFlow is passed as an argument, so that this package can be imported without it."""
