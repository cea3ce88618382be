// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* classes.c - lossless classes: how each switch should mark packets, and what a set of
 * switches does with them.
 *
 * The router's proof needs two virtual lanes: the first link between switches is on VL 0, all
 * further ones on VL 1.  On Ethernet a lane is a PFC priority, and the packet itself says, by
 * its DSCP, on which it arrives: a host sends mark 0; a switch that takes a packet from a host
 * sends it on in class 0 with mark 0; a switch that takes it from a switch sends it on in class
 * 1 with mark 1.  So no port between switches is an entry (moore/lane.h).  Every other packet is
 * lossy, and leaves with DSCP 0. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

#define LOSSY ((struct moore_ether_class){ MOORE_ETHER_LOSSY, MOORE_ETHER_LOSSY, 0 })

int
moore_ether_classes_new(struct moore_ether_config *c, const struct moore_ether *x, moore_swid s,
			struct moore_err *err)
{
	size_t n = x->plan->sw[s].ports + 1u;

	if (c->by_dscp)
		return 0;
	c->by_dscp = malloc(n * MOORE_N_DSCP * sizeof(*c->by_dscp));
	c->pfc = calloc(n, 1);
	if (!c->by_dscp || !c->pfc)
		return moore_fail_nomem(err);
	for (size_t i = 0; i < n * MOORE_N_DSCP; i++)
		c->by_dscp[i] = LOSSY;
	return 0;
}

int
moore_ether_set_classes(struct moore_ether_config *c, const struct moore_ether *x, moore_swid s,
			struct moore_err *err)
{
	const struct moore_ether_opts *o = &x->opts;
	unsigned last = o->n_classes - 1u, all = 0;
	int rc = moore_ether_classes_new(c, x, s, err);

	for (unsigned i = 0; i <= last; i++)
		all |= 1u << o->priority[i];
	for (unsigned p = 1; rc == 0 && p <= x->plan->sw[s].ports; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(x, s, (moore_portnum)p);
		struct moore_ether_class *by = c->by_dscp + p * MOORE_N_DSCP;

		if (peer->sw == MOORE_NONE && peer->ep == MOORE_NONE)
			continue;
		c->pfc[p] = (uint8_t)all;
		if (peer->ep != MOORE_NONE)
			by[o->dscp[0]] = (struct moore_ether_class){ o->priority[0], o->priority[0],
				o->dscp[0] };
		else
			for (unsigned i = 0; i <= last; i++)
				by[o->dscp[i]] = (struct moore_ether_class){ o->priority[i],
					o->priority[last], o->dscp[last] };
	}
	return rc;
}

/* ---- what the switches do ---------------------------------------------------------------- */

void
moore_ether_add_fault(struct moore_ether_faults *f, const struct moore_ether_fault *fault)
{
	if (f->n_kept < ARRAY_LEN(f->kept))
		f->kept[f->n_kept++] = *fault;
	f->n++;
}

struct flow {
	const struct moore_ether *x;
	const struct moore_ether_config *config;
	struct moore_ether_faults *faults;
	uint64_t *marks;	/* by port0[s] + port: DSCPs of lossless packets that may enter there */
};

static const struct moore_ether_class *
class_of(const struct flow *w, moore_swid s, unsigned port, unsigned dscp)
{
	return w->config[s].by_dscp ? &w->config[s].by_dscp[port * MOORE_N_DSCP + dscp] : NULL;
}

static void
fault_at(const struct flow *w, enum moore_ether_fault_kind kind, moore_swid s, unsigned port,
	 unsigned dscp)
{
	moore_ether_add_fault(w->faults, &(struct moore_ether_fault){ .kind = (uint8_t)kind, .sw = s,
			      .port = (moore_portnum)port, .dscp = (uint8_t)dscp });
}

static bool
has_hosts(const struct flow *w, moore_swid s)
{
	for (unsigned p = 1; p <= w->x->plan->sw[s].ports; p++)
		if (moore_ether_peer(w->x, s, (moore_portnum)p)->ep != MOORE_NONE)
			return true;
	return false;
}

/* The DSCPs with which lossless packets may leave a switch.  One without hosts counts as their source,
 * as it does in the judged racks. */
static uint64_t
marks_out(const struct flow *w, moore_swid s)
{
	uint64_t out = has_hosts(w, s) ? 0 : (uint64_t)1 << w->x->opts.dscp[0];

	for (unsigned p = 1; p <= w->x->plan->sw[s].ports; p++)
		for (unsigned d = 0; d < MOORE_N_DSCP; d++) {
			const struct moore_ether_class *c = class_of(w, s, p, d);

			if (w->marks[w->x->port0[s] + p] >> d & 1 && c && c->leaves != MOORE_ETHER_LOSSY)
				out |= (uint64_t)1 << c->dscp;
		}
	return out;
}

/* Adds to the ports of the neighbours what switch s may send.  True when that was news. */
static bool
spread(const struct flow *w, moore_swid s)
{
	uint64_t out = marks_out(w, s);
	bool news = false;

	for (unsigned p = 1; p <= w->x->plan->sw[s].ports; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(w->x, s, (moore_portnum)p);
		uint64_t *to;

		if (peer->sw == MOORE_NONE)
			continue;
		to = &w->marks[w->x->port0[peer->sw] + peer->port];
		news |= out & ~*to;
		*to |= out;
	}
	return news;
}

