// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether.c - the thread of a plane of Ethernet switches: it runs the configured command for
 * each switch of the plan, makes a snapshot of what they report by LLDP, and reads the counters of
 * their interfaces.
 *
 * A switch that does not answer costs only itself: the others' reports tell what is left of its
 * links.  Routes and classes are read when the directory with their addresses is known
 * (ether_net.c). */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "children.h"
#include "clock.h"
#include "moore/lldp.h"
#include "planned.h"
#include "scan/ether.h"
#include "scan/plane.h"

enum { AT_ONCE = 16, SECONDS = 10, WAIT_MS = 500, LIDS_MAX = 1 << 20, ROUTES_BYTES_MAX = 64 << 20 };

/* Asked for after the documents of LLDP. */
enum { ROUTES = MOORE_LLDP_DOCS, CLASSES, DOCS };

struct ether {
	struct plane_thread *p;
	struct planned *plan;
	struct moore_lldp_switch **sw;	/* of the plan, in its order; of the last round */
	uint32_t n;
	struct ether_net net;		/* empty: routes are not read */
	struct moore_ether_config *config;	/* of the switches of net */
	char no_routes[200];		/* why routes of some switch are unknown; "" when all are known */
	char no_classes[200];		/* the same of classes */
	uint32_t n_classes;		/* switches whose classes were read */
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

static void
forget_net(struct ether *x)
{
	for (moore_swid s = 0; x->config && s < x->net.x->plan->n_switches; s++)
		moore_ether_config_fini(&x->config[s]);
	free(x->config);
	x->config = NULL;
	ether_net_free(&x->net);
}

/* Reads the directory with the addresses, which may have changed. */
static void
read_net(struct ether *x)
{
	const char *dir = x->p->scanner->conf.ethernet_dir;
	struct moore_err err;

	forget_net(x);
	x->no_routes[0] = x->no_classes[0] = '\0';
	x->n_classes = 0;
	if (!*dir)
		return;
	if (ether_net_read(&x->net, dir, &err) < 0) {
		snprintf(x->no_routes, sizeof(x->no_routes), "ethernet_dir: %.180s", err.text);
	} else if (!(x->config = calloc((size_t)x->net.x->plan->n_switches + 1, sizeof(*x->config)))) {
		ether_net_free(&x->net);
		snprintf(x->no_routes, sizeof(x->no_routes), "out of memory");
	}
}

/* ---- asking --------------------------------------------------------------------------- */

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
set_command(struct child *c, const struct ether *x, uint32_t sw, unsigned doc, struct moore_err *err)
{
	const char *what = doc == CLASSES ? "classes" : doc != ROUTES ? moore_lldp_doc_name(doc) :
		ether_net_ip(&x->net) == MOORE_IP4 ? "routes" : "routes6";
	const struct child_place places[] = { { "{switch}", x->sw[sw]->asked }, { "{what}", what } };

	c->argv = child_words(x->p->scanner->conf.ethernet, places, ARRAY_LEN(places));
	return c->argv ? 0 : moore_fail(err, MOORE_EINVAL, 0, "planes names ethernet, and the key "
					"ethernet has no command");
}

typedef int read_fn(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
		    struct moore_ether_config *c, struct moore_err *err);

/* Takes what a command printed of the routes or classes of a switch; why_not keeps the first failure.
 * Returns true if it was read. */
static bool
take_config(struct ether *x, uint32_t sw, const struct child *c, read_fn *read, const char *what,
	    char *why_not, size_t size)
{
	const char *name = x->sw[sw]->asked, *text = c->output.data ? c->output.data : "";
	moore_swid s = ether_find(x->net.x->plan, name, sw);
	struct moore_err err;

	if (s == MOORE_NONE)
		return false;
	if (*c->why)
		moore_fail(&err, MOORE_EINVAL, 0, "%s", c->why);
	else if (read(x->net.x, s, text, c->output.len, &x->config[s], &err) == 0)
		return true;
	if (!*why_not)
		snprintf(why_not, size, "%s of %.63s: %.110s", what, name, err.text);
	return false;
}

static void
take_routes(struct ether *x, uint32_t sw, const struct child *c)
{
	moore_swid s = ether_find(x->net.x->plan, x->sw[sw]->asked, sw);

	take_config(x, sw, c, moore_ether_read_running, "routes", x->no_routes, sizeof(x->no_routes));
	if (s != MOORE_NONE)
		moore_ether_config_sort(&x->config[s]);
}

static void
take_classes(struct ether *x, uint32_t sw, const struct child *c)
{
	x->n_classes += take_config(x, sw, c, moore_ether_read_nft_list, "classes", x->no_classes,
				    sizeof(x->no_classes));
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
	if (*c->why)
		snprintf(why, sizeof(why), "%s: %s", moore_lldp_doc_name(doc), c->why);
	else if (moore_lldp_read(s, doc, text, c->output.len, &err) < 0)
		snprintf(why, sizeof(why), "%s: %.150s", moore_lldp_doc_name(doc), err.text);
	else
		return;
	why[strcspn(why, "\r\n")] = '\0';
	if (doc != MOORE_LLDP_LINKS)
		s->silent = strdup(why);
}

struct asking {
	struct ether *x;
	unsigned doc;
	struct child *c;
	uint32_t *sw;			/* the switch of each */
};

/* The thread is alive while commands run, and they end when it should. */
static bool
go_on(void *arg, double share)
{
	struct plane_thread *p = ((struct asking *)arg)->x->p;

	(void)share;
	atomic_store(&p->beat, mono_us() / 1000);
	return !atomic_load(&p->scanner->stop);
}

static void
on_ended(void *arg, size_t i)
{
	struct asking *a = arg;

	if (a->doc == ROUTES)
		take_routes(a->x, a->sw[i], &a->c[i]);
	else if (a->doc == CLASSES)
		take_classes(a->x, a->sw[i], &a->c[i]);
	else
		take(a->x->sw[a->sw[i]], (enum moore_lldp_doc)a->doc, &a->c[i]);
	moore_buf_free(&a->c[i].output);
}

/* Runs the command for a document of all switches that have answered so far: a switch that hangs
 * is waited for once. */
static int
ask_for(struct asking *a, struct moore_err *err)
{
	const struct child_rules rules = { .width = AT_ONCE, .seconds = SECONDS,
		.output_max = ROUTES_BYTES_MAX, .go_on = go_on, .ended = on_ended, .arg = a };
	struct ether *x = a->x;
	size_t n = 0;
	int rc = 0;

	for (uint32_t sw = 0; sw < x->n && rc == 0; sw++) {
		if (!x->sw[sw]->silent) {
			a->sw[n] = sw;
			rc = set_command(&a->c[n++], x, sw, a->doc, err);
		} else if (a->doc == ROUTES && !*x->no_routes) {
			snprintf(x->no_routes, sizeof(x->no_routes), "routes of %.63s: %.110s", x->sw[sw]->asked,
				 x->sw[sw]->silent);
		}
	}
	if (rc == 0)
		children_run(a->c, n, &rules);
	children_free(a->c, n);
	return rc;
}

/* Asks all switches for the documents [first, end). */
static int
ask_all(struct ether *x, unsigned first, unsigned end, struct moore_err *err)
{
	struct asking a = { .x = x, .doc = first };
	int rc = add_switches(x, err);

	if (rc < 0)
		return rc;
	a.c = calloc((size_t)x->n + 1, sizeof(*a.c));
	a.sw = calloc((size_t)x->n + 1, sizeof(*a.sw));
	if (!a.c || !a.sw)
		rc = moore_fail_nomem(err);
	for (; a.doc < end && rc == 0 && !atomic_load(&x->p->scanner->stop); a.doc++)
		rc = ask_for(&a, err);
	free(a.c);
	free(a.sw);
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

/* Sets the lanes of a snapshot.  Where no switch has classes, nothing is known of them. */
static void
add_lanes(struct ether *x, struct snapshot *s)
{
	struct moore_ether_faults faults = { .n = 0 };
	const struct moore_ether_fault *first = &faults.kept[0];
	struct moore_err err;

	if (!x->n_classes)
		return;
	if (ether_net_lanes(s, &x->net, x->config, &faults, &err) < 0)
		snprintf(x->no_classes, sizeof(x->no_classes), "classes: %.180s", err.text);
	else if (faults.n && !*x->no_classes)
		snprintf(x->no_classes, sizeof(x->no_classes), "classes: %llu places where lossless packets may "
			 "be lost, the first is port %u of %.63s", (unsigned long long)faults.n, first->port,
			 x->net.x->plan->sw[first->sw].name);
}

/* Sets the tables of a snapshot. */
static void
add_tables(struct ether *x, struct snapshot *s)
{
	struct moore_ether_faults faults = { .n = 0 };
	const struct moore_ether_fault *first = &faults.kept[0];
	struct moore_buf to = MOORE_BUF_INIT;
	struct moore_err err;

	if (ether_net_tables(s, &x->net, x->config, &faults, &err) < 0 ||
	    moore_lft_hash(&s->routes_hash, s->fabric, s->lft, &err) < 0)
		snprintf(x->no_routes, sizeof(x->no_routes), "routes: %.180s", err.text);
	moore_addr_put(&to, &first->to);
	if (faults.n && !*x->no_routes)
		snprintf(x->no_routes, sizeof(x->no_routes), "routes: %llu lead astray or are missing, the first is that "
			 "of %.63s to %.50s", (unsigned long long)faults.n, x->net.x->plan->sw[first->sw].name,
			 to.data ? to.data : "");
	moore_buf_free(&to);
}

/* Makes a snapshot of what was found; takes its plan.  Tables that cannot be made are missing. */
static struct snapshot *
new_snapshot(struct ether *x, struct moore_lldp_fabric *f)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	struct moore_err err;

	if (!s)
		return NULL;
	atomic_init(&s->refs, 1);
	atomic_init(&s->sa_heard_ms, 0);
	s->is_ethernet = true;
	s->seen = f->plan;
	f->plan = NULL;
	/* LIDs number what there is, and stand for prefixes: without them there are no counters. */
	if (moore_fabric_from_plan_to(&s->fabric, s->seen, x->net.x ? ether_net_lmc(&x->net) : 0, LIDS_MAX,
				      &err) < 0)
		s->fabric = NULL;
	else if (x->net.x)
		add_tables(x, s);
	if (s->fabric && s->lft)
		add_lanes(x, s);
	return s;
}

static void
publish(struct ether *x, struct snapshot *s, uint64_t from)
{
	struct plane_thread *p = x->p;

	s->scan = atomic_fetch_add(&p->scanner->next_scan, 1);
	s->tables_scan = s->scan;
	s->at_ms = wall_ms();
	s->took_ms = (uint32_t)((mono_us() - from) / 1000);
	s->plane = p->index;
	snapshot_put(p->snap);
	p->snap = snapshot_get(s);
	tell_snapshot(p, s);
}

/* Hands on a snapshot if cables or routes are not those of the last one. */
static void
publish_new(struct ether *x, struct moore_lldp_fabric *f, uint64_t from)
{
	uint64_t h = hash_of(f->plan);
	struct snapshot *s = new_snapshot(x, f);

	if (!s)
		return;
	if (x->p->snap && h == x->p->topology && s->routes_hash == x->p->snap->routes_hash &&
	    s->lanes_hash == x->p->snap->lanes_hash && !s->sl2vl == !x->p->snap->sl2vl) {
		snapshot_put(s);
		return;
	}
	x->p->topology = h;
	publish(x, s, from);
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
	else
		memcpy(why, *x->no_routes || !x->n_classes ? x->no_routes : x->no_classes, sizeof(why));
	tell_state(x->p, x->n && !f->n_answered ? PLANE_UNREACHED : PLANE_UP, why);
}

static void
look(struct ether *x)
{
	struct moore_lldp_fabric *f = NULL;
	uint64_t from = mono_us();
	struct moore_err err;
	struct planned *plan;

	if (planned_read(&plan, x->p->scanner->conf.plan, &err) == 0) {
		planned_put(x->plan);
		x->plan = plan;
	}
	read_net(x);
	if (!x->plan || ask_all(x, MOORE_LLDP_CHASSIS, x->net.x ? DOCS : ROUTES, &err) < 0 ||
	    moore_lldp_join(&f, x->sw, x->n, x->plan->plan, &err) < 0) {
		tell_state(x->p, PLANE_UNREACHED, *x->p->scanner->conf.plan ? err.text :
			   "a plane of Ethernet switches asks those of the plan: set the key plan");
		return;
	}
	if (!atomic_load(&x->p->scanner->stop)) {
		if (f->n_answered)
			publish_new(x, f, from);
		tell_found(x, f);
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

static void
count(struct ether *x)
{
	struct plane_thread *p = x->p;
	struct poll *n = calloc(1, sizeof(*n));
	uint64_t from = mono_us();
	struct moore_err err;

	if (n)
		n->port = calloc(p->snap->fabric->n_ports, sizeof(*n->port));
	if (!n || !n->port || ask_all(x, MOORE_LLDP_LINKS, ROUTES, &err) < 0 ||
	    atomic_load(&p->scanner->stop)) {
		poll_free(n);
		return;
	}
	n->snap = snapshot_get(p->snap);
	n->number = ++p->polls;
	n->at_ms = wall_ms();
	for (uint32_t i = 0; i < x->n; i++) {
		moore_swid s = ether_find(n->snap->seen, x->sw[i]->asked, i);

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
	forget_net(&x);
	planned_put(x.plan);
	snapshot_put(p->snap);
	return NULL;
}
