/* Options by a table: one reader of texts and one check of ranges for all structs. */
#include "option_table.h"

#include <furrow/author/try.h>

#include "names.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Names and values are shorter. Error sentences cut them at this length. */
#define LONGEST 63

/* A part of a text. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

/* The number of characters of a piece that a sentence shows. */
static int shown(piece p)
{
    return p.length < LONGEST ? (int)p.length : LONGEST;
}

/* A value. Its type determines which members are set. */
typedef struct value {
    double number;
    int64_t whole;
    const char *word;
} value;

static bool is_whole(fur_option_type type)
{
    return type != FUR_OPTION_REAL && type != FUR_OPTION_SHARE && type != FUR_OPTION_WORD;
}

/* Returns the largest value of an option that its member can hold. */
static double most_of(const fur_option *o)
{
    double room = o->type == FUR_OPTION_LONG ? 0x1p63 : INT_MAX;
    return is_whole(o->type) ? fmin(o->most, room) : o->most;
}

static value get(const fur_option *o, const void *options)
{
    const char *member = (const char *)options + o->offset;
    value v = {0, 0, NULL};
    int number = 0;
    if (o->type == FUR_OPTION_WORD)
        memcpy(&v.word, member, sizeof v.word);
    else if (!is_whole(o->type))
        memcpy(&v.number, member, sizeof v.number);
    else if (o->type == FUR_OPTION_LONG)
        memcpy(&v.whole, member, sizeof v.whole);
    else
        memcpy(&number, member, sizeof number);
    if (is_whole(o->type) && o->type != FUR_OPTION_LONG)
        v.whole = number;
    if (is_whole(o->type))
        v.number = (double)v.whole;
    return v;
}

static void set(const fur_option *o, value v, void *options)
{
    char *member = (char *)options + o->offset;
    int number = (int)v.whole;
    if (o->type == FUR_OPTION_WORD)
        memcpy(member, &v.word, sizeof v.word);
    else if (!is_whole(o->type))
        memcpy(member, &v.number, sizeof v.number);
    else if (o->type == FUR_OPTION_LONG)
        memcpy(member, &v.whole, sizeof v.whole);
    else
        memcpy(member, &number, sizeof number);
}

/* --- sentences -------------------------------------------------------------------------------- */

static void list_words(const fur_option *o, char *names, size_t size)
{
    for (int i = 0; o->words[i]; i++)
        fur_names_add(names, size, o->words[i]);
}

static fur_status fail_name(fur_context *context, const char *owner, const fur_option *table,
                            piece name)
{
    char names[256] = "";
    for (const fur_option *o = table; o && o->name; o++)
        fur_names_add(names, sizeof names, o->name);
    if (!*names)
        return fur_context_fail(context, FUR_INVALID, "\"%s\" has no options; write \"%s\" alone",
                                owner, owner);
    if (name.length == 0)
        return fur_context_fail(context, FUR_INVALID,
                                "an option of \"%s\" has no name; remove the \":\" or \",\" before "
                                "it, or write one of: %s",
                                owner, names);
    return fur_context_fail(context, FUR_INVALID, "\"%s\" has no option \"%.*s\"; it has: %s",
                            owner, shown(name), name.text, names);
}

/* Fails for a value that does not have the option's type. */
static fur_status fail_value(fur_context *context, const char *owner, const fur_option *o,
                             piece given)
{
    char words[256] = "";
    const char *wanted = o->type == FUR_OPTION_FLAG ? "0 or 1"
                         : is_whole(o->type)        ? "a whole number"
                                                    : "a number";
    if (o->words)
        list_words(o, words, sizeof words);
    if (given.length == 0)
        return fur_context_fail(context, FUR_INVALID,
                                "%s of \"%s\" has no value; write %s= and %s%s", o->name, owner,
                                o->name, o->words ? "one of: " : wanted, words);
    return fur_context_fail(context, FUR_INVALID, "%s of \"%s\" is \"%.*s\"; it must be %s%s",
                            o->name, owner, shown(given), given.text,
                            o->words ? "one of: " : wanted, words);
}

static fur_status fail_range(fur_context *context, const char *owner, const fur_option *o,
                             double number)
{
    int digits = is_whole(o->type) ? 19 : 6; /* all digits of an integer */
    if (o->most == HUGE_VAL && number < o->least)
        return fur_context_fail(context, FUR_INVALID,
                                "%s of \"%s\" must be at least %.*g; it is %.*g", o->name, owner,
                                digits, o->least, digits, number);
    return fur_context_fail(context, FUR_INVALID,
                            "%s of \"%s\" must be from %.*g to %s%.*g; it is %.*g", o->name, owner,
                            digits, o->least, o->type == FUR_OPTION_SHARE ? "below " : "", digits,
                            most_of(o), digits, number);
}

