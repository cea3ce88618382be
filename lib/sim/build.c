// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* build.c - makes the state of a point from fabric, tables and options.
 *
 * Everything that a run can need is counted and allocated here, so that a run allocates nothing: each
 * place of a buffer holds a packet, or is announced by a packet or a credit on its way, which is an
 * event. */
#include <stdlib.h>
#include <string.h>

#include "sim/sim_impl.h"

#define TICKS_MAX ((uint32_t)1 << 20)	/* of one duration: the wheel stays small */
#define PACKETS_MAX 4096		/* of a buffer */
#define WEIGHT_MAX 1000000
#define LOAD_MIN 0.001
#define VLS_MAX 15			/* of all routes of a packet */
#define LENGTH_MAX ((uint32_t)1 << 28)	/* of a run, in packets */

static int
check_opts(const struct moore_sim_opts *o, const struct moore_sim_point *p, struct moore_err *err)
{
	const struct { const char *name; uint32_t is, min, max; } range[] = {
		{ "packet", o->packet, 1, TICKS_MAX }, { "cross", o->cross, 1, TICKS_MAX },
		{ "wire", o->wire, 1, TICKS_MAX }, { "sw", o->sw, 0, TICKS_MAX },
		{ "buffer", o->buffer, 1, PACKETS_MAX }, { "out_queue", o->out_queue, 1, PACKETS_MAX },
		{ "length", o->length, MOORE_SIM_BLOCKS, LENGTH_MAX }, { "sl", o->sl, 0, MOORE_N_SL - 1 },
		{ "ugal_candidates", o->ugal_candidates, 1, MOORE_N_OFFSETS },
		{ "queues", o->queues, 0, MOORE_N_SIM_QUEUES - 1 },
		{ "arbiter", o->arbiter, 0, MOORE_N_SIM_ARBITERS - 1 },
		{ "detour", o->detour, 0, MOORE_N_SIM_DETOURS - 1 },
		{ "routing", p->routing, 0, MOORE_N_SIM_ROUTINGS - 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(range); i++)
		if (range[i].is < range[i].min || range[i].is > range[i].max)
			return moore_fail(err, MOORE_EINVAL, 0, "simulate: %s is %u: give %u to %u", range[i].name,
					  range[i].is, range[i].min, range[i].max);
	if (!(o->ugal_weight >= 0 && o->ugal_weight <= WEIGHT_MAX))
		return moore_fail(err, MOORE_EINVAL, 0, "simulate: give a ugal_weight of 0 to %d", WEIGHT_MAX);
	if (p->routing == MOORE_SIM_SHARES && !p->traffic->share)
		return moore_fail(err, MOORE_EINVAL, 0, "simulate: routing shares needs the shares of the senders");
	if (!p->traffic->message && !(p->load >= LOAD_MIN && p->load <= 1))
		return moore_fail(err, MOORE_EINVAL, 0, "simulate: give a load of 0.001 to 1");
	return 0;
}

/* The SLs that packets may have. */
static uint16_t
sls_in_use(const struct sim *s)
{
	uint16_t all = 0;

	if (!s->sl_set)
		return (uint16_t)(1u << s->o.sl);
	for (size_t i = 0; i < s->sl_set->n_switches * s->sl_set->stride; i++)
		all |= s->sl_set->sl[i];
	return all;
}

/* The number of VLs that packets can get, or a few more: rows are few, and pairs of ports are many, so
 * all rows are masked to the most lanes of any link. */
static uint32_t
count_vls(const struct sim *s)
{
	const uint16_t sls = sls_in_use(s);
	uint32_t top = 0, mask = 0;

	for (uint32_t i = 0; i < s->n_ports; i++)
		if (s->f->port[i].role != MOORE_ROLE_NONE)
			mask |= moore_lane_mask(s->f->port[i].lanes);
	for (uint32_t r = 0; r < s->sl2vl->n_rows; r++)
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
			const uint32_t vl = s->sl2vl->rows[r].vl[sl];

			if ((sls >> sl & 1) && vl < 15 && (vl & mask) > top)
				top = vl & mask;
		}
	return top + 1;
}

