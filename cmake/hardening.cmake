# What makes a defect harder to use: for all that is compiled, if FURROW_HARDENED is on and no sanitizer
# watches instead. Sets what to compile and to link with; the test `hardened` looks at the result.
#
#   canaries below return addresses, a page touched at a time where a frame is large, branch targets and
#   return addresses checked by the processor, sizes checked in calls of the C library where the compiler
#   knows them, relocations done at the start and read-only from then on, no stack that can be executed.
option(FURROW_HARDENED "Stack protector, checked C library calls, read-only relocations" ON)
set(FURROW_HARDENED_COMPILE "")
set(FURROW_HARDENED_LINK "")

if(NOT FURROW_HARDENED OR FURROW_SANITIZE)
  return()
endif()
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

set(branches -fcf-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(branches -mbranch-protection=standard)
endif()
foreach(flag -fstack-protector-strong -fstack-clash-protection ${branches})
  string(MAKE_C_IDENTIFIER "FURROW_HAS_${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    list(APPEND FURROW_HARDENED_COMPILE ${flag})
  endif()
endforeach()

# Level 3 also checks sizes known only at run time. A C library without it says so in a warning, and all
# refuse any level without optimisation.
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" FURROW_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$<IF:$<BOOL:${FURROW_HAS_FORTIFY_3}>,3,2>)
list(APPEND FURROW_HARDENED_COMPILE "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${fortify}>")

foreach(word relro now noexecstack)
  check_linker_flag(C LINKER:-z,${word} FURROW_LINKS_${word})
  if(FURROW_LINKS_${word})
    list(APPEND FURROW_HARDENED_LINK LINKER:-z,${word})
  endif()
endforeach()

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
