// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* backup.c - the second next hop of a route, which a switch takes when the port of the first one
 * loses carrier.
 *
 * The backup of switch u for a prefix is a neighbour whose own route does not return over u (a
 * loop-free alternate, RFC 5286).  Deadlock: the channels (a directed link in a class) have one
 * order in which every dependency of the routes rises, and a backup is taken only if each
 * dependency that it adds rises, too.  So the routes and all backups together are free of cycles.
 * Many orders fit; each round takes another one, which also fits the backups of the rounds before.
 *
 * The judge of backups (lib/lane/mix_cuts.c) shares nothing with this file but the tables. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "ether_impl.h"

#define N_VL MOORE_ETHER_CLASSES_MAX
#define N_ORDERS 4		/* ways to rank channels; rounds end when none finds a backup more */
#define ROUNDS_MAX 64
#define OUT_WORDS 4		/* a bit for each out port, 0..254 */

struct work {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
	const struct moore_jobs *jobs;
	struct moore_lid_owner *owner;
	uint8_t *source;	/* by port: VLs on which packets of the switch's hosts leave, a bit each */
	uint8_t *leaves;	/* by row of lft: VLs on which packets leave */
	/* By channel, which is port * N_VL + VL: the out ports at its end to which packets turn. */
	uint64_t (*turns)[OUT_WORDS];
	uint32_t *rank;		/* by channel; turns rise */
	struct moore_lft *out;
};

static uint32_t
port_index(const struct work *w, moore_swid s, unsigned p)
{
	return w->f->sw[s].port0 + p;
}

static bool
is_link(const struct work *w, moore_swid s, uint8_t p)
{
	return p != MOORE_NO_PATH && p <= w->f->sw[s].n_ports &&
		moore_fabric_port(w->f, s, p)->role == MOORE_ROLE_SWITCH;
}

static uint8_t
vl_bit(const struct work *w, moore_swid s, unsigned in, unsigned out)
{
	uint8_t vl = moore_sl2vl_vl(w->sl2vl, w->f, s, (moore_portnum)in, (moore_portnum)out, 0);

	return (uint8_t)(vl < N_VL ? 1u << vl : 0u);
}

/* ---- what the routes do ------------------------------------------------------------------ */

static void
find_sources(struct work *w)
{
	for (moore_swid s = 0; s < w->f->n_switches; s++)
		for (unsigned out = 1; out <= w->f->sw[s].n_ports; out++)
			for (unsigned in = 0; in <= w->f->sw[s].n_ports && is_link(w, s, (uint8_t)out); in++) {
				uint8_t role = moore_fabric_port(w->f, s, (moore_portnum)in)->role;

				if (role == MOORE_ROLE_ENDPOINT || role == MOORE_ROLE_SELF)
					w->source[port_index(w, s, out)] |= vl_bit(w, s, in, out);
			}
}

static void
find_leaving(struct work *w, moore_lid lid)
{
	for (moore_swid s = 0; s < w->f->n_switches; s++) {
		uint8_t out = moore_lft_row(w->lft, s)[lid];
		const struct moore_port *link = is_link(w, s, out) ? moore_fabric_port(w->f, s, out) : NULL;
		uint8_t next = link ? moore_lft_row(w->lft, link->peer)[lid] : MOORE_NO_PATH;

		if (link)
			w->leaves[s * w->lft->stride + lid] |= w->source[port_index(w, s, out)];
		if (link && is_link(w, link->peer, next))
			w->leaves[link->peer * w->lft->stride + lid] |= vl_bit(w, link->peer, link->peer_port, next);
	}
}

/* Packets that left s by a port on some VLs turn to an out port of the switch there. */
static void
add_turns(struct work *w, moore_swid s, unsigned port, uint8_t vls, uint8_t out)
{
	for (unsigned vl = 0; vl < N_VL; vl++)
		if (vls >> vl & 1)
			w->turns[port_index(w, s, port) * N_VL + vl][out / 64] |= (uint64_t)1 << out % 64;
}

static void
find_turns(struct work *w, moore_lid lid)
{
	for (moore_swid s = 0; s < w->f->n_switches; s++) {
		uint8_t out = moore_lft_row(w->lft, s)[lid];
		moore_swid t = is_link(w, s, out) ? moore_fabric_port(w->f, s, out)->peer : s;
		uint8_t next = moore_lft_row(w->lft, t)[lid];

		if (t != s && is_link(w, t, next))
			add_turns(w, s, out, w->leaves[s * w->lft->stride + lid], next);
	}
}

/* ---- the order of channels ------------------------------------------------------------------ */

/* The channel behind a turn from channel c to an out port; MOORE_NONE if it drops. */
static uint32_t
behind(const struct work *w, const struct moore_port *link, unsigned out)
{
	uint8_t bit = vl_bit(w, link->peer, link->peer_port, out);

	return bit ? port_index(w, link->peer, out) * N_VL + (uint32_t)__builtin_ctz(bit) : MOORE_NONE;
}

