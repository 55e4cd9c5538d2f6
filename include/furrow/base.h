/* Version, status, value types, scalars, options and the allocator: the base of every other header.
 *
 *     fur_status status = fur_csr_create(context, &arrays, FUR_OWNERSHIP_COPY, &a);
 *     if (status != FUR_OK)
 *         puts(fur_context_error(context));
 *
 * Conventions of the whole library:
 * - A call that can fail returns fur_status. fur_context_error() returns one sentence about the
 *   last failure: what failed, where, and what to do.
 * - Out-parameters come last. They stay unchanged when a call fails.
 * - A call that makes an object stores it in *out. The caller destroys it, once, by the destroy
 *   function of its type. Destroy functions accept NULL.
 * - Functions that return a property return 0, NULL or "" for NULL. Any other NULL is FUR_INVALID,
 *   unless the header allows NULL. The sentence is in the context of the call's first handle. If
 *   that handle is NULL, fur_context_error(NULL) returns the sentence.
 * - "Errors:" lists the failures of one function. Every call that returns fur_status may also fail
 *   with FUR_INVALID for NULL, FUR_OUT_OF_MEMORY, FUR_CANCELLED (fur_context_options.interrupted)
 *   and FUR_DEVICE_ERROR.
 * - Sizes are int64_t, column indices are int32_t, and everything counts from 0. Only sentences
 *   number rows and entries of a matrix from 1, as files and books do. They say "counting from 1".
 * - Structs that the caller passes begin with their size, so that they can grow: fur_spmv_options o
 *   = {.size = sizeof o}, or FUR_DEFAULT(fur_spmv_options). A struct without its size is
 *   FUR_INVALID. In options 0 means the default, and NULL means all defaults. The library fills
 *   reports and other results up to the size of the caller's struct.
 * - Structs that the library returns by pointer belong to the library. They may be longer in later
 *   versions.
 * - Vectors of one call must not overlap if the call writes to one of them, unless the header
 *   allows it.
 *
 * docs/contract.md has the other rules: threads, fork, signals, locale, rounding, errno, trust. */
#ifndef FURROW_BASE_H
#define FURROW_BASE_H

#include <stddef.h>
#include <stdint.h>

/* Version of the headers that the program is compiled with. */
#define FUR_VERSION_MAJOR 0
#define FUR_VERSION_MINOR 2
#define FUR_VERSION_PATCH 0
#define FUR_VERSION "0.2.0"

/* FUR_API exports a function from the shared library.
 *
 * FUR_PRINTF lets the compiler check a format string: `text` and `first` are the positions of the
 * format and of its first argument, counting from 1. */
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

/* A struct of this type that has its size, with 0 in all other members.
 *
 * Use it for options with all defaults, or for a report that a call fills:
 *
 *     fur_solver_report report = FUR_DEFAULT(fur_solver_report); */
#ifdef __cplusplus
#    define FUR_DEFAULT(type) (::fur_default<type>())
#else
#    define FUR_DEFAULT(type) ((type){.size = sizeof(type)})
#endif

/* Returns the version of the library that runs, as "major.minor.patch". Never NULL.
 *
 * The version macros are the version of the headers that the program was compiled with. */
FUR_API const char *fur_version(void);

/* Result of a call.
 *
 * If a call fails, its outputs and inputs are unchanged, unless the header says otherwise.
 * Exception: after FUR_DEVICE_ERROR, data on the device may have changed. */
typedef enum fur_status {
    FUR_OK = 0,        /* the call succeeded */
    FUR_INVALID,       /* an argument or a matrix breaks the function's contract */
    FUR_OUT_OF_MEMORY, /* the context's allocator, or its device, has no memory left */
    FUR_OVERFLOW,      /* a size does not fit its index type, or exceeds a limit of reading */
    FUR_UNSUPPORTED,   /* valid, but this build or device cannot do it */
    FUR_IO_ERROR,      /* the operating system refused: open, read, write, rename */
    FUR_MALFORMED,     /* the content of a file breaks its format */
    FUR_CANCELLED,     /* the caller's callback, or a time limit, stopped the call */
    FUR_DEVICE_ERROR   /* the device or its driver failed; the sentence names the call */
} fur_status;

/* Returns the name of a status, such as "out of memory". Never NULL. */
FUR_API const char *fur_status_name(fur_status status);

/* Type of the entries of a matrix or vector. The order is part of the ABI. */
typedef enum fur_value_type {
    FUR_F32 = 0, /* float */
    FUR_F64,     /* double */
    FUR_C64,     /* two floats: real, imaginary; layout of float _Complex */
    FUR_C128     /* two doubles: real, imaginary; layout of double _Complex */
} fur_value_type;
/* Number of value types. */
#define FUR_VALUE_COUNT 4

