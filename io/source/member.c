/* Chooses a member of an archive by its name. */
#include "stage.h"

#include <stdio.h>
#include <string.h>

#define EXTENSION ".mtx"

/* Returns whether this is the end of a Matrix Market file name. The file may be compressed, as in
 * the archives of 10x Genomics. */
static bool is_extension(const char *end)
{
    static const char *const known[] = {EXTENSION, EXTENSION ".gz", EXTENSION ".zst"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(end, known[i]) == 0)
            return true;
    return false;
}

/* Returns whether the name consists of its folder's name, "_" and the suffix, and the extension. */
static bool follows_rule(const char *name, const char *suffix)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return false;
    const char *folder = slash;
    while (folder > name && folder[-1] != '/')
        folder--;
    size_t length = (size_t)(slash - folder);
    const char *rest = slash + 1;
    if (strncmp(rest, folder, length) != 0)
        return false;
    rest += length;
    if (suffix) {
        size_t size = strlen(suffix);
        if (*rest != '_' || strncmp(rest + 1, suffix, size) != 0)
            return false;
        rest += 1 + size;
    }
    return is_extension(rest);
}

/* Returns whether the name matches *.mtx or *.mtx.gz as in a shell. Hidden files do not match, such
 * as the files that macOS adds for every file of an archive. */
static bool is_matrix_market(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *end = strstr(base, EXTENSION);
    while (end && !is_extension(end))
        end = strstr(end + 1, EXTENSION);
    return *base != '.' && end && end > base;
}

static void copy(char *to, const char *name)
{
    snprintf(to, FUR_MEMBER_SIZE, "%s", name);
}

/* Records a matrix that was skipped, for a message and for fur_member_settle. */
static void note(fur_member *member, const char *name)
{
    size_t used = strlen(member->list);
    const char *gap = used > 0 ? ", " : "";
    if (used + strlen(gap) + strlen(name) < sizeof member->list) {
        used += (size_t)snprintf(member->list + used, sizeof member->list - used, "%s", gap);
        fur_member_print(name, member->list + used, sizeof member->list - used);
        member->listed++;
    }
    copy(member->last, name);
    member->others++;
}

bool fur_member_is(fur_member *member, const char *name)
{
    member->found =
        *member->name ? strcmp(name, member->name) == 0 : follows_rule(name, member->suffix);
    if (member->found)
        copy(member->name, name);
    else if (is_matrix_market(name))
        note(member, name);
    return member->found;
}

bool fur_member_settle(fur_member *member)
{
    if (member->suffix || member->others != 1)
        return false;
    copy(member->name, member->last);
    return true;
}

fur_status fur_member_missing(const fur_member *member, const char *name, fur_failure *failure)
{
    const char *gap = member->suffix ? "_" : "", *suffix = member->suffix ? member->suffix : "";
    if (member->others == 0)
        return fur_failure_set(failure, FUR_IO_ERROR,
                               "%.400s: found no file *" EXTENSION " or *" EXTENSION
                               ".gz in the archive, expected "
                               "NAME/NAME%s%.100s" EXTENSION,
                               name, gap, suffix);
    return fur_failure_set(failure, FUR_IO_ERROR,
                           "%.400s: found no NAME/NAME%s%.100s" EXTENSION
                           " in the archive, only %s%s; unpack it and give one of these",
                           name, gap, suffix, member->list,
                           member->listed < member->others ? " and others" : "");
}

size_t fur_member_print(const char *name, char *out, size_t room)
{
    size_t length = 0;
    for (; name[length] && length + 1 < room; length++)
        out[length] =
            (unsigned char)name[length] < ' ' || name[length] == 0x7f ? '?' : name[length];
    out[length] = '\0';
    return length;
}
