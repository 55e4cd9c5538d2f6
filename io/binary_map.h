/* Matrices whose arrays are a file in memory. */
#ifndef FURROW_IO_BINARY_MAP_H
#define FURROW_IO_BINARY_MAP_H

#include "binary_file.h"

/* Maps the file, whose sections are then the arrays. If the system does not, all stays as it was:
 * the file is to be read. */
void fur_binary_map(fur_binary_file *file);

/* A matrix over the arrays of a mapped file, which pass to it: it unmaps the file when it is
 * destroyed. In a context of a device with memory of its own a copy, and the arrays stay. */
fur_status fur_binary_lend(fur_binary_file *file, const fur_csr_view *view, fur_csr **out);

/* Releases arrays and mapping; does nothing where there are none. */
void fur_binary_release(fur_binary_arrays *arrays);

#endif
