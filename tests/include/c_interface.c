/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface as a C11 program sees it: every function, every argument that may be wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "onefold/onefold.h"

static int failures = 0;

static void expect(int fine, const char* condition, int line) {
  if (fine) return;
  ++failures;
  printf("c_interface.c:%d: %s (last message: %s)\n", line, condition, onefold_last_message());
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
/* A status, and a word of its message. */
#define EXPECT_FAILS(call, status, word)                                                           \
  expect((call) == (status) && strstr(onefold_last_message(), word), #call, __LINE__)

static onefold_array array_of(void* data, onefold_dtype type, int32_t rank,
                              const int64_t* extents) {
  onefold_array made = {data, type, rank, extents, NULL};
  return made;
}

static void sums_and_dots(void) {
  const double x[] = {1e308, 1e308, -1e308, 0.5}, y[] = {1, 1, 1, 2};
  const float a[] = {0x1p24f, 1, -0x1p24f}, b[] = {1, 1, 1};
  double d = 0;
  float f = 0;
  EXPECT(onefold_sum_f64(x, 4, &d) == ONEFOLD_OK && d == 1e308);
  EXPECT(onefold_dot_f64(x + 3, y + 3, 1, &d) == ONEFOLD_OK && d == 1.0);
  EXPECT(onefold_sum_f32(a, 3, &f) == ONEFOLD_OK && f == 1.0f);
  EXPECT(onefold_dot_f32(a, b, 3, &f) == ONEFOLD_OK && f == 1.0f);
  EXPECT(onefold_sum_f64(NULL, 0, &d) == ONEFOLD_OK && d == 0 && !signbit(d));
  EXPECT(onefold_dot_f32(NULL, NULL, 0, &f) == ONEFOLD_OK && f == 0);
  EXPECT_FAILS(onefold_sum_f64(NULL, 1, &d), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_sum_f64(x, -1, &d), ONEFOLD_USAGE, "n < 0");
  EXPECT_FAILS(onefold_sum_f64(x, 4, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_sum_f32(NULL, 1, &f), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_dot_f64(x, NULL, 4, &d), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_dot_f64(x, y, 4, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_dot_f32(NULL, b, 3, &f), ONEFOLD_USAGE, "NULL");
}

static int polls = 0;
static int stop_now(void* context) {
  ++polls;
  return *(const int*)context;
}

static void reductions(void) {
  float x[] = {1, 2, 3, 4, 5, 6};
  double sums[3] = {0, 0, 0};
  const int64_t two_three[] = {2, 3}, three[] = {3}, two[] = {2}, strides[] = {4, 8};
  const int64_t one_three[] = {1, 3};
  const int32_t first[] = {0}, last[] = {-1};
  unsigned char keep[] = {1, 0, 1};
  double hundred = 100;
  const int yes = 1, no = 0;
  onefold_array in = array_of(x, ONEFOLD_F32, 2, two_three);
  onefold_array out = array_of(sums, ONEFOLD_F64, 1, three);
  onefold_array whole = array_of(sums, ONEFOLD_F64, 0, NULL);
  onefold_array mask = array_of(keep, ONEFOLD_BOOL, 1, three);
  onefold_array initial = array_of(&hundred, ONEFOLD_F64, 0, NULL);
  onefold_options how = {.size = sizeof how, .axes = first, .axis_count = 1};

  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &whole, NULL) == ONEFOLD_OK && sums[0] == 21);
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how) == ONEFOLD_OK);
  EXPECT(sums[0] == 5 && sums[1] == 7 && sums[2] == 9);
  in.strides_bytes = strides; /* the same memory read as {{1, 3, 5}, {2, 4, 6}} */
  EXPECT(onefold_reduce(ONEFOLD_MAX, &in, 1, &out, &how) == ONEFOLD_OK);
  EXPECT(sums[0] == 2 && sums[1] == 4 && sums[2] == 6);
  in.strides_bytes = NULL;
  how.axes = last;
  out = array_of(sums, ONEFOLD_F64, 1, two);
  how.where = &mask;
  how.initial = &initial;
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how) == ONEFOLD_OK);
  EXPECT(sums[0] == 104 && sums[1] == 110);
  how = (onefold_options){.size = sizeof how, .axes = first, .axis_count = 1, .keepdims = 1};
  out = array_of(sums, ONEFOLD_F64, 2, one_three);
  how.accuracy = ONEFOLD_FAST, how.threads = 2, how.correction = 1;
  EXPECT(onefold_reduce(ONEFOLD_VAR, &in, 1, &out, &how) == ONEFOLD_OK && sums[2] == 4.5);
  {
    int64_t index = 0;
    onefold_array place = array_of(&index, ONEFOLD_I64, 0, NULL);
    how = (onefold_options){.size = sizeof how, .first_index = 10, .stop = stop_now};
    how.context = (void*)&no;
    EXPECT(onefold_reduce(ONEFOLD_ARGMAX, &in, 1, &place, &how) == ONEFOLD_OK && index == 15);
    EXPECT(polls == 1);
    how.context = (void*)&yes;
    EXPECT_FAILS(onefold_reduce(ONEFOLD_ARGMAX, &in, 1, &place, &how), ONEFOLD_CANCELLED, "stop");
  }
  {
    float ends[2];
    onefold_array place = array_of(ends, ONEFOLD_F32, 1, two);
    EXPECT(onefold_reduce(ONEFOLD_MINMAX, &in, 1, &place, NULL) == ONEFOLD_OK);
    EXPECT(ends[0] == 1 && ends[1] == 6);
  }
  {
    const onefold_array both[] = {in, in};
    EXPECT(onefold_reduce(ONEFOLD_DOT, both, 2, &whole, NULL) == ONEFOLD_OK && sums[0] == 91);
  }
}

