/* The format of mmio_dump's output: this head, then rows, columns and values of the entries. */
#ifndef FURROW_TESTS_MMIO_DUMP_H
#define FURROW_TESTS_MMIO_DUMP_H

#include <stdint.h>

typedef struct mmio_dump {
    int32_t status; /* 0, or the first error of mmio, after which nothing follows */
    char code[4];
    int32_t rows;
    int32_t cols;
    int32_t parts; /* number of doubles in an entry */
    int32_t entries;
} mmio_dump;

/* For an array file, only the stored entries are written, column by column, with their
 * positions. */

#endif
