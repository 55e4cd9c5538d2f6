/* Nearest neighbours of points, by comparing all pairs. */
#include "naive_neighbours.h"

#include <math.h>

#include "plain.h"

static void put_in(float *distances, int32_t *numbers, int k, float distance, int32_t number)
{
    int p = k - 1;
    for (; p > 0 && distances[p - 1] > distance; p--) {
        distances[p] = distances[p - 1];
        numbers[p] = numbers[p - 1];
    }
    distances[p] = distance;
    numbers[p] = number;
}

static void search_rows(void *job, int64_t begin, int64_t end)
{
    const naive_neighbours *a = job;
    for (int64_t i = begin; i < end; i++) {
        float *distances = a->distances + i * a->k;
        int32_t *numbers = a->numbers + i * a->k;
        const float *x = a->points + i * a->d;
        for (int p = 0; p < a->k; p++)
            distances[p] = INFINITY;
        for (int64_t j = 0; j < a->n; j++) {
            const float *y = a->points + j * a->d;
            float distance = (y[0] - x[0]) * (y[0] - x[0]);
            for (int c = 1; c < a->d; c++)
                distance = fmaf(y[c] - x[c], y[c] - x[c], distance);
            if (j != i && distance < distances[a->k - 1])
                put_in(distances, numbers, a->k, distance, (int32_t)j);
        }
    }
}

void naive_neighbours_host(struct fur_context *context, const naive_neighbours *a)
{
    plain_for(context, a->n, search_rows, (void *)(uintptr_t)a);
}
