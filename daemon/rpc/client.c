// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* client.c - one client (peer) on the Unix socket: its requests, answers and events.
 *
 * The use of every resource is bounded for each peer:
 *   TURN_US     of time before others have theirs, also within a batch
 *   RATE        requests a second
 *   JOBS        requests on workers, and all peers together JOBS_ALL
 *   OUT_HIGH    bytes of answers that it has not read, until it is not read from
 *   EVENT_ROOM  bytes that wait, until events are left out and counted
 *   STALL       seconds in which it reads something, or it is closed
 * All peers together hold HELD_MAX bytes (requests, answers in the making, answers not
 * read); beyond that the peer that holds most is closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>

#include "clock.h"
#include "rpc/client.h"

enum {
	LINE_MAX_BYTES = 1 << 20,
	TURN_US = 1000,
	RATE = 100000,		/* requests a second; a tenth of it at once */
	JOBS = 16,
	JOBS_ALL = 192,		/* the rest of the workers' queues is the daemon's */
	OUT_HIGH = 4 << 20,
	EVENT_ROOM = 256 << 10,
	HELD_MAX = 256 << 20,
	STALL = 30,
};

static const struct timeval tick = { 0, 10000 }, now = { 0, 0 };

/* ---- a client's end ---------------------------------------------------------------- */

static void
client_free(struct client *c)
{
	event_free(c->again);
	free(c);
}

/* Counts the bytes in the buffers of a client. */
static void
on_held(struct evbuffer *b, const struct evbuffer_cb_info *i, void *arg)
{
	struct client *c = arg;

	(void)b;
	c->held += i->n_added - i->n_deleted;
	c->s->held += i->n_added - i->n_deleted;
}

void
client_close(struct client *c)
{
	struct bufferevent *bev = c->bev;

	if (!bev)
		return;
	c->jobs++;
	evbuffer_remove_cb(bufferevent_get_input(bev), on_held, c);
	evbuffer_remove_cb(bufferevent_get_output(bev), on_held, c);
	c->s->held -= evbuffer_get_length(bufferevent_get_input(bev)) +
		      evbuffer_get_length(bufferevent_get_output(bev));
	c->bev = NULL;
	bufferevent_free(bev);
	event_del(c->again);
	LIST_REMOVE(c, all);
	c->s->count.clients--;
	c->s->count.subscribers -= c->kinds != 0;
	c->kinds = 0;
	if (c->line)
		rpc_abandon(c->line);
	c->line = NULL;
	if (!--c->jobs)
		client_free(c);
}

static void
client_drop(struct client *c, const char *why)
{
	c->s->count.dropped++;
	log_gated(&c->s->dropped, LOG_WARNING, "client of uid %u, process %d: dropped: %s",
		  (unsigned)c->uid, (int)c->pid, why);
	client_close(c);
}

/* While all clients hold more than HELD_MAX bytes, closes the one that holds most.  Must not
 * be called from within rpc.c. */
static void
shed(struct server *s)
{
	struct client *c, *most;
	char why[100];

	while (s->held > s->shared && s->held - s->shared > HELD_MAX) {
		most = NULL;
		LIST_FOREACH(c, &s->clients, all)
			if (!most || c->held > most->held)
				most = c;
		if (!most)
			return;
		snprintf(why, sizeof(why), "it holds most, %zu MiB, and all clients together more than %d MiB",
			 most->held >> 20, HELD_MAX >> 20);
		client_drop(most, why);
	}
}

size_t
client_unsent(const struct client *c)
{
	return evbuffer_get_length(bufferevent_get_output(c->bev));
}

/* ---- lines in ---------------------------------------------------------------------- */

static void
fill_tokens(struct client *c)
{
	uint64_t t = mono_us();

	c->tokens += RATE * 1e-6 * (double)(t - c->filled_us);
	c->filled_us = t;
	if (c->tokens > RATE / 10.0)
		c->tokens = RATE / 10.0;
}

