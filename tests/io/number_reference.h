/* Printing numbers by search, with the C library: slow, and independent of
 * io/number/number_write.c. */
#ifndef FURROW_TESTS_NUMBER_REFERENCE_H
#define FURROW_TESTS_NUMBER_REFERENCE_H

#include <stdbool.h>

#define REFERENCE_SIZE 64

/* Prints as fur_number_print_f64 does, or for `single` as fur_number_print_f32, with a NUL. */
void reference_print(double value, bool single, char *out);

#endif
