// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hops.c - fills OpenSM's hop tables, from which its dumps print the hops from each switch
 * through each port to each switch.
 *
 * OpenSM's own function visits all pairs of switches for each link, in rounds until nothing
 * changes, which takes a large part of a sweep.  One breadth-first search from each switch
 * finds the same numbers.  They count the links that routes may use: neither those that flap
 * nor weights from a hop_weights_file. */
#include "plugin.h"

enum { N_PARTS = 32 };

/* The links between switches: those of switch s are link[at[s]] to link[at[s + 1] - 1]. */
struct links {
	const struct mplug_view *v;
	uint32_t *at;
	struct link {
		moore_swid peer;
		moore_portnum port;
	} *link;
	uint8_t *hops;		/* [s * switches + t]: the distance of two switches, the same both ways */
};

static int
links_init(struct links *l, const struct mplug_view *v)
{
	const struct moore_fabric *f = v->f;
	uint32_t n = 0;

	*l = (struct links){ .v = v, .at = calloc((size_t)f->n_switches + 1, sizeof(*l->at)),
			     .link = calloc((size_t)f->n_ports + 1, sizeof(*l->link)),
			     .hops = malloc((size_t)f->n_switches * f->n_switches + 1) };
	if (!l->at || !l->link || !l->hops)
		return -MOORE_ENOMEM;
	for (moore_swid s = 0; s < f->n_switches; s++) {
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH)
				l->link[n++] = (struct link){ port->peer, (moore_portnum)p };
		}
		l->at[s + 1] = n;
	}
	return 0;
}

static void
links_fini(struct links *l)
{
	free(l->at);
	free(l->link);
	free(l->hops);
}

/* Sets hops[s] for each switch s to its distance from switch `from`. */
static void
search(const struct links *l, moore_swid from, uint8_t *hops, moore_swid *queue)
{
	uint32_t head = 0, tail = 0;

	memset(hops, OSM_NO_PATH, l->v->f->n_switches);
	hops[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		moore_swid s = queue[head++];

		for (uint32_t i = l->at[s]; i < l->at[s + 1] && hops[s] + 1 < OSM_NO_PATH; i++) {
			moore_swid peer = l->link[i].peer;

			if (hops[peer] != OSM_NO_PATH)
				continue;
			hops[peer] = (uint8_t)(hops[s] + 1);
			queue[tail++] = peer;
		}
	}
}

/* One of N_PARTS jobs, each with other switches to search from.  Without memory their entries stay
 * empty: routes do not depend on them. */
static void
search_part(void *arg, unsigned worker, size_t part)
{
	const struct links *l = arg;
	const size_t n = l->v->f->n_switches;
	moore_swid *queue = malloc((n + 1) * sizeof(*queue));

	(void)worker;
	for (size_t s = n * part / N_PARTS; s < n * (part + 1) / N_PARTS; s++)
		if (queue)
			search(l, (moore_swid)s, l->hops + s * n, queue);
		else
			memset(l->hops + s * n, OSM_NO_PATH, n);
	free(queue);
}

/* Sets the hops from switch s to switch `to`.  OpenSM's function makes the row, whose entry 0 is the least of
 * all.  Its table of rows is memory that nobody has touched in the first sweep.  If it were read first, the
 * kernel would map a page of zeros, and replace it at the write, for which it interrupts all threads: so it
 * is written first, without a change. */
static void
put(const struct links *l, moore_swid s, moore_swid to)
{
	const uint32_t n = l->v->f->n_switches, lid = l->v->f->sw[to].lid;
	const uint8_t *hops = l->hops + to;
	osm_switch_t *sw = l->v->sw[s];
	uint8_t *row = NULL;

	if (hops[(size_t)s * n] == OSM_NO_PATH || !sw->hops || lid > sw->max_lid_ho)
		return;
	__atomic_fetch_or((uintptr_t *)&sw->hops[lid], 0, __ATOMIC_RELAXED);
	if (osm_switch_set_hops(sw, (uint16_t)lid, 0, hops[(size_t)s * n]) == 0)
		row = sw->hops[lid];
	for (uint32_t i = l->at[s]; row && i < l->at[s + 1]; i++)
		if (hops[(size_t)l->link[i].peer * n] + 1 < OSM_NO_PATH)
			row[l->link[i].port] = (uint8_t)(hops[(size_t)l->link[i].peer * n] + 1);
}

/* One of N_PARTS jobs, each with other switches, whose tables are OpenSM's. */
static void
put_part(void *arg, unsigned worker, size_t part)
{
	const struct links *l = arg;
	const size_t n = l->v->f->n_switches;

	(void)worker;
	for (size_t s = n * part / N_PARTS; s < n * (part + 1) / N_PARTS; s++)
		for (moore_swid to = 0; to < n; to++)
			put(l, (moore_swid)s, to);
}

static void
run(const struct moore_jobs *jobs, void (*job)(void *arg, unsigned worker, size_t part), struct links *l)
{
	if (jobs)
		jobs->run(jobs->width, N_PARTS, job, l);
	for (size_t part = 0; !jobs && part < N_PARTS; part++)
		job(l, 0, part);
}

void
mplug_hops_fill(struct mplug_view *v, const struct moore_jobs *jobs)
{
	struct links l;

	if (links_init(&l, v) == 0) {
		run(jobs, search_part, &l);
		run(jobs, put_part, &l);
	}
	links_fini(&l);
}
