"""Measuring a model through the product: dialogues with gold states, read by the worker's own code, told as figures."""
