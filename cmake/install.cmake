# The files that `cmake --install` installs, also for find_package and pkg-config.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/furrow)

install(DIRECTORY include/furrow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.h PATTERN *.hpp)
install(TARGETS furrow_static furrow_shared EXPORT furrow)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A program written for mmio contains #include "mmio.h". The header has a folder of its own, because the name
# is too common for the system's include folder.
install(TARGETS furrow_mmio EXPORT furrow)
install(FILES io/mmio/mmio.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/furrow-mmio)

# Several ranks, and PETSc if it was requested, are components of the package with their own targets.
set(components ranks)
set(ranks_folder ranks)
if(FURROW_PETSC)
  list(APPEND components petsc)
  set(petsc_folder ranks/petsc)
endif()
foreach(component ${components})
  install(DIRECTORY ${${component}_folder}/include/furrow DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS furrow_${component} EXPORT furrow-${component})
  install(EXPORT furrow-${component} NAMESPACE furrow:: FILE furrow-${component}.cmake DESTINATION ${config_dir})
endforeach()

install(EXPORT furrow NAMESPACE furrow:: FILE furrowTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(cmake/furrowConfig.cmake.in furrowConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(furrowConfigVersion.cmake COMPATIBILITY ${FURROW_COMPATIBILITY})
install(FILES ${PROJECT_BINARY_DIR}/furrowConfig.cmake
              ${PROJECT_BINARY_DIR}/furrowConfigVersion.cmake DESTINATION ${config_dir})

# The pkg-config files derive their prefix from their own place, so that an installed tree can be moved.
# A folder that was given as an absolute path stays absolute.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(pc_prefix "\${pcfiledir}/${up}")
  string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
endif()
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
list(TRANSFORM FURROW_PACKING_NAMES PREPEND -l OUTPUT_VARIABLE pc_packing)
list(JOIN pc_packing " " pc_packing)
if(FURROW_HAVE_CUDA)
  set(pc_cuda "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lstdc++ -lpthread -ldl -lrt ")
  if(FURROW_WITH_CUSPARSE)
    set(pc_cuda "-L${CUDAToolkit_LIBRARY_DIR} -lcusparse -lcudart_static -lstdc++ -lpthread -ldl -lrt ")
  endif()
endif()
if(FURROW_RANKS)
  find_package(MPI REQUIRED COMPONENTS C)
  list(JOIN MPI_C_LIBRARIES " " pc_mpi)
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE pc_mpi_flags)
  list(JOIN pc_mpi_flags " " pc_mpi_flags)
endif()
list(TRANSFORM components PREPEND furrow- OUTPUT_VARIABLE pc_components)
foreach(name furrow furrow-mmio ${pc_components})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The programs find a shared libfurrow in their own installed tree.
if(TARGET furrow_command AND BUILD_SHARED_LIBS)
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(furrow_command furrow_bench furrow_ranks_command PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
endif()
