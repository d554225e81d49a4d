"""The paper's data flows as programs of TensorFlow, beside which ours are measured (quartet peers).

Written from the paper's description (Chien et al., IV): roles, queues, a reducer or merger, gRPC between processes.
Each kernel's file holds its roles; what it computes without TensorFlow is in functions of their own. TensorFlow comes
in as an argument, so that all imports without it."""
