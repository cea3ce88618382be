// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether.c - the thread of a plane of Ethernet switches: it runs the configured command for
 * each switch of the plan, makes a snapshot of what they report by LLDP, and reads the counters of
 * their interfaces.
 *
 * A switch that does not answer costs only itself: the others' reports tell what is left of its
 * links.  Routes and classes are not read; `moorectl ethernet diff` compares them. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "children.h"
#include "clock.h"
#include "moore/lldp.h"
#include "planned.h"
#include "scan/plane.h"

enum { AT_ONCE = 16, SECONDS = 10, WAIT_MS = 500 };

struct ether {
	struct plane_thread *p;
	struct planned *plan;
	struct moore_lldp_switch **sw;	/* of the plan, in its order; of the last round */
	uint32_t n;
	uint64_t look_at, poll_at;	/* when they are due */
};

static void
forget(struct ether *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		moore_lldp_free(x->sw[i]);
	free(x->sw);
	x->sw = NULL;
	x->n = 0;
}

/* ---- asking --------------------------------------------------------------------------- */

/* The thread is alive while commands run, and they end when it should. */
static bool
go_on(void *arg, double share)
{
	struct ether *x = arg;

	(void)share;
	atomic_store(&x->p->beat, mono_us() / 1000);
	return !atomic_load(&x->p->scanner->stop);
}

static int
add_switches(struct ether *x, struct moore_err *err)
{
	const struct moore_plan *plan = x->plan->plan;
	int rc = 0;

	forget(x);
	if (!(x->sw = calloc((size_t)plan->n_switches + 1, sizeof(*x->sw))))
		return moore_fail_nomem(err);
	for (; x->n < plan->n_switches && rc == 0; x->n++)
		rc = moore_lldp_new(&x->sw[x->n], plan->sw[x->n].name, err);
	return rc;
}

static int
set_command(struct child *c, const struct ether *x, uint32_t sw, enum moore_lldp_doc doc,
	    struct moore_err *err)
{
	const struct child_place places[] = {
		{ "{switch}", x->sw[sw]->asked }, { "{what}", moore_lldp_doc_name(doc) },
	};

	c->argv = child_words(x->p->scanner->conf.ethernet, places, ARRAY_LEN(places));
	return c->argv ? 0 : moore_fail(err, MOORE_EINVAL, 0, "planes names ethernet, and the key "
					"ethernet has no command");
}

/* Takes what a command printed; one that failed makes the switch silent. */
static void
take(struct moore_lldp_switch *s, enum moore_lldp_doc doc, const struct child *c)
{
	const char *text = c->output.data ? c->output.data : "";
	char why[200];
	struct moore_err err;

	if (s->silent)
		return;
	if (c->why)
		snprintf(why, sizeof(why), "%s: %s: %.100s", moore_lldp_doc_name(doc), c->why, text);
	else if (moore_lldp_read(s, doc, text, c->output.len, &err) < 0)
		snprintf(why, sizeof(why), "%s: %.150s", moore_lldp_doc_name(doc), err.text);
	else
		return;
	why[strcspn(why, "\r\n")] = '\0';
	if (doc != MOORE_LLDP_LINKS)
		s->silent = strdup(why);
}

/* Runs the command for all switches and the documents [first, MOORE_LLDP_DOCS). */
static int
ask_all(struct ether *x, enum moore_lldp_doc first, struct moore_err *err)
{
	unsigned docs = MOORE_LLDP_DOCS - first;
	struct child *c;
	size_t n = 0;
	int rc = add_switches(x, err);

	if (rc < 0)
		return rc;
	if (!(c = calloc((size_t)x->n * docs + 1, sizeof(*c))))
		return moore_fail_nomem(err);
	for (; n < (size_t)x->n * docs && rc == 0; n++)
		rc = set_command(&c[n], x, (uint32_t)(n / docs), (enum moore_lldp_doc)(first + n % docs),
				 err);
	if (rc == 0)
		children_run(c, n, AT_ONCE, SECONDS, go_on, x);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			take(x->sw[i / docs], (enum moore_lldp_doc)(first + i % docs), &c[i]);
		if (c[i].argv)
			free(c[i].argv[0]);
		free(c[i].argv);
		moore_buf_free(&c[i].output);
	}
	free(c);
	return rc;
}

/* ---- looking ---------------------------------------------------------------------------- */

static uint64_t
hash_of(const struct moore_plan *p)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	uint64_t h = 0;

	if (moore_plan_write(p, &text, &err) == 0)
		h = moore_hash(MOORE_HASH_INIT, text.data, text.len);
	moore_buf_free(&text);
	return h;
}

/* Hands on a snapshot of what was found; takes its plan. */
static void
publish(struct ether *x, struct moore_lldp_fabric *f, uint64_t from)
{
	struct plane_thread *p = x->p;
	struct snapshot *s = calloc(1, sizeof(*s));
	struct moore_err why;

	if (!s)
		return;
	atomic_init(&s->refs, 1);
	atomic_init(&s->sa_heard_ms, 0);
	s->seen = f->plan;
	f->plan = NULL;
	/* LIDs only number what there is: without them there are no counters. */
	if (moore_fabric_from_plan(&s->fabric, s->seen, 0, &why) < 0)
		s->fabric = NULL;
	s->scan = atomic_fetch_add(&p->scanner->next_scan, 1);
	s->at_ms = wall_ms();
	s->took_ms = (uint32_t)((mono_us() - from) / 1000);
	s->plane = p->index;
	snapshot_put(p->snap);
	p->snap = snapshot_get(s);
	tell_snapshot(p, s);
}

