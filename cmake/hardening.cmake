# Flags that make a defect harder to exploit, for all sources. They are set if FURROW_HARDENED is on and
# no sanitizer is used. The test `hardened` checks the compiled files.
#
#   - canaries below return addresses
#   - large stack frames are touched page by page
#   - the processor checks branch targets and return addresses
#   - calls of the C library check sizes that the compiler knows
#   - relocations are done at the start and are read-only afterwards
#   - the stack cannot be executed
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

# Level 3 also checks sizes that are known at run time only. A C library without level 3 warns. All C
# libraries refuse every level without optimisation.
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
