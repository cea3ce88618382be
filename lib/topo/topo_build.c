// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* topo_build.c - builds a topology from parameters by way of a draft that the family's file
 * fills.
 *
 * Invariant of every finished topology: links are sorted by (a, b) with a < b and none is
 * doubled, and the numbers of switches and links are those of the family's closed forms. */
#include <stdlib.h>
#include <string.h>

#include "moore/math.h"
#include "topo_build.h"

static bool
fits(int64_t value, int offset)
{
	return moore_prime_power((uint32_t)(value + offset), NULL, NULL);
}

int
moore_topo_need_prime_power(const struct moore_topo_param *p, int64_t value, int offset,
			    struct moore_err *err)
{
	int64_t below = value, above = value;

	if (fits(value, offset))
		return 0;
	while (!fits(--below, offset))
		;
	while (!fits(++above, offset))
		;
	return moore_fail(err, MOORE_EINVAL, 0,
			  "%s=%lld: needs a prime power and %lld is none, the nearest choices are %s=%lld and %s=%lld",
			  p->key, (long long)value, (long long)(value + offset),
			  p->key, (long long)below, p->key, (long long)above);
}

int
moore_topo_need_size(uint64_t switches, struct moore_err *err)
{
	if (switches <= MOORE_TOPO_SIZE_MAX)
		return 0;
	return moore_fail(err, MOORE_EINVAL, 0, "%llu switches: a topology of this family has at most "
			  "%d: lower its dimensions", (unsigned long long)switches,
			  MOORE_TOPO_SIZE_MAX);
}

struct moore_topo_counts
moore_topo_regular(uint64_t switches, uint64_t degree, uint64_t endpoints)
{
	return (struct moore_topo_counts){
		.switches = switches,
		.links = switches * degree / 2,
		.endpoints = switches * endpoints,
		.degree = (uint32_t)degree,
		.radix = (uint32_t)(degree + endpoints),
	};
}

int
moore_topo_draft_init(struct moore_topo_draft *d, struct moore_topo *t, struct moore_err *err)
{
	struct moore_topo_counts c;

	t->family->counts(t->param, &c);
	*d = (struct moore_topo_draft){ .t = t, .max_links = c.links, .name = MOORE_BUF_INIT };
	t->n_switches = (uint32_t)c.switches;
	t->name = calloc(c.switches, sizeof(*t->name));
	t->endpoints = calloc(c.switches, sizeof(*t->endpoints));
	t->link = calloc(c.links, sizeof(*t->link));
	return t->name && t->endpoints && t->link ? 0 : moore_fail_nomem(err);
}

void
moore_topo_draft_switch(struct moore_topo_draft *d, moore_swid s, uint16_t endpoints,
			const char *fmt, ...)
{
	const size_t room = sizeof(d->t->name[s]);
	va_list ap;

	d->name.len = 0;
	va_start(ap, fmt);
	moore_buf_vfmt(&d->name, fmt, ap);
	va_end(ap);
	if (!d->name.oom && d->name.len < room)
		memcpy(d->t->name[s], d->name.data, d->name.len + 1);
	d->t->endpoints[s] = endpoints;
}

void
moore_topo_draft_join(struct moore_topo_draft *d, moore_swid a, moore_swid b)
{
	if (d->n_links < d->max_links)
		d->t->link[d->n_links] = (struct moore_topo_link){ a < b ? a : b, a < b ? b : a };
	d->n_links++;
}

static uint32_t
link_end(const struct moore_topo_link *l, bool second)
{
	return second ? l->b : l->a;
}

/* A stable counting sort of links by one end.  first[] holds n_switches + 1 zeros. */
static void
sort_by_end(struct moore_topo_link *dst, const struct moore_topo_link *src, uint32_t n_links,
	    bool second, uint32_t *first, uint32_t n_switches)
{
	for (uint32_t i = 0; i < n_links; i++)
		first[link_end(&src[i], second) + 1]++;
	for (uint32_t s = 0; s < n_switches; s++)
		first[s + 1] += first[s];
	for (uint32_t i = 0; i < n_links; i++)
		dst[first[link_end(&src[i], second)]++] = src[i];
}

static int
sort_links(struct moore_topo *t, struct moore_err *err)
{
	struct moore_topo_link *by_b = calloc(t->n_links, sizeof(*by_b));
	uint32_t *first = calloc(2 * ((size_t)t->n_switches + 1), sizeof(*first));
	int rc = 0;

	if (by_b && first) {
		sort_by_end(by_b, t->link, t->n_links, true, first, t->n_switches);
		sort_by_end(t->link, by_b, t->n_links, false,
			    first + t->n_switches + 1, t->n_switches);
	} else {
		rc = moore_fail_nomem(err);
	}
	free(by_b);
	free(first);
	return rc;
}

static int
check_names(const struct moore_topo *t, struct moore_err *err)
{
	for (uint32_t s = 0; s < t->n_switches; s++)
		if (!t->name[s][0])
			return moore_fail(err, MOORE_EPLAN, 0,
					  "%s: switch %u has no name of 1..%u characters: a defect in the family",
					  t->family->name, s, (unsigned)sizeof(t->name[s]) - 1);
	return 0;
}

static int
check_ends(const struct moore_topo *t, struct moore_err *err)
{
	for (uint32_t i = 0; i < t->n_links; i++)
		if (t->link[i].a == t->link[i].b || t->link[i].b >= t->n_switches)
			return moore_fail(err, MOORE_EPLAN, 0,
					  "%s: link %u-%u does not join two of its %u switches: a defect in the family",
					  t->family->name, t->link[i].a, t->link[i].b,
					  t->n_switches);
	return 0;
}

static int
check_doubles(const struct moore_topo *t, struct moore_err *err)
{
	for (uint32_t i = 1; i < t->n_links; i++)
		if (!memcmp(&t->link[i - 1], &t->link[i], sizeof(t->link[i])))
			return moore_fail(err, MOORE_EPLAN, 0,
					  "%s: two links join %s and %s: a defect in the family",
					  t->family->name, t->name[t->link[i].a],
					  t->name[t->link[i].b]);
	return 0;
}

int
moore_topo_draft_finish(struct moore_topo_draft *d, struct moore_err *err)
{
	struct moore_topo *t = d->t;
	const bool oom = d->name.oom;
	int rc;

	moore_buf_free(&d->name);
	if (oom)
		return moore_fail_nomem(err);
	if (d->n_links != d->max_links)
		return moore_fail(err, MOORE_EPLAN, 0,
				  "%s: %llu links, not the %llu of its closed form: a defect in the family",
				  t->family->name, (unsigned long long)d->n_links,
				  (unsigned long long)d->max_links);
	t->n_links = (uint32_t)d->n_links;
	if ((rc = check_names(t, err)) < 0 ||
	    (rc = check_ends(t, err)) < 0 ||
	    (rc = sort_links(t, err)) < 0)
		return rc;
	return check_doubles(t, err);
}

void
moore_topo_free(struct moore_topo *t)
{
	if (!t)
		return;
	free(t->name);
	free(t->endpoints);
	free(t->link);
	free(t);
}
