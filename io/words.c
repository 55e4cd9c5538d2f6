/* The words of a banner. */
#include <furrow/mtx.h>

#include "words.h"

static const char *const formats[] = {"coordinate", "array"};
static const char *const fields[] = {"real", "integer", "complex", "pattern"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

const char *fur_mtx_format_name(fur_mtx_format format)
{
    return (unsigned)format <= FUR_MTX_ARRAY ? formats[format] : "?";
}

const char *fur_mtx_field_name(fur_mtx_field field)
{
    return (unsigned)field <= FUR_MTX_PATTERN ? fields[field] : "?";
}

const char *fur_mtx_symmetry_name(fur_mtx_symmetry symmetry)
{
    return (unsigned)symmetry <= FUR_MTX_HERMITIAN ? symmetries[symmetry] : "?";
}

/* Index of the word among count, -1 if it is none of them. */
static int find(fur_token token, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (fur_token_is(token, words[i]))
            return i;
    return -1;
}

bool fur_words_format(fur_token token, fur_mtx_format *out)
{
    int index = find(token, formats, FUR_MTX_ARRAY + 1);
    if (index >= 0)
        *out = (fur_mtx_format)index;
    return index >= 0;
}

bool fur_words_field(fur_token token, fur_mtx_field *out)
{
    int index = find(token, fields, FUR_MTX_PATTERN + 1);
    if (fur_token_is(token, "double"))
        index = FUR_MTX_REAL;
    if (fur_token_is(token, "unsigned-integer"))
        index = FUR_MTX_INTEGER;
    if (index >= 0)
        *out = (fur_mtx_field)index;
    return index >= 0;
}

bool fur_words_symmetry(fur_token token, fur_mtx_symmetry *out)
{
    int index = find(token, symmetries, FUR_MTX_HERMITIAN + 1);
    if (index >= 0)
        *out = (fur_mtx_symmetry)index;
    return index >= 0;
}
