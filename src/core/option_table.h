/* Options of a struct, described by a table of fur_option. An option without a name ends the table.
 * Options are read from a text, checked, and completed by defaults. Error sentences name their
 * `owner`. A context may be NULL: error sentences then go to the thread. */
#ifndef FURROW_CORE_OPTION_TABLE_H
#define FURROW_CORE_OPTION_TABLE_H

#include <furrow/context.h>

#include <math.h>
#include <stddef.h>

/* The first members of an option, from its type and its member. */
#define FUR_OPTION(kind, struct_type, member)                                                      \
    .name = #member, .type = FUR_OPTION_##kind, .offset = offsetof(struct_type, member)
/* An option that is 0 or 1. */
#define FUR_OPTION_YES(struct_type, member, sentence)                                              \
    {                                                                                              \
        FUR_OPTION(FLAG, struct_type, member), .most = 1, .summary = sentence                      \
    }

/* For fur_option.zero: the smallest number above 0. */
#define FUR_OPTION_TINY 0x1p-1074

/* Sets the members that a text "name=value,flag" names. Returns FUR_INVALID if it cannot be
 * read. */
fur_status fur_options_read(fur_context *context, const char *owner, const fur_option *table,
                            const char *text, void *options);

/* Returns FUR_INVALID if a member is out of range. Otherwise replaces zeros by the defaults. */
fur_status fur_options_complete(fur_context *context, const char *owner, const fur_option *table,
                                void *options);

#endif
