/* furrow bench io: reads and writes Matrix Market files, compared with the usual alternatives. The
 * lower bound for any reader or writer is the floor: moving the bytes without parsing them. */
#include "bench_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"

#define ROUNDS 5

/* Bytes a second. */
static double rate(const io_case *c, int index)
{
    return c->lines[index].bytes / c->race.contenders[index].seconds;
}

/* Returns the peer's line with the same number of threads, or its only line. Returns 0, the line of
 * the floor, if it has none. */
static int find_peer(const io_case *c, const peer_io *peer, int threads)
{
    for (int i = 1; i < c->race.count; i++)
        if (c->lines[i].peer == peer && c->lines[i].threads == (peer->threaded ? threads : 1))
            return i;
    return 0;
}

/* Returns the speed-ups of one of the library's lines over each peer. */
static json_t *make_ratios(const io_case *c, int index)
{
    json_t *over = json_object();
    for (int p = 0; p < IO_PEERS && c->peers[p] && c->lines[index].context; p++) {
        int slow = find_peer(c, c->peers[p], c->lines[index].threads);
        if (slow > 0) {
            json_object_set_new(over, c->peers[p]->name,
                                json_real(race_ratio(&c->race, slow, index)));
        }
    }
    return over;
}

static json_t *make_row(const io_case *c, int index)
{
    const contender *raced = &c->race.contenders[index];
    return json_pack("{s:o, s:i, s:f, s:f, s:f, s:f, s:o}", "name", output_string(raced->name),
                     "threads", c->lines[index].threads, "bytes", c->lines[index].bytes, "seconds",
                     raced->seconds, "mbps", rate(c, index) / 1e6, "of_floor",
                     rate(c, index) / rate(c, 0), "over", make_ratios(c, index));
}

static void print_row(const json_t *row)
{
    const char *name = NULL;
    json_t *ratio = NULL;
    json_t *over = json_object_get(row, "over");
    printf("  %-32s %9.1f %9.0f %8.0f%%", json_string_value(json_object_get(row, "name")),
           1e3 * json_real_value(json_object_get(row, "seconds")),
           json_real_value(json_object_get(row, "mbps")),
           100 * json_real_value(json_object_get(row, "of_floor")));
    json_object_foreach(over, name, ratio)
    {
        printf("  %.2fx %s", json_real_value(ratio), name);
    }
    printf("\n");
}

static void print_table(const char *title, const json_t *rows)
{
    size_t index = 0;
    json_t *row = NULL;
    printf("  %-32s %9s %9s %9s  speed-up\n", title, "ms", "MB/s", "of floor");
    json_array_foreach(rows, index, row)
    {
        print_row(row);
    }
    fflush(stdout);
}

/* Races the contenders, of which the first is the floor. Prints and stores the table. */
static fur_status finish_table(io_case *c, const char *title)
{
    fur_status status = FUR_OK;
    json_t *rows = json_array();
    c->race.rounds = c->b->rounds ? c->b->rounds : ROUNDS;
    race_run(&c->race, c->b->seconds, NULL);
    for (int i = 0; i < c->race.count && status == FUR_OK; i++) {
        output_append(rows, make_row(c, i));
        status = c->lines[i].failed ? io_fail(&c->lines[i], c->race.contenders[i].name) : FUR_OK;
    }
    if (!c->b->common->json && status == FUR_OK)
        print_table(title, rows);
    output_append(c->tables,
                  json_pack("{s:o, s:o}", "table", output_string(title), "contenders", rows));
    c->race = (race){0};
    return status;
}

/* The peers that the build has found. */
static const peer_io *const peers[] = {
#ifdef FURROW_HAVE_PEER_MMIO
    &peer_mmio,
#endif
#ifdef FURROW_HAVE_PEER_FMM
    &peer_fmm,
#endif
    NULL,
};

static fur_status read_text(fur_context *context, const char *path, fur_csr **out)
{
    return fur_mtx_read_csr(context, path, NULL, out);
}

static fur_status write_text(const fur_csr *matrix, const char *path)
{
    return fur_mtx_write_csr(matrix, path, NULL);
}

static fur_status read_binary(fur_context *context, const char *path, fur_csr **out)
{
    return fur_binary_read_csr(context, path, NULL, out);
}

static fur_status write_binary(const fur_csr *matrix, const char *path)
{
    return fur_binary_write_csr(matrix, path, NULL);
}

