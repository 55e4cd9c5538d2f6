/* A matrix in CSR form as compare_amg.py writes it: int64 rows and entries, int64 offsets[rows +
 * 1], int32 columns[entries], double values[entries], in the machine's byte order. A header only,
 * for programs that are compiled by hand with libraries of others. */
#ifndef FURROW_TESTS_PEERS_SYSTEM_FILE_H
#define FURROW_TESTS_PEERS_SYSTEM_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Number of solves of a program, each with a new set-up. The last one is reported. */
#define RUNS 2

typedef struct system_file {
    int64_t rows;
    int64_t entries;
    int64_t *offsets;
    int32_t *columns;
    double *values;
} system_file;

static void *read_array(FILE *file, size_t size, int64_t count)
{
    void *array = malloc(size * (size_t)count + 1);
    if (!array || fread(array, size, (size_t)count, file) != (size_t)count) {
        fputs("the system's file ends early, or memory is missing\n", stderr);
        exit(EXIT_FAILURE);
    }
    return array;
}

static system_file read_system(const char *path)
{
    system_file s;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    int64_t *head = (int64_t *)read_array(file, sizeof *head, 2);
    s.rows = head[0];
    s.entries = head[1];
    free(head);
    s.offsets = (int64_t *)read_array(file, sizeof *s.offsets, s.rows + 1);
    s.columns = (int32_t *)read_array(file, sizeof *s.columns, s.entries);
    s.values = (double *)read_array(file, sizeof *s.values, s.entries);
    fclose(file);
    return s;
}

/* Returns wall-clock seconds. If the environment has PROCESSOR, returns the processor seconds of
 * all threads, for machines that others use at the same time. */
static double seconds_now(void)
{
    struct timespec now;
    if (getenv("PROCESSOR"))
        return (double)clock() / (double)CLOCKS_PER_SEC;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
