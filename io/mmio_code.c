/* Type codes of the mmio interface, and the words that stand for them. */
#include "mmio.h"

#include <stdlib.h>
#include <string.h>

int mm_is_valid(MM_typecode matcode)
{
    if (!mm_is_matrix(matcode))
        return 0;
    if (mm_is_dense(matcode) && mm_is_pattern(matcode))
        return 0;
    if (mm_is_hermitian(matcode) && !mm_is_complex(matcode))
        return 0;
    return !(mm_is_pattern(matcode) && mm_is_skew(matcode));
}

char *mm_strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, s, size) : NULL;
}

static const char *format_word(MM_typecode matcode)
{
    return mm_is_coordinate(matcode) ? MM_COORDINATE_STR
           : mm_is_array(matcode)    ? MM_ARRAY_STR
                                     : NULL;
}

static const char *field_word(MM_typecode matcode)
{
    return mm_is_real(matcode)      ? MM_REAL_STR
           : mm_is_complex(matcode) ? MM_COMPLEX_STR
           : mm_is_pattern(matcode) ? MM_PATTERN_STR
           : mm_is_integer(matcode) ? MM_INT_STR
                                    : NULL;
}

static const char *symmetry_word(MM_typecode matcode)
{
    return mm_is_general(matcode)     ? MM_GENERAL_STR
           : mm_is_symmetric(matcode) ? MM_SYMM_STR
           : mm_is_hermitian(matcode) ? MM_HERM_STR
           : mm_is_skew(matcode)      ? MM_SKEW_STR
                                      : NULL;
}

char *mm_typecode_to_str(MM_typecode matcode)
{
    const char *format = format_word(matcode);
    const char *field = field_word(matcode);
    const char *symmetry = symmetry_word(matcode);
    if (!mm_is_matrix(matcode) || !format || !field || !symmetry)
        return NULL;
    char words[MM_MAX_LINE_LENGTH];
    snprintf(words, sizeof words, "%s %s %s %s", MM_MTX_STR, format, field, symmetry);
    return mm_strdup(words);
}
