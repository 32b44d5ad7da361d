# The instruction sets that microkernels are compiled for: one line each. Only files named here get
# more than the base instruction set, so that the library runs on any x86-64 (or other) machine and
# chooses at run time. AVX-512 includes fused multiply-add: warnings.cmake turns contraction off.
set(SIDRA_ISA_FLAGS_avx2 -mavx2)
set(SIDRA_ISA_FLAGS_avxvnni -mavx2 -mavxvnni)
set(SIDRA_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl
    -mprefer-vector-width=512
    -Wno-uninitialized -Wno-maybe-uninitialized)  # false alarms in avx512fintrin.h of gcc 12
set(SIDRA_ISA_FLAGS_avx512vnni ${SIDRA_ISA_FLAGS_avx512} -mavx512vnni)
set(SIDRA_ISA_FLAGS_amxint8 ${SIDRA_ISA_FLAGS_avx512vnni} -mamx-tile -mamx-int8)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(SIDRA_ISAS avx2 avxvnni avx512 avx512vnni amxint8)
else()
  set(SIDRA_ISAS "")
endif()

# Adds to `target` the microkernel files of a folder, <folder>/<arch>_<isa>.cpp, each compiled with
# the flags of its instruction set. A family need not have a file for every one.
function(sidra_target_microkernels target folder)
  foreach(isa IN LISTS SIDRA_ISAS)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/x86_${isa}.cpp)
    if(EXISTS ${file})
      target_sources(${target} PRIVATE ${file})
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${SIDRA_ISA_FLAGS_${isa}}")
    endif()
  endforeach()
endfunction()
