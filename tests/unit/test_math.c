// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_math.c - prime powers against a sieve, fields against the axioms and published
 * polynomials, planes against their defining property. */
#include "harness.h"
#include "moore/math.h"

static void
test_prime_powers(void **state)
{
	enum { N = 3000 };
	static uint32_t prime_of[N];	/* found by marking the powers of every prime */
	static unsigned exponent_of[N];
	static bool composite[N];
	(void)state;

	for (uint32_t p = 2; p < N; p++) {
		unsigned e = 1;

		if (composite[p])
			continue;
		for (uint32_t m = 2 * p; m < N; m += p)
			composite[m] = true;
		for (uint32_t q = p; q < N; q *= p, e++) {
			prime_of[q] = p;
			exponent_of[q] = e;
		}
	}
	for (uint32_t q = 0; q < N; q++) {
		uint32_t p = 0;
		unsigned e = 0;

		CHECK_EQ("a prime power or not", moore_prime_power(q, &p, &e), prime_of[q] != 0);
		CHECK_EQ("its prime", p, prime_of[q]);
		CHECK_EQ("its exponent", e, exponent_of[q]);
		CHECK_EQ("nothing asked", moore_prime_power(q, NULL, NULL), prime_of[q] != 0);
	}
}

static void
test_large_prime_powers(void **state)
{
	static const struct { const char *why; uint32_t q; bool want; } T[] = {
		{ "the greatest 32-bit prime", 4294967291u, true },
		{ "the greatest 32-bit number, 3*5*17*257*65537", 4294967295u, false },
		{ "65521 squared", 65521u * 65521u, true },
		{ "2 to the 31", 2147483648u, true },
		{ "product of two large primes", 65521u * 65519u, false },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		CHECK_EQ(T[i].why, moore_prime_power(T[i].q, NULL, NULL), T[i].want);
}

/* The axioms that name one, two and three elements. */
static void
check_axioms(const struct moore_gf *f, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t ab = moore_gf_mul(f, a, b);

	CHECK_EQ("0 + a", moore_gf_add(f, 0, a), a);
	CHECK_EQ("1 * a", moore_gf_mul(f, 1, a), a);
	CHECK_EQ("a - a", moore_gf_add(f, a, f->neg[a]), 0);
	CHECK_EQ("a / a", moore_gf_mul(f, a, f->inv[a]), a != 0);
	CHECK("closed", ab < f->q && moore_gf_add(f, a, b) < f->q);
	CHECK_EQ("a + b", moore_gf_add(f, a, b), moore_gf_add(f, b, a));
	CHECK_EQ("a * b", ab, moore_gf_mul(f, b, a));
	CHECK_EQ("(a + b) + c", moore_gf_add(f, moore_gf_add(f, a, b), c),
		 moore_gf_add(f, a, moore_gf_add(f, b, c)));
	CHECK_EQ("(a b) c", moore_gf_mul(f, ab, c), moore_gf_mul(f, a, moore_gf_mul(f, b, c)));
	CHECK_EQ("a (b + c)", moore_gf_mul(f, a, moore_gf_add(f, b, c)),
		 moore_gf_add(f, ab, moore_gf_mul(f, a, c)));
}

/* True if the powers of g are all q-1 elements except 0. */
static bool
generates(const struct moore_gf *f, uint32_t g)
{
	bool met[512] = { false };
	uint32_t n = 0;

	for (uint32_t t = 1; !met[t]; t = moore_gf_mul(f, t, g), n++)
		met[t] = true;
	return g && n == f->q - 1;
}

static void
check_generator(const struct moore_gf *f)
{
	CHECK("the generator generates", generates(f, f->generator));
	for (uint32_t g = 0; g < f->generator; g++)
		CHECK("no smaller one does", !generates(f, g));
}

static void
test_small_fields(void **state)
{
	(void)state;

	for (uint32_t q = 2; q <= 32; q++) {
		struct moore_gf *f;

		if (!moore_prime_power(q, NULL, NULL))
			continue;
		CHECK_EQ("built", moore_gf_new(&f, q, NULL), 0);
		for (uint32_t a = 0; a < q; a++)
			for (uint32_t b = 0; b < q; b++)
				for (uint32_t c = 0; c < q; c++)
					check_axioms(f, a, b, c);
		check_generator(f);
		moore_gf_free(f);
	}
}

static void
test_large_fields(void **state)
{
	static const uint32_t orders[] = { 49, 64, 81, 121, 125, 127, 128, 243, 256, 289, 343, 361,
					   509, 512 };
	struct moore_rng r = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		const uint32_t q = orders[i];
		struct moore_gf *f;

		CHECK_EQ("built", moore_gf_new(&f, q, NULL), 0);
		for (uint32_t a = 0; a < q; a++)
			check_axioms(f, a, a, a);
		for (unsigned n = test_rounds(20000); n; n--) {
			const uint32_t a = moore_rng_below(&r, q), b = moore_rng_below(&r, q);

			check_axioms(f, a, b, moore_rng_below(&r, q));
		}
		check_generator(f);
		moore_gf_free(f);
	}
}

