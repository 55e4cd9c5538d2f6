# `pip install .` builds all parts whose system libraries are present.
find_package(PkgConfig QUIET)

# furrow_python_default(option module...): the option is off unless pkg-config knows all modules.
function(furrow_python_default option)
  if(PkgConfig_FOUND)
    pkg_check_modules(${option}_ASKED QUIET ${ARGN})
  endif()
  if(NOT ${option}_ASKED_FOUND)
    message(STATUS "The Python package goes without ${option}: it takes ${ARGN}")
    set(${option} OFF CACHE BOOL "")
  endif()
endfunction()

furrow_python_default(FURROW_WITH_GZIP libisal)
furrow_python_default(FURROW_WITH_ZSTD libzstd)
furrow_python_default(FURROW_WITH_XXHASH libxxhash)
furrow_python_default(FURROW_BUILD_TOOLS jansson libpng)
