/* Options of a struct, described by a table of fur_option. An option without a name ends the table.
 * Options are read from a text, checked, and completed by defaults. Error sentences name their
 * `owner`. A context may be NULL: error sentences then go to the thread. */
#ifndef FURROW_CORE_OPTION_TABLE_H
#define FURROW_CORE_OPTION_TABLE_H

#include <furrow/context.h>

#include <math.h>
#include <stddef.h>

/* An option that is 0 or 1; one with a range; a number below 1; a word, or the place of one, of a
 * list. */
#define FUR_OPTION_YES(struct_type, member, sentence)                                              \
    {                                                                                              \
        FUR_OPTION_AT(FLAG, struct_type, member, sentence), .most = 1                              \
    }
#define FUR_OPTION_RANGE(kind, struct_type, member, preset, lower, upper, sentence)                \
    {                                                                                              \
        FUR_OPTION_AT(kind, struct_type, member, sentence), .standard = preset, .least = lower,    \
                                                            .most = upper                          \
    }
#define FUR_OPTION_PART(struct_type, member, preset, nothing, sentence)                            \
    {                                                                                              \
        FUR_OPTION_AT(SHARE, struct_type, member, sentence), .standard = preset, .most = 1,        \
                                                             .zero = nothing                       \
    }
#define FUR_OPTION_OF(kind, struct_type, member, last, list, sentence)                             \
    {                                                                                              \
        FUR_OPTION_AT(kind, struct_type, member, sentence), .most = last, .words = list            \
    }
#define FUR_OPTION_AT(kind, struct_type, member, sentence)                                         \
    .name = #member, .summary = sentence, .type = FUR_OPTION_##kind,                               \
    .offset = offsetof(struct_type, member)
#define FUR_OPTION_END                                                                             \
    {                                                                                              \
        .name = NULL                                                                               \
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
