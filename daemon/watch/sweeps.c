// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sweeps.c - what OpenSM's plugin reports of its sweeps.
 *
 * The plugin sends a datagram (lib/engine/notice.c) after each routing and when the subnet is
 * up.  moored then scans at once, and compares the hashes in it with the tables that it reads
 * back.  Without datagrams moored finds changes by itself, only later.
 *
 * The mode of the socket's file allows root and moored's own user to send.  A notice belongs
 * to the plane whose master has the GUID in it, so a notice of a standby is not taken for the
 * master's.
 *
 * Invariant: a flood costs a bounded time.  After BATCH datagrams none are read for PAUSE_MS,
 * and the scanner is asked once in KICK_MS.  The sender drops what does not fit into the
 * socket's queue. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "notify.h"
#include "json.h"
#include "state.h"
#include "watch/sweeps.h"

#include "moore/conf.h"
#include "moore/notice.h"

enum { BATCH = 16, PAUSE_MS = 100, KICK_MS = 1000 };

struct told {
	struct moore_notice n;
	uint64_t at_ms;
	struct moore_rows rows;		/* of the last sweep that told them; empty: none */
	uint64_t rows_of;		/* routes of that notice: they stay while a later one has the same */
};

struct sweeps {
	struct moored *d;
	struct event *read, *resume, *kick;
	int fd;
	char path[108];		/* of the file to remove at the end; "" for systemd's */
	bool kicked;		/* the scanner was asked in the last KICK_MS */
	bool again;		/* ask it again after KICK_MS */
	char data[MOORE_ROWS_BYTES + 1];	/* a datagram */
	uint64_t good, junk;
	struct told of[MOORED_PLANES_MAX];	/* by subnet manager, the last one first */
};

/* ---- a notice ---------------------------------------------------------------------- */

static void
say(const struct moore_notice *n, const struct moore_notice *last)
{
	if (n->steps && n->step != last->step)
		log_say(LOG_INFO, NULL, "OpenSM 0x%016llx sweep %llu: all switches hold step %u of %u",
			(unsigned long long)n->sm, (unsigned long long)n->number, n->step, n->steps);
	if (n->state == last->state && n->hash == last->hash && !strcmp(n->why, last->why))
		return;
	if (n->state == MOORE_NOTICE_ROUTED)
		log_say(LOG_INFO, NULL, "OpenSM 0x%016llx routed sweep %llu: %s, hash %016llx",
			(unsigned long long)n->sm, (unsigned long long)n->number,
			n->topology[0] ? n->topology : "a general graph", (unsigned long long)n->hash);
	else
		log_say(LOG_WARNING, NULL, "OpenSM 0x%016llx refused sweep %llu: %s; %s",
			(unsigned long long)n->sm, (unsigned long long)n->number, n->why,
			n->state == MOORE_NOTICE_KEPT ? "the last good routes stay" : "no routes are set");
}

static void
keep(struct sweeps *w, const struct moore_notice *n)
{
	struct told t = { .n = *n, .at_ms = wall_ms() };
	unsigned i = 0;

	while (i < MOORED_PLANES_MAX - 1 && w->of[i].n.sm && w->of[i].n.sm != n->sm)
		i++;		/* the last place has the manager that was silent longest */
	say(n, w->of[i].n.sm == n->sm ? &w->of[i].n : &(struct moore_notice){ .why = "?" });
	if (w->of[i].n.sm == n->sm) {
		t.rows = w->of[i].rows;
		t.rows_of = w->of[i].rows_of;
	} else {
		moore_rows_free(&w->of[i].rows);
	}
	memmove(&w->of[1], &w->of[0], i * sizeof(w->of[0]));
	w->of[0] = t;
}

/* Takes the rows of the manager that sent its notice last. */
static int
keep_rows(struct sweeps *w, const char *data, size_t len, struct moore_err *err)
{
	struct moore_rows r;
	int rc = moore_rows_parse(&r, data, len, err);

	if (rc < 0)
		return rc;
	if (w->of[0].n.sm == r.sm && w->of[0].n.number == r.number) {
		moore_rows_free(&w->of[0].rows);
		w->of[0].rows = r;
		w->of[0].rows_of = w->of[0].n.routes;
	} else {
		moore_rows_free(&r);
	}
	return 0;
}

static void
kick(struct sweeps *w)
{
	struct timeval wait = { KICK_MS / 1000, KICK_MS % 1000 * 1000 };

	w->again = w->kicked;
	if (w->kicked || !w->d->scanner)
		return;
	w->kicked = true;
	event_add(w->kick, &wait);
	scanner_kick(w->d->scanner);
}

