function(sidra_target_sanitizers target)
  if(SIDRA_SANITIZE)
    list(JOIN SIDRA_SANITIZE "," sanitizers)
    target_compile_options(${target} PRIVATE
      -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  endif()
endfunction()
