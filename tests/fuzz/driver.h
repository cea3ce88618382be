/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* driver.h - runs a fuzz target in two ways: under libFuzzer (clang -fsanitize=fuzzer
 * -DMOORE_LIBFUZZER), and as a plain program that mutates its seed inputs, from a printed
 * seed and for a limited number of rounds, and prints TAP.
 *
 * A target defines fuzz_name, fuzz_seeds[] (valid inputs, ended by NULL) and fuzz_one(data,
 * len), which must not crash, hang or leak for any input. */
#ifndef MOORE_FUZZ_DRIVER_H
#define MOORE_FUZZ_DRIVER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/random.h"
#include "moore/base.h"

static const char fuzz_name[];
static const char *const *fuzz_seeds(void);
static void fuzz_one(const uint8_t *data, size_t len);

#ifdef MOORE_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	fuzz_one(data, len);
	return 0;
}
#else
static size_t
fuzz_mutate(struct moore_rng *r, uint8_t *d, size_t len, size_t cap)
{
	static const char *const words[] = { "0", "-1", "255", "65535", "4294967296",
		"18446744073709551616", "\"", "{", "}", "[", "]", "\n", "0x", "null", "\\u0000" };

	for (unsigned n = 1 + moore_rng_below(r, 4); n; n--) {
		size_t at = len ? moore_rng_below(r, (uint32_t)len) : 0;
		size_t to = len ? moore_rng_below(r, (uint32_t)len) : 0;
		const char *w = words[moore_rng_below(r, ARRAY_LEN(words))];
		size_t wl = strlen(w), cut = to > at ? to - at : 0;

		switch (moore_rng_below(r, 6)) {
		case 0:		/* cut off the end */
			len = at;
			break;
		case 1:		/* flip one bit */
			if (len)
				d[at] ^= (uint8_t)(1u << moore_rng_below(r, 8));
			break;
		case 2:		/* insert a word */
			if (len + wl > cap)
				break;
			memmove(d + at + wl, d + at, len - at);
			memcpy(d + at, w, wl);
			len += wl;
			break;
		case 3:		/* remove a piece */
			memmove(d + at, d + at + cut, len - at - cut);
			len -= cut;
			break;
		case 4:		/* repeat a piece */
			if (cut > 4096 || len + cut > cap)
				break;
			memmove(d + to + cut, d + to, len - to);
			memcpy(d + to, d + at, cut);
			len += cut;
			break;
		default:	/* change one byte */
			if (len)
				d[at] = (uint8_t)moore_rng_next(r);
			break;
		}
	}
	return len;
}

int
main(void)
{
	const char *s = getenv("MOORE_SEED"), *soak = getenv("MOORE_SOAK");
	uint64_t seed = s ? strtoull(s, NULL, 0) : 20261121;
	unsigned rounds = 3000 * (soak ? (unsigned)strtoul(soak, NULL, 0) : 1);
	struct moore_rng r = { seed };
	const char *const *in = fuzz_seeds();
	size_t cap = 1 << 20, n_in = 0;
	uint8_t *d = malloc(cap);

	if (!d)
		return 1;
	while (in[n_in])
		n_in++;
	printf("# MOORE_SEED=%llu, %u rounds\n", (unsigned long long)seed, rounds);
	fflush(stdout);
	for (unsigned i = 0; i < rounds; i++) {
		const char *from = in[i % n_in];
		size_t len = strlen(from) < cap ? strlen(from) : cap;
		uint8_t *exact;

		memcpy(d, from, len);
		if (i >= n_in)
			len = fuzz_mutate(&r, d, len, cap);
		exact = malloc(len ? len : 1);	/* exact size, so that the sanitizer detects a
						 * read past the end */
		if (!exact)
			return 1;
		memcpy(exact, d, len);
		fuzz_one(exact, len);
		free(exact);
	}
	free(d);
	printf("1..1\nok 1 - %s: %u inputs\n", fuzz_name, rounds);
	return 0;
}
#endif

#endif
