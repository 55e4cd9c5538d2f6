/* The format of mmio_dump's output: this head, then the entries' rows, columns and doubles. */
#ifndef FURROW_TESTS_MMIO_DUMP_H
#define FURROW_TESTS_MMIO_DUMP_H

#include <stdint.h>

typedef struct mmio_dump {
    int32_t status; /* 0, or what mmio returned first; nothing follows then */
    char code[4];
    int32_t rows;
    int32_t cols;
    int32_t parts; /* doubles of one entry */
    int32_t entries;
} mmio_dump;

/* Entries of an array file come with their positions, column after column; only the stored ones. */

#endif
