/* A table of the kinds of objects of the interface. It shows from what objects each kind is made,
 * and how it is used. Programs make and destroy objects in any order. */
#ifndef FURROW_TESTS_OBJECTS_H
#define FURROW_TESTS_OBJECTS_H

#include "fuzz_program.h"

/* All matrices have the rows of a square grid. */
#define OBJECT_EDGE 8
#define OBJECT_ROWS (OBJECT_EDGE * OBJECT_EDGE)
#define OBJECT_COLS 3 /* of blocks */
#define OBJECTS_MAX 64

/* The roles of objects. */
typedef enum object_role {
    ROLE_NONE,
    ROLE_MATRIX,
    ROLE_PLAN,
    ROLE_TRIANGLE,
    ROLE_FOUND,
    ROLE_STENCIL,
    ROLE_PRODUCT,
    ROLE_BATCH,
    ROLE_GRIDS,
    ROLE_LEVELS,
    ROLE_PRECONDITIONER,
    ROLE_OPERATOR,
    ROLE_SOLVER,
    ROLE_OTHER
} object_role;

typedef struct object object;
typedef struct world world;

typedef struct object_kind {
    const char *name;
    object_role role;
    object_role from[2];
    bool copies;   /* works after its sources have been destroyed */
    bool borrowed; /* belongs to its source */
    fur_status (*make)(world *w, void *const from[2], void **out);
    void (*destroy)(void *handle); /* NULL: borrowed */
    unsigned ways;                 /* number of ways to use it */
    fur_status (*use)(world *w, void *handle, unsigned way);
} object_kind;

extern const object_kind object_kinds[];
extern const int object_kind_count;

struct object {
    const object_kind *kind;
    void *handle; /* NULL: destroyed */
    object *from[2];
};

/* A context, the arguments of calls, and the objects. Options are drawn by the run; an empty
 * program gives the defaults. */
struct world {
    run *r;
    bool has_context; /* the caller has not destroyed the context */
    fur_value_type value;
    fur_vector *x;
    fur_vector *y;
    fur_vectors *many_x;
    fur_vectors *many_y;
    fur_vectors *values; /* of a batch */
    fur_permutation *order;
    object objects[OBJECTS_MAX];
    int count;
};

/* Returns false if memory is refused. */
bool world_begin(world *w, run *r, fur_value_type value);
/* Destroys all remaining objects and the context, in an order that the run draws. */
void world_end(world *w);

/* Makes an object of the kind and returns the status of the call. *out is an object of the world,
 * or NULL on failure. */
fur_status object_make(world *w, const object_kind *kind, object *const from[2], object **out);
void object_destroy(world *w, object *o);
/* Returns whether the object reads an object that has been destroyed. Then it must refuse to be
 * used. */
bool object_is_orphan(const object *o);

/* Sets the values of a Laplacian with a larger diagonal that the run draws. Sometimes the diagonal
 * is 0. */
fur_status object_set_values(world *w, object *matrix);

/* Makes, uses, changes and destroys objects as the run draws. An object whose source has been
 * destroyed must refuse to be used. */
void objects_program(run *r);

#endif
