/* On which side of the middle between two floating-point numbers a decimal lies, exactly: for those
 * that all of their digits decide. */
#ifndef FURROW_IO_MIDPOINT_H
#define FURROW_IO_MIDPOINT_H

#include "decimal.h"
#include "number.h"

/* -1, 0 or 1 if the number's magnitude is below, at or above the middle between the numbers that
 * have these bits and the next ones. It must be next to it: to 19 digits both are the same. */
int fur_midpoint_compare(const fur_number *number, uint64_t bits, fur_binary format);

#endif
