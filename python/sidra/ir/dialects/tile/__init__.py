"""The tile dialect: what one step of a compiled graph is.

Operands are tensors of the graph dialect, whose meaning these ops share. A function that is lowered
holds them, `graph.external`, views, and constants; `sidra.analysis.lowered` checks that.
"""

from sidra.ir.dialects.tile import (  # noqa: F401 - importing a family defines its ops
    kernel,
    product,
)
