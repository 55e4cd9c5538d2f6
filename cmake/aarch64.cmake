# Builds for 64-bit ARM under Linux by the cross compiler of Debian and Ubuntu, gcc-aarch64-linux-gnu, and
# runs what is built by QEMU, qemu-user.
set(triplet aarch64-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER ${triplet}-gcc)
find_program(CMAKE_CXX_COMPILER ${triplet}-g++) # only some tests need it
# Return addresses are signed by a cheap function: the usual one would take half of the time.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu max,pauth-impdef=on -L /usr/${triplet})

# Libraries of that architecture lie in folders of their own beside the host's. pkg-config looks there,
# or where the variable says.
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_SYSTEM_IGNORE_PATH /lib /usr/lib /usr/local/lib)
if(NOT DEFINED ENV{PKG_CONFIG_LIBDIR})
  set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)
endif()