/* Elements are numbered as documented: sums are digit by digit, and x^(e-1) * x is the
 * remainder of x^e modulo the least irreducible polynomial (from tables of such
 * polynomials, or computed by hand). */
static void
test_numbering(void **state)
{
	static const struct { const char *why; uint32_t q, left; } T[] = {
		{ "x^2+x+1 over GF(2)", 4, 3 },
		{ "x^3+x+1 over GF(2)", 8, 3 },
		{ "x^2+1 over GF(3)", 9, 2 },
		{ "x^4+x+1 over GF(2)", 16, 3 },
		{ "x^2+2 over GF(5)", 25, 3 },
		{ "x^3+2x+1 over GF(3)", 27, 5 },
		{ "x^5+x^2+1 over GF(2)", 32, 5 },
		{ "x^2+1 over GF(7)", 49, 6 },
		{ "x^6+x+1 over GF(2)", 64, 3 },
		{ "x^4+x+2 over GF(3)", 81, 7 },
		{ "x^3+x+1 over GF(5)", 125, 24 },
		{ "x^7+x+1 over GF(2)", 128, 3 },
		{ "x^5+2x+1 over GF(3)", 243, 5 },
		{ "x^8+x^4+x^3+x+1 over GF(2)", 256, 27 },
		{ "x^3+2 over GF(7)", 343, 5 },
		{ "x^9+x+1 over GF(2)", 512, 3 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_gf *f;

		CHECK_EQ(T[i].why, moore_gf_new(&f, T[i].q, NULL), 0);
		CHECK_EQ(T[i].why, moore_gf_mul(f, f->q / f->prime, f->prime), T[i].left);
		for (uint32_t a = 0; a < f->q; a++) {
			CHECK_EQ("low digit", moore_gf_add(f, a, 1) % f->prime, (a + 1) % f->prime);
			CHECK_EQ("the others stay", moore_gf_add(f, a, 1) / f->prime, a / f->prime);
			CHECK_EQ("times x moves digits up", a >= f->q / f->prime ? 0 :
				 (int64_t)moore_gf_mul(f, a, f->prime) - a * f->prime, 0);
		}
		moore_gf_free(f);
	}
}

static void
test_primitive_roots(void **state)
{
	static const struct { const char *why; uint32_t q, want; } T[] = {
		{ "one element", 2, 1 }, { "mod 3", 3, 2 }, { "mod 5", 5, 2 }, { "mod 7", 7, 3 },
		{ "mod 13", 13, 2 }, { "mod 23", 23, 5 }, { "mod 41", 41, 6 }, { "mod 71", 71, 7 },
		{ "mod 191", 191, 19 }, { "mod 409, a record", 409, 21 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_gf *f;

		CHECK_EQ(T[i].why, moore_gf_new(&f, T[i].q, NULL), 0);
		CHECK_EQ(T[i].why, f->generator, T[i].want);
		CHECK_EQ("a product is that of integers", moore_gf_mul(f, f->q - 1, f->q - 1), 1);
		moore_gf_free(f);
	}
}

static void
test_field_errors(void **state)
{
	static const struct { const char *why; uint32_t q; } T[] = {
		{ "zero", 0 }, { "one", 1 }, { "two primes", 6 }, { "a power too large", 1024 },
		{ "a prime too large", 521 }, { "the greatest number", UINT32_MAX },
	};
	struct moore_gf *f;
	struct moore_err err;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		f = (struct moore_gf *)&err;
		CHECK_EQ(T[i].why, moore_gf_new(&f, T[i].q, &err), -MOORE_EINVAL);
		CHECK(T[i].why, !f);
		CHECK_STR(T[i].why, err.text, "prime power up to 512");
	}
	CHECK_OOM("field", moore_gf_new(&f, 9, &err), moore_gf_free(f));
	moore_gf_free(NULL);
}

/* The construction of Kathareios 2015, section 2.2.4, done by hand for k = 4. */
static void
test_plane_by_hand(void **state)
{
	static const uint32_t want[13][4] = {
		{ 9, 10, 11, 12 },
		{ 9, 0, 1, 2 }, { 9, 3, 4, 5 }, { 9, 6, 7, 8 },
		{ 10, 0, 3, 6 }, { 10, 1, 4, 7 }, { 10, 2, 5, 8 },
		{ 11, 0, 4, 8 }, { 11, 1, 5, 6 }, { 11, 2, 3, 7 },
		{ 12, 0, 5, 7 }, { 12, 1, 3, 8 }, { 12, 2, 4, 6 },
	};
	uint32_t got[13][4];
	struct moore_gf *f;
	(void)state;

	CHECK_EQ("field", moore_gf_new(&f, 3, NULL), 0);
	moore_plane_lines(f, got[0]);
	for (size_t i = 0; i < 13; i++)
		for (size_t j = 0; j < 4; j++)
			CHECK_EQ("4-ML3B", got[i][j], want[i][j]);
	moore_gf_free(f);
}

static void
check_plane(uint32_t n)
{
	const uint32_t n_lines = n * n + n + 1;
	uint32_t *point = calloc((size_t)n_lines * (n + 1), sizeof(*point));
	uint8_t *on = calloc((size_t)n_lines * n_lines, 1);	/* [line][point] */
	struct moore_gf *f;

	CHECK_EQ("field", moore_gf_new(&f, n, NULL), 0);
	moore_plane_lines(f, point);
	for (uint32_t i = 0; i < n_lines * (n + 1); i++) {
		CHECK("a point", point[i] < n_lines);
		CHECK_EQ("once on a line", on[i / (n + 1) * n_lines + point[i]]++, 0);
	}
	for (uint32_t a = 0; a < n_lines; a++) {
		for (uint32_t b = 0; b < a; b++) {
			unsigned lines_share = 0, points_share = 0;

			for (uint32_t i = 0; i < n_lines; i++) {
				lines_share += on[a * n_lines + i] & on[b * n_lines + i];
				points_share += on[i * n_lines + a] & on[i * n_lines + b];
			}
			CHECK_EQ("two lines share one point", lines_share, 1);
			CHECK_EQ("two points share one line", points_share, 1);
		}
	}
	moore_gf_free(f);
	free(on);
	free(point);
}

static void
test_planes(void **state)
{
	(void)state;

	for (uint32_t n = 2; n <= 17; n++)
		if (moore_prime_power(n, NULL, NULL))
			check_plane(n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prime_powers),
		cmocka_unit_test(test_large_prime_powers),
		cmocka_unit_test(test_small_fields),
		cmocka_unit_test(test_large_fields),
		cmocka_unit_test(test_numbering),
		cmocka_unit_test(test_primitive_roots),
		cmocka_unit_test(test_field_errors),
		cmocka_unit_test(test_plane_by_hand),
		cmocka_unit_test(test_planes),
	};

	return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