static void
send_line(struct client *c, char *line, size_t len)
{
	if (c->bev && line && bufferevent_write(c->bev, line, len) < 0)
		log_say(LOG_ERR, NULL, "out of memory: an answer is lost");
	free(line);
}

static void
too_long(struct client *c)
{
	size_t len;
	char *line = rpc_error_line(RPC_REQUEST, "a line is longer than 1 MiB: the connection "
				    "ends here", &len);

	send_line(c, line, len);
	bufferevent_disable(c->bev, EV_READ);
	evbuffer_drain(bufferevent_get_input(c->bev), SIZE_MAX);
	c->deaf = true;
}

/* Where the answers to a line are collected; NULL: out of memory. */
static struct evbuffer *
answers_of(struct client *c)
{
	struct evbuffer *b = evbuffer_new();

	if (b && !evbuffer_add_cb(b, on_held, c)) {
		evbuffer_free(b);
		return NULL;
	}
	return b;
}

/* Opens the next line as c->line.  False: no whole line was read yet. */
static bool
take_line(struct client *c)
{
	struct evbuffer *in = bufferevent_get_input(c->bev);
	struct evbuffer_ptr nl = evbuffer_search(in, "\n", 1, NULL);
	size_t len = nl.pos < 0 ? evbuffer_get_length(in) : (size_t)nl.pos;
	const char *data;

	if (len > LINE_MAX_BYTES) {
		too_long(c);
		return false;
	}
	if (nl.pos < 0)
		return false;
	data = (const char *)evbuffer_pullup(in, (ev_ssize_t)len + 1);
	if (!data) {
		client_drop(c, "out of memory");
		return false;
	}
	if (len && data[len - 1] == '\r')
		len--;
	if (strspn(data, " \t\r") < len) {	/* not an empty line; strspn() stops at the \n */
		c->jobs++;			/* until client_reply() */
		c->line = rpc_open(&c->s->host, c, c->access, data, len, answers_of(c));
	}
	evbuffer_drain(in, (size_t)nl.pos + 1);
	return true;
}

/* Answers one request.  False: there is none. */
static bool
take_request(struct client *c)
{
	if (!c->line && !take_line(c))
		return false;
	c->tokens--;
	if (c->line) {
		c->s->count.requests++;
		if (!rpc_next(c->line))
			c->line = NULL;
	}
	return true;
}

static void
close_if_done(struct client *c)
{
	if (c->deaf && !c->jobs && !client_unsent(c))
		client_close(c);
}

/* Decides when c is read again.  more: another request may have been read already; the other
 * clients have their turn before it. */
static void
pause_or_read(struct client *c, bool more)
{
	if (c->deaf) {
		close_if_done(c);
	} else if (client_unsent(c) >= OUT_HIGH) {
		bufferevent_disable(c->bev, EV_READ);	/* on_written() reads on */
	} else if (more && c->tokens >= 1) {
		event_add(c->again, &now);	/* after other clients, unlike event_active() */
	} else if (c->tokens < 1) {
		bufferevent_disable(c->bev, EV_READ);
		event_add(c->again, &tick);
	} else if (c->eof) {		/* no whole line is left */
		c->deaf = true;
		close_if_done(c);
	} else {
		bufferevent_enable(c->bev, EV_READ);
	}
}

/* Answers requests until the turn of c ends.  c may be freed by this. */
static void
read_lines(struct client *c)
{
	uint64_t end = mono_us() + TURN_US;
	struct server *s = c->s;
	bool more = true;

	if (s->stopping)
		return;
	c->jobs++;
	fill_tokens(c);
	while (more && c->tokens >= 1 && client_unsent(c) < OUT_HIGH && mono_us() < end)
		more = take_request(c) && c->bev;
	shed(s);
	c->jobs--;
	if (!c->bev) {
		if (!c->jobs)
			client_free(c);
		return;
	}
	pause_or_read(c, more);
}

static void
on_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	read_lines(arg);
}

static void
on_read(struct bufferevent *bev, void *arg)
{
	struct client *c = arg;

	(void)bev;
	if (!event_pending(c->again, EV_TIMEOUT, NULL))
		read_lines(c);
}

