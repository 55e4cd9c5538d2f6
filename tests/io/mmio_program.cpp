// The same program as C++.
#include "mmio_program.c"
