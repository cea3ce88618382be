/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* topo_look.h - builds a topology from words and looks at its links as an adjacency matrix. */
#ifndef TESTS_TOPO_LOOK_H
#define TESTS_TOPO_LOOK_H

#include "harness.h"
#include "moore/topo.h"

/* Builds a topology from a specification such as "slimfly q=5 p=4". */
static inline int
build_spec(struct moore_topo **out, const char *spec, struct moore_err *err)
{
	char copy[128], *save = NULL, *name;
	const char *words[8];
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	size_t n = 0;
	int rc;

	*out = NULL;
	strcpy(copy, spec);
	name = strtok_r(copy, " ", &save);
	while (n < 8 && (words[n] = strtok_r(NULL, " ", &save)))
		n++;
	rc = moore_topo_params_parse(moore_topo_family_find(name), param, words, n, err);
	return rc < 0 ? rc : moore_topo_build(out, moore_topo_family_find(name), param, err);
}

static inline struct moore_topo *
must_build(const char *family, const char *key, unsigned value)
{
	struct moore_err err = { 0 };
	struct moore_topo *t;
	char spec[64];

	snprintf(spec, sizeof(spec), "%s %s=%u", family, key, value);
	if (build_spec(&t, spec, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	return t;
}

struct rows {			/* adjacency matrix: n rows of `words` 64-bit words */
	size_t words;
	uint64_t *bit;
	uint32_t *degree;
};

static inline struct rows
rows_of(const struct moore_topo *t)
{
	struct rows r = { moore_bits_words(t->n_switches), NULL, NULL };

	r.bit = calloc(t->n_switches * r.words, sizeof(*r.bit));
	r.degree = calloc(t->n_switches, sizeof(*r.degree));
	for (uint32_t i = 0; i < t->n_links; i++) {
		moore_bits_set(r.bit + t->link[i].a * r.words, t->link[i].b);
		moore_bits_set(r.bit + t->link[i].b * r.words, t->link[i].a);
		r.degree[t->link[i].a]++;
		r.degree[t->link[i].b]++;
	}
	return r;
}

static inline void
rows_free(struct rows *r)
{
	free(r->bit);
	free(r->degree);
}

static inline bool
adjacent(const struct rows *r, uint32_t a, uint32_t b)
{
	return moore_bits_get(r->bit + a * r->words, b);
}

static inline uint32_t
common(const struct rows *r, uint32_t a, uint32_t b)
{
	uint32_t n = 0;

	for (size_t w = 0; w < r->words; w++)
		n += (uint32_t)__builtin_popcountll(r->bit[a * r->words + w] &
						    r->bit[b * r->words + w]);
	return n;
}

static inline int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Checks what topo.h promises of every topology, and the counts that the family computes. */
static inline void
check_contract(const struct moore_topo *t)
{
	struct moore_topo_counts c;
	uint32_t degree = 0, radix = 0;
	uint64_t endpoints = 0;
	struct rows r = rows_of(t);
	char (*name)[32] = calloc(t->n_switches, sizeof(*name));

	t->family->counts(t->param, &c);
	for (uint32_t s = 0; s < t->n_switches; s++) {
		endpoints += t->endpoints[s];
		degree = r.degree[s] > degree ? r.degree[s] : degree;
		radix = r.degree[s] + t->endpoints[s] > radix ?
			r.degree[s] + t->endpoints[s] : radix;
	}
	CHECK_EQ("switches", c.switches, t->n_switches);
	CHECK_EQ("links", c.links, t->n_links);
	CHECK_EQ("endpoints", c.endpoints, endpoints);
	CHECK_EQ("degree", c.degree, degree);
	CHECK_EQ("radix", c.radix, radix);
	for (uint32_t i = 0; i < t->n_links; i++) {
		const struct moore_topo_link *l = &t->link[i];

		CHECK("a < b", l->a < l->b && l->b < t->n_switches);
		CHECK("sorted, no duplicates", !i || l[-1].a < l->a ||
		      (l[-1].a == l->a && l[-1].b < l->b));
	}
	memcpy(name, t->name, t->n_switches * sizeof(*name));
	qsort(name, t->n_switches, sizeof(*name), compare_names);
	for (uint32_t s = 0; s < t->n_switches; s++)
		CHECK("names are unique", name[s][0] && (!s || strcmp(name[s - 1], name[s])));
	free(name);
	rows_free(&r);
}

#endif