/* The next of the channels that packets in channel c wait for, or MOORE_NONE; *word and *bits keep
 * the place. */
static uint32_t
next_behind(const struct work *w, uint32_t c, unsigned *word, uint64_t *bits)
{
	const struct moore_port *link = &w->f->port[c / N_VL];

	for (; *word < OUT_WORDS; *bits = ++*word < OUT_WORDS ? w->turns[c][*word] : 0)
		while (*bits) {
			unsigned out = *word * 64 + (unsigned)__builtin_ctzll(*bits);
			uint32_t d = behind(w, link, out);

			*bits &= *bits - 1;
			if (d != MOORE_NONE)
				return d;
		}
	return MOORE_NONE;
}

static void
count_before(const struct work *w, uint32_t n, uint32_t *before)
{
	memset(before, 0, n * sizeof(*before));
	for (uint32_t c = 0; c < n; c++) {
		uint64_t bits = w->turns[c][0];
		unsigned word = 0;

		for (uint32_t d; (d = next_behind(w, c, &word, &bits)) != MOORE_NONE;)
			before[d]++;
	}
}

/* Ranks the channels (Kahn): even rounds take the oldest channel that is free, odd ones the
 * newest.  Returns the number of channels ranked, which is less than all if turns form a cycle. */
static uint32_t
rank_channels(struct work *w, unsigned round, uint32_t *before, uint32_t *ready)
{
	uint32_t n = w->f->n_ports * N_VL, head = 0, tail = 0, n_ranked = 0;

	count_before(w, n, before);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = round & 2 ? n - 1 - i : i;

		if (!before[c])
			ready[tail++] = c;
	}
	while (head < tail) {
		uint32_t c = round & 1 ? ready[--tail] : ready[head++];
		uint64_t bits = w->turns[c][0];
		unsigned word = 0;

		w->rank[c] = n_ranked++;
		for (uint32_t d; (d = next_behind(w, c, &word, &bits)) != MOORE_NONE;)
			if (!--before[d])
				ready[tail++] = d;
	}
	return n_ranked;
}

/* ---- choosing ----------------------------------------------------------------------------- */

/* Says whether each turn from those channels to the out port of the switch behind them rises. */
static bool
rises(const struct work *w, moore_swid s, unsigned port, uint8_t vls, unsigned out)
{
	uint32_t d = behind(w, moore_fabric_port(w->f, s, (moore_portnum)port), out);
	uint32_t c = port_index(w, s, port) * N_VL;

	if (d == MOORE_NONE)
		return false;
	for (unsigned vl = 0; vl < N_VL; vl++)
		if ((vls >> vl & 1) && w->rank[c + vl] >= w->rank[d])
			return false;
	return true;
}

/* Says whether the switch behind a port sends packets for the LID here. */
static bool
comes_from(const struct work *w, moore_swid u, moore_lid lid, unsigned in)
{
	const struct moore_port *link = moore_fabric_port(w->f, u, (moore_portnum)in);

	return link->role == MOORE_ROLE_SWITCH &&
		moore_lft_row(w->lft, link->peer)[lid] == link->peer_port;
}

/* The VLs on which u would send packets for the LID over a port; 0 if some turn there may not be. */
static uint8_t
vls_over(const struct work *w, moore_swid u, moore_lid lid, unsigned port)
{
	uint8_t vls = w->source[port_index(w, u, port)];

	for (unsigned in = 1; in <= w->f->sw[u].n_ports; in++) {
		const struct moore_port *link = moore_fabric_port(w->f, u, (moore_portnum)in);

		if (!comes_from(w, u, lid, in))
			continue;
		if (in == port || !rises(w, link->peer, link->peer_port,
					 w->leaves[link->peer * w->lft->stride + lid], port))
			return 0;
		vls |= vl_bit(w, u, in, port);
	}
	return vls;
}

/* The hops from u over a port to the owner of the LID; 0 if that is no backup.  With `add`, the
 * turns on the way become turns of the work. */
static unsigned
follow(struct work *w, moore_swid u, moore_lid lid, unsigned port, uint8_t vls, bool add)
{
	moore_swid s = u, end = w->owner[lid].sw;

	for (unsigned hops = 1; vls && hops <= MOORE_HOPS_MAX; hops++) {
		const struct moore_port *link = moore_fabric_port(w->f, s, (moore_portnum)port);
		uint8_t next = moore_lft_row(w->lft, link->peer)[lid];

		if (link->peer == end)
			return hops;
		if (link->peer == u || !is_link(w, link->peer, next))
			return 0;
		if (add)
			add_turns(w, s, port, vls, next);
		else if (!rises(w, s, port, vls, next))
			return 0;
		vls = vl_bit(w, link->peer, link->peer_port, next);
		s = link->peer;
		port = next;
	}
	return 0;
}

