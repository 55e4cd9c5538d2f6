#!/usr/bin/env python3
"""Computes exactly the powers of five that reading and printing numbers use.

    powers_of_five.py          prints io/number/powers_of_five.c
    powers_of_five.py FILE     fails unless the file holds the same text
"""

import pathlib
import sys

FIRST, LAST = -342, 324

SOURCE = """\
/* Printed by tools/scripts/powers_of_five.py. */
#include "decimal.h"

const uint64_t fur_powers_of_five[FUR_POWER_LAST - FUR_POWER_FIRST + 1][2] = {
%s
};
"""


def power(k):
    """Returns 5^k times a power of two as an integer of 128 bits.

    It is rounded up for k from -27 to -1, and down for all other k.
    """
    value = 5 ** abs(k)
    if k >= 0:
        return (value << 128) >> value.bit_length()
    return (1 << 127 + value.bit_length()) // value + (k >= -27)


def entry(k):
    return f"    {{{power(k) >> 64:#018x}, {power(k) & (1 << 64) - 1:#018x}}}, // 5^{k}"


def main(arguments):
    source = SOURCE % "\n".join(entry(k) for k in range(FIRST, LAST + 1))
    if not arguments:
        sys.stdout.write(source)
    elif pathlib.Path(arguments[0]).read_text() != source:
        sys.exit(f"{arguments[0]} is not what {sys.argv[0]} prints")


if __name__ == "__main__":
    main(sys.argv[1:])
