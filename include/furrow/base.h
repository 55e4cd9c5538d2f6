/* Furrow: what every other header builds on: version, status, type tags, scalars, allocator.
 *
 * Conventions of the whole library:
 *  - A call that can fail returns fur_status. fur_context_error() holds one sentence about the last
 *    failure: what, where, and what to do.
 *  - Out-parameters come last and stay untouched when a call fails.
 *  - Destroy functions accept NULL. Functions that ask an object for something answer 0, NULL or ""
 *    for NULL. Any other NULL where none is allowed is FUR_INVALID; the sentence is in the context
 *    of the call's first handle, or in fur_context_error(NULL) if that handle is NULL itself.
 *  - Sizes are int64_t, column indices int32_t, and everything counts from 0. Only sentences number
 *    rows and entries of a matrix from 1, as files and books do, and say "counting from 1".
 *  - Structs that the caller hands over begin with their size, so that they can grow:
 *    fur_spmv_options o = {.size = sizeof o}, or FUR_DEFAULT(fur_spmv_options). A struct without
 *    its size is FUR_INVALID. In options zero means "default", and NULL stands for all defaults.
 *    Reports and other results are filled as far as the caller's struct goes.
 *  - Structs that the library returns by pointer belong to it and may be longer in later versions.
 *  - Vectors of a call must not overlap if one of them is written to, unless the header allows it.
 * docs/contract.md has the rest: threads, fork, signals, locale, rounding, errno, trust. */
#ifndef FURROW_BASE_H
#define FURROW_BASE_H

#include <stddef.h>
#include <stdint.h>

#define FUR_VERSION_MAJOR 0
#define FUR_VERSION_MINOR 2
#define FUR_VERSION_PATCH 0
#define FUR_VERSION "0.2.0"

#if defined(__GNUC__)
#    define FUR_API __attribute__((visibility("default")))
#    define FUR_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#    define FUR_API
#    define FUR_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A struct of this type with its size set and all else zero: options with all defaults, a report to
 * be filled. fur_solver_report report = FUR_DEFAULT(fur_solver_report); */
#ifdef __cplusplus
#    define FUR_DEFAULT(type) (::fur_default<type>())
#else
#    define FUR_DEFAULT(type) ((type){.size = sizeof(type)})
#endif

/* Version of the library that runs, as "major.minor.patch". The macros are those of the headers
 * that the program was compiled with. */
FUR_API const char *fur_version(void);

/* Outcome of a call. Every value but FUR_OK leaves out-parameters and inputs as they were; only
 * FUR_DEVICE_ERROR may leave changed data on the device. */
typedef enum fur_status {
    FUR_OK = 0,
    FUR_INVALID,       /* an argument or a matrix breaks the function's contract */
    FUR_OUT_OF_MEMORY, /* the context's allocator, or its device, has no more */
    FUR_OVERFLOW,      /* a size does not fit its index type, or exceeds a limit of reading */
    FUR_UNSUPPORTED,   /* valid, but this build or device cannot do it */
    FUR_IO_ERROR,      /* the operating system refused: open, read, write, rename */
    FUR_MALFORMED,     /* a file's content breaks its format */
    FUR_CANCELLED,     /* the caller's callback, or a time limit, asked to stop */
    FUR_DEVICE_ERROR   /* the device or its driver failed; the sentence names the call */
} fur_status;

/* Name of a status, such as "out of memory". Never NULL. */
FUR_API const char *fur_status_name(fur_status status);

/* Type of the entries of a matrix or vector. The order is part of the ABI. */
typedef enum fur_value_type {
    FUR_F32 = 0, /* float */
    FUR_F64,     /* double */
    FUR_C64,     /* two floats: real, imaginary; layout of float _Complex */
    FUR_C128     /* two doubles: real, imaginary; layout of double _Complex */
} fur_value_type;
#define FUR_VALUE_COUNT 4

/* Bytes of one entry: 4, 8, 8, 16. 0 for a value outside the enumeration. */
FUR_API size_t fur_value_size(fur_value_type value);
/* "f32", "f64", "c64", "c128"; "?" for a value outside the enumeration. */
FUR_API const char *fur_value_name(fur_value_type value);