/* One more element, of any type: also what no double holds. */
static void initial_values(void) {
  int64_t x[] = {1, 2}, one_less = INT64_MAX - 1, largest = INT64_MAX, answer = 0;
  uint64_t u[] = {1, 2}, top = UINT64_MAX, unsigned_answer = 0;
  unsigned char yes = 7, bits[] = {0, 0};
  uint16_t half = 0xC000; /* -2 as f16 */
  float f = 2.5f;
  double d = 0;
  const int64_t two[] = {2};
  onefold_array in = array_of(x, ONEFOLD_I64, 1, two);
  onefold_array out = array_of(&answer, ONEFOLD_I64, 0, NULL);
  onefold_array initial = array_of(&largest, ONEFOLD_I64, 0, NULL);
  onefold_options how = {.size = sizeof how, .initial = &initial};
  EXPECT(onefold_reduce(ONEFOLD_MAX, &in, 1, &out, &how) == ONEFOLD_OK && answer == INT64_MAX);
  initial.data = &one_less;
  EXPECT(onefold_reduce(ONEFOLD_MAX, &in, 1, &out, &how) == ONEFOLD_OK && answer == one_less);
  initial = array_of(&top, ONEFOLD_U64, 0, NULL);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_MAX, &in, 1, &out, &how), ONEFOLD_MISMATCH, "i64");
  in = array_of(u, ONEFOLD_U64, 1, two);
  out = array_of(&unsigned_answer, ONEFOLD_U64, 0, NULL);
  EXPECT(onefold_reduce(ONEFOLD_MAX, &in, 1, &out, &how) == ONEFOLD_OK);
  EXPECT(unsigned_answer == UINT64_MAX);
  in = array_of(bits, ONEFOLD_BOOL, 1, two);
  initial = array_of(&yes, ONEFOLD_BOOL, 0, NULL);
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how) == ONEFOLD_OK && unsigned_answer == 1);
  in = array_of(x, ONEFOLD_I64, 1, two);
  out = array_of(&d, ONEFOLD_F64, 0, NULL);
  initial = array_of(&half, ONEFOLD_F16, 0, NULL);
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how) == ONEFOLD_OK && d == 1);
  initial = array_of(&f, ONEFOLD_F32, 0, NULL);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_MISMATCH, "initial");
  initial = array_of(&f, ONEFOLD_F32, 1, two);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "rank 0");
  initial = array_of(NULL, ONEFOLD_F32, 0, NULL);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "no data");
  initial = array_of(&f, (onefold_dtype)13, 0, NULL);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "dtype");
}