static void
tell_found(struct ether *x, const struct moore_lldp_fabric *f)
{
	char why[200] = "";
	uint32_t i = 0;

	while (i < x->n && !x->sw[i]->silent)
		i++;
	if (i < x->n)
		snprintf(why, sizeof(why), "%u of %u switches did not answer, the first is %s: %.110s",
			 x->n - f->n_answered, x->n, x->sw[i]->asked, x->sw[i]->silent);
	tell_state(x->p, x->n && !f->n_answered ? PLANE_UNREACHED : PLANE_UP, why);
}

static void
look(struct ether *x)
{
	struct moore_lldp_fabric *f = NULL;
	uint64_t from = mono_us(), h;
	struct moore_err err;
	struct planned *plan;

	if (planned_read(&plan, x->p->scanner->conf.plan, &err) == 0) {
		planned_put(x->plan);
		x->plan = plan;
	}
	if (!x->plan || ask_all(x, MOORE_LLDP_CHASSIS, &err) < 0 ||
	    moore_lldp_join(&f, x->sw, x->n, x->plan->plan, &err) < 0) {
		tell_state(x->p, PLANE_UNREACHED, *x->p->scanner->conf.plan ? err.text :
			   "a plane of Ethernet switches asks those of the plan: set the key plan");
		return;
	}
	if (!atomic_load(&x->p->scanner->stop)) {
		h = hash_of(f->plan);
		tell_found(x, f);
		if (f->n_answered && (!x->p->snap || h != x->p->topology)) {
			x->p->topology = h;
			publish(x, f, from);
		}
	}
	moore_lldp_fabric_free(f);
}

/* ---- counters ------------------------------------------------------------------------------ */

static void
put(struct moore_reading *r, enum moore_counter c, uint64_t v)
{
	r->has |= 1u << c;
	r->v[c] = v;
}

static void
read_ports(struct poll *n, moore_swid s, const struct moore_lldp_switch *sw)
{
	const struct moore_switch *to = &n->snap->fabric->sw[s];

	for (uint32_t i = 0; i < sw->n_ports; i++) {
		const struct moore_lldp_port *p = &sw->port[i];
		struct moore_reading *r;

		if (!p->number || p->number > to->n_ports || !p->has_link)
			continue;
		r = &n->port[to->port0 + p->number];
		r->at_us = mono_us();
		put(r, MOORE_XMIT_DATA, p->tx_bytes / 4);
		put(r, MOORE_RCV_DATA, p->rx_bytes / 4);
		put(r, MOORE_XMIT_DISCARD, p->tx_drops);
		put(r, MOORE_BUFFER_OVERRUN, p->rx_drops);
	}
}

/* The switch of that name in the snapshot; most are where they are in the plan. */
static moore_swid
find_seen(const struct moore_plan *seen, const char *name, moore_swid guess)
{
	if (guess < seen->n_switches && !strcmp(seen->sw[guess].name, name))
		return guess;
	for (moore_swid s = 0; s < seen->n_switches; s++)
		if (!strcmp(seen->sw[s].name, name))
			return s;
	return MOORE_NONE;
}

static void
count(struct ether *x)
{
	struct plane_thread *p = x->p;
	struct poll *n = calloc(1, sizeof(*n));
	uint64_t from = mono_us();
	struct moore_err err;

	if (n)
		n->port = calloc(p->snap->fabric->n_ports, sizeof(*n->port));
	if (!n || !n->port || ask_all(x, MOORE_LLDP_LINKS, &err) < 0 ||
	    atomic_load(&p->scanner->stop)) {
		if (n)
			free(n->port);
		free(n);
		return;
	}
	n->snap = snapshot_get(p->snap);
	n->number = ++p->polls;
	n->at_ms = wall_ms();
	for (uint32_t i = 0; i < x->n; i++) {
		moore_swid s = find_seen(n->snap->seen, x->sw[i]->asked, i);

		n->n_asked++;
		n->n_failed += !x->sw[i]->n_ports;
		if (s != MOORE_NONE)
			read_ports(n, s, x->sw[i]);
	}
	n->took_us = (uint32_t)(mono_us() - from);
	tell_poll(p, n);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void
wait_for(struct ether *x)
{
	struct pollfd f = { .fd = x->p->wake, .events = POLLIN };
	uint64_t now = mono_us(), until = now + WAIT_MS * 1000, n;

	until = x->look_at < until ? x->look_at : until;
	if (x->p->snap && x->poll_at < until)
		until = x->poll_at;
	if (until > now && poll(&f, 1, (int)((until - now) / 1000) + 1) > 0 &&
	    read(x->p->wake, &n, sizeof(n)) < 0)
		return;
}

void *
ether_run(void *arg)
{
	struct plane_thread *p = arg;
	struct ether x = { .p = p };

	while (!atomic_load(&p->scanner->stop)) {
		uint64_t now = mono_us();

		atomic_store(&p->beat, now / 1000);
		if (atomic_exchange(&p->kicked, false))
			x.look_at = now;
		if (now >= x.look_at) {
			look(&x);
			x.look_at = mono_us() + (uint64_t)p->scanner->conf.sweep_s * 1000000;
		} else if (p->snap && p->snap->fabric && now >= x.poll_at) {
			x.poll_at = now + (uint64_t)p->scanner->conf.poll_ms * 1000;
			count(&x);
		} else {
			wait_for(&x);
		}
	}
	forget(&x);
	planned_put(x.plan);
	snapshot_put(p->snap);
	return NULL;
}