/* Width of the row offsets of a CSR matrix. */
typedef enum fur_offset_type {
    FUR_I32 = 0, /* int32_t: up to 2^31-1 entries */
    FUR_I64      /* int64_t */
} fur_offset_type;
#define FUR_OFFSET_COUNT 2

/* Bytes of one offset: 4, 8. 0 for a value outside the enumeration. */
FUR_API size_t fur_offset_size(fur_offset_type offset);
/* "i32", "i64"; "?" for a value outside the enumeration. */
FUR_API const char *fur_offset_name(fur_offset_type offset);

/* Coefficient of a vector operation or result of a dot product, for every value type: a real
 * type ignores im. It is rounded once to the value type of the vectors it is used with. */
typedef struct fur_scalar {
    double re;
    double im;
} fur_scalar;

static inline fur_scalar fur_real(double re)
{
    fur_scalar scalar = {re, 0.0};
    return scalar;
}

static inline fur_scalar fur_complex(double re, double im)
{
    fur_scalar scalar = {re, im};
    return scalar;
}

/* A registered kernel. */
typedef struct fur_kernel_info {
    const char *name;
    const char *summary; /* one line: the strategy */
    const char *source;  /* author and year of the method, "" if it has none */
    int exact;           /* 1: gives the same bits as the reference */
    int depth;           /* most sweeps of a stencil in one pass over memory; 0: a kernel for
                            products */
} fur_kernel_info;

/* A registered method of solving or ordering. */
typedef struct fur_method_info {
    const char *name;
    const char *summary; /* one line: what it finds */
    const char *source;  /* author and year */
} fur_method_info;

/* The type of an option: its member in a struct, and its value in a text. */
typedef enum fur_option_type {
    FUR_OPTION_FLAG = 0, /* int: 0 or 1; in a text the name alone stands for 1 */
    FUR_OPTION_INT,      /* int: a whole number */
    FUR_OPTION_LONG,     /* int64_t: a whole number */
    FUR_OPTION_REAL,     /* double: a number with a decimal point or without */
    FUR_OPTION_SHARE,    /* double: the same, below `most` */
    FUR_OPTION_WORD,     /* const char *: one of `words` */
    FUR_OPTION_CHOICE    /* an enum: its place in `words` */
} fur_option_type;

/* An option: a member of a struct, or "name=value" in a text. */
typedef struct fur_option {
    const char *name;    /* of the member and in texts */
    const char *summary; /* one line: meaning and unit */
    fur_option_type type;
    size_t offset;            /* bytes from the start of the struct to the member */
    double standard;          /* default value; a 0 in the struct stands for it */
    double least;             /* smallest value */
    double most;              /* largest value; HUGE_VAL: no limit */
    double zero;              /* member for a value of 0 if the default is another; 0: none */
    const char *const *words; /* the values of a word or a choice, then NULL */
} fur_option;

/* What a create function does with the caller's arrays. */
typedef enum fur_ownership {
    FUR_OWNERSHIP_COPY = 0, /* copies them; the caller may free them at once */
    /* Uses them in place: they must outlive the object. A matrix never writes to its arrays. On a
     * GPU elements must be aligned to their size, a complex one to the size of the whole. */
    FUR_OWNERSHIP_BORROW,
    FUR_OWNERSHIP_ADOPT /* takes them over and frees them; each must come from fur_context_allocate
                           of the same context */
} fur_ownership;

/* Source of all memory of a context. The library calls both functions from one thread at a time. */
typedef struct fur_allocator {
    /* At least `bytes` bytes (never 0) aligned to 64, or NULL. */
    void *(*allocate)(void *user, size_t bytes);
    /* Gives back what allocate returned; never NULL. */
    void (*release)(void *user, void *memory);
    void *user;
} fur_allocator;

#ifdef __cplusplus
}

template <typename Struct> Struct fur_default()
{
    Struct made = Struct();
    made.size = sizeof made;
    return made;
}
#endif
#endif