/* ---- lines out --------------------------------------------------------------------- */

static void
tell_lost(struct client *c)
{
	size_t len;
	char *line;

	if (!c->lost)
		return;
	line = rpc_notification("event.lost", json_pack("{s:I}", "count", (json_int_t)c->lost),
				&len);
	c->lost = 0;
	send_line(c, line, len);
}

/* The output buffer is empty. */
static void
on_written(struct bufferevent *bev, void *arg)
{
	struct client *c = arg;

	(void)bev;
	if (c->deaf) {
		close_if_done(c);
		return;
	}
	tell_lost(c);
	read_lines(c);
}

static void
on_event(struct bufferevent *bev, short what, void *arg)
{
	struct client *c = arg;

	if (what & BEV_EVENT_TIMEOUT) {
		client_drop(c, "it read nothing for 30 s");
	} else if (what & BEV_EVENT_ERROR) {
		client_close(c);
	} else {		/* it may still want its answers */
		bufferevent_disable(bev, EV_READ);
		c->eof = true;
		read_lines(c);
	}
}

/* Takes ownership of out, the answers to one line. */
void
client_reply(void *arg, struct evbuffer *out)
{
	struct client *c = arg;
	size_t len = out ? evbuffer_get_length(out) : 0;

	c->jobs--;
	if (c->bev && out && bufferevent_write_buffer(c->bev, out) < 0)
		log_say(LOG_ERR, NULL, "out of memory: an answer is lost");
	if (out && evbuffer_get_length(out)) {
		c->held -= len;
		c->s->held -= len;
	}
	if (out)
		evbuffer_free(out);
	if (c->bev)
		close_if_done(c);
	else if (!c->jobs)
		client_free(c);
}

static void
end_job(void *job)
{
	struct client *c = rpc_job_client(job);
	struct server *s = c->s;

	s->count.outstanding--;
	c->outstanding--;
	rpc_job_end(job);	/* which may free c */
	shed(s);
}

int
client_defer(void *arg, struct rpc_job *job, enum takes takes)
{
	struct client *c = arg;

	if (c->outstanding >= JOBS || c->s->count.outstanding >= JOBS_ALL ||
	    worker_add(c->s->d->worker[takes == TAKES_LONG ? WORK_LONG : WORK_SHORT], rpc_job_run, end_job,
		       job) < 0)
		return -1;
	c->s->count.outstanding++;
	c->outstanding++;
	return 0;
}

/* ---- a new one, and its events ------------------------------------------------------ */

bool
client_new(struct server *s, int fd, enum access access, const struct ucred *peer)
{
	static const struct timeval stall = { STALL, 0 };
	struct event_base *base = loop_base(s->d->loop);
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return false;
	c->again = event_new(base, -1, 0, on_again, c);
	c->bev = c->again ? bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE) : NULL;
	if (!c->bev) {
		if (c->again)
			event_free(c->again);
		free(c);
		return false;
	}
	c->s = s;
	c->access = access;
	c->uid = peer->uid;
	c->pid = peer->pid;
	c->tokens = RATE / 10.0;
	c->filled_us = mono_us();
	LIST_INSERT_HEAD(&s->clients, c, all);
	s->count.clients++;
	s->count.accepted++;
	evbuffer_add_cb(bufferevent_get_input(c->bev), on_held, c);
	evbuffer_add_cb(bufferevent_get_output(c->bev), on_held, c);
	bufferevent_setcb(c->bev, on_read, on_written, on_event, c);
	bufferevent_setwatermark(c->bev, EV_READ, 0, 2 * LINE_MAX_BYTES);
	bufferevent_set_timeouts(c->bev, NULL, &stall);
	bufferevent_enable(c->bev, EV_READ | EV_WRITE);
	return true;
}

void
client_event(struct client *c, const char *line, size_t len)
{
	if (c->lost || client_unsent(c) + len > EVENT_ROOM) {
		c->lost++;
		c->s->count.events_lost++;
	} else {
		bufferevent_write(c->bev, line, len);
	}
}
