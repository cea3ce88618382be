// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* flap.c - leaves out links between switches that go down and come back again and again.
 *
 * Each routing compares the links with those of the routing before.  A link that is gone, or
 * is back, has changed once; one that was active and has to be activated anew went down and
 * came back meanwhile.  One that is back and active was not down: requests were lost, or a link
 * between it and the subnet manager was down.  After flap_count changes within flap_seconds the
 * link counts as missing, until it has not changed for flap_seconds.  Then a timer asks for a
 * sweep.
 *
 * A link that has just changed carries no data, so leaving it out interrupts nothing.  It counts
 * all the same if nothing else connects its ends: a switch that is restarted twice comes back at
 * once, by one of its links. */
#include "plugin.h"

/* After so many sequences of steps in a row that changes have cut short, as many changes
 * suffice. */
enum { HASTE = 2 };

struct mplug_link {
	uint64_t guid;		/* the end with the lesser GUID */
	uint8_t port;
	uint8_t peer_port;
	bool up, active, out;
	bool needed;		/* it would be out, but nothing else connects its ends */
	uint64_t peer;
	unsigned n;		/* changes so far */
	double at[MOORE_FLAP_MAX];	/* times of the last ones, in a ring */
};

void
mplug_flap_forget(struct mplug_flap *fl)
{
	if (fl->timer_set)
		cl_timer_destroy(&fl->timer);
	free(fl->link);
	*fl = (struct mplug_flap){ .n = 0 };
}

static void
changed(struct mplug_link *l, double now)
{
	l->at[l->n++ % MOORE_FLAP_MAX] = now;
}

/* Returns the number of changes since `from`. */
static unsigned
changes_since(const struct mplug_link *l, double from)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MOORE_FLAP_MAX && i < l->n; i++)
		n += l->at[i] >= from;
	return n;
}

/* True if the link at p has come up and waits to be activated.  The state of a port that did not
 * answer is neither this nor active. */
static bool
is_new(const osm_physp_t *p)
{
	uint8_t state = ib_port_info_get_port_state(&p->port_info);

	return state == IB_LINK_INIT || state == IB_LINK_ARMED;
}

/* Lists the links of now, in the order of their lesser ends. */
static size_t
list_links(const struct mplug_view *v, struct mplug_link *out)
{
	size_t n = 0;

	for (moore_swid s = 0; s < v->f->n_switches; s++)
		for (unsigned p = 1; p < v->sw[s]->num_ports; p++) {
			const osm_physp_t *a = osm_node_get_physp_ptr(v->sw[s]->p_node, p);
			const osm_physp_t *b = mplug_live_peer(a);
			uint64_t guid = cl_ntoh64(osm_node_get_node_guid(v->sw[s]->p_node)), peer;

			if (!b || !b->p_node->sw || !b->port_num)
				continue;
			peer = cl_ntoh64(osm_node_get_node_guid(b->p_node));
			if (peer > guid)
				out[n++] = (struct mplug_link){ .guid = guid, .port = (uint8_t)p,
					.peer = peer, .peer_port = b->port_num, .up = true,
					.active = !is_new(a) && !is_new(b) };
		}
	return n;
}

static int
compare(const void *a, const void *b)
{
	const struct mplug_link *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port > y->port) - (x->port < y->port);
}

/* Takes the last change back. */
static void
unchanged(struct mplug_link *l)
{
	if (l->n)
		l->at[--l->n % MOORE_FLAP_MAX] = 0;
}

/* Returns the record of a link after this sweep, from that of the last sweep and the link as it
 * is now (NULL: it is gone). */
static struct mplug_link
follow(const struct mplug_link *was, const struct mplug_link *is, double now)
{
	struct mplug_link l = *was;

	if (is && (is->peer != was->peer || is->peer_port != was->peer_port))
		return *is;	/* another cable */
	l.up = is != NULL;
	l.active = is && is->active;
	if (was->up && !l.up) {
		changed(&l, now);
	} else if (!was->up && l.active) {
		unchanged(&l);	/* it was not down: OpenSM did not find it */
	} else if (!was->up && l.up) {
		changed(&l, now);
	} else if (was->active && !l.active) {
		changed(&l, now);	/* it went down and came back */
		changed(&l, now);
	}
	return l;
}

/* Merges the links of before with those of now.  Links that were gone for a window are
 * forgotten. */
static size_t
merge(const struct mplug_flap *fl, const struct mplug_link *is, size_t n_is, double now,
      double window, struct mplug_link *out)
{
	size_t i = 0, j = 0, n = 0;

	while (i < fl->n || j < n_is) {
		int c = i == fl->n ? 1 : j == n_is ? -1 : compare(&fl->link[i], &is[j]);

		if (c < 0) {
			struct mplug_link l = follow(&fl->link[i++], NULL, now);

			if (changes_since(&l, now - window))
				out[n++] = l;
		} else if (c > 0) {
			out[n] = is[j++];
			if (fl->begun && !out[n].active)
				changed(&out[n], now);
			n++;
		} else {
			out[n++] = follow(&fl->link[i++], &is[j++], now);
		}
	}
	return n;
}

static void
on_timer(void *context)
{
	mplug_ask_for_sweep(context);
}

/* Asks for a sweep when the first of the links that are left out could be quiet. */
static void
set_timer(struct mplug_sm *sm, double ms)
{
	struct mplug_flap *fl = &sm->flap;

	if (!fl->timer_set)
		fl->timer_set = cl_timer_init(&fl->timer, on_timer, sm) == CL_SUCCESS;
	if (fl->timer_set)
		cl_timer_start(&fl->timer, (uint32_t)ms + 100);
}