/* The priority in which packets may leave port p of a switch with that DSCP, other than those
 * in `arrives`; LOSSY when there is none. */
static bool
leaves_otherwise(const struct flow *w, moore_swid s, unsigned dscp, uint8_t arrives)
{
	for (unsigned p = 1; p <= w->x->plan->sw[s].ports; p++)
		for (unsigned d = 0; d < MOORE_N_DSCP; d++) {
			const struct moore_ether_class *c = class_of(w, s, p, d);

			if (w->marks[w->x->port0[s] + p] >> d & 1 && c && c->leaves != MOORE_ETHER_LOSSY &&
			    c->dscp == dscp && c->leaves != arrives)
				return true;
		}
	return false;
}

/* Checks the packets with one DSCP that may enter a port. */
static void
check_mark(const struct flow *w, moore_swid s, unsigned port, unsigned dscp)
{
	const struct moore_ether_class *c = class_of(w, s, port, dscp);
	const struct moore_ether_peer *peer = moore_ether_peer(w->x, s, (moore_portnum)port);
	const struct moore_ether_config *from;

	if (!c || c->arrives == MOORE_ETHER_LOSSY || c->leaves == MOORE_ETHER_LOSSY ||
	    !(w->config[s].pfc[port] >> c->arrives & 1)) {
		fault_at(w, MOORE_ETHER_DROPS_CLASS, s, port, dscp);
		return;
	}
	if (peer->sw == MOORE_NONE)
		return;
	from = &w->config[peer->sw];
	if (!(from->pfc[peer->port] >> c->arrives & 1))
		fault_at(w, MOORE_ETHER_DROPS_CLASS, s, port, dscp);
	else if (leaves_otherwise(w, peer->sw, dscp, c->arrives))
		fault_at(w, MOORE_ETHER_OTHER_CLASS, s, port, dscp);
}

static uint8_t
lane_of(const struct moore_ether_opts *o, uint8_t priority)
{
	for (uint8_t i = 0; i < o->n_classes; i++)
		if (o->priority[i] == priority)
			return i;
	return MOORE_ETHER_CLASSES_MAX;		/* a lane of its own for all others */
}

/* The lane in which packets that enter a port leave; faults where there are several. */
static uint8_t
lane_from(const struct flow *w, moore_swid s, unsigned port)
{
	uint8_t lane = MOORE_ETHER_LOSSY;

	for (unsigned d = 0; d < MOORE_N_DSCP; d++) {
		const struct moore_ether_class *c = class_of(w, s, port, d);
		uint8_t l;

		if (!(w->marks[w->x->port0[s] + port] >> d & 1))
			continue;
		check_mark(w, s, port, d);
		if (!c || c->leaves == MOORE_ETHER_LOSSY)
			continue;
		l = lane_of(&w->x->opts, c->leaves);
		if (lane != MOORE_ETHER_LOSSY && l != lane)
			fault_at(w, MOORE_ETHER_MIXED_CLASS, s, port, d);
		lane = l;
	}
	return lane == MOORE_ETHER_LOSSY ? 0 : lane;
}

static int
set_lanes(struct moore_sl2vl *t, const struct flow *w, const struct moore_fabric *racks,
	  moore_swid s, struct moore_err *err)
{
	int rc = 0;

	for (unsigned in = 0; in <= racks->sw[s].n_ports; in++) {
		struct moore_sl_row row;

		memset(row.vl, in && in <= w->x->plan->sw[s].ports ? lane_from(w, s, in) : 0,
		       sizeof(row.vl));
		for (unsigned out = 1; out <= racks->sw[s].n_ports && rc == 0; out++)
			rc = moore_sl2vl_set(t, s, (moore_portnum)in, (moore_portnum)out, &row, err);
	}
	return rc;
}

int
moore_ether_lanes(struct moore_sl2vl **out, struct moore_ether_faults *faults,
		  const struct moore_ether *x, const struct moore_fabric *racks,
		  const struct moore_ether_config *config, struct moore_err *err)
{
	const struct moore_plan *p = x->plan;
	size_t n_ports = 0;
	struct flow w = { x, config, faults, NULL };
	bool news = true;
	int rc;

	*out = NULL;
	for (moore_swid s = 0; s < p->n_switches; s++)
		n_ports += p->sw[s].ports + 1u;
	if (!(w.marks = calloc(n_ports + 1, sizeof(*w.marks))))
		return moore_fail_nomem(err);
	for (moore_epid e = 0; e < p->n_endpoints; e++)
		w.marks[x->port0[p->ep[e].sw] + p->ep[e].port] = (uint64_t)1 << x->opts.dscp[0];
	while (news) {
		news = false;
		for (moore_swid s = 0; s < p->n_switches; s++)
			news |= spread(&w, s);
	}
	rc = moore_sl2vl_new(out, racks, err);
	for (moore_swid s = 0; s < p->n_switches && rc == 0; s++)
		rc = set_lanes(*out, &w, racks, s, err);
	free(w.marks);
	if (rc < 0) {
		moore_sl2vl_free(*out);
		*out = NULL;
	}
	return rc;
}