/* Row-major strides of extents that no memory has. Nothing is read. */
static void extents_beyond_memory(void) {
  double x = 0, sum = -7;
  const int64_t products[][3] = {{INT64_C(1) << 62, 4, 4}, {4, INT64_C(1) << 62, 4},
                                 {4, 4, INT64_C(1) << 62}, {2, 2, INT64_C(1) << 61},
                                 {INT64_C(1) << 60, 2, 1}, {INT64_MAX, INT64_MAX, INT64_MAX}};
  const int64_t none[][3] = {{INT64_MAX, 0, INT64_MAX}, {0, INT64_MAX, INT64_MAX}};
  onefold_array out = array_of(&sum, ONEFOLD_F64, 0, NULL);
  size_t i;
  for (i = 0; i < sizeof products / sizeof *products; ++i) {
    onefold_array in = array_of(&x, ONEFOLD_F64, 3, products[i]);
    EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, NULL), ONEFOLD_MISMATCH, "2^63");
  }
  EXPECT(sum == -7);
  for (i = 0; i < sizeof none / sizeof *none; ++i) {
    onefold_array in = array_of(NULL, ONEFOLD_F64, 3, none[i]);
    EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, NULL) == ONEFOLD_OK && sum == 0);
  }
}

static void refusals(void) {
  float x[] = {1, -1, NAN};
  double sum = -7;
  const int64_t three[] = {3}, nothing[] = {0}, below[] = {-1}, four[] = {4};
  const int32_t far_axis[] = {1};
  onefold_array in = array_of(x, ONEFOLD_F32, 1, three);
  onefold_array out = array_of(&sum, ONEFOLD_F64, 0, NULL), bad = in;
  onefold_options how = {.size = sizeof how};
  const onefold_array both[] = {in, in};

  EXPECT_FAILS(onefold_reduce((onefold_op)200, &in, 1, &out, NULL), ONEFOLD_USAGE, "onefold_op");
  EXPECT_FAILS(onefold_reduce((onefold_op)-1, &in, 1, &out, NULL), ONEFOLD_USAGE, "onefold_op");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, NULL, 1, &out, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, NULL, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 3, &out, NULL), ONEFOLD_USAGE, "views");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 0, &out, NULL), ONEFOLD_USAGE, "views");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, both, 2, &out, NULL), ONEFOLD_MISMATCH, "view");
  EXPECT_FAILS(onefold_reduce(ONEFOLD_DOT, &in, 1, &out, NULL), ONEFOLD_MISMATCH, "view");

  bad.dtype = (onefold_dtype)13;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_USAGE, "dtype");
  bad = in, bad.rank = 65;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_USAGE, "rank");
  bad = in, bad.rank = -1;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_USAGE, "rank");
  bad = in, bad.extents = NULL;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_USAGE, "extents");
  bad = in, bad.extents = below;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_MISMATCH, "-1");
  bad = in, bad.data = NULL;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL), ONEFOLD_USAGE, "no data");
  bad = out, bad.data = NULL;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &bad, NULL), ONEFOLD_USAGE, "no data");
  bad = array_of(&sum, ONEFOLD_F64, 1, four);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &bad, NULL), ONEFOLD_MISMATCH, "shape");

  how.size = 8;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "size");
  how = (onefold_options){.size = sizeof how, .accuracy = (onefold_accuracy)2};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "accuracy");
  how = (onefold_options){.size = sizeof how, .nan_policy = (onefold_nan_policy)3};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "nan");
  how = (onefold_options){.size = sizeof how, .threads = -1};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "threads");
  how = (onefold_options){.size = sizeof how, .axes = far_axis, .axis_count = 1};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_MISMATCH, "axis");
  how.axis_count = -1;
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "axis_count");
  bad = in, bad.dtype = (onefold_dtype)99;
  how = (onefold_options){.size = sizeof how, .where = &bad};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how), ONEFOLD_USAGE, "dtype");
  EXPECT(sum == -7);

  how = (onefold_options){.size = sizeof how, .nan_policy = ONEFOLD_NAN_ERROR};
  EXPECT_FAILS(onefold_reduce(ONEFOLD_MIN, &in, 1, &out, &how), ONEFOLD_NOT_A_NUMBER, "NaN");
  how.nan_policy = ONEFOLD_NAN_OMIT;
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, &how) == ONEFOLD_OK && sum == 0);
  EXPECT(onefold_reduce(ONEFOLD_SUM, &in, 1, &out, NULL) == ONEFOLD_OK && isnan(sum));
  EXPECT_FAILS(onefold_reduce(ONEFOLD_BIT_OR, &in, 1, &out, NULL), ONEFOLD_UNSUPPORTED, "bit_or");
  bad = array_of(NULL, ONEFOLD_F32, 1, nothing);
  EXPECT_FAILS(onefold_reduce(ONEFOLD_MAX, &bad, 1, &out, NULL), ONEFOLD_EMPTY, "nothing");
  EXPECT(onefold_reduce(ONEFOLD_SUM, &bad, 1, &out, NULL) == ONEFOLD_OK && sum == 0);
  {
    int64_t large[] = {INT64_MAX, 1}, total = 0;
    const int64_t two[] = {2};
    onefold_array integers = array_of(large, ONEFOLD_I64, 1, two);
    onefold_array place = array_of(&total, ONEFOLD_I64, 0, NULL);
    EXPECT_FAILS(onefold_reduce(ONEFOLD_SUM, &integers, 1, &place, NULL), ONEFOLD_OVERFLOW, "fit");
  }
}

