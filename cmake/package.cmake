# Libraries that belong to the Python package `sidra`: run time, binding module, drivers.
# All lie side by side in the package's folder. A wheel gets them by `install`; a development build
# (SIDRA_IN_PLACE) writes them into python/sidra, which an editable install has on its path.
option(SIDRA_IN_PLACE "Write the package's libraries into python/sidra" OFF)

function(sidra_package_library target)
  install(TARGETS ${target} LIBRARY DESTINATION sidra)
  set_target_properties(${target} PROPERTIES
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../torch/lib")
  if(SIDRA_IN_PLACE)
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_SOURCE_DIR}/python/sidra)
  endif()
endfunction()
