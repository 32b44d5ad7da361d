"""Compiled models on sidra:0 beside eager execution and the CPU compilers of the field."""
