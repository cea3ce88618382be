// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tell.c - a datagram to moored after each routing, and one when the subnet is up.
 *
 * Invariant: OpenSM never waits.  The socket has no peer until a datagram is sent, and
 * what cannot be sent at once (nobody listens, the queue is full) is dropped: the
 * daemon finds out by looking.  Each kind of failure is logged once in a run, since a
 * daemon that comes and goes is none of OpenSM's business.
 *
 * Elsewhere: the text (lib/engine/notice.c), the listener (daemon/watch/sweeps.c). */
#include "plugin.h"

#include <errno.h>
#include <stdio.h>
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
failed(struct moore_sm *sm, const char *path, int error)
{
	static const char *const text[] = { [NOBODY] = "nobody listens", [FULL] = "its queue is full",
		[OTHER] = "not told" };
	enum failure k = failure_of(error);

	if (!(sm->tell.said & 1u << k))
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: moored at %s: %s (%s): routes are the same "
			"without it; this is not logged again\n", path, text[k], strerror(error));
	sm->tell.said |= 1u << k;
}

static void
send_notice(struct moore_sm *sm)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct moore_buf b = MOORE_BUF_INIT;
	const char *path = sm->settings.conf.moored;
	int n;

	if (!*path)
		return;
	n = snprintf(to.sun_path, sizeof(to.sun_path), "%s" MOORE_NOTICE_SUFFIX, path);
	if (n < 0 || (size_t)n >= sizeof(to.sun_path)) {
		failed(sm, path, ENAMETOOLONG);
		return;
	}
	if (sm->tell.fd < 0)
		sm->tell.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	moore_notice_write(&b, &sm->tell.notice);
	if (!b.oom && (sm->tell.fd < 0 ||
		       sendto(sm->tell.fd, b.data, b.len, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (struct sockaddr *)&to, sizeof(to)) < 0))
		failed(sm, path, errno);
	moore_buf_free(&b);
}

/* What was routed, of a sweep that was not refused. */
static void
put_result(struct moore_notice *n, const struct moore_engine_result *r,
	   const struct moore_view *v)
{
	struct moore_route_stats st;
	size_t changed, total;

	moore_route_stats(r->route, &st);
	moore_publish_count(v, &changed, &total);
	n->hash = r->hash;
	n->routes = r->routes_hash;
	n->lanes = r->lanes_hash;
	n->missing_links = st.missing_links;
	n->missing_switches = st.missing_switches;
	n->blocks = changed;
	snprintf(n->topology, sizeof(n->topology), "%s", r->topology);
}

void
moore_tell_sweep(struct moore_sm *sm, const struct moore_view *v, enum moore_mr mr,
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
moore_tell_up(struct moore_sm *sm)
{
	if (!sm->tell.notice.number || sm->tell.notice.up)
		return;		/* nothing was routed since */
	sm->tell.notice.up = 1;
	send_notice(sm);
}

void
moore_tell_init(struct moore_sm *sm)
{
	sm->tell.fd = -1;
}

void
moore_tell_fini(struct moore_sm *sm)
{
	if (sm->tell.fd >= 0)
		close(sm->tell.fd);
}
