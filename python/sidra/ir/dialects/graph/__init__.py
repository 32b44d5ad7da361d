"""The graph dialect: functional tensor operators, the level at which a model is imported.

Shapes broadcast as in NumPy. Operands that are computed with one another have one dtype;
`graph.convert` is the only conversion. A `dim` may be negative when built; it stays as given.
One file per family; each op is its NumPy meaning.
"""

from sidra.ir.dialects.graph import (  # noqa: F401 - importing a family defines its ops
    binary,
    convolution,
    create,
    elementwise,
    external,
    index,
    normalize,
    pool,
    product,
    quantize,
    reduce,
    shape,
)
