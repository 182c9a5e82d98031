"""Neighbours: learners as models of river, and as graphs of ONNX. Each module wants the package of its name."""
