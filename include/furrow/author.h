/* Functions for authors of operators, ranks, bindings and file formats, in addition to furrow.h. */
#ifndef FURROW_AUTHOR_H
#define FURROW_AUTHOR_H

#include <furrow/author/clock.h>
#include <furrow/author/context.h>
#include <furrow/author/files.h>
#include <furrow/author/fused.h>
#include <furrow/author/kernels.h>
#include <furrow/author/operator.h>
#include <furrow/author/options.h>
#include <furrow/author/parity.h>
#include <furrow/author/precond.h>
#include <furrow/author/recognised.h>
#include <furrow/author/recording.h>
#include <furrow/author/scalars.h>
#include <furrow/author/sharing.h>
#include <furrow/author/triple.h>
#include <furrow/author/try.h>

#endif