static int
check_tables(const struct sim *s, struct moore_err *err)
{
	const bool fit = s->lft->n_switches == s->f->n_switches && s->lft->stride > s->f->lid_top &&
		s->sl2vl->n_switches == s->f->n_switches &&
		(!s->sl_set || (s->sl_set->n_switches == s->f->n_switches && s->sl_set->stride > s->f->lid_top));

	if (sim_has_middles(s) && (s->sl_set || count_vls(s) * sim_stages(s) > VLS_MAX))
		return moore_fail(err, MOORE_EINVAL, 0, "simulate: a route over a middle needs tables that are safe for any "
				  "SL, on %d VLs at most: use profile any-sl", VLS_MAX / (int)sim_stages(s));
	for (uint32_t i = 0; fit && i < s->f->n_switches; i++)
		if (s->sl2vl->width[i] != s->f->sw[i].n_ports + 1)
			return moore_fail(err, MOORE_EINVAL, 0, "simulate: the SL2VL tables are those of "
					  "another fabric: %s", s->f->sw[i].name ? s->f->sw[i].name : "");
	return fit ? 0 : moore_fail(err, MOORE_EINVAL, 0, "simulate: the tables are those of another fabric");
}

/* Without tables, all VLs have a turn of one packet. */
static int
set_turns(struct sim *s, struct moore_err *err)
{
	uint32_t served = 0;

	s->arb = s->o.vlarb ? *s->o.vlarb : (struct moore_sim_vlarb){ .n_low = (uint8_t)s->n_vl, .high_limit = 1 };
	if (s->arb.n_high > MOORE_SIM_TURNS_MAX || s->arb.n_low > MOORE_SIM_TURNS_MAX || !s->arb.high_limit)
		return moore_fail(err, MOORE_EINVAL, 0, "simulate: a table of turns has over %d entries, or high_limit is 0",
				  MOORE_SIM_TURNS_MAX);
	for (uint32_t v = 0; v < s->n_vl && !s->o.vlarb; v++)
		s->arb.low[v] = (struct moore_sim_vl_turn){ (uint8_t)v, 1 };
	for (uint32_t i = 0; i < s->arb.n_high; i++)
		served |= s->arb.high[i].packets ? 1u << (s->arb.high[i].vl & 15) : 0;
	for (uint32_t i = 0; i < s->arb.n_low; i++)
		served |= s->arb.low[i].packets ? 1u << (s->arb.low[i].vl & 15) : 0;
	for (uint32_t v = 0; v < s->n_vl; v++)
		if (!(served >> v & 1))
			return moore_fail(err, MOORE_EINVAL, 0, "simulate: packets have %u VLs, and VL %u has no turn in either "
					  "table of the VL arbitration, so those on it would wait for ever: give it a weight in one", s->n_vl, v);
	return 0;
}

