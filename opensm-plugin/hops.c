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

/* Sets hops[s] for each switch s to its distance from switch `from`. */
static void
search(const struct moore_fabric *f, moore_swid from, uint8_t *hops, moore_swid *queue)
{
	uint32_t head = 0, tail = 0;

	memset(hops, OSM_NO_PATH, f->n_switches);
	hops[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		moore_swid s = queue[head++];

		for (unsigned p = 1; p <= f->sw[s].n_ports && hops[s] + 1 < OSM_NO_PATH; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role != MOORE_ROLE_SWITCH || hops[port->peer] != OSM_NO_PATH)
				continue;
			hops[port->peer] = (uint8_t)(hops[s] + 1);
			queue[tail++] = port->peer;
		}
	}
}

/* Sets the hops from switch s to the LID of the switch that hops[] are counted from. */
static void
put(const struct moore_fabric *f, moore_swid s, osm_switch_t *sw, moore_lid lid,
    const uint8_t *hops)
{
	if (hops[s] == 0)
		osm_switch_set_hops(sw, lid, 0, 0);
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_SWITCH && hops[port->peer] + 1 < OSM_NO_PATH)
			osm_switch_set_hops(sw, lid, (uint8_t)p, (uint8_t)(hops[port->peer] + 1));
	}
}

/* One of N_PARTS jobs, each with other destinations, whose entries are other bytes of OpenSM's
 * tables.  Without memory they stay empty: routes do not depend on them. */
static void
fill_part(void *arg, unsigned worker, size_t part)
{
	const struct mplug_view *v = arg;
	const struct moore_fabric *f = v->f;
	uint8_t *hops = malloc((size_t)f->n_switches + 1);
	moore_swid *queue = malloc(((size_t)f->n_switches + 1) * sizeof(*queue));

	(void)worker;
	for (size_t to = part; hops && queue && to < f->n_switches; to += N_PARTS) {
		search(f, (moore_swid)to, hops, queue);
		for (moore_swid s = 0; s < f->n_switches; s++)
			put(f, s, v->sw[s], f->sw[to].lid, hops);
	}
	free(hops);
	free(queue);
}

void
mplug_hops_fill(struct mplug_view *v, const struct moore_jobs *jobs)
{
	if (jobs)
		jobs->run(jobs->width, N_PARTS, fill_part, v);
	for (size_t part = 0; !jobs && part < N_PARTS; part++)
		fill_part(v, 0, part);
}
