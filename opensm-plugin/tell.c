// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tell.c - sends moored a datagram after each routing, after each of several steps, and when
 * the subnet is up.
 *
 * Invariant: OpenSM never waits.  A datagram that cannot be sent at once (moored does not
 * run, or its queue is full) is dropped, and moored finds the change by its own scan.
 * Each kind of failure is logged once in the life of the process, since OpenSM does not
 * depend on moored.
 *
 * Elsewhere: the format (lib/engine/notice.c), the receiver (daemon/watch/sweeps.c). */
#include "plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum failure { NOBODY, FULL, OTHER };

static enum failure
failure_of(int error)
{
	if (error == ENOENT || error == ECONNREFUSED)
		return NOBODY;
	return error == EAGAIN || error == ENOBUFS ? FULL : OTHER;
}

static void
failed(struct mplug_sm *sm, const char *path, int error)
{
	static const char *const text[] = { [NOBODY] = "nobody listens", [FULL] = "its queue is full",
		[OTHER] = "cannot send" };
	enum failure k = failure_of(error);

	if (!(sm->tell.said & 1u << k))
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: moored at %s gets no notices: %s (%s): "
			"routes are the same without it; this is not logged again\n", path, text[k], strerror(error));
	sm->tell.said |= 1u << k;
}

/* Sends a datagram, and frees it. */
static void
send_text(struct mplug_sm *sm, struct moore_buf b)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = sm->settings.conf.moored;
	int n;

	n = snprintf(to.sun_path, sizeof(to.sun_path), "%s" MOORE_NOTICE_SUFFIX, path);
	if (n < 0 || (size_t)n >= sizeof(to.sun_path)) {
		failed(sm, path, ENAMETOOLONG);
		moore_buf_free(&b);
		return;
	}
	if (sm->tell.fd < 0)
		sm->tell.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (!b.oom && (sm->tell.fd < 0 ||
		       sendto(sm->tell.fd, b.data, b.len, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (struct sockaddr *)&to, sizeof(to)) < 0))
		failed(sm, path, errno);
	moore_buf_free(&b);
}

static void
send_notice(struct mplug_sm *sm)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (!*sm->settings.conf.moored)
		return;
	moore_notice_write(&b, &sm->tell.notice);
	send_text(sm, b);
}

/* The hash of each switch's rows, so that moored can name those that hold others.  Not sent for
 * the last good routes, whose rows over lost links are gone. */
static void
send_rows(struct mplug_sm *sm)
{
	const struct moore_fabric *f = sm->good;
	struct moore_buf b = MOORE_BUF_INIT;
	uint32_t *hash;

	if (!*sm->settings.conf.moored || sm->tell.notice.state != MOORE_NOTICE_ROUTED || !f || !sm->result ||
	    f->n_switches > MOORE_ROWS_MAX || !(hash = malloc((f->n_switches + (size_t)1) * sizeof(*hash))))
		return;
	if (moore_lft_hash_each(hash, f, sm->result->lft, NULL) == 0) {
		moore_rows_write(&b, sm->tell.notice.sm, sm->tell.notice.number, hash, f->n_switches);
		send_text(sm, b);
	}
	free(hash);
}

/* Adds the result of a sweep that was routed. */
static void
put_result(struct moore_notice *n, const struct moore_engine_result *r,
	   const struct mplug_view *v)
{
	struct moore_route_stats st;
	size_t changed, total;

	moore_route_stats(r->route, &st);
	mplug_publish_count(v, &changed, &total);
	n->hash = r->hash;
	n->routes = r->routes_hash;
	n->lanes = r->lanes_hash;
	n->missing_links = st.missing_links;
	n->missing_switches = st.missing_switches;
	n->blocks = changed;
	snprintf(n->topology, sizeof(n->topology), "%s", r->topology);
}

void
mplug_tell_sweep(struct mplug_sm *sm, const struct mplug_view *v, enum mplug_mr mr,
		 const char *why, const struct moore_lft *restored)
{
	struct moore_notice *n = &sm->tell.notice;

	*n = (struct moore_notice){
		.sm = cl_ntoh64(sm->osm->subn.sm_port_guid), .number = n->number + 1,
		.state = !mr ? MOORE_NOTICE_ROUTED : restored ? MOORE_NOTICE_KEPT :
			 MOORE_NOTICE_REFUSED,
		.profile = sm->settings.conf.profile, .layers = sm->settings.conf.layers,
		.switches = v->f->n_switches, .endpoints = v->f->n_endpoints,
	};
	if (mr)
		snprintf(n->why, sizeof(n->why), "MR%02u: %s", mr, why);
	else
		put_result(n, sm->result, v);
	if (restored && moore_lft_hash(&n->routes, v->f, restored, NULL) < 0)
		n->routes = 0;
	send_notice(sm);
}

void
mplug_tell_step(struct mplug_sm *sm, uint32_t step, uint32_t steps)
{
	if (!sm->tell.notice.number || steps < 2)
		return;
	sm->tell.notice.step = step;
	sm->tell.notice.steps = steps;
	send_notice(sm);
}

void
mplug_tell_up(struct mplug_sm *sm)
{
	if (!sm->tell.notice.number || sm->tell.notice.up)
		return;		/* nothing was routed since the last datagram */
	sm->tell.notice.up = 1;
	send_notice(sm);
	send_rows(sm);
}

void
mplug_tell_init(struct mplug_sm *sm)
{
	sm->tell.fd = -1;
}

void
mplug_tell_fini(struct mplug_sm *sm)
{
	if (sm->tell.fd >= 0)
		close(sm->tell.fd);
}
