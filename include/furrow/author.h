/* What authors of operators, ranks, bindings and file formats call besides furrow.h. */
#ifndef FURROW_AUTHOR_H
#define FURROW_AUTHOR_H

#include <furrow/author/operator.h>
#include <furrow/author/options.h>
#include <furrow/author/parity.h>
#include <furrow/author/output.h>
#include <furrow/author/recording.h>
#include <furrow/author/scalars.h>
#include <furrow/author/sharing.h>
#include <furrow/author/try.h>

#endif