static void
tell(struct mplug_sm *sm, const struct mplug_link *l, unsigned n)
{
	if (l->out)
		mplug_log_err(sm, MPLUG_MR_FLAP, "the link from 0x%016" PRIx64 " port %u to 0x%016"
			      PRIx64 " port %u went down or came back %u times within %u s: it counts as "
			      "missing until it was quiet for as long", l->guid, l->port, l->peer,
			      l->peer_port, n, sm->settings.conf.flap_seconds);
	else
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: the link from 0x%016" PRIx64 " port %u to 0x%016"
			PRIx64 " port %u is quiet: it counts again\n", l->guid, l->port, l->peer,
			l->peer_port);
}

/* Decides for each link whether it is out.  Returns the time until the first of those that are
 * could be quiet. */
static double
judge(struct mplug_sm *sm, double now, double window)
{
	struct mplug_flap *fl = &sm->flap;
	unsigned limit = sm->settings.conf.flap_count;
	double next = window;

	if (sm->motion.disturbed >= HASTE && limit > HASTE)
		limit = HASTE;
	for (size_t i = 0; i < fl->n; i++) {
		struct mplug_link *l = &fl->link[i];
		unsigned n = changes_since(l, now - window);
		bool was = l->out;

		l->needed = false;
		l->out = limit && n && (was || n >= limit);
		if (l->out != was)
			tell(sm, l, n);
		if (l->out && next > l->at[(l->n - 1) % MOORE_FLAP_MAX] + window - now)
			next = l->at[(l->n - 1) % MOORE_FLAP_MAX] + window - now;
	}
	return next;
}

/* ---- links that alone connect their ends ------------------------------------------------- */

struct parts {			/* of the fabric: switches with the same root are connected */
	uint64_t *guid;		/* ascending */
	uint32_t *up;		/* of each switch: another one, or itself at a root */
	uint32_t n;
};

static uint32_t
root_of(const struct parts *p, uint64_t guid)
{
	uint32_t lo = 0, hi = p->n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->guid[mid] <= guid)
			lo = mid;
		else
			hi = mid;
	}
	while (p->up[lo] != lo)
		lo = p->up[lo] = p->up[p->up[lo]];
	return lo;
}

/* Returns whether the link was the first to connect its ends. */
static bool
join(struct parts *p, const struct mplug_link *l)
{
	uint32_t a = root_of(p, l->guid), b = root_of(p, l->peer);

	p->up[a] = b;
	return a != b;
}

/* Lets links count that are out, where nothing else connects their ends. */
static int
keep_connected(struct mplug_flap *fl, const struct mplug_view *v, struct moore_err *err)
{
	struct parts p = { .n = v->f->n_switches,
		.guid = calloc((size_t)v->f->n_switches + 1, sizeof(*p.guid)),
		.up = calloc((size_t)v->f->n_switches + 1, sizeof(*p.up)) };
	bool ok = p.guid && p.up;

	for (uint32_t s = 0; ok && s < p.n; s++) {
		p.guid[s] = cl_ntoh64(osm_node_get_node_guid(v->sw[s]->p_node));
		p.up[s] = s;
	}
	for (size_t i = 0; ok && i < fl->n; i++)
		if (fl->link[i].up && !fl->link[i].out)
			join(&p, &fl->link[i]);
	for (size_t i = 0; ok && i < fl->n; i++)
		if (fl->link[i].up && fl->link[i].out)
			fl->link[i].needed = join(&p, &fl->link[i]);
	free(p.guid);
	free(p.up);
	return ok ? 0 : moore_fail_nomem(err);
}

static int
decide(struct mplug_sm *sm, const struct mplug_view *v, double now, double window,
       struct moore_err *err)
{
	struct mplug_flap *fl = &sm->flap;
	double next = judge(sm, now, window);
	size_t needed = 0;

	if (keep_connected(fl, v, err) < 0)
		return -MOORE_ENOMEM;
	fl->n_out = 0;
	for (size_t i = 0; i < fl->n; i++) {
		needed += fl->link[i].needed;
		fl->n_out += fl->link[i].out && !fl->link[i].needed;
	}
	if (fl->n_out)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %zu flapping link%s as missing\n",
			fl->n_out, fl->n_out == 1 ? " counts" : "s count");
	if (needed)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %zu flapping link%s in use, since nothing else "
			"connects the ends\n", needed, needed == 1 ? " stays" : "s stay");
	if (fl->n_out + needed)
		set_timer(sm, next);
	return 0;
}

int
mplug_flap_note(struct mplug_sm *sm, const struct mplug_view *v, struct moore_err *err)
{
	struct mplug_flap *fl = &sm->flap;
	size_t n_ports = v->f->n_ports;
	struct mplug_link *is = calloc(n_ports + 1, sizeof(*is));
	struct mplug_link *all = calloc(n_ports + fl->n + 1, sizeof(*all));
	double now = mplug_now_ms(), window = sm->settings.conf.flap_seconds * 1e3;

	if (!is || !all) {
		free(is);
		free(all);
		return moore_fail_nomem(err);
	}
	fl->n = merge(fl, is, list_links(v, is), now, window, all);
	free(is);
	free(fl->link);
	fl->link = all;
	fl->begun = true;
	return decide(sm, v, now, window, err);
}

void
mplug_flap_up(struct mplug_sm *sm)
{
	for (size_t i = 0; i < sm->flap.n; i++)
		sm->flap.link[i].active = sm->flap.link[i].up;
}

bool
mplug_flaps(const struct mplug_sm *sm, uint64_t guid, uint8_t port)
{
	const struct mplug_link want = { .guid = guid, .port = port }, *l = NULL;

	if (sm->flap.n_out)
		l = bsearch(&want, sm->flap.link, sm->flap.n, sizeof(want), compare);
	return l && l->out && !l->needed;
}