static void
on_kick(evutil_socket_t fd, short what, void *arg)
{
	struct sweeps *w = arg;

	(void)fd, (void)what;
	w->kicked = false;
	if (w->again)
		kick(w);
}

static void
on_datagram(evutil_socket_t fd, short what, void *arg)
{
	static const struct timeval pause = { 0, PAUSE_MS * 1000 };
	struct sweeps *w = arg;
	struct moore_notice n;
	struct moore_err err;
	char *data = w->data;
	ssize_t len = 0;
	bool rows;

	(void)what;
	for (unsigned i = 0; i < BATCH; i++) {
		len = recv(fd, data, sizeof(w->data), MSG_DONTWAIT);
		if (len < 0)
			return;
		rows = moore_rows_is(data, (size_t)len);
		if ((rows ? keep_rows(w, data, (size_t)len, &err) :
		     moore_notice_parse(&n, data, (size_t)len, &err)) < 0) {
			if (!w->junk++)
				log_say(LOG_WARNING, NULL, "a datagram of %zd bytes is not a notice of "
					"OpenSM's plugin: %s; others like it are counted", len, err.text);
			continue;
		}
		if (rows)
			continue;
		w->good++;
		keep(w, &n);
		if (n.up)
			kick(w);
	}
	event_del(w->read);
	event_add(w->resume, &pause);
}

static void
on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct sweeps *w = arg;

	(void)fd, (void)what;
	event_add(w->read, NULL);
}

/* ---- the socket -------------------------------------------------------------------- */

/* Its file is beside the server's socket, whose lock this process holds, so the process that
 * made an existing file has ended. */
static int
open_socket(struct sweeps *w)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int n = snprintf(a.sun_path, sizeof(a.sun_path), "%s" MOORE_NOTICE_SUFFIX, w->d->conf.socket);
	struct stat st;
	int fd;

	errno = ENAMETOOLONG;
	if (n < 0 || (size_t)n >= sizeof(a.sun_path))
		return -1;
	errno = EEXIST;
	if (lstat(a.sun_path, &st) == 0 && (!S_ISSOCK(st.st_mode) || unlink(a.sun_path) < 0))
		return -1;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The mode is set before the name exists, so that other users can never write. */
	if (fd >= 0 && (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)) {
		close(fd);
		return -1;
	}
	strcpy(w->path, a.sun_path);
	return fd;
}

static int
sweeps_start(struct moored *d)
{
	struct event_base *base = loop_base(d->loop);
	struct sweeps *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	d->sweeps = w;
	w->d = d;
	if ((w->fd = passed_socket(SOCK_DGRAM)) < 0 && (w->fd = open_socket(w)) < 0) {
		log_say(LOG_WARNING, NULL, "%s" MOORE_NOTICE_SUFFIX ": cannot listen: %s: OpenSM's plugin "
			"cannot report its sweeps; changes are still found by polling",
			d->conf.socket, strerror(errno));
		return 0;
	}
	w->read = event_new(base, w->fd, EV_READ | EV_PERSIST, on_datagram, w);
	w->resume = event_new(base, -1, 0, on_resume, w);
	w->kick = event_new(base, -1, 0, on_kick, w);
	return w->read && w->resume && w->kick ? event_add(w->read, NULL) : -1;
}

static void
sweeps_stop(struct moored *d)
{
	struct sweeps *w = d->sweeps;

	if (!w)
		return;
	if (w->read)
		event_free(w->read);
	if (w->resume)
		event_free(w->resume);
	if (w->kick)
		event_free(w->kick);
	if (w->fd >= 0)
		close(w->fd);
	if (w->path[0])
		unlink(w->path);
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		moore_rows_free(&w->of[i].rows);
	free(w);
	d->sweeps = NULL;
}

const struct part part_sweeps = { .name = "sweeps", .start = sweeps_start, .stop = sweeps_stop };

/* ---- what others ask --------------------------------------------------------------- */

static const struct told *
told_by(const struct sweeps *w, const struct snapshot *s)
{
	const char *p = s->sm;
	uint64_t sm;

	if (!w || !moore_text_u64(&p, s->sm + strlen(s->sm), 0, UINT64_MAX, &sm) || !sm)
		return NULL;
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		if (w->of[i].n.sm == sm)
			return &w->of[i];
	return NULL;
}

