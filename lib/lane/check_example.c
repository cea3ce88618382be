// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_example.c - finds a packet that makes a given dependency: it arrives over link a on
 * VL v and leaves by link b on VL w.
 *
 * For each destination and SL that makes the turn, the search goes upstream from link a
 * until it finds a source.  Only the last step before a must give VL v; the others may give
 * any VL but 15. */
#include "base/bits.h"
#include "check_impl.h"

struct target {			/* the destination of packets */
	unsigned lid;		/* LID or MLID */
	const uint64_t (*mask)[4];	/* of a multicast group; NULL for a LID */
};

struct hunt {
	struct moore_ck *k;
	struct moore_channel *queue;	/* links upstream, as switch and out port */
	uint64_t *seen;		/* slots that are or were in queue */
};

/* True if switch s forwards packets that enter by port in to port out. */
static bool
passes(const struct moore_ck *k, const struct target *t, moore_swid s, unsigned in, unsigned out)
{
	if (t->mask)
		return in != out && moore_bits_get(t->mask[s], out);
	return moore_lft_row(k->lft, s)[t->lid] == out;
}

/* True if a packet of this SL that enters s by in and leaves by out gets the VL `want`; if
 * want is MOORE_VL_DROP, if it gets any VL. */
static bool
lane_fits(const struct moore_ck *k, moore_swid s, unsigned in, unsigned out, unsigned sl,
	  unsigned want)
{
	uint8_t vl = moore_ck_vl(k, s, in, out, sl);

	return vl < MOORE_VL_DROP && (want == MOORE_VL_DROP || vl == want);
}

/* Fills *d and returns true if some source at switch at.sw sends packets out of at.port on
 * VL want.  Otherwise appends the links that bring such packets to the switch to the queue. */
static bool
step_up(struct hunt *w, const struct target *t, struct moore_channel at, unsigned sl, unsigned want,
	uint32_t *tail, struct moore_dependency *d)
{
	const struct moore_ck *k = w->k;

	for (unsigned in = 0; in <= k->f->sw[at.sw].n_ports; in++) {
		const struct moore_port *p = moore_fabric_port(k->f, at.sw, (moore_portnum)in);

		if (!passes(k, t, at.sw, in, at.port) ||
		    !lane_fits(k, at.sw, in, at.port, sl, want))
			continue;
		if (moore_ck_is_source(k, at.sw, in)) {
			if (!(moore_ck_sls(k, at.sw, t->mask ? 0 : t->lid) >> sl & 1))
				continue;
			d->src_sw = at.sw;
			d->src_port = (moore_portnum)in;
			d->dlid = (moore_lid)t->lid;
			d->sl = (uint8_t)sl;
			return true;
		}
		if (p->role != MOORE_ROLE_SWITCH ||
		    moore_bits_get(w->seen, k->slot0[p->peer] + p->peer_port) ||
		    (!t->mask && !passes(k, t, p->peer, 0, p->peer_port)) ||
		    (t->mask && !moore_bits_get(t->mask[p->peer], p->peer_port)))
			continue;
		moore_bits_set(w->seen, k->slot0[p->peer] + p->peer_port);
		w->queue[(*tail)++] = (struct moore_channel){ p->peer, p->peer_port, 0 };
	}
	return false;
}

static bool
go_up(struct hunt *w, const struct target *t, unsigned sl, struct moore_dependency *d)
{
	uint32_t tail = 0;
	bool found;

	found = step_up(w, t, d->from, sl, d->from.vl, &tail, d);
	for (uint32_t i = 0; i < tail && !found; i++)
		found = step_up(w, t, w->queue[i], sl, MOORE_VL_DROP, &tail, d);
	for (uint32_t i = 0; i < tail; i++)
		moore_bits_clear(w->seen, w->k->slot0[w->queue[i].sw] + w->queue[i].port);
	return found;
}

static bool
try_target(struct hunt *w, const struct target *t, struct moore_dependency *d,
	   const struct moore_channel *to)
{
	const struct moore_ck *k = w->k;
	unsigned in = moore_fabric_port(k->f, d->from.sw, d->from.port)->peer_port;

	if (!passes(k, t, to->sw, in, to->port) ||
	    (!t->mask && !passes(k, t, d->from.sw, 0, d->from.port)) ||
	    (t->mask && !moore_bits_get(t->mask[d->from.sw], d->from.port)))
		return false;
	for (unsigned x = 0; x < k->n_cls; x++)
		if (lane_fits(k, to->sw, in, to->port, k->cls_sl[x], to->vl) &&
		    go_up(w, t, k->cls_sl[x], d))
			return true;
	return false;
}

int
moore_ck_example(struct moore_ck *k, struct moore_dependency *d, const struct moore_channel *to,
		 struct moore_err *err)
{
	struct hunt w = { .k = k };

	if (!(w.queue = moore_arena_alloc(&k->tmp, (size_t)k->n_links + 1, sizeof(*w.queue))) ||
	    !(w.seen = moore_arena_alloc(&k->tmp, moore_bits_words(k->n_slots) + 1,
					 sizeof(*w.seen))))
		return moore_fail_nomem(err);
	for (unsigned lid = 1; lid <= k->f->lid_top; lid++) {
		struct target t = { .lid = lid };

		if (moore_ck_is_addressed(k, lid) && try_target(&w, &t, d, to))
			return 0;
	}
	for (uint32_t g = 0; k->mft && g < k->mft->n_groups; g++) {
		struct target t = { k->mft->mlid[g],
			(const uint64_t (*)[4])&k->mft->mask[(size_t)g * k->n_sw] };

		if (try_target(&w, &t, d, to))
			return 0;
	}
	return 0;
}
