/* See fuzz_program.h. */
#include "fuzz_program.h"

#include "float_modes.h"

#include <math.h>

static void *take_memory(void *user, size_t bytes)
{
    run *r = user;
    if (++r->calls == r->fail_at || bytes > MAX_BYTES)
        return NULL;
    r->outstanding++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void give_memory(void *user, void *memory)
{
    ((run *)user)->outstanding--;
    free(memory);
}

bool run_begin(run *r, const uint8_t *program, size_t size, int threads, int64_t fail_at)
{
    *r = (run){.at = program, .end = program + size, .fail_at = fail_at};
    fur_context_options options = {.size = sizeof options, .threads = threads};
    options.allocator = (fur_allocator){take_memory, give_memory, r};
    fur_status status = fur_context_create(&options, &r->context);
    require(status == FUR_OK || (status == FUR_OUT_OF_MEMORY && fail_at > 0), "no context");
    return status == FUR_OK;
}

void run_end(run *r)
{
    fur_context_destroy(r->context);
    require(r->outstanding == 0, "memory was not given back");
}

void put(run *r, const void *bytes, size_t size)
{
    if (r->length + size > r->room) {
        r->room = 2 * (r->length + size);
        r->log = realloc(r->log, r->room);
        require(r->log != NULL, "no memory for the log");
    }
    if (size > 0)
        memcpy(r->log + r->length, bytes, size);
    r->length += size;
}

unsigned draw(run *r, unsigned limit)
{
    unsigned drawn = 0;
    for (unsigned reach = 1; reach < limit; reach <<= 8)
        drawn = drawn << 8 | (r->at < r->end ? *r->at++ : 0);
    return drawn % limit;
}

uint64_t draw_bits(run *r)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | draw(r, 256);
    return bits;
}

int64_t draw_integer(run *r)
{
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, INT32_MAX,        INT32_MIN,
                                   -1,        1 << 20,   INT64_C(1) << 40, INT64_C(1) << 62};
    unsigned kind = draw(r, 16);
    return kind == 0 ? ends[draw(r, 8)] : kind == 1 ? (int64_t)draw_bits(r) : draw(r, 16);
}

int draw_kind(run *r, int count)
{
    return draw(r, 16) == 0 ? (int)draw_integer(r) : (int)draw(r, (unsigned)count);
}

double draw_real(run *r)
{
    static const double special[] = {0,           -0.0,   NAN,   INFINITY, -INFINITY, 1e308,
                                     -1e300,      1e-310, 1e-45, 3.5e38,   0x1p-24,   0x1p53,
                                     1 + 0x1p-52, 1e-170, 1e170, -1};
    unsigned kind = draw(r, 8);
    double any;
    uint64_t bits = kind == 0 ? draw_bits(r) : 0;
    memcpy(&any, &bits, sizeof any);
    return kind == 0 ? any : kind == 1 ? special[draw(r, 16)] : (int)draw(r, 9) - 4;
}

fur_scalar draw_scalar(run *r)
{
    double re = draw_real(r);
    return fur_complex(re, draw(r, 4) == 0 ? draw_real(r) : 0);
}

static double next_real(uint64_t *state, unsigned special)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t top = *state >> 33;
    if (top % 64 < special)
        return top % 3 == 0 ? NAN : top % 3 == 1 ? INFINITY : 1e300;
    return (double)(top % 2001) / 1000 - 1;
}

static bool is_single(fur_value_type value)
{
    return value == FUR_F32 || value == FUR_C64;
}

static int64_t parts_of(fur_value_type value, int64_t count)
{
    return value == FUR_C64 || value == FUR_C128 ? 2 * count : count;
}

void draw_entries(run *r, fur_value_type value, int64_t count, void *out)
{
    uint64_t state = draw_bits(r);
    unsigned special = draw(r, 4) == 0 ? draw(r, 8) : 0;
    for (int64_t i = 0; i < parts_of(value, count); i++) {
        double x = next_real(&state, special);
        if (is_single(value))
            ((float *)out)[i] = (float)x;
        else
            ((double *)out)[i] = x;
    }
}

static bool is_nan(fur_value_type value, const void *entries, int64_t part)
{
    return is_single(value) ? isnan(((const float *)entries)[part])
                            : isnan(((const double *)entries)[part]);
}

void put_entries(run *r, fur_value_type value, int64_t count, const void *entries)
{
    size_t begin = r->length;
    size_t part = is_single(value) ? sizeof(float) : sizeof(double);
    put(r, entries, (size_t)count * fur_value_size(value));
    for (int64_t i = 0; i < parts_of(value, count); i++)
        if (is_nan(value, entries, i))
            memset(r->log + begin + (size_t)i * part, 0xff, part);
}

void put_vector(run *r, const fur_vector *x)
{
    put_entries(r, fur_vector_value_type(x), fur_vector_size(x), fur_vector_const_data(x));
}

void put_matrix(run *r, const fur_csr *a)
{
    fur_csr_view v = *fur_csr_get(a);
    require(v.entries == 0 || v.columns != NULL, "entries without columns");
    put(r, &v.rows, sizeof v.rows);
    put(r, v.offsets, (size_t)(v.rows + 1) * fur_offset_size(v.offset_type));
    put(r, v.columns, (size_t)v.entries * sizeof *v.columns);
    put_entries(r, v.value_type, v.entries, v.values);
}

void call_begin(run *r)
{
    fur_context_fail(r->context, FUR_OK, "%s", "");
    float_mode_set(r->mode);
    r->control = float_control();
}

bool call_ended(run *r, fur_status status)
{
    const char *sentence = fur_context_error(r->context);
    require(float_control() == r->control, "the mode of floating-point arithmetic has changed");
    float_mode_reset();
    require((unsigned)status <= FUR_DEVICE_ERROR, "no such status");
    require(status == FUR_OK || *sentence != '\0', "no sentence");
    put(r, &status, sizeof status);
    if (status != FUR_OK)
        put(r, sentence, strlen(sentence));
    return status == FUR_OK;
}

void expect(const run *r, bool condition, const char *what)
{
    require(condition || r->fail_at > 0, what);
}

bool same_entries(const fur_vector *x, const fur_vector *y)
{
    fur_value_type value = fur_vector_value_type(x);
    run a = {.log = NULL};
    run b = {.log = NULL};
    put_vector(&a, x);
    put_vector(&b, y);
    bool equal = value == fur_vector_value_type(y) && a.length == b.length &&
                 (a.length == 0 || memcmp(a.log, b.log, a.length) == 0);
    free(a.log);
    free(b.log);
    return equal;
}

fur_vector *make_vector(run *r, fur_value_type value, int64_t size)
{
    fur_vector *x = NULL;
    if (MAKE(r, &x, fur_vector_create(r->context, value, size, &x)))
        draw_entries(r, value, size, fur_vector_data(x));
    return x;
}

fur_vector *make_copy(run *r, const fur_vector *x)
{
    fur_vector *y = NULL;
    if (x && MAKE(r, &y,
                  fur_vector_create(r->context, fur_vector_value_type(x), fur_vector_size(x), &y)))
        (void)CALL(r, fur_vector_copy(x, y));
    return y;
}
