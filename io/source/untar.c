/* tar archives: ustar and pax (IEEE Std 1003.1-2017, pax, "ustar Interchange Format" and "pax
 * Interchange Format"), and GNU's long names and sizes. They are read here instead of by
 * libarchive, because users of the static library would then need ten other libraries. */
#include "stage.h"

#include <furrow/author/try.h>

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* Larger sizes are invalid and would only overflow. */
#define LARGEST_SIZE (INT64_MAX / 4)

/* The block before each entry. Numbers are stored as octal digits. */
typedef struct header {
    char name[100];
    char mode[8];
    char user[8];
    char group[8];
    char size[12];
    char time[12];
    char checksum[8];
    char type;
    char link[100];
    char magic[6];
    char version[2];
    char owner[32];
    char owner_group[32];
    char device[16];
    char prefix[155];
    char unused[12];
} header;

static_assert(sizeof(header) == FUR_TAR_BLOCK, "a header fills a block");

typedef struct untar {
    fur_stage stage;
    int64_t left; /* bytes of the member that are not read yet */
    /* The current entry: */
    int64_t start; /* position of its header in the archive */
    int64_t size;
    char type;
    /* an extension header before it sets values that do not fit in its own header: */
    bool extended;
    bool named; /* its name */
    bool sized; /* its size */
    char name[FUR_MEMBER_SIZE];
} untar;

static fur_status wrong(const untar *u, const char *found, fur_failure *failure)
{
    return fur_failure_set(failure, FUR_MALFORMED, "%.400s: byte %lld of the archive: found %s",
                           u->stage.name, (long long)u->start, found);
}

static fur_status truncated(const untar *u, fur_failure *failure)
{
    return fur_failure_set(
        failure, FUR_MALFORMED,
        "%.400s: the archive ends early, at byte %lld; it is incomplete: get it again",
        u->stage.name, (long long)fur_stage_offset(u->stage.below));
}

/* GNU's form of numbers that do not fit in octal digits: a bit, then a big-endian number. */
static bool parse_binary(const unsigned char *field, size_t width, int64_t *out)
{
    int64_t value = field[0] & 0x7f;
    for (size_t i = 1; i < width; i++) {
        if (value > LARGEST_SIZE >> 8)
            return false;
        value = value << 8 | field[i];
    }
    *out = value;
    return true;
}

/* Reads octal digits with blanks around them, or GNU's binary form. */
static bool parse_number(const char *field, size_t width, int64_t *out)
{
    const char *at = field, *end = field + width;
    int64_t value = 0;
    if ((unsigned char)*field & 0x80)
        return parse_binary((const unsigned char *)field, width, out);
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at >= '0' && *at <= '7'; at++)
        value = value * 8 + (*at - '0');
    while (at < end && *at == ' ')
        at++;
    *out = value;
    return at == end || *at == '\0';
}

static bool is_valid(const header *h)
{
    const unsigned char *bytes = (const unsigned char *)h;
    const size_t begin = offsetof(header, checksum), end = offsetof(header, type);
    int64_t sum = 0, expected;
    for (size_t i = 0; i < sizeof *h; i++)
        sum += i >= begin && i < end ? ' ' : bytes[i];
    return parse_number(h->checksum, sizeof h->checksum, &expected) && sum == expected;
}

/* Old archives have a checksum and no magic. In a damaged archive, only the magic may be intact. */
bool fur_tar_is(const char *head, size_t size)
{
    const header *h = (const header *)head;
    const size_t magic = offsetof(header, magic);
    return (size >= magic + 5 && memcmp(head + magic, "ustar", 5) == 0) ||
           (size >= sizeof *h && is_valid(h));
}

static int64_t padded(int64_t size)
{
    return (size + FUR_TAR_BLOCK - 1) / FUR_TAR_BLOCK * FUR_TAR_BLOCK;
}

static fur_status skip(const untar *u, int64_t size, fur_failure *failure)
{
    int64_t missing = 0;
    FUR_TRY(fur_stage_skip(u->stage.below, padded(size), &missing, failure));
    return missing > 0 ? truncated(u, failure) : FUR_OK;
}

/* Finds the next header, which is valid until something is read. NULL at the end of the archive,
 * which is a block of zeros. */
