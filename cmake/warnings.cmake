# Flags of every target of ours. Contraction is off because results are defined operation by
# operation: a fused multiply-add would change bits.
function(sidra_target_defaults target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Werror -ffp-contract=off
    $<$<COMPILE_LANGUAGE:C>:-pedantic>)
  sidra_target_sanitizers(${target})
endfunction()
