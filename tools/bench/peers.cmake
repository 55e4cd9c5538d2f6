# The peers of furrow bench io and solve, if they are installed. Like the plain loops, they are
# compiled without this project's flags.
set(FURROW_FAST_MATRIX_MARKET ""
    CACHE PATH "Folder of fast_matrix_market to race with, which has its CMakeLists.txt")

# furrow_peer(name source library...): a peer that uses these libraries.
function(furrow_peer name source)
  add_library(furrow_peer_${name} OBJECT peer/${source})
  target_compile_options(furrow_peer_${name} PRIVATE ${FURROW_PLAIN_FLAGS})
  target_link_libraries(furrow_peer_${name} PRIVATE ${ARGN})
  target_link_libraries(furrow_bench PRIVATE furrow_peer_${name} ${ARGN})
  string(TOUPPER FURROW_HAVE_PEER_${name} definition)
  target_compile_definitions(furrow_bench PRIVATE ${definition})
endfunction()

# NIST's mmio, which is in the Debian package liblpsolve55-dev.
find_path(PEER_MMIO_INCLUDE mmio.h PATH_SUFFIXES lpsolve NO_CACHE)
find_library(PEER_MMIO_LIBRARY liblpsolve55.a NO_CACHE)
if(PEER_MMIO_INCLUDE AND PEER_MMIO_LIBRARY)
  furrow_peer(mmio peer_mmio.c ${PEER_MMIO_LIBRARY})
  target_include_directories(furrow_peer_mmio SYSTEM PRIVATE ${PEER_MMIO_INCLUDE})
endif()

# Its own CMake file sets the macros without which it would use strtod.
if(FURROW_FAST_MATRIX_MARKET)
  enable_language(CXX)
  add_subdirectory(${FURROW_FAST_MATRIX_MARKET} fast_matrix_market EXCLUDE_FROM_ALL SYSTEM)
  furrow_peer(fmm peer_fmm.cpp fast_matrix_market::fast_matrix_market)
  set_target_properties(furrow_bench PROPERTIES LINKER_LANGUAGE CXX)
endif()

# Loops of a user, if the compiler supports OpenMP. Sums may be added in any order, so that they can be
# vectorised. They do not use `omp parallel for simd reduction`, which clang 14 compiles to wrong sums.
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  furrow_peer(openmp peer_openmp.c OpenMP::OpenMP_C)
  target_compile_options(furrow_peer_openmp PRIVATE -fassociative-math -fno-signed-zeros
                                                    -fno-trapping-math)
endif()