static fur_status read_header(untar *u, const header **out, fur_failure *failure)
{
    static const char zeros[FUR_TAR_BLOCK];
    fur_stage *below = u->stage.below;
    FUR_TRY(fur_stage_ahead(below, FUR_TAR_BLOCK, failure));
    u->start = fur_stage_offset(below);
    *out = NULL;
    if (fur_stage_size(below) < FUR_TAR_BLOCK)
        return truncated(u, failure);
    const header *h = (const header *)below->at;
    if (memcmp(h, zeros, sizeof zeros) == 0)
        return FUR_OK;
    if (!is_valid(h))
        return wrong(u,
                     "a block with a wrong checksum, expected a tar header; get the archive again",
                     failure);
    below->at += FUR_TAR_BLOCK;
    *out = h;
    return FUR_OK;
}

static fur_status read_size(const untar *u, const header *h, int64_t *out, fur_failure *failure)
{
    return parse_number(h->size, sizeof h->size, out)
               ? FUR_OK
               : wrong(u, "a size that is not a number, expected octal digits", failure);
}

static fur_status set_name(untar *u, const char *name, const char *end, fur_failure *failure)
{
    size_t length = strnlen(name, (size_t)(end - name));
    if (length >= sizeof u->name)
        return wrong(u, "a file name that is too long, expected less than 4096 bytes", failure);
    memcpy(u->name, name, length);
    u->name[length] = '\0';
    u->named = true;
    return FUR_OK;
}

static bool parse_decimal(const char *at, const char *end, int64_t *out)
{
    int64_t value = 0;
    const char *begin = at;
    for (; at < end && *at >= '0' && *at <= '9' && value <= LARGEST_SIZE / 10; at++)
        value = value * 10 + (*at - '0');
    *out = value;
    return at > begin && at == end;
}

static bool begins_with(const char *at, const char *end, const char *expected)
{
    size_t length = strlen(expected);
    return (size_t)(end - at) >= length && memcmp(at, expected, length) == 0;
}

static fur_status refuse_sparse(const untar *u, fur_failure *failure)
{
    return wrong(u, "a sparse file, which cannot be read; pack it again without --sparse", failure);
}

/* Applies a record of a pax header, "key=value", to the entry after it. */
static fur_status apply(untar *u, const char *record, const char *end, fur_failure *failure)
{
    if (begins_with(record, end, "path="))
        return set_name(u, record + strlen("path="), end, failure);
    if (begins_with(record, end, "size=")) {
        u->sized = parse_decimal(record + strlen("size="), end, &u->size);
        return u->sized ? FUR_OK
                        : wrong(u, "a size that is not a number, expected decimal digits", failure);
    }
    return begins_with(record, end, "GNU.sparse.") ? refuse_sparse(u, failure) : FUR_OK;
}

/* Reads records "length key=value\n". The length counts the whole record. */
static fur_status read_records(untar *u, const char *at, const char *end, fur_failure *failure)
{
    while (at < end) {
        int64_t length = 0;
        const char *space = memchr(at, ' ', (size_t)(end - at));
        if (!space || !parse_decimal(at, space, &length) || length > end - at ||
            length < space - at + 2 || at[length - 1] != '\n')
            return wrong(u, "a pax header with a broken record, expected \"length key=value\"",
                         failure);
        FUR_TRY(apply(u, space + 1, at + length - 1, failure));
        at += length;
    }
    return FUR_OK;
}

/* Returns whether the data of an entry describes the next entry or all entries. */
static bool is_extension(char type)
{
    return type == 'L' || type == 'x' || type == 'K' || type == 'g';
}

/* Reads the next entry's name and size. Skips link targets (K) and values for all entries (g),
 * which are comments. Two extensions with the same value for one entry are refused, because
 * programs differ in which one they use. */
