/* Reads a command line by its table. */
#include "line.h"

#include <furrow/author/precond.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 32

/* Key of the first option. --help would show a key of one printable byte as a letter. */
#define KEY_FIRST (UCHAR_MAX + 1)

typedef struct reading {
    const line *line;
    line_option *table; /* flat: contains no tables */
    void *options;
} reading;

/* Returns the length of the listed name that comes before options, as in "none:x=1"; 0: none does.
 */
static size_t plain_length(command_names *names, const char *text)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; text[length] && names(NULL, i); i++)
        if (strlen(names(NULL, i)) == length && memcmp(names(NULL, i), text, length) == 0)
            return length;
    return 0;
}

/* Usage error unless the text is a listed name, or a preconditioner with right options. */
static void check_precond(struct argp_state *state, const char *option, command_names *names,
                          const char *text)
{
    int length = (int)plain_length(names, text);
    if (fur_precond_find(text)) {
        if (fur_precond_check(text) != FUR_OK)
            argp_error(state, "%s: %s", option, fur_context_error(NULL));
    } else if (length > 0) {
        argp_error(state, "%s: \"%.*s\" has no options; write \"%.*s\" alone", option, length, text,
                   length, text);
    } else {
        command_choice(state, option, names, text);
    }
}

static void take(struct argp_state *state, const line_option *o, char *text, command_common *common)
{
    char option[NAME_BYTES];
    void *member = (char *)common + o->at;
    snprintf(option, sizeof option, "--%s", o->name);
    switch (o->kind) {
    case LINE_FLAG:
        *(bool *)member = true;
        break;
    case LINE_TEXT:
        *(const char **)member = text;
        break;
    case LINE_INPUT:
        common->vector = text;
        /* fall through */
    case LINE_FILE:
        *(const char **)member = command_file(state, option, text);
        break;
    case LINE_CHOICE:
        command_choice(state, option, o->names, text);
        *(const char **)member = text;
        break;
    case LINE_PRECOND:
        check_precond(state, option, o->names, text);
        *(const char **)member = text;
        break;
    case LINE_COUNT:
        *(int *)member = (int)command_whole_number(state, option, text, 1, o->most);
        break;
    case LINE_LONG:
        *(int64_t *)member = command_whole_number(state, option, text, 1, o->most);
        break;
    case LINE_POSITIVE:
        *(double *)member = command_positive_number(state, option, text);
        break;
    case LINE_OWN:
        o->parse(state, option, text, member);
        break;
    case LINE_TABLE: /* a flat table has none */
        break;
    }
}

/* Returns the key of option i. */
static int key_of(const line_option *options, int i)
{
    return options[i].letter ? options[i].letter : KEY_FIRST + i;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const reading *r = state->input;
    const line *l = r->line;
    for (int i = 0; r->table[i].name; i++) {
        if (key == key_of(r->table, i)) {
            take(state, &r->table[i], argument, r->options);
            return 0;
        }
    }
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = r->options;
    if (key == ARGP_KEY_END && l->settle)
        l->settle(state, r->options);
    if (key == ARGP_KEY_INIT || key == ARGP_KEY_END)
        return 0;
    return l->rest ? l->rest(key, argument, state, r->options) : ARGP_ERR_UNKNOWN;
}

/* Adds an option whose struct lies at `at` to a list of `count` options, unless `out` is NULL.
 * Returns the new count. */
static int add(const line_option *option, size_t at, line_option *out, int count)
{
    if (out) {
        out[count] = *option;
        out[count].at += at;
    }
    return count + 1;
}

/* Counts the options of a table and of the tables in it. Copies them to `out` unless it is NULL. */
static int flatten(const line_option *table, line_option *out)
{
    int count = 0;
    for (const line_option *o = table; o && o->name; o++) {
        bool nested = o->kind == LINE_TABLE;
        if (!nested)
            count = add(o, 0, out, count);
        for (const line_option *inner = nested ? o->table : NULL; inner && inner->name; inner++)
            count = add(inner, o->at, out, count);
    }
    return count;
}

/* Returns the flat table in argp's form. The caller frees it. */
static struct argp_option *list(const line_option *options, int count)
{
    struct argp_option *listed = command_list_of(count, sizeof *listed);
    for (int i = 0; i < count; i++)
        listed[i] = (struct argp_option){.name = options[i].name,
                                         .key = key_of(options, i),
                                         .arg = options[i].arg,
                                         .doc = options[i].doc};
    return listed;
}

void line_parse(const line *l, int argc, char **argv, void *options)
{
    int count = flatten(l->options, NULL);
    line_option *table = command_list_of(count, sizeof *table);
    flatten(l->options, table);
    struct argp_option *listed = list(table, count);
    /* glibc's help reads a byte before an empty list. */
    struct argp argp = {.options = l->options ? listed : NULL,
                        .parser = parse,
                        .args_doc = l->operands,
                        .doc = l->doc,
                        .children = command_children};
    argp_parse(&argp, argc, argv, 0, NULL, &(reading){l, table, options});
    free(listed);
    free(table);
}
