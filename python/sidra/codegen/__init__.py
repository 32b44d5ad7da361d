"""Machine code for kernels, through LLVM.

A kernel is a region of graph ops over tensors (`tile.kernel`). Code is written elementally: each op
says what one element of its result is, given elements of its operands, and operators that only move
elements become arithmetic on positions. Around that stand the loops: over elements, over rows with
their reductions, or over columns.

    int32_t kernel(void* const* buffers, const int64_t* symbols, int64_t begin, int64_t end)

buffers: element 0 of each operand, then of each result, which is dense. symbols: the values of the
dimensions that `Kernel.symbols` names. [begin, end): part of `Kernel.extent` items; parts may run
at the same time, and how they are cut changes no bit. The result is 0, or 1 if an index was out of
range; then what was written has no meaning, but nothing outside the buffers was read.

Read in this order: `source`, `position`, `elements`, `scalars`, `vector_math`, `loops`, `compile`.
Only this package imports llvmlite.
"""