/* States of two parts as words, added as a transport would. */
static void additive_words(void) {
  double x[] = {1e300, 0.5, -1e300}, answer = 0;
  const int64_t one[] = {1}, two[] = {2};
  onefold_array front = array_of(x, ONEFOLD_F64, 1, two),
                last = array_of(x + 2, ONEFOLD_F64, 1, one);
  onefold_state* a = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64);
  onefold_state *b = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64), *sum;
  int64_t words[80], more[80];
  const int32_t count = onefold_additive_words(ONEFOLD_SUM, ONEFOLD_F64);
  int i;
  EXPECT(count > 0 && count <= 80);
  EXPECT(onefold_additive_words(ONEFOLD_PROD, ONEFOLD_F64) == 0);
  EXPECT(onefold_additive_words((onefold_op)200, ONEFOLD_F64) == 0);
  EXPECT(onefold_state_add(a, &front) == ONEFOLD_OK && onefold_state_add(b, &last) == ONEFOLD_OK);
  EXPECT(onefold_state_to_additive(a, words, count) == ONEFOLD_OK);
  EXPECT(onefold_state_to_additive(b, more, count) == ONEFOLD_OK);
  for (i = 0; i < count; ++i) words[i] += more[i];
  sum = onefold_state_from_additive(words, count);
  EXPECT(onefold_state_write(sum, &answer, ONEFOLD_F64) == ONEFOLD_OK && answer == 0.5);
  EXPECT_FAILS(onefold_state_to_additive(a, words, count - 1), ONEFOLD_USAGE, "capacity");
  EXPECT_FAILS(onefold_state_to_additive(NULL, words, count), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_to_additive(a, NULL, count), ONEFOLD_USAGE, "NULL");
  EXPECT(onefold_state_from_additive(words, count - 1) == NULL && *onefold_last_message());
  EXPECT(onefold_state_from_additive(NULL, count) == NULL);
  EXPECT(onefold_state_from_additive(words, -1) == NULL);

  onefold_state_free(a), onefold_state_free(b), onefold_state_free(sum);
}

