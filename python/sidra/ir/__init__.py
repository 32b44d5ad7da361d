"""The compiler's IR: SSA operations over tensors, their text form, meaning and verification.

Read in this order: `dims`, `types`, `core`, `registry`, `dialects/graph`. No torch here.
"""
