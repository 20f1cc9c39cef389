/* SPDX-License-Identifier: Apache-2.0 */
/* The C API, which other languages bind. C11; every function is thread-safe, except calls that
   share a state. No function aborts, prints or throws; each returns a status, and
   onefold_last_message() says what failed, where, and the remedy. A handler of an asynchronous
   signal may call none: they allocate and wait for threads.

     double x[] = {0.1, 0.2, 0.3}, sum;
     onefold_sum_f64(x, 3, &sum);

   Numbers of enumerators never change; new ones are appended. */
#pragma once

/* NOLINTBEGIN(readability-identifier-naming,modernize-*): C */
#include <stddef.h>
#include <stdint.h>

#include "onefold/detail/export.hpp"

/* A fixed base type, so that a C++ enum holds any number of a C caller, to be refused. */
#ifdef __cplusplus
#define ONEFOLD_ENUM_BASE : unsigned
extern "C" {
#else
#define ONEFOLD_ENUM_BASE
#endif

typedef enum ONEFOLD_ENUM_BASE {
  ONEFOLD_OK = 0,
  ONEFOLD_IO_ERROR,
  ONEFOLD_USAGE,
  ONEFOLD_MALFORMED,
  ONEFOLD_EMPTY,
  ONEFOLD_OVERFLOW,
  ONEFOLD_NOT_A_NUMBER,
  ONEFOLD_MISSING_VALUE,
  ONEFOLD_UNSUPPORTED,
  ONEFOLD_MISMATCH,
  ONEFOLD_OUT_OF_MEMORY,
  ONEFOLD_CANCELLED,
  ONEFOLD_UNSOUND_ARITHMETIC,
  ONEFOLD_DEVICE_ERROR
} onefold_status;

typedef enum ONEFOLD_ENUM_BASE {
  ONEFOLD_BOOL = 0,
  ONEFOLD_I8,
  ONEFOLD_I16,
  ONEFOLD_I32,
  ONEFOLD_I64,
  ONEFOLD_U8,
  ONEFOLD_U16,
  ONEFOLD_U32,
  ONEFOLD_U64,
  ONEFOLD_F16,
  ONEFOLD_BF16,
  ONEFOLD_F32,
  ONEFOLD_F64
} onefold_dtype;

typedef enum ONEFOLD_ENUM_BASE {
  ONEFOLD_SUM = 0,
  ONEFOLD_MEAN,
  ONEFOLD_NORM1,
  ONEFOLD_NORM2,
  ONEFOLD_NORMINF,
  ONEFOLD_SUMSQ,
  ONEFOLD_DOT,
  ONEFOLD_VAR,
  ONEFOLD_STD,
  ONEFOLD_MIN,
  ONEFOLD_MAX,
  ONEFOLD_ARGMIN,
  ONEFOLD_ARGMAX,
  ONEFOLD_MINMAX,
  ONEFOLD_ANY,
  ONEFOLD_ALL,
  ONEFOLD_COUNT,
  ONEFOLD_COUNT_NONZERO,
  ONEFOLD_BIT_AND,
  ONEFOLD_BIT_OR,
  ONEFOLD_BIT_XOR,
  ONEFOLD_PROD,
  ONEFOLD_LOGSUMEXP
} onefold_op;

typedef enum ONEFOLD_ENUM_BASE { ONEFOLD_EXACT = 0, ONEFOLD_FAST } onefold_accuracy;
typedef enum ONEFOLD_ENUM_BASE {
  ONEFOLD_NAN_PROPAGATE = 0,
  ONEFOLD_NAN_OMIT,
  ONEFOLD_NAN_ERROR
} onefold_nan_policy;

/* An input, or the destination of answers. strides_bytes may be NULL: row-major. */
typedef struct {
  void* data;
  onefold_dtype dtype;
  int32_t rank; /* 0 … 64; 0 is one element */
  const int64_t* extents;
  const int64_t* strides_bytes;
} onefold_array;

/* Zero-initialised it holds the defaults; set size to sizeof(onefold_options). Before version 1.0
   the layout of structs may change with each minor version (0.1), whose number is part of the
   shared library's name: recompile for the next one. */
typedef struct {
  size_t size;
  onefold_accuracy accuracy;
  onefold_nan_policy nan_policy;
  const int32_t* axes; /* the axes that are reduced; NULL: all */
  int32_t axis_count;  /* 0 with axes not NULL: reduces no axis, an answer for each element */
  int32_t keepdims;
  const onefold_array* where; /* mask; NULL: none */
  /* One additional element: an array of rank 0 of any element type, so that it holds 2^63 - 1 and
     2^64 - 1 too. NULL: none */
  const onefold_array* initial;
  double correction;          /* finite; var, std */
  int64_t first_index;        /* argmin, argmax */
  int32_t threads;            /* 0: as many as there are */
  int (*stop)(void* context); /* polled before the work begins; not 0 cancels. NULL: never */
  void* context;
} onefold_options;

/* Reduces `views` (two for ONEFOLD_DOT, else one) to the answers in `output`, whose axes are the
   kept axes, and one more of extent 2 for ONEFOLD_MINMAX. options may be NULL. Errors, orders
   and statuses are those of onefold::reduce; ONEFOLD_USAGE for invalid arguments. */
ONEFOLD_API onefold_status onefold_reduce(onefold_op op, const onefold_array* views,
                                          int32_t view_count, const onefold_array* output,
                                          const onefold_options* options);

/* The sums and dot products of n contiguous elements, rounded once; 0 if n is 0. ONEFOLD_USAGE if
   n < 0 or a pointer is NULL. */
ONEFOLD_API onefold_status onefold_sum_f64(const double* x, int64_t n, double* sum);
ONEFOLD_API onefold_status onefold_sum_f32(const float* x, int64_t n, float* sum);
ONEFOLD_API onefold_status onefold_dot_f64(const double* x, const double* y, int64_t n,
                                           double* dot);
ONEFOLD_API onefold_status onefold_dot_f32(const float* x, const float* y, int64_t n, float* dot);

/* An accumulator: add arrays, merge, serialize, round. */
typedef struct onefold_state onefold_state;

/* The empty state. NULL if memory is short, op or input is not a value of its enum, or op does
   not take such elements (ONEFOLD_BIT_AND of floats). */
ONEFOLD_API onefold_state* onefold_state_new(onefold_op op, onefold_dtype input);
/* NULL is fine. */
ONEFOLD_API void onefold_state_free(onefold_state* state);
/* Adds the elements of an array, after those already added. Not for ONEFOLD_DOT. */
ONEFOLD_API onefold_status onefold_state_add(onefold_state* state, const onefold_array* x);
/* Adds the products of two arrays of one shape to a state of ONEFOLD_DOT. Its input type is the one
   that holds the elements of both. */
ONEFOLD_API onefold_status onefold_state_add_dot(onefold_state* state, const onefold_array* x,
                                                 const onefold_array* y);
/* Merges another state, in any order. ONEFOLD_MISMATCH if operators or element types differ, and
   for ONEFOLD_PROD: its parts have an order, so one state takes all. */
ONEFOLD_API onefold_status onefold_state_merge(onefold_state* state, const onefold_state* other);
/* Removes the elements of another state, which were added or merged before. ONEFOLD_MISMATCH if
   operators or element types differ, or if such elements were not added; ONEFOLD_UNSUPPORTED for
   operators other than sums, means, norms 1 and 2, dot, var, std, logsumexp and counts, and where
   of logsumexp nothing near the largest element would be left. */
ONEFOLD_API onefold_status onefold_state_subtract(onefold_state* state, const onefold_state* other);
/* The answer, rounded once; two elements for ONEFOLD_MINMAX. */
ONEFOLD_API onefold_status onefold_state_write(const onefold_state* state, void* output,
                                               onefold_dtype dtype);
/* Copies at most `capacity` bytes and returns the full size; 0 if memory is short. */
ONEFOLD_API size_t onefold_state_bytes(const onefold_state* state, void* bytes, size_t capacity);
/* NULL if the bytes are not a state. */
ONEFOLD_API onefold_state* onefold_state_from_bytes(const void* bytes, size_t size);

/* A state as 64-bit integers, which add word by word over processes (MPI_SUM): so many for an
   operator and element type, 0 where there is no such form; written to `words`, which holds
   `capacity`; and the state of words that were added, NULL if they are not of one operator and
   element type. Words of ONEFOLD_LOGSUMEXP add in one band: the maximum (MPI_MAX) of
   the bands of all states, to which onefold_state_to_additive_band raises them. The band of other
   sums is 0. onefold/collective.hpp has the whole of it. */
ONEFOLD_API int32_t onefold_additive_words(onefold_op op, onefold_dtype input);
ONEFOLD_API onefold_status onefold_state_to_additive(const onefold_state* state, int64_t* words,
                                                     int32_t capacity);
ONEFOLD_API onefold_status onefold_state_additive_band(const onefold_state* state, int64_t* band);
ONEFOLD_API onefold_status onefold_state_to_additive_band(const onefold_state* state, int64_t band,
                                                          int64_t* words, int32_t capacity);
ONEFOLD_API onefold_state* onefold_state_from_additive(const int64_t* words, int32_t word_count);

/* The message of this thread's last failure; valid until its next one. At most 511 bytes. */
ONEFOLD_API const char* onefold_last_message(void);
ONEFOLD_API const char* onefold_version(void);

#undef ONEFOLD_ENUM_BASE
#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,modernize-*) */