/* --- ranges ----------------------------------------------------------------------------------- */

static bool is_in_range(const fur_option *o, double number)
{
    return number >= o->least &&
           (o->type == FUR_OPTION_SHARE ? number < o->most : number <= most_of(o));
}

/* The place of a word in the list, or -1. */
static int find_word(const fur_option *o, piece word)
{
    for (int i = 0; o->words[i]; i++)
        if (strlen(o->words[i]) == word.length && memcmp(o->words[i], word.text, word.length) == 0)
            return i;
    return -1;
}

fur_status fur_options_complete(fur_context *context, const char *owner, const fur_option *table,
                                void *options)
{
    for (const fur_option *o = table; o && o->name; o++) {
        value v = get(o, options);
        if (o->type == FUR_OPTION_WORD) {
            piece word = {v.word, v.word ? strlen(v.word) : 0};
            if (v.word && find_word(o, word) < 0)
                return fail_value(context, owner, o, word);
        } else if (v.number == 0) {
            set(o, (value){o->standard, (int64_t)o->standard, NULL}, options);
        } else if (v.number != o->zero && !is_in_range(o, v.number)) {
            return fail_range(context, owner, o, v.number);
        }
    }
    return FUR_OK;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* strtod with a decimal point in every locale. */
static bool read_real(const char *text, double *number)
{
    char half[16];
    char local[LONGEST + sizeof half];
    char *end;
    const char *point = strchr(text, '.');
    snprintf(half, sizeof half, "%.1f", 0.5); /* the locale's point, between two digits */
    half[strlen(half) - 1] = '\0';
    snprintf(local, sizeof local, "%.*s%s%s", point ? (int)(point - text) : LONGEST, text,
             point ? half + 1 : "", point ? point + 1 : "");
    *number = strtod(local, &end);
    return *end == '\0' && isfinite(*number);
}

/* Reads an integer. One that does not fit into the member keeps its number and is out of range. */
static bool read_whole(const char *text, value *v)
{
    char *end;
    v->whole = strtoll(text, &end, 10);
    v->number = strtod(text, NULL);
    return *end == '\0';
}

/* Reads the value of a text. Returns false if it does not have the option's type. */
static bool read_value(const fur_option *o, piece given, value *v)
{
    char text[LONGEST + 1];
    if (o->words) {
        v->whole = find_word(o, given);
        v->word = v->whole < 0 ? NULL : o->words[v->whole];
        return v->word != NULL;
    }
    if (given.length < 1 || given.length > LONGEST || !strchr("+-.0123456789", given.text[0]))
        return false;
    snprintf(text, sizeof text, "%.*s", shown(given), given.text);
    return is_whole(o->type) ? read_whole(text, v) : read_real(text, &v->number);
}

static fur_status read_option(fur_context *context, const char *owner, const fur_option *table,
                              piece name, piece given, void *options)
{
    value v = {0, 0, NULL};
    const fur_option *o = table;
    while (o && o->name &&
           (strlen(o->name) != name.length || memcmp(o->name, name.text, name.length) != 0))
        o++;
    if (!o || !o->name)
        return fail_name(context, owner, table, name);
    if (!given.text && o->type == FUR_OPTION_FLAG)
        given = (piece){"1", 1};
    if (!given.text)
        given = (piece){"", 0};
    if (!read_value(o, given, &v))
        return fail_value(context, owner, o, given);
    if (!o->words && v.number == 0 && o->zero != 0)
        v.number = o->zero;
    else if (!o->words && !is_in_range(o, v.number))
        return fail_range(context, owner, o, v.number);
    set(o, v, options);
    return FUR_OK;
}

fur_status fur_options_read(fur_context *context, const char *owner, const fur_option *table,
                            const char *text, void *options)
{
    for (bool more = true; more;) {
        size_t length = strcspn(text, ",");
        size_t name = strcspn(text, ",=");
        piece given = {name < length ? text + name + 1 : NULL,
                       name < length ? length - name - 1 : 0};
        FUR_TRY(read_option(context, owner, table, (piece){text, name}, given, options));
        more = text[length] == ',';
        text += length + more;
    }
    return FUR_OK;
}
