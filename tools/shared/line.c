/* Reading a command line by its table. */
#include "line.h"

#include <stdio.h>

#define OPTIONS_MOST 40
#define NAME_BYTES 32

typedef struct reading {
    const line *line;
    void *options;
} reading;

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
    }
}

/* The key of option i. */
static int key_of(const line_option *options, int i)
{
    return options[i].letter ? options[i].letter : i + 1;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const reading *r = state->input;
    const line *l = r->line;
    for (int i = 0; l->options && l->options[i].name; i++) {
        if (key == key_of(l->options, i)) {
            take(state, &l->options[i], argument, r->options);
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

void line_parse(const line *l, int argc, char **argv, void *options)
{
    struct argp_option listed[OPTIONS_MOST + 1] = {{0}};
    /* Of an empty list glibc's help loses a byte. */
    struct argp argp = {.options = l->options ? listed : NULL,
                        .parser = parse,
                        .args_doc = l->operands,
                        .doc = l->doc,
                        .children = command_children};
    for (int i = 0; l->options && l->options[i].name; i++)
        listed[i] = (struct argp_option){.name = l->options[i].name,
                                         .key = key_of(l->options, i),
                                         .arg = l->options[i].arg,
                                         .doc = l->options[i].doc};
    argp_parse(&argp, argc, argv, 0, NULL, &(reading){l, options});
}