/* Returns the bytes of one entry: 4, 8, 8 or 16; 0 for an unknown type. */
FUR_API size_t fur_value_size(fur_value_type value);
/* Returns "f32", "f64", "c64" or "c128"; "?" for an unknown type. */
FUR_API const char *fur_value_name(fur_value_type value);

/* Width of the row offsets of a CSR matrix. */
typedef enum fur_offset_type {
    FUR_I32 = 0, /* int32_t: up to 2^31-1 entries */
    FUR_I64      /* int64_t */
} fur_offset_type;
/* Number of offset types. */
#define FUR_OFFSET_COUNT 2

/* Returns the bytes of one offset: 4 or 8; 0 for an unknown type. */
FUR_API size_t fur_offset_size(fur_offset_type offset);
/* Returns "i32" or "i64"; "?" for an unknown type. */
FUR_API const char *fur_offset_name(fur_offset_type offset);

/* Coefficient of a vector operation, or the result of a dot product.
 *
 * It serves every value type: a real type ignores `im`. The library rounds it once to the value
 * type of the vectors. */
typedef struct fur_scalar {
    double re; /* real part */
    double im; /* imaginary part */
} fur_scalar;

/* Returns the scalar re + 0i. */
static inline fur_scalar fur_real(double re)
{
    fur_scalar scalar = {re, 0.0};
    return scalar;
}

/* Returns the scalar re + im i. */
static inline fur_scalar fur_complex(double re, double im)
{
    fur_scalar scalar = {re, im};
    return scalar;
}

/* A registered kernel. */
typedef struct fur_kernel_info {
    const char *name;    /* name in options, such as "rows" */
    const char *summary; /* one line: the strategy */
    const char *source;  /* author and year of the method, "" if it has none */
    int exact;           /* 1: gives the same bits as the reference */
    int depth; /* largest number of sweeps of a stencil in one pass over memory; 0: a kernel for
                  products */
} fur_kernel_info;

/* A registered method of solving, ordering or preconditioning. */
typedef struct fur_method_info {
    const char *name;    /* name in options, such as "cg" */
    const char *summary; /* one line: what it finds */
    const char *source;  /* author and year */
} fur_method_info;

/* Type of an option: the type of the member and the form of its value in a text. */
typedef enum fur_option_type {
    FUR_OPTION_FLAG = 0, /* int: 0 or 1; in a text the name alone means 1 */
    FUR_OPTION_INT,      /* int: a whole number */
    FUR_OPTION_LONG,     /* int64_t: a whole number */
    FUR_OPTION_REAL,     /* double: a number, with or without a decimal point */
    FUR_OPTION_SHARE,    /* double: as FUR_OPTION_REAL, but less than `most` */
    FUR_OPTION_WORD,     /* const char *: one of `words` */
    FUR_OPTION_CHOICE    /* an enum: the index of the word in `words` */
} fur_option_type;

/* Description of an option: a member of a struct, or "name=value" in a text. */
typedef struct fur_option {
    const char *name;     /* name of the member, and in texts */
    const char *summary;  /* one line: meaning and unit */
    fur_option_type type; /* type of the member */
    size_t offset;        /* bytes from the start of the struct to the member */
    double standard;      /* default value; a 0 in the struct means this value */
    double least;         /* smallest value */
    double most;          /* largest value; HUGE_VAL: no limit */
    double zero;          /* value of the member that means 0 if the default is not 0; 0: none */
    const char *const *words; /* the values of a word or a choice, then NULL */
} fur_option;

/* How a create function treats the caller's arrays. */
typedef enum fur_ownership {
    FUR_OWNERSHIP_COPY = 0, /* copies them; the caller may free them at once */
    /* Uses them in place: they must outlive the object. A matrix never writes to its arrays. On a
     * GPU, elements must be aligned to their size; a complex element counts as a whole. */
    FUR_OWNERSHIP_BORROW,
    /* Takes them and frees them with the object. Each must come from fur_context_allocate of the
     * same context. If the call fails, they still belong to the caller. */
    FUR_OWNERSHIP_ADOPT
} fur_ownership;

/* Source of all memory of a context: two functions, or both NULL.
 *
 * The library calls them from one thread at a time. */
typedef struct fur_allocator {
    /* Returns at least `bytes` bytes, aligned to 64, or NULL if there is no memory. `bytes` is
     * never 0. */
    void *(*allocate)(void *user, size_t bytes);
    /* Frees memory that allocate returned. `memory` is never NULL. */
    void (*release)(void *user, void *memory);
    void *user; /* passed to both functions */
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