/* Do the switches hold the tables that the plugin reported?  null: one hash is unknown. */
static json_t *
held(uint64_t said, uint64_t read)
{
	return said && read ? json_boolean(said == read) : json_null();
}

/* Tables that differ count as changing for so long after a notice: while steps go out, and
 * when the subnet is up until the tables are read again. */
enum { CHANGING_MS = 120000, READING_MS = 10000 };

const char *
tables_by_name(enum tables_by by)
{
	static const char *const name[] = { "unknown", "plugin", "changing", "other" };

	return name[by];
}

static bool
same_tables(const struct moore_notice *n, const struct snapshot *s)
{
	return n->routes && n->routes == s->routes_hash &&
		(!n->lanes || !s->lanes_hash || n->lanes == s->lanes_hash);
}

/* Any manager's plugin computes the same tables, so a standby that took over and does not
 * report here is recognised by the tables that another reported. */
enum tables_by
sweeps_tables_by(const struct moored *d, const struct snapshot *s, uint64_t now_ms)
{
	const struct told *t = s ? told_by(d->sweeps, s) : NULL;

	if (!s || !s->routes_hash || !d->sweeps)
		return BY_UNKNOWN;
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		if (same_tables(&d->sweeps->of[i].n, s))
			return BY_PLUGIN;
	if (!t || !t->n.routes)
		return BY_UNKNOWN;
	return now_ms - t->at_ms < (t->n.up ? READING_MS : CHANGING_MS) ? BY_CHANGING : BY_OTHER;
}

uint32_t
sweeps_others(const struct moored *d, const struct snapshot *s, moore_swid *first, uint32_t max)
{
	const struct told *t = s && d->sweeps ? told_by(d->sweeps, s) : NULL;
	uint32_t n = 0;

	if (!t || !t->rows.n || t->rows_of != t->n.routes || !s->row_hash)
		return MOORE_NONE;
	for (moore_swid i = 0; i < s->fabric->n_switches; i++)
		if (!moore_rows_have(&t->rows, s->row_hash[i]) && n++ < max)
			first[n - 1] = i;
	return n;
}

const struct moore_notice *
sweeps_last(const struct moored *d, const struct snapshot *s, uint64_t *at_ms)
{
	const struct told *t = s ? told_by(d->sweeps, s) : NULL;

	if (t)
		*at_ms = t->at_ms;
	return t ? &t->n : NULL;
}

/* Word number `at` of a key of moore.conf. */
static json_t *
json_word(const char *key, uint32_t at)
{
	const struct moore_key *k = moore_conf_key_at(0);

	for (size_t i = 0; k && strcmp(k->key, key); i++)
		k = moore_conf_key_at(i);
	for (const char *w = k ? k->words : ""; *w; at--) {
		size_t n = strcspn(w, "|");

		if (!at)
			return json_stringn(w, n);
		w += n + (w[n] == '|');
	}
	return json_null();
}

json_t *
json_sweep_told(const struct moored *d, const struct snapshot *s)
{
	const struct told *t = s ? told_by(d->sweeps, s) : NULL;
	const struct moore_notice *n;

	if (!t)
		return json_null();
	n = &t->n;
	return json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"at_ms", moore_json_count(t->at_ms), "number", moore_json_count(n->number), "state",
		moore_notice_state_name((enum moore_notice_state)n->state), "up", (int)n->up, "why",
		n->why[0] ? moore_json_name(n->why) : json_null(), "topology",
		n->topology[0] ? moore_json_name(n->topology) : json_null(), "profile",
		json_word("profile", n->profile), "layers", json_word("layers", n->layers),
		"switches", moore_json_count(n->switches), "endpoints", moore_json_count(n->endpoints),
		"missing_links", moore_json_count(n->missing_links), "missing_switches",
		moore_json_count(n->missing_switches), "blocks", moore_json_count(n->blocks), "step",
		moore_json_count(n->step), "steps", moore_json_count(n->steps), "hash",
		n->hash ? moore_json_guid(n->hash) : json_null(), "routes_held",
		held(n->routes, s->routes_hash), "lanes_held", held(n->lanes, s->lanes_hash));
}

json_t *
json_sweeps_count(const struct moored *d)
{
	const struct sweeps *w = d->sweeps;

	return json_pack("{s:b, s:o, s:o}", "listens", w && w->fd >= 0, "notices",
			 moore_json_count(w ? w->good : 0), "junk", moore_json_count(w ? w->junk : 0));
}
