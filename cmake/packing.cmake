# The libraries for compressed files: FURROW_WITH_GZIP and FURROW_WITH_ZSTD ask for them. Sets
# FURROW_PACKING_TARGETS to link here, FURROW_PACKING_NAMES for whoever links the installed static
# library, and FURROW_PACKING_DEFINITIONS: FURROW_HAVE_GZIP, FURROW_HAVE_ZSTD.
set(FURROW_PACKING_TARGETS "")
set(FURROW_PACKING_NAMES "")
set(FURROW_PACKING_DEFINITIONS "")

# furrow_packing(format module package name): a library by its names for pkg-config, Debian, -l.
macro(furrow_packing format module package name)
  option(FURROW_WITH_${format} "Read and write ${format} files, by ${module}" ON)
  if(FURROW_WITH_${format})
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(${format} IMPORTED_TARGET ${module})
    if(NOT ${format}_FOUND)
      message(FATAL_ERROR "FURROW_WITH_${format}=ON needs ${module}: install the package ${package}, "
                          "or go without by -DFURROW_WITH_${format}=OFF")
    endif()
    list(APPEND FURROW_PACKING_TARGETS PkgConfig::${format})
    list(APPEND FURROW_PACKING_NAMES ${name})
    list(APPEND FURROW_PACKING_DEFINITIONS FURROW_HAVE_${format})
  endif()
endmacro()

furrow_packing(GZIP libisal libisal-dev isal)
furrow_packing(ZSTD libzstd libzstd-dev zstd)
