/* The options of how Matrix Market files are read. */
#ifndef FURROW_READING_H
#define FURROW_READING_H

#include <argp.h>

/* Its input is a fur_mtx_read_options, all of which it sets. */
extern const struct argp reading_argp;

#endif
