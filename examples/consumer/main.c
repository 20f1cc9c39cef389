/* SPDX-License-Identifier: Apache-2.0 */
/* To build without CMake:  cc -std=c11 main.c $(pkg-config --cflags --libs onefold) */
#include <onefold/onefold.h>
#include <stdio.h>

int main(void) {
  static double prices[1000000];
  double sum = 0;
  onefold_state *wide, *narrow;
  for (int i = 0; i < 1000000; ++i) prices[i] = 0.1;
  if (onefold_sum_f64(prices, 1000000, &sum) != ONEFOLD_OK) return 1;
  printf("%.17g\n", sum);
  wide = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F64);
  narrow = onefold_state_new(ONEFOLD_SUM, ONEFOLD_F32);
  if (onefold_state_merge(wide, narrow) != ONEFOLD_OK) printf("%s\n", onefold_last_message());
  onefold_state_free(wide);
  onefold_state_free(narrow);
  return 0;
}