static fur_status read_extension(untar *u, const header *h, fur_failure *failure)
{
    fur_stage *below = u->stage.below;
    char type = h->type;
    int64_t size = 0;
    FUR_TRY(read_size(u, h, &size, failure));
    if (type == 'K' || type == 'g')
        return skip(u, size, failure);
    if (u->extended)
        return wrong(u, "a second extended header for one entry, expected one; pack it again",
                     failure);
    u->extended = true;
    if (size > FUR_STAGE_AHEAD)
        return wrong(u, "an extended header of more than 64 KiB", failure);
    FUR_TRY(fur_stage_ahead(below, (size_t)padded(size), failure));
    if (fur_stage_size(below) < (size_t)padded(size))
        return truncated(u, failure);
    const char *data = below->at;
    below->at += padded(size);
    return type == 'L' ? set_name(u, data, data + size, failure)
                       : read_records(u, data, data + size, failure);
}

/* GNU's archives use the field of the prefix for other data. */
static fur_status take_name(untar *u, const header *h, fur_failure *failure)
{
    char name[sizeof h->prefix + 1 + sizeof h->name];
    size_t length = 0;
    if (memcmp(h->magic, "ustar", sizeof h->magic) == 0 && *h->prefix) {
        length = strnlen(h->prefix, sizeof h->prefix);
        memcpy(name, h->prefix, length);
        name[length++] = '/';
    }
    size_t rest = strnlen(h->name, sizeof h->name);
    memcpy(name + length, h->name, rest);
    return set_name(u, name, name + length + rest, failure);
}

/* Takes the values of the entry's own header, unless an extension has set them. Links, devices,
 * folders and pipes have no data, whatever their size field says. */
static fur_status take_header(untar *u, const header *h, fur_failure *failure)
{
    u->type = h->type;
    if (u->type == 'S')
        return refuse_sparse(u, failure);
    if (!u->named)
        FUR_TRY(take_name(u, h, failure));
    if (!u->sized)
        FUR_TRY(read_size(u, h, &u->size, failure));
    if (u->type >= '1' && u->type <= '6')
        u->size = 0;
    return FUR_OK;
}

/* Advances to the data of the next entry, if there is one. */
static fur_status next_entry(untar *u, bool *more, fur_failure *failure)
{
    const header *h = NULL;
    bool announced = false;
    u->extended = u->named = u->sized = false;
    FUR_TRY(read_header(u, &h, failure));
    while (h && is_extension(h->type)) {
        announced = true;
        FUR_TRY(read_extension(u, h, failure));
        FUR_TRY(read_header(u, &h, failure));
    }
    if (!h && announced)
        return wrong(u, "the end of the archive, expected the entry of the extended header",
                     failure);
    *more = h != NULL;
    return h ? take_header(u, h, failure) : FUR_OK;
}

/* Skips entries until the member is found or the archive ends. */
static fur_status find(untar *u, fur_member *member, fur_failure *failure)
{
    bool more = false;
    FUR_TRY(next_entry(u, &more, failure));
    while (more && !fur_member_is(member, u->name)) {
        FUR_TRY(skip(u, u->size, failure));
        FUR_TRY(next_entry(u, &more, failure));
    }
    if (more && u->type != '0' && u->type != '\0' && u->type != '7')
        return wrong(u, "a link or another special entry instead of the matrix file", failure);
    u->left = u->size;
    return FUR_OK;
}

/* Reads the rest of a compressed archive after the member, because the checksum comes last. */
static fur_status finish(fur_stage *below, fur_failure *failure)
{
    int64_t left = 0;
    return below->below ? fur_stage_skip(below, INT64_MAX, &left, failure) : FUR_OK;
}

static fur_status read_member(fur_stage *stage, char *to, size_t room, size_t *got,
                              fur_failure *failure)
{
    untar *u = (untar *)stage;
    if (u->left == 0)
        return finish(stage->below, failure);
    if (room > (uint64_t)u->left)
        room = (size_t)u->left;
    FUR_TRY(fur_stage_read(stage->below, to, room, got, failure));
    u->left -= (int64_t)*got;
    return *got == 0 ? truncated(u, failure) : FUR_OK;
}

fur_status fur_untar(fur_stage *below, fur_member *member, fur_failure *failure, fur_stage **out)
{
    untar *u = NULL;
    FUR_TRY(fur_stage_create(below->context, below->name, sizeof *u, FUR_STAGE_AHEAD, failure, &u));
    u->stage.read = read_member;
    u->stage.below = below;
    fur_status status = find(u, member, failure);
    if (status == FUR_OK && member->found)
        *out = &u->stage;
    else
        fur_stage_close(&u->stage, below);
    return status;
}