/* Sets how many queues an input has, and the words of bit sets of the ports of any switch. */
static void
count_lines(struct sim *s)
{
	uint32_t most = 1;

	for (moore_swid w = 0; w < s->f->n_switches; w++)
		most = s->f->sw[w].n_ports + 1u > most ? s->f->sw[w].n_ports + 1u : most;
	s->n_lines = s->o.queues == MOORE_SIM_VOQ ? most : 1;
	s->n_words = (most * s->n_vl + 63) / 64;
	s->line_words = (s->n_lines + 63) / 64;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool
adapts(const struct sim *s)
{
	return s->point.routing == MOORE_SIM_UGAL || s->point.routing == MOORE_SIM_UGAL_G || sim_has_middles(s);
}

static uint32_t
span(const struct sim *s)
{
	uint32_t wire = s->o.wire, packet = s->o.packet;

	for (uint32_t i = 0; s->o.wire_of && i < s->n_ports; i++)
		wire = s->o.wire_of[i] > wire ? s->o.wire_of[i] : wire;
	for (uint32_t i = 0; s->o.packet_of && i < s->n_ports; i++)
		packet = s->o.packet_of[i] > packet ? s->o.packet_of[i] : packet;
	return wire + s->o.sw + (packet > s->o.cross ? packet : s->o.cross) + 1;
}

/* The events that can wait at a time. */
static uint64_t
events_max(const struct sim *s)
{
	/* The last bytes of messages on the way to a host are behind each other by a packet. */
	const uint64_t got = s->point.traffic->message ? span(s) / s->o.packet + 2 : 0;

	return (uint64_t)s->n_ports * s->n_vl * s->o.buffer + s->n_ports + s->n_channels +
		s->f->n_endpoints * (1 + got);
}

static uint64_t
packets_max(const struct sim *s)
{
	return (uint64_t)s->n_ports * s->n_vl * (s->o.buffer + s->o.out_queue);
}

uint64_t
moore_sim_memory(const struct sim *s)
{
	const uint64_t queues = (uint64_t)s->n_ports * s->n_vl;

	return moore_sim_wheel_memory(span(s), (uint32_t)events_max(s)) + packets_max(s) * sizeof(struct sim_packet) +
		s->n_channels * (sizeof(struct sim_channel) + s->n_vl * sizeof(uint16_t)) +
		s->f->n_endpoints * sizeof(struct sim_host) +
		(uint64_t)s->point.traffic->n_messages * sizeof(struct sim_message) +
		(sim_has_middles(s) ? packets_max(s) * sizeof(moore_epid) + s->f->n_switches : 0) +
		queues * ((s->n_lines + 1) * sizeof(struct sim_queue) + 3 * sizeof(uint16_t) + sizeof(uint8_t) +
			  (s->n_words + s->line_words) * sizeof(uint64_t)) +
		(uint64_t)s->f->n_switches * (s->n_words + s->line_words) * sizeof(uint64_t) +
		(uint64_t)MOORE_SIM_BLOCKS * SIM_BINS * sizeof(uint32_t) +
		(uint64_t)(s->point.routing == MOORE_SIM_SHARES ? s->f->n_endpoints * s->point.traffic->n_offsets : 0) *
			sizeof(double) + moore_sim_changes_memory(s) + (adapts(s) ? s->f->n_switches * s->lft->stride : 0);
}

static int
check_memory(const struct sim *s, struct moore_err *err)
{
	const uint64_t want = moore_sim_memory(s);

	if (want <= s->o.memory && packets_max(s) < MOORE_NONE && events_max(s) < MOORE_NONE)
		return 0;
	return moore_fail(err, MOORE_EINVAL, 0, "simulate: a point needs %llu MB for %u ports with %u VLs and "
			  "buffers of %u packets; the bound is %llu MB: give smaller buffers",
			  (unsigned long long)(want >> 20), s->n_ports, s->n_vl, s->o.buffer,
			  (unsigned long long)(s->o.memory >> 20));
}

/* Begins each sender somewhere in its cycle of offsets, so that not all have the same phase. */
static bool
give_debts(struct sim *s)
{
	const uint32_t n = s->point.traffic->n_offsets;
	double *debt = moore_arena_alloc(&s->mem, (size_t)s->f->n_endpoints * n + 1, sizeof(*debt));
	struct moore_rng rng = { s->o.seed ^ 0x2545f4914f6cdd1dull };

	for (uint32_t e = 0; debt && e < s->f->n_endpoints; e++) {
		s->host[e].debt = debt + (size_t)e * n;
		for (uint32_t k = 0; k < n; k++)
			s->host[e].debt[k] = (double)(moore_rng_next(&rng) >> 11) / 9007199254740992.0;
	}
	return debt != NULL;
}

static bool
get_memory(struct sim *s)
{
	const size_t queues = (size_t)s->n_ports * s->n_vl + 1;
	struct moore_arena *m = &s->mem;
	bool good = moore_sim_wheel_init(&s->wheel, span(s), (uint32_t)events_max(s), m) &&
		(s->channel = moore_arena_alloc(m, (size_t)s->n_channels + 1, sizeof(*s->channel))) &&
		(s->host = moore_arena_alloc(m, (size_t)s->f->n_endpoints + 1, sizeof(*s->host))) &&
		(s->to = moore_arena_alloc(m, (size_t)s->point.traffic->n_flows + 1, sizeof(*s->to))) &&
		(s->credit = moore_arena_alloc(m, (size_t)s->n_channels * s->n_vl + 1, sizeof(*s->credit))) &&
		(s->in = moore_arena_alloc(m, queues * s->n_lines, sizeof(*s->in))) &&
		(s->lines = moore_arena_alloc(m, queues * s->line_words, sizeof(*s->lines))) &&
		(s->taken = moore_arena_alloc(m, (size_t)s->f->n_switches * s->line_words + 1, sizeof(*s->taken))) &&
		(s->out = moore_arena_alloc(m, queues, sizeof(*s->out))) &&
		(s->n_in = moore_arena_alloc(m, queues, sizeof(*s->n_in))) &&
		(s->n_out = moore_arena_alloc(m, queues, sizeof(*s->n_out))) &&
		(s->turn = moore_arena_alloc(m, queues, sizeof(*s->turn))) &&
		(s->line = moore_arena_alloc(m, queues, sizeof(*s->line))) &&
		(s->wait = moore_arena_alloc(m, queues * s->n_words, sizeof(*s->wait))) &&
		(s->busy = moore_arena_alloc(m, (size_t)s->f->n_switches * s->n_words + 1, sizeof(*s->busy))) &&
		(s->packet = moore_arena_alloc(m, (size_t)packets_max(s) + 1, sizeof(*s->packet)));

	if (good && s->point.traffic->message)
		good = (s->message = moore_arena_alloc(m, s->point.traffic->n_messages, sizeof(*s->message)));
	if (good && adapts(s))
		good = (s->far = moore_arena_alloc(m, s->f->n_switches * s->lft->stride + 1, 1));
	if (good && sim_has_middles(s))
		good = (s->middle = moore_arena_alloc(m, (size_t)packets_max(s) + 1, sizeof(*s->middle))) &&
			(s->node_port = moore_arena_alloc(m, (size_t)s->f->n_switches + 1, sizeof(*s->node_port)));
	if (good && s->point.routing == MOORE_SIM_SHARES)
		good = give_debts(s);
	if (good && s->point.script)
		good = moore_sim_changes_init(s);
	for (unsigned i = 0; i < MOORE_SIM_BLOCKS && good; i++)
		good = (s->block[i].bin = moore_arena_alloc(m, SIM_BINS, sizeof(uint32_t)));
	return good;
}

/* ---- filling ---------------------------------------------------------------------------------- */

static void
fill_port(struct sim *s, moore_swid w, uint32_t i)
{
	const struct moore_port *p = &s->f->port[i];
	struct sim_channel *c = &s->channel[i];

	*c = (struct sim_channel){ .down = MOORE_NONE, .up = MOORE_NONE, .sw = w, .wire = s->o.wire,
				   .packet = s->o.packet };
	if (s->o.wire_of && s->o.wire_of[i])
		c->wire = s->o.wire_of[i];
	if (s->o.packet_of && s->o.packet_of[i])
		c->packet = s->o.packet_of[i];
	if (p->role == MOORE_ROLE_SWITCH)
		c->down = c->up = s->f->sw[p->peer].port0 + p->peer_port;
	if (p->role == MOORE_ROLE_ENDPOINT) {
		c->up = s->n_ports + p->peer;
		s->channel[c->up] = (struct sim_channel){ .down = i, .up = MOORE_NONE, .sw = w,
							  .wire = c->wire, .packet = c->packet };
	}
}

static void
fill(struct sim *s)
{
	for (moore_swid w = 0; w < s->f->n_switches; w++)
		for (unsigned p = 0; p <= s->f->sw[w].n_ports; p++)
			fill_port(s, w, s->f->sw[w].port0 + p);
	for (size_t i = 0; i < (size_t)s->n_ports * s->n_vl; i++)
		s->out[i] = (struct sim_queue){ MOORE_NONE, MOORE_NONE };
	for (size_t i = 0; i < (size_t)s->n_ports * s->n_vl * s->n_lines; i++)
		s->in[i] = (struct sim_queue){ MOORE_NONE, MOORE_NONE };
	for (size_t i = 0; i < (size_t)s->n_channels * s->n_vl; i++)
		s->credit[i] = (uint16_t)s->o.buffer;
	for (moore_epid e = 0; s->node_port && e < s->f->n_endpoints; e++)
		if (s->f->ep[e].sw != MOORE_NONE)
			s->node_port[s->f->ep[e].sw] = s->f->ep[e].port;
	s->choices.state = s->o.seed ^ 0x9e6c63d0676a9a99ull;
	s->free_packet = MOORE_NONE;
	s->block_ticks = (uint64_t)s->o.length * s->o.packet / MOORE_SIM_BLOCKS;
	s->end = s->block_ticks * MOORE_SIM_BLOCKS;
	if (s->point.traffic->message)	/* it ends by itself */
		s->end = UINT64_MAX;
	s->drop_sw = MOORE_NONE;
}

static int
check_messages(const struct sim *s, struct moore_err *err)
{
	const struct moore_sim_traffic *t = s->point.traffic;
	uint32_t *last = calloc((size_t)s->f->n_endpoints + 1, sizeof(*last));
	bool good = t->n_messages > 0;

	if (!last)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; good && i < t->n_messages; i++) {
		const struct moore_sim_message *m = &t->message[i];

		good = m->from < s->f->n_endpoints && m->to < s->f->n_endpoints && m->packets &&
			s->f->ep[m->from].sw != MOORE_NONE && s->f->ep[m->to].sw != MOORE_NONE &&
			s->f->ep[m->to].lid && m->after >= last[m->from];
		if (good)
			last[m->from] = m->after;
	}
	free(last);
	return good ? 0 : moore_fail(err, MOORE_EINVAL, 0, "simulate: an exchange has no messages, or one that is "
				     "empty, out of order, or names a node that is not there");
}