static const io_format text = {read_text, write_text};
static const io_format binary = {read_binary, write_binary};

/* Selects the peers that --against allows. */
static fur_status choose_peers(io_case *c)
{
    const char *against = c->b->against;
    int count = 0;
    for (int i = 0; peers[i]; i++)
        if (!against || strcmp(against, peers[i]->name) == 0)
            c->peers[count++] = peers[i];
    if (against && count == 0) {
        return command_misuse(
            c->b->context,
            "bench io on cpu compares with mmio and fmm, but this build did not find '%s'",
            against);
    }
    return FUR_OK;
}

static fur_status make_context(io_case *c, int threads)
{
    fur_context_options options = {.size = sizeof options, .threads = threads};
    return fur_context_create(&options, &c->contexts[c->context_count++]);
}

static fur_status make_contexts(io_case *c)
{
    int threads = fur_context_threads(c->b->context);
    fur_status status = make_context(c, 1);
    if (status == FUR_OK && threads > 1)
        status = make_context(c, threads);
    if (status != FUR_OK)
        return fur_context_fail(c->b->context, status, "%s", fur_context_error(NULL));
    return FUR_OK;
}

/* Finds the file of the case. If the name is not a file, generates it. */
static fur_status find_file(io_case *c)
{
    c->path = c->name;
    if (access(c->name, F_OK) != 0 && generate_text_knows(c->name)) {
        c->path = c->generated;
        return generate_text(c->b->context, c->name, c->path);
    }
    return FUR_OK;
}

/* Loads the file's bytes for a decompressor. Releases them if its format has none. */
static fur_status load_file(io_case *c)
{
    fur_context *context = c->b->context;
    FILE *file = fopen(c->path, "rb");
    if (!file) {
        return fur_context_fail(context, FUR_IO_ERROR, "%s: cannot open: %s", c->path,
                                strerror(errno));
    }
    fseeko(file, 0, SEEK_END);
    c->packed_size = ftello(file);
    rewind(file);
    fur_status status = fur_context_allocate(context, (size_t)c->packed_size, &c->packed);
    if (status == FUR_OK &&
        fread(c->packed, 1, (size_t)c->packed_size, file) != (size_t)c->packed_size)
        status = fur_context_fail(context, FUR_IO_ERROR, "%s: cannot be read", c->path);
    fclose(file);
    return status;
}

static fur_status measure_file(io_case *c)
{
    FUR_TRY(load_file(c));
    c->unpacker = unpack_find(c->packed, (size_t)c->packed_size);
    if (!c->unpacker) {
        c->bytes = (double)c->packed_size;
        fur_context_release(c->b->context, c->packed);
        c->packed = NULL;
        return FUR_OK;
    }
    c->bytes = (double)c->unpacker->run(c->packed, (size_t)c->packed_size, c->block, IO_BLOCK);
    if (c->bytes < 0) {
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED,
                                "%s: %s cannot decompress this file; it needs a single gzip member "
                                "below 4 GB or a single zstd frame",
                                c->name, c->unpacker->name);
    }
    return FUR_OK;
}

/* Reads the matrix in every context. The first matrix is the reference of all others. */
static fur_status read_matrices(io_case *c)
{
    for (int i = 0; i < c->context_count; i++) {
        fur_status status = text.read(c->contexts[i], c->path, &c->matrices[i]);
        if (status != FUR_OK)
            return fur_context_fail(c->b->context, status, "%s", fur_context_error(c->contexts[i]));
    }
    if (fur_csr_get(c->matrices[0])->value_type != FUR_F64) {
        return fur_context_fail(c->b->context, FUR_UNSUPPORTED, "%s: bench io needs a real matrix",
                                c->name);
    }
    c->expected = fingerprint_csr(c->matrices[0]);
    return FUR_OK;
}

static fur_status add_own(io_case *c, const char *name, void (*run)(void *self))
{
    for (int i = 0; i < c->context_count; i++) {
        io_line line = {.run = run,
                        .threads = fur_context_threads(c->contexts[i]),
                        .context = c->contexts[i],
                        .matrix = c->matrices[i],
                        .bytes = c->bytes};
        FUR_TRY(io_add(c, name, &line));
    }
    return FUR_OK;
}