/* The port with the fewest hops, of these the one that least backups of the same link use. */
static void
choose(struct work *w, moore_swid u, moore_lid lid, uint32_t (*used)[MOORE_PORT_MAX + 1])
{
	uint8_t first = moore_lft_row(w->lft, u)[lid], *out = &moore_lft_row(w->out, u)[lid];
	unsigned best = 0;

	if (*out != MOORE_NO_PATH || !is_link(w, u, first) || w->owner[lid].sw == u)
		return;
	for (unsigned p = 1; p <= w->f->sw[u].n_ports; p++) {
		unsigned hops;

		if (p == first || !is_link(w, u, (uint8_t)p))
			continue;
		hops = follow(w, u, lid, p, vls_over(w, u, lid, p), false);
		if (hops && (!best || hops < best || (hops == best && used[first][p] < used[first][*out]))) {
			best = hops;
			*out = (uint8_t)p;
		}
	}
	if (best)
		used[first][*out]++;
}

struct round {
	struct work *w;
	uint32_t (*used)[MOORE_PORT_MAX + 1][MOORE_PORT_MAX + 1];	/* by worker */
};

static void
choose_job(void *arg, unsigned worker, size_t i)
{
	struct round *r = arg;
	moore_swid u = (moore_swid)i;

	memset(r->used[worker], 0, sizeof(r->used[worker]));
	for (moore_lid lid = 1; lid <= r->w->f->lid_top; lid++)
		if (r->w->owner[lid].sw != MOORE_NONE)
			choose(r->w, u, lid, r->used[worker]);
}

/* Packets that enter u at one port leave by the other. */
static void
turn_at(struct work *w, moore_swid u, moore_lid lid, unsigned in, uint8_t out)
{
	const struct moore_port *link = moore_fabric_port(w->f, u, (moore_portnum)in);

	add_turns(w, link->peer, link->peer_port, w->leaves[link->peer * w->lft->stride + lid], out);
}

/* Makes the turns of every backup turns of the work, and returns the number of backups. */
static uint64_t
keep_chosen(struct work *w)
{
	uint64_t n = 0;

	for (moore_swid u = 0; u < w->f->n_switches; u++)
		for (moore_lid lid = 1; lid <= w->f->lid_top; lid++) {
			uint8_t port = moore_lft_row(w->out, u)[lid];

			if (port == MOORE_NO_PATH)
				continue;
			for (unsigned in = 1; in <= w->f->sw[u].n_ports; in++)
				if (comes_from(w, u, lid, in))
					turn_at(w, u, lid, in, port);
			follow(w, u, lid, port, vls_over(w, u, lid, port), true);
			n++;
		}
	return n;
}

static int
choose_rounds(struct work *w, struct moore_err *err)
{
	uint32_t n = w->f->n_ports * N_VL;
	unsigned width = moore_jobs_width(w->jobs, w->f->n_switches);
	struct round r = { w, calloc(width, sizeof(*r.used)) };
	uint32_t *scratch = calloc(2 * ((size_t)n + 1), sizeof(*scratch));
	int rc = r.used && scratch ? 0 : moore_fail_nomem(err);
	uint64_t found = 0, now = 0;

	for (unsigned round = 0, idle = 0; rc == 0 && idle < N_ORDERS && round < ROUNDS_MAX; round++) {
		if (rank_channels(w, round, scratch, scratch + n) < n)
			rc = moore_fail(err, MOORE_EINVAL, 0, "the routes can deadlock, so they get no backups");
		else
			moore_jobs_run(w->jobs, width, w->f->n_switches, choose_job, &r);
		if (rc == 0)
			now = keep_chosen(w);
		idle = now > found ? 0 : idle + 1;
		found = now;
	}
	free(r.used);
	free(scratch);
	return rc;
}

int
moore_ether_backups(struct moore_lft **out, const struct moore_fabric *racks, const struct moore_lft *lft,
		    const struct moore_sl2vl *sl2vl, const struct moore_jobs *jobs, struct moore_err *err)
{
	struct work w = { .f = racks, .lft = lft, .sl2vl = sl2vl, .jobs = jobs };
	size_t n = (size_t)racks->n_ports * N_VL;
	int rc;

	*out = NULL;
	w.source = calloc((size_t)racks->n_ports + 1, 1);
	w.leaves = calloc(lft->stride * lft->n_switches + 1, 1);
	w.turns = calloc(n + 1, sizeof(*w.turns));
	w.rank = calloc(n + 1, sizeof(*w.rank));
	rc = w.source && w.leaves && w.turns && w.rank ? 0 : moore_fail_nomem(err);
	if (rc == 0 && (rc = moore_fabric_lids(racks, &w.owner, err)) == 0 &&
	    (rc = moore_lft_new(&w.out, racks->n_switches, racks->lid_top, err)) == 0) {
		find_sources(&w);
		for (moore_lid lid = 1; lid <= racks->lid_top; lid++) {
			find_leaving(&w, lid);
			find_turns(&w, lid);
		}
		rc = choose_rounds(&w, err);
	}
	if (rc == 0) {
		*out = w.out;
		w.out = NULL;
	}
	moore_lft_free(w.out);
	free(w.owner);
	free(w.source);
	free(w.leaves);
	free(w.turns);
	free(w.rank);
	return rc;
}
