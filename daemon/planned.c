// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* planned.c - the plan that is in force, with indexes of its switches by name and of its
 * cables by switch and port. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "planned.h"

struct planned_end {		/* one end of a cable */
	const char *sw;		/* the plan's */
	uint32_t cable;
	moore_portnum port;
};

static int
by_place(const void *a, const void *b)
{
	const struct planned_end *x = a, *y = b;
	int c = strcmp(x->sw, y->sw);

	return c ? c : x->port - y->port;
}

static int
index_cables(struct planned *p, struct moore_err *err)
{
	const struct moore_plan *plan = p->plan;

	p->end = malloc((2 * (size_t)plan->n_cables + 1) * sizeof(*p->end));
	if (!p->end)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < plan->n_cables; i++)
		for (int e = 0; e < 2; e++)
			p->end[2 * (size_t)i + (size_t)e] = (struct planned_end){
				plan->sw[plan->cable[i].sw[e]].name, i, plan->cable[i].port[e] };
	qsort(p->end, 2 * (size_t)plan->n_cables, sizeof(*p->end), by_place);
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(const struct moore_plan_switch *const *)a)->name,
		      (*(const struct moore_plan_switch *const *)b)->name);
}

static int
index_switches(struct planned *p, struct moore_err *err)
{
	const struct moore_plan *plan = p->plan;

	p->by_name = malloc(((size_t)plan->n_switches + 1) * sizeof(*p->by_name));
	if (!p->by_name)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < plan->n_switches; i++)
		p->by_name[i] = &plan->sw[i];
	qsort(p->by_name, plan->n_switches, sizeof(*p->by_name), by_name);
	return 0;
}

const struct moore_plan_switch *
planned_switch(const struct planned *p, const char *name)
{
	const struct moore_plan_switch key = { .name = (char *)name }, *k = &key;
	const struct moore_plan_switch **s = bsearch(&k, p->by_name, p->plan->n_switches,
						     sizeof(*p->by_name), by_name);

	return s ? *s : NULL;
}

int
planned_new(struct planned **out, struct moore_plan *plan, const char *path, uint64_t hash,
	    struct moore_err *err)
{
	struct planned *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p) {
		moore_plan_free(plan);
		return moore_fail_nomem(err);
	}
	atomic_init(&p->refs, 1);
	strcpy(p->path, path);		/* as long as the key of the configuration */
	p->hash = hash;
	p->plan = plan;
	if (index_cables(p, err) < 0 || index_switches(p, err) < 0) {
		planned_put(p);
		return -MOORE_ENOMEM;
	}
	*out = p;
	return 0;
}

int
planned_read(struct planned **out, const char *path, struct moore_err *err)
{
	struct moore_plan *plan;
	struct moore_err why;
	struct moore_buf text;
	uint64_t hash;
	int rc;

	*out = NULL;
	if ((rc = file_read(path, MOORE_PLAN_SUBNET_BYTES_MAX, &text, err)) < 0)
		return rc;
	hash = moore_hash(MOORE_HASH_INIT, text.data, text.len);
	rc = moore_plan_parse(&plan, text.data, text.len, &why);
	moore_buf_free(&text);
	if (rc == 0)
		return planned_new(out, plan, path, hash, err);
	if (why.line)
		return moore_fail(err, -rc, why.line, "%.150s:%u: %s", path, why.line, why.text);
	return moore_fail(err, -rc, 0, "%.150s: %s", path, why.text);
}

struct planned *
planned_get(struct planned *p)
{
	if (p)
		atomic_fetch_add(&p->refs, 1);
	return p;
}

void
planned_put(struct planned *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
		return;
	moore_plan_free(p->plan);
	free(p->end);
	free(p->by_name);
	free(p);
}

const struct moore_plan_cable *
planned_cable(const struct planned *p, const char *sw, moore_portnum port)
{
	struct planned_end key = { sw, 0, port };
	const struct planned_end *e = bsearch(&key, p->end, 2 * (size_t)p->plan->n_cables,
					      sizeof(*p->end), by_place);

	return e ? &p->plan->cable[e->cable] : NULL;
}
