// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* flap.c - leaves out links between switches that go down and come back again and again.
 *
 * Each routing compares the links with those of the routing before.  A link that is gone, or
 * is back, has changed once; one that was active and has to be activated anew went down and
 * came back meanwhile.  After flap_count changes within flap_seconds the link counts as
 * missing, until it has not changed for flap_seconds.  Then a timer asks for a sweep.
 *
 * A link that has just changed carries no data, so leaving it out cuts off nothing. */
#include "plugin.h"

/* After so many sequences of steps in a row that changes have cut short, as many changes
 * suffice. */
enum { HASTE = 2 };

struct mplug_link {
	uint64_t guid;		/* the end with the lesser GUID */
	uint8_t port;
	uint8_t peer_port;
	bool up, active, out;
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
					.active = mplug_is_active(a) };
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

/* Returns the record of a link after this sweep, from that of the last sweep and the link as it
 * is now (NULL: it is gone). */
static struct mplug_link
follow(const struct mplug_link *was, const struct mplug_link *is, double now)
{
	bool came_back = is && was->up && was->active && !is->active;
	struct mplug_link l = *was;

	if (is && (is->peer != was->peer || is->peer_port != was->peer_port))
		return *is;	/* another cable */
	if (came_back)
		changed(&l, now);
	if (came_back || was->up != (is != NULL))
		changed(&l, now);
	l.up = is != NULL;
	l.active = is && is->active;
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
			if (fl->begun)
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

/* Decides for each link whether it counts. */
static void
decide(struct mplug_sm *sm, double now, double window)
{
	struct mplug_flap *fl = &sm->flap;
	unsigned limit = sm->settings.conf.flap_count;
	double next = window;

	if (sm->motion.disturbed >= HASTE && limit > HASTE)
		limit = HASTE;
	fl->n_out = 0;
	for (size_t i = 0; i < fl->n; i++) {
		struct mplug_link *l = &fl->link[i];
		unsigned n = changes_since(l, now - window);
		bool was = l->out;

		l->out = limit && n && (was || n >= limit);
		if (l->out != was)
			tell(sm, l, n);
		if (!l->out)
			continue;
		fl->n_out++;
		if (next > l->at[(l->n - 1) % MOORE_FLAP_MAX] + window - now)
			next = l->at[(l->n - 1) % MOORE_FLAP_MAX] + window - now;
	}
	if (!fl->n_out)
		return;
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %zu flapping links count as missing\n", fl->n_out);
	set_timer(sm, next);
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
	decide(sm, now, window);
	return 0;
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
	return l && l->out;
}