/* Exponentials of two bands, which add in the higher one; and as states, in any order. */
static void bands(void) {
  double x[] = {1000, 1, 1000}, answer = 0, merged = 0;
  const int64_t one[] = {1}, two[] = {2};
  onefold_array front = array_of(x + 1, ONEFOLD_F64, 1, two),
                last = array_of(x + 1, ONEFOLD_F64, 1, one);
  onefold_state* a = onefold_state_new(ONEFOLD_LOGSUMEXP, ONEFOLD_F64);
  onefold_state *b = onefold_state_new(ONEFOLD_LOGSUMEXP, ONEFOLD_F64), *sum;
  int64_t words[80], more[80], band = -1, lower = -1;
  const int32_t count = onefold_additive_words(ONEFOLD_LOGSUMEXP, ONEFOLD_F64);
  int i;
  EXPECT(count > 0 && count <= 80);
  EXPECT(onefold_state_add(a, &front) == ONEFOLD_OK && onefold_state_add(b, &last) == ONEFOLD_OK);
  EXPECT(onefold_state_additive_band(a, &band) == ONEFOLD_OK && band > 0);
  EXPECT(onefold_state_additive_band(b, &lower) == ONEFOLD_OK && lower == 0);
  EXPECT(onefold_state_to_additive_band(a, band, words, count) == ONEFOLD_OK);
  EXPECT(onefold_state_to_additive_band(b, band, more, count) == ONEFOLD_OK);
  for (i = 0; i < count; ++i) words[i] += more[i];
  sum = onefold_state_from_additive(words, count);
  EXPECT(onefold_state_merge(b, a) == ONEFOLD_OK);
  EXPECT(onefold_state_write(sum, &answer, ONEFOLD_F64) == ONEFOLD_OK && answer == 1000);
  EXPECT(onefold_state_write(b, &merged, ONEFOLD_F64) == ONEFOLD_OK && merged == answer);
  EXPECT_FAILS(onefold_state_to_additive_band(a, 0, words, count), ONEFOLD_USAGE, "band");
  EXPECT_FAILS(onefold_state_to_additive_band(a, band, words, 1), ONEFOLD_USAGE, "capacity");
  EXPECT_FAILS(onefold_state_to_additive_band(a, band, NULL, 80), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_additive_band(NULL, &band), ONEFOLD_USAGE, "NULL");
  onefold_state_free(a), onefold_state_free(b), onefold_state_free(sum);
}

