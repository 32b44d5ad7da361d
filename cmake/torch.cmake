# The installed PyTorch, as targets:
#   sidra_torch         headers and libraries of libtorch
#   sidra_kineto        headers of the profiler inside it
#   sidra_torch_python  the same with Python's and libtorch_python's: for the binding module only
#
# Torch's own find_package asks for the CUDA toolkit when the installed wheel is a CUDA one; we need
# three libraries and a folder of headers, so they are named directly. The wheel is found without
# importing it: an import would load an earlier, perhaps broken, build of this very device.
set(SIDRA_TORCH_RELEASE "2.13")

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c [=[
import importlib.util, pathlib, re
root = pathlib.Path(importlib.util.find_spec("torch").origin).parent
version = re.search(r"__version__ = '([^']+)'", (root / "version.py").read_text()).group(1)
print(root, version, sep=";", end="")]=]
  OUTPUT_VARIABLE sidra_torch_found
  RESULT_VARIABLE sidra_torch_status
  ERROR_QUIET)
if(NOT sidra_torch_status EQUAL 0)
  message(FATAL_ERROR
    "No torch in ${Python_EXECUTABLE}; pip install torch==${SIDRA_TORCH_RELEASE}.0")
endif()
list(GET sidra_torch_found 0 SIDRA_TORCH_ROOT)
list(GET sidra_torch_found 1 SIDRA_TORCH_VERSION)
if(NOT SIDRA_TORCH_VERSION MATCHES "^2\\.13\\.")
  message(FATAL_ERROR
    "torch ${SIDRA_TORCH_VERSION} is installed; this source builds against ${SIDRA_TORCH_RELEASE}")
endif()
message(STATUS "torch ${SIDRA_TORCH_VERSION} at ${SIDRA_TORCH_ROOT}")

add_library(sidra_torch INTERFACE)
target_include_directories(sidra_torch SYSTEM INTERFACE
  ${SIDRA_TORCH_ROOT}/include ${SIDRA_TORCH_ROOT}/include/torch/csrc/api/include)
target_compile_definitions(sidra_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(sidra_torch INTERFACE
  ${SIDRA_TORCH_ROOT}/lib/libtorch.so
  ${SIDRA_TORCH_ROOT}/lib/libtorch_cpu.so
  ${SIDRA_TORCH_ROOT}/lib/libc10.so)

add_library(sidra_torch_python INTERFACE)
target_link_libraries(sidra_torch_python INTERFACE
  sidra_torch Python::Module ${SIDRA_TORCH_ROOT}/lib/libtorch_python.so)

# Kineto's headers name each other without a folder, and PyTorch's profiler headers are empty
# without USE_KINETO. libtorch holds the code, but not what fmt's headers would link with.
add_library(sidra_kineto INTERFACE)
target_include_directories(sidra_kineto SYSTEM INTERFACE ${SIDRA_TORCH_ROOT}/include/kineto)
target_compile_definitions(sidra_kineto INTERFACE USE_KINETO FMT_HEADER_ONLY)
target_link_libraries(sidra_kineto INTERFACE sidra_torch)