/* Rates and lengths of links. */
static int
check_links(const struct sim *s, struct moore_err *err)
{
	for (uint32_t i = 0; i < s->n_ports; i++)
		if ((s->o.packet_of && s->o.packet_of[i] && (s->o.packet_of[i] < s->o.packet || s->o.packet_of[i] > TICKS_MAX)) ||
		    (s->o.wire_of && s->o.wire_of[i] > TICKS_MAX))
			return moore_fail(err, MOORE_EINVAL, 0, "simulate: a link is faster than `packet`, or its packet or wire "
					  "takes over %u ticks", TICKS_MAX);
	return 0;
}

static int
check_nodes(const struct sim *s, struct moore_err *err)
{
	const struct moore_sim_traffic *t = s->point.traffic;
	bool good = t->flow || t->n_nodes >= 2;

	if (t->message)
		return check_messages(s, err);
	for (uint32_t i = 0; good && i < (t->flow ? t->n_flows : t->n_nodes); i++) {
		const moore_epid a = t->flow ? t->flow[i].from : t->node[i], b = t->flow ? t->flow[i].to : a;

		good = a < s->f->n_endpoints && b < s->f->n_endpoints && s->f->ep[a].sw != MOORE_NONE &&
			s->f->ep[b].sw != MOORE_NONE && s->f->ep[b].lid;
	}
	return good ? 0 : moore_fail(err, MOORE_EINVAL, 0, "simulate: the traffic names fewer than two nodes, or "
				     "one that is not there");
}

int
moore_sim_init(struct sim *s, const struct moore_sim_point *point, const struct moore_sim_tables *t,
	       const struct moore_sim_opts *o, struct moore_err *err)
{
	const struct moore_fabric *f = t->f;
	int rc;

	*s = (struct sim){ .f = f, .lft = t->lft, .sl2vl = t->sl2vl, .sl_set = t->sl_set, .o = *o,
			   .point = *point, .n_ports = f->n_ports, .n_channels = f->n_ports + f->n_endpoints };
	if ((rc = check_opts(o, point, err)) < 0 || (rc = check_tables(s, err)) < 0 ||
	    (rc = check_links(s, err)) < 0 || (rc = check_nodes(s, err)) < 0 || (rc = moore_sim_check_script(s, err)) < 0)
		return rc;
	s->own_vls = count_vls(s);
	s->n_vl = s->own_vls * sim_stages(s);
	count_lines(s);
	if ((rc = set_turns(s, err)) < 0 || (rc = check_memory(s, err)) < 0)
		return rc;
	if (!get_memory(s))
		return moore_fail_nomem(err);
	fill(s);
	moore_sim_start(s);
	return 0;
}

void
moore_sim_fini(struct sim *s)
{
	moore_arena_free(&s->mem);
}
