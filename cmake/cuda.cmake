# Finds the CUDA Toolkit, if it is requested. Sets FURROW_HAVE_CUDA and the libraries to link.
set(FURROW_HAVE_CUDA FALSE)
set(FURROW_CUDA_LIBRARIES "")
set(FURROW_CUDA_OLDEST 12.0)

if(FURROW_CUDA STREQUAL "OFF")
  return()
endif()

# Ampere and Hopper, and PTX for later GPUs.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(FURROW_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FURROW_CUDA=ON needs nvcc: install the CUDA Toolkit and put nvcc on the PATH, "
                        "set CUDACXX, or let tools/quickstart.sh --cuda fetch one")
  endif()
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS FURROW_CUDA_OLDEST OR NOT CUDAToolkit_FOUND)
  if(FURROW_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FURROW_CUDA=ON needs the CUDA Toolkit ${FURROW_CUDA_OLDEST} or newer; "
                        "nvcc is of ${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
  return()
endif()

set(FURROW_HAVE_CUDA TRUE)
set(FURROW_CUDA_LIBRARIES CUDA::cudart_static stdc++)
# A peer for races and checks. The library itself does not need it.
option(FURROW_WITH_CUSPARSE "Register cuSPARSE's products as kernels" OFF)
if(FURROW_WITH_CUSPARSE)
  list(APPEND FURROW_CUDA_LIBRARIES CUDA::cusparse)
endif()

# For machines that compile device code and cannot run it. It takes half the time and makes slow kernels.
option(FURROW_CUDA_QUICK "Compile device code without optimisation, if nvcc can" OFF)
if(FURROW_CUDA_QUICK)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA -Ofc=max FURROW_NVCC_HAS_OFC)
endif()

# A wheel contains device code for several GPUs. Compression halves its size. The code is unpacked when it
# is loaded.
if(FURROW_PYTHON)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --compress-mode=size FURROW_NVCC_HAS_COMPRESS_MODE)
endif()