static fur_status add_peer(io_case *c, int index, void (*run)(void *self))
{
    const peer_io *peer = c->peers[index];
    for (int i = 0; i < (peer->threaded ? c->context_count : 1); i++) {
        io_line line = {.run = run,
                        .threads = fur_context_threads(c->contexts[i]),
                        .peer = peer,
                        .coordinates = &c->coordinates[index],
                        .bytes = c->bytes};
        FUR_TRY(io_add(c, peer->label, &line));
    }
    return FUR_OK;
}

/* No peer reads compressed files or the library's own format. */
static fur_status race_reading(io_case *c, const char *title)
{
    io_line floor = {.run = c->unpacker ? io_run_floor_unpack : io_run_floor_read,
                     .bytes = c->bytes};
    FUR_TRY(io_add(c, c->unpacker ? c->unpacker->name : "read()", &floor));
    FUR_TRY(add_own(c, "furrow", io_run_read));
    if (c->format == &binary)
        FUR_TRY(add_own(c, "furrow, mapped", io_run_map));
    for (int p = 0; p < IO_PEERS && c->peers[p] && !c->unpacker && c->format == &text; p++)
        FUR_TRY(add_peer(c, p, io_run_peer_read));
    return finish_table(c, title);
}

static fur_status add_peer_writer(io_case *c, int index)
{
    const peer_io *peer = c->peers[index];
    int threads = fur_context_threads(c->b->context);
    if (!peer->write || !peer->read(c->path, threads, &c->coordinates[index]))
        return FUR_OK;
    return add_peer(c, index, io_run_peer_write);
}

/* The floor writes the same number of bytes as the library. */
static fur_status race_writing(io_case *c, const char *title)
{
    io_line floor = {.run = io_run_floor_write};
    FUR_TRY(io_add(c, "write()", &floor));
    FUR_TRY(add_own(c, "furrow", io_run_write));
    c->lines[0].bytes = c->lines[1].bytes;
    for (int p = 0; p < IO_PEERS && c->peers[p] && !c->unpacker && c->format == &text; p++)
        FUR_TRY(add_peer_writer(c, p));
    return finish_table(c, title);
}

/* The .fur file that the writers have left is read afterwards. */
static fur_status race_all(io_case *c)
{
    c->format = &text;
    c->written = c->text;
    FUR_TRY(race_reading(c, "read"));
    FUR_TRY(race_writing(c, "write"));
    c->format = &binary;
    c->written = c->binary;
    FUR_TRY(race_writing(c, "write .fur"));
    c->path = c->written;
    c->bytes = c->lines[0].bytes;
    c->unpacker = NULL;
    return race_reading(c, "read .fur");
}

static fur_status make_folder(io_case *c)
{
    FUR_TRY(scratch_begin(c->b->context, &c->folder));
    snprintf(c->generated, IO_PATH, "%s/case.mtx", c->folder.folder);
    snprintf(c->text, IO_PATH, "%s/written.mtx", c->folder.folder);
    snprintf(c->binary, IO_PATH, "%s/written.fur", c->folder.folder);
    return FUR_OK;
}

static fur_status run_steps(io_case *c)
{
    void *block = NULL;
    FUR_TRY(choose_peers(c));
    FUR_TRY(make_folder(c));
    FUR_TRY(make_contexts(c));
    FUR_TRY(fur_context_allocate(c->b->context, IO_BLOCK, &block));
    c->block = block;
    memset(c->block, 0, IO_BLOCK);
    FUR_TRY(find_file(c));
    FUR_TRY(measure_file(c));
    FUR_TRY(read_matrices(c));
    if (!c->b->common->json) {
        printf("\n%s: %.1f MB of text, %lld entries\n", c->name, c->bytes / 1e6,
               (long long)c->expected.entries);
    }
    return race_all(c);
}

static void end_case(io_case *c)
{
    for (int p = 0; p < IO_PEERS && c->peers[p]; p++)
        c->peers[p]->release(&c->coordinates[p]);
    for (int i = 0; i < c->context_count; i++) {
        fur_csr_destroy(c->matrices[i]);
        fur_context_destroy(c->contexts[i]);
    }
    fur_context_release(c->b->context, c->packed);
    fur_context_release(c->b->context, c->block);
    scratch_end(&c->folder);
}

fur_status bench_io(bench *b, const char *name)
{
    io_case c = {.b = b, .name = name, .tables = json_array()};
    fur_status status = run_steps(&c);
    output_append(b->results, json_pack("{s:o, s:I, s:o}", "case", output_string(name), "entries",
                                        (json_int_t)c.expected.entries, "tables", c.tables));
    end_case(&c);
    return status;
}
