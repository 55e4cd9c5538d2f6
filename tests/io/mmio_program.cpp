// mmio_program.c as C++.
#include "mmio_program.c"
