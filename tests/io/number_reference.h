/* A slow reference for printing numbers. It searches with the C library, independent of
 * io/number/number_write.c. */
#ifndef FURROW_TESTS_NUMBER_REFERENCE_H
#define FURROW_TESTS_NUMBER_REFERENCE_H

#include <stdbool.h>

#define REFERENCE_SIZE 64

/* Prints as fur_number_print_f64 does, or as fur_number_print_f32 if `single`, and appends a
 * NUL. */
void reference_print(double value, bool single, char *out);

#endif