static void states(void) {
  double x[] = {1e300, 1, -1e300}, sum = 0;
  unsigned char bytes[2048];
  const int64_t three[] = {3};
  onefold_array in = array_of(x, ONEFOLD_F64, 1, three), narrow = in, bad = in;
  onefold_state *one = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64), *other, *max;
  size_t size;
  EXPECT(one != NULL);
  EXPECT(onefold_state_write(one, &sum, ONEFOLD_F64) == ONEFOLD_OK && sum == 0);
  EXPECT(onefold_state_add(one, &in) == ONEFOLD_OK);
  EXPECT(onefold_state_write(one, &sum, ONEFOLD_F64) == ONEFOLD_OK && sum == 1);
  size = onefold_state_bytes(one, NULL, 0);
  EXPECT(size == 600);
  memset(bytes, 0xAB, sizeof bytes);
  EXPECT(onefold_state_bytes(one, bytes, 7) == size && bytes[6] == 'd' && bytes[7] == 0xAB);
  EXPECT(onefold_state_bytes(one, bytes, sizeof bytes) == size && bytes[size] == 0xAB);
  other = onefold_state_from_bytes(bytes, size);
  EXPECT(other != NULL);
  EXPECT(onefold_state_merge(one, other) == ONEFOLD_OK);
  EXPECT(onefold_state_write(one, &sum, ONEFOLD_F64) == ONEFOLD_OK && sum == 2);

  EXPECT(onefold_state_from_bytes(bytes, size - 1) == NULL && *onefold_last_message());
  bytes[0] = 'x';
  EXPECT(onefold_state_from_bytes(bytes, size) == NULL && *onefold_last_message());
  EXPECT(onefold_state_from_bytes(NULL, size) == NULL && strstr(onefold_last_message(), "NULL"));
  EXPECT(onefold_state_new((onefold_op)200, ONEFOLD_F64) == NULL &&
         strstr(onefold_last_message(), "onefold_op"));
  EXPECT(onefold_state_new(ONEFOLD_SUM, (onefold_dtype)13) == NULL &&
         strstr(onefold_last_message(), "onefold_dtype"));
  EXPECT(onefold_state_new(ONEFOLD_BIT_AND, ONEFOLD_F64) == NULL &&
         strstr(onefold_last_message(), "bit_and of f64"));
  EXPECT(onefold_state_bytes(NULL, bytes, sizeof bytes) == 0);
  EXPECT_FAILS(onefold_state_add(NULL, &in), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_add(one, NULL), ONEFOLD_USAGE, "NULL");
  narrow.dtype = ONEFOLD_F32;
  EXPECT_FAILS(onefold_state_add(one, &narrow), ONEFOLD_MISMATCH, "f32");
  bad.data = NULL;
  EXPECT_FAILS(onefold_state_add(one, &bad), ONEFOLD_USAGE, "no data");
  EXPECT_FAILS(onefold_state_merge(one, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_merge(NULL, one), ONEFOLD_USAGE, "NULL");
  max = onefold_state_new(ONEFOLD_MAX, ONEFOLD_F64);
  EXPECT_FAILS(onefold_state_merge(one, max), ONEFOLD_MISMATCH, "max");
  EXPECT_FAILS(onefold_state_write(max, &sum, ONEFOLD_F64), ONEFOLD_EMPTY, "nothing");
  EXPECT_FAILS(onefold_state_write(NULL, &sum, ONEFOLD_F64), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_write(one, NULL, ONEFOLD_F64), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_write(one, &sum, (onefold_dtype)-1), ONEFOLD_USAGE, "dtype");
  EXPECT_FAILS(onefold_state_write(one, &sum, ONEFOLD_I64), ONEFOLD_UNSUPPORTED, "i64");
  EXPECT(onefold_state_write(one, &sum, ONEFOLD_F64) == ONEFOLD_OK && sum == 2);
  onefold_state_free(one), onefold_state_free(other), onefold_state_free(max);
  onefold_state_free(NULL);
}

/* What was added can be removed: a window that slides. */
static void subtractions(void) {
  double x[] = {1e300, 3, -1e300, 0.5}, sum = 0;
  const int64_t two[] = {2};
  onefold_array in = array_of(x, ONEFOLD_F64, 1, two);
  onefold_state* all = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64);
  onefold_state* left = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64);
  onefold_state* max = onefold_state_new(ONEFOLD_MAX, ONEFOLD_F64);
  EXPECT(onefold_state_add(all, &in) == ONEFOLD_OK && onefold_state_add(left, &in) == ONEFOLD_OK);
  in.data = x + 2;
  EXPECT(onefold_state_add(all, &in) == ONEFOLD_OK && onefold_state_add(max, &in) == ONEFOLD_OK);
  EXPECT(onefold_state_subtract(all, left) == ONEFOLD_OK);
  EXPECT(onefold_state_write(all, &sum, ONEFOLD_F64) == ONEFOLD_OK && sum == -1e300);
  EXPECT_FAILS(onefold_state_subtract(all, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_subtract(NULL, all), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_subtract(all, max), ONEFOLD_MISMATCH, "max");
  EXPECT_FAILS(onefold_state_subtract(max, max), ONEFOLD_UNSUPPORTED, "max");
  EXPECT(onefold_state_subtract(all, all) == ONEFOLD_OK);
  EXPECT_FAILS(onefold_state_subtract(all, left), ONEFOLD_MISMATCH, "added");
  onefold_state_free(all), onefold_state_free(left), onefold_state_free(max);
}

