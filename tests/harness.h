/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* harness.h - shared by all unit tests: cmocka, checks that print the row's reason, a
 * printed seed, and allocations that fail on demand.  Each test program
 * (tests/unit/test_*.c) is one file and includes this header once. */
#ifndef MOORE_TEST_HARNESS_H
#define MOORE_TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <malloc.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/random.h"
#include "moore/base.h"

/* Fails with the row's reason as well as the line number. */
#define CHECK(why, cond) \
	do { \
		if (!(cond)) \
			fail_msg("%s: not (%s)", why, #cond); \
	} while (0)
#define CHECK_EQ(why, got, want) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		if (got_ != want_) \
			fail_msg("%s: %s is %lld, not %lld", why, #got, got_, want_); \
	} while (0)
#define CHECK_STR(why, got, part) \
	do { \
		if (!strstr(got, part)) \
			fail_msg("%s: \"%s\" does not hold \"%s\"", why, got, part); \
	} while (0)

/* The seed of this run, from $MOORE_SEED or fixed.  It is printed, so that a failure can be
 * repeated. */
static inline uint64_t
test_seed(void)
{
	const char *s = getenv("MOORE_SEED");
	uint64_t seed = s ? strtoull(s, NULL, 0) : 20261121;

	print_message("# MOORE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* $MOORE_TEST is a pattern with * and ?; only tests whose names match it are run. */
__attribute__((constructor)) static void
choose_tests(void)
{
	const char *s = getenv("MOORE_TEST");

	if (s && *s)
		cmocka_set_test_filter(s);
}

/* How many rounds a randomised test runs: `bounded` in the plain build, $MOORE_SOAK times
 * as many in `make soak`, and a quarter in a build with sanitizers, where a round takes
 * several times as long and repeats a draw of the plain build. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SHARE 4
#else
#define TEST_SHARE 1
#endif
static inline unsigned
test_rounds(unsigned bounded)
{
	const char *s = getenv("MOORE_SOAK");

	if (s)
		return bounded * (unsigned)strtoul(s, NULL, 0);
	return (bounded + TEST_SHARE - 1) / TEST_SHARE;
}

/* The step of a loop over a long list of cases.  With sanitizers, which look for errors of
 * memory, the loop takes one case in four, except in `make soak`. */
static inline unsigned
test_stride(void)
{
	return getenv("MOORE_SOAK") ? 1 : TEST_SHARE;
}

/* Counting from now, the allocation with this number (0: the next one) fails once; -1: none
 * fails.  The linker directs the library's malloc, calloc and realloc to this file
 * (--wrap). */
static long alloc_fail_at = -1;
static _Atomic long alloc_count;
static _Atomic long alloc_live, alloc_peak;	/* bytes allocated through this file: now, and the
						 * most so far */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

static inline int
alloc_fails(void)
{
	return alloc_count++ == alloc_fail_at;
}

static inline void *
alloc_note(void *p, size_t before)
{
	if (p) {
		alloc_live += (long)malloc_usable_size(p) - (long)before;
		alloc_peak = alloc_live > alloc_peak ? alloc_live : alloc_peak;
	}
	return p;
}

void *
__wrap_malloc(size_t n)
{
	return alloc_fails() ? NULL : alloc_note(__real_malloc(n), 0);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : alloc_note(__real_calloc(n, size), 0);
}

void *
__wrap_realloc(void *p, size_t n)
{
	size_t before = p ? malloc_usable_size(p) : 0;

	return alloc_fails() ? NULL : alloc_note(__real_realloc(p, n), before);
}

void
__wrap_free(void *p)
{
	alloc_live -= p ? (long)malloc_usable_size(p) : 0;
	__real_free(p);
}

/* Evaluates EXPR (an int result) repeatedly; each time another of its allocations fails,
 * until none fails.  Every failure must return -MOORE_ENOMEM.  CLEAN runs after the
 * success. */
#define CHECK_OOM(why, expr, clean) \
	do { \
		for (long at_ = 0;; at_++) { \
			int rc_; \
			alloc_count = 0; \
			alloc_fail_at = at_; \
			rc_ = (expr); \
			alloc_fail_at = -1; \
			if (rc_ >= 0) { \
				CHECK(why, alloc_count <= at_);	/* none failed */ \
				break; \
			} \
			CHECK_EQ(why, rc_, -MOORE_ENOMEM); \
			if (at_ > 100000) \
				fail_msg("%s: never succeeds", why); \
		} \
		clean; \
	} while (0)

#endif
