# Fails when a file compiled for an instruction set defines a weak symbol, such as an inline
# function of a header: the linker keeps one copy of it for everybody, and with that one the library
# would crash on a processor without the instruction set.
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -P check_symbols.cmake
set(found "")
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "/x86_[a-z0-9]+\\.cpp\\.")
    continue()
  endif()
  execute_process(COMMAND ${NM} --defined-only --demangle ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* W [^\n]*" weak "${symbols}")
  list(APPEND found ${weak})
  list(APPEND checked ${object})
endforeach()
list(LENGTH checked count)
if(found)
  list(JOIN found "\n" found)
  message(FATAL_ERROR "weak symbols in files of one instruction set:\n${found}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "no file of an instruction set among the objects")
endif()
message(STATUS "${count} files without weak symbols")