static void products(void) {
  double x[] = {1e200, 1, 1e200}, y[] = {1e200, 1, -1e200}, dot = 0;
  float narrow[] = {2, 4, 8};
  const int64_t three[] = {3}, two[] = {2};
  onefold_array a = array_of(x, ONEFOLD_F64, 1, three), b = array_of(y, ONEFOLD_F64, 1, three);
  onefold_array f = array_of(narrow, ONEFOLD_F32, 1, three);
  onefold_array shorter = array_of(y, ONEFOLD_F64, 1, two);
  onefold_state* state = onefold_state_new(ONEFOLD_DOT, ONEFOLD_F64);
  onefold_state* sum = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64);
  EXPECT(onefold_state_add_dot(state, &a, &b) == ONEFOLD_OK);
  EXPECT(onefold_state_write(state, &dot, ONEFOLD_F64) == ONEFOLD_OK && dot == 1);
  EXPECT(onefold_state_add_dot(state, &f, &b) == ONEFOLD_OK);
  EXPECT(onefold_state_write(state, &dot, ONEFOLD_F64) == ONEFOLD_OK && dot == -6e200);
  EXPECT_FAILS(onefold_state_add_dot(state, &f, &f), ONEFOLD_MISMATCH, "f32");
  EXPECT_FAILS(onefold_state_add_dot(state, &a, &shorter), ONEFOLD_MISMATCH, "");
  EXPECT_FAILS(onefold_state_add_dot(sum, &a, &b), ONEFOLD_MISMATCH, "sum");
  EXPECT_FAILS(onefold_state_add(state, &a), ONEFOLD_MISMATCH, "dot");
  EXPECT_FAILS(onefold_state_add_dot(state, &a, NULL), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_add_dot(state, NULL, &a), ONEFOLD_USAGE, "NULL");
  EXPECT_FAILS(onefold_state_add_dot(NULL, &a, &b), ONEFOLD_USAGE, "NULL");
  EXPECT(onefold_state_write(state, &dot, ONEFOLD_F64) == ONEFOLD_OK && dot == -6e200);
  onefold_state_free(state), onefold_state_free(sum);
}

/* A state knows the positions of the extrema in the whole: added parts follow one another. */
static void positions(void) {
  int32_t x[] = {3, 9, 1, 9};
  int64_t at = -1;
  const int64_t two[] = {2};
  onefold_array in = array_of(x, ONEFOLD_I32, 1, two);
  onefold_state* least = onefold_state_new(ONEFOLD_ARGMIN, ONEFOLD_I32);
  EXPECT(onefold_state_add(least, &in) == ONEFOLD_OK);
  in.data = x + 2;
  EXPECT(onefold_state_add(least, &in) == ONEFOLD_OK);
  EXPECT(onefold_state_write(least, &at, ONEFOLD_I64) == ONEFOLD_OK && at == 2);
  onefold_state_free(least);
}

int c_interface_failures(void) {
  failures = 0;
  EXPECT(strcmp(onefold_version(), "0.2.0") == 0);
  sums_and_dots();
  reductions();
  initial_values();
  extents_beyond_memory();
  refusals();
  additive_words();
  bands();
  states();
  positions();
  subtractions();
  products();
  return failures;
}
