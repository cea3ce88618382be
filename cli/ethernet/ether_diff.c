// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_diff.c - the difference between the routes that switches run and those of a directory, in
 * safe steps.
 *
 * Both become forwarding tables of the judged racks.  The engine's steps from one table to the
 * other become routes again.  Then come routes that lead where they led, but are written
 * otherwise, routes to hosts, and the removal of routes that the directory lacks.  Routes of other
 * protocols were never read, so they are left alone.
 *
 * An old route with several next hops is a row of which several values are held (held.h).  The
 * first step leaves it one of them, as motion.h requires; the steps lead to the first next hop of
 * each new route.  The others are added last: during that step packets meet mixtures of the new
 * next hops alone, which are judged as a whole.
 *
 * Backups: ether_diff_backup.c. */
#include <stdlib.h>
#include <string.h>

#include "ethernet/ether_diff.h"
#include "threads.h"

void
cli_ether_diff_free(struct cli_ether_diff *d)
{
	moore_engine_steps_free(d->steps);
	cli_ether_free(&d->new);
	cli_ether_free(&d->old);
	free(d->edit);
	*d = (struct cli_ether_diff){ .n_steps = 0 };
}

static int
add_edit(struct cli_ether_diff *d, const struct cli_ether_edit *e)
{
	struct cli_ether_edit *grown = moore_grow(d->edit, d->n_edits, &d->cap_edits, sizeof(*grown));

	if (!grown)
		return cli_error("out of memory");
	d->edit = grown;
	d->edit[d->n_edits++] = *e;
	return CLI_OK;
}

/* ---- reading both sides -------------------------------------------------------------------- */

/* The name of format i that holds routes; of a running switch, without classes. */
static const char *
route_format(size_t i, bool running)
{
	const char *name = cli_ether_route_format(i);

	return name && running && !strcmp(name, "sonic") ? "running-sonic" : name;
}

/* Reads the first format of routes that the directory has, running switches first. */
static int
read_side(const char *dir, bool running, struct cli_ether *e)
{
	bool has_classes;

	if (running && cli_ether_has(dir, e, "running"))
		return cli_ether_read(dir, "running", e, &has_classes);
	for (size_t i = 0; route_format(i, running); i++)
		if (cli_ether_has(dir, e, route_format(i, running)))
			return cli_ether_read(dir, route_format(i, running), e, &has_classes);
	return cli_error("%s: the switches have no file of routes there, such as %s/routes.%s", dir,
			 e->x->plan->n_switches ? e->x->plan->sw[0].name : "SWITCH",
			 running ? "json" : "ipbatch");
}

static const struct moore_addr *
prefix_of(const struct moore_ether *x, const struct moore_ether_target *to)
{
	return &x->prefix[to->ip][(size_t)to->sw * x->opts.n_layers + to->layer];
}

/* ---- steps ------------------------------------------------------------------------------------ */

static bool
tables_differ(const struct moore_ether_tables *a, const struct moore_ether_tables *b)
{
	if (a->n_more != b->n_more ||
	    memcmp(a->lft->row, b->lft->row, a->lft->stride * a->lft->n_switches) != 0)
		return true;
	for (uint32_t i = 0; i < a->n_more; i++)
		if (a->more[i].sw != b->more[i].sw || a->more[i].lid != b->more[i].lid ||
		    a->more[i].port != b->more[i].port)
			return true;
	return false;
}

/* Fails unless every mixture of the new next hops is safe. */
static int
judge_new(const struct cli_ether_diff *d, const struct moore_ether_tables *now,
	  const struct moore_sl2vl *lanes)
{
	struct moore_jobs jobs = threads_lend(0);
	const struct moore_held held = { .lft = now->lft, .more = now->more, .n_more = now->n_more };
	const struct moore_mix_lanes mix = { .sl2vl = lanes };
	struct moore_mix_held *v;
	struct moore_err err;
	int rc = CLI_OK;

	if (!now->n_more)
		return CLI_OK;
	if (moore_mix_held(&v, d->new.racks, &held, NULL, &mix, &jobs, &err) < 0)
		return cli_error("%s", err.text);
	if (!v->safe)
		rc = cli_error("the routes of the directory can loop or deadlock over some of their next "
			       "hops: see moorectl ethernet verify");
	moore_mix_held_free(v);
	return rc;
}

/* Finds the engine's steps from one table to the other. */
static int
steps_between(struct cli_ether_diff *d, const struct moore_ether_tables *was,
	      struct moore_ether_tables *now, const struct moore_sl2vl *lanes)
{
	struct moore_jobs jobs = threads_lend(0);
	const struct moore_motion_opts opts = { .jobs = &jobs, .sl2vl = lanes };
	const struct moore_held held = { .lft = was->lft, .more = was->more, .n_more = was->n_more };
	struct moore_err err;
	int rc;

	if ((rc = judge_new(d, now, lanes)) != CLI_OK)
		return rc;
	moore_ether_tables_prefer(now, was, d->new.x, d->new.racks);
	cli_busy("finding steps");
	d->last_waits = now->n_more;
	if (moore_engine_steps(&d->steps, d->new.racks, &held, now->lft, &opts, &err) < 0)
		rc = cli_error("%s", err.text);
	return rc;
}

static int
find_steps(struct cli_ether_diff *d)
{
	struct moore_ether_faults ignored = { .n = 0 };
	struct moore_ether_tables was = { NULL }, now = { NULL };
	struct moore_sl2vl *lanes = NULL, *unused = NULL;
	int rc;

	if ((rc = cli_ether_tables(&d->new, &now, &lanes, &ignored)) == CLI_OK &&
	    (rc = cli_ether_diff_judge_backups(d, &now, lanes)) == CLI_OK &&
	    (rc = cli_ether_tables(&d->old, &was, &unused, &ignored)) == CLI_OK) {
		cli_ether_diff_use_backups(d, &was);
		if (tables_differ(&was, &now))
			rc = steps_between(d, &was, &now, lanes);
	}
	moore_ether_tables_fini(&was);
	moore_ether_tables_fini(&now);
	moore_sl2vl_free(lanes);
	moore_sl2vl_free(unused);
	return rc;
}

/* The first route of the configuration to exactly that prefix, backups aside; NULL when there is
 * none. */
static const struct moore_ether_route *
route_to(const struct moore_ether_config *c, const struct moore_addr *to)
{
	return cli_ether_diff_route(c, to, false);
}

/* The route of the configuration to exactly that prefix over that port, no backup; or NULL. */
static const struct moore_ether_route *
route_over(const struct moore_ether_config *c, const struct moore_addr *to, moore_portnum port)
{
	for (uint32_t i = moore_ether_config_find(c, to); i < c->n_routes; i++)
		if (!moore_addr_equal(&c->route[i].to, to) || c->route[i].is_backup)
			break;
		else if (c->route[i].port == port)
			return &c->route[i];
	return NULL;
}

/* A row that changes, as a route: that of the directory if the row is the last one. */
static int
add_row(struct cli_ether_diff *d, uint32_t step, const struct moore_row *row)
{
	struct cli_ether_edit e = { .step = step, .sw = row->sw };
	const struct moore_ether_route *final;
	struct moore_ether_target to;

	if (!moore_ether_target(d->new.x, d->new.racks, row->lid, &to))
		return CLI_OK;
	e.route = (struct moore_ether_route){ .to = *prefix_of(d->new.x, &to) };
	e.n_hops = row->port != MOORE_NO_PATH;
	if (!e.n_hops) {
		/* What is not there cannot be removed. */
		const struct moore_ether_route *had = route_to(&d->old.config[row->sw], &e.route.to);
		int rc = had ? add_edit(d, &e) : CLI_OK;

		e.route.is_backup = true;
		if (rc == CLI_OK && cli_ether_diff_in_force(d, row->sw, &e.route.to))
			rc = add_edit(d, &e);
		return rc;
	}
	final = route_over(&d->new.config[row->sw], &e.route.to, row->port);
	e.route = final ? *final : moore_ether_route_over(d->new.x, row->sw, &to, row->port);
	return add_edit(d, &e);
}

static int
by_destination(const void *a, const void *b)
{
	const struct cli_ether_edit *x = a, *y = b;
	int d;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if ((d = moore_addr_order(&x->route.to, &y->route.to)))
		return d;
	if (x->route.is_backup != y->route.is_backup)
		return x->route.is_backup ? 1 : -1;
	return (x->step > y->step) - (x->step < y->step);
}

/* The last edit of a prefix, or of its backup; NULL when there is none.  The first n_edits edits are sorted by
 * destination. */
static const struct cli_ether_edit *
last_edit(const struct cli_ether_diff *d, uint32_t n_edits, moore_swid s, const struct moore_addr *to,
	  bool is_backup)
{
	const struct cli_ether_edit key = { .step = UINT32_MAX, .sw = s,
		.route = { .to = *to, .is_backup = is_backup } };
	const struct cli_ether_edit *e;
	uint32_t low = 0, high = n_edits;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (by_destination(&d->edit[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	e = low ? &d->edit[low - 1] : NULL;
	return e && e->sw == s && moore_addr_equal(&e->route.to, to) && e->route.is_backup == is_backup ?
		e : NULL;
}

/* Leaves each prefix that has several next hops with the first of them, unless the first step
 * writes it. */
static int
add_single(struct cli_ether_diff *d)
{
	uint32_t n_edits = d->n_edits;
	int rc = CLI_OK;

	if (n_edits)
		qsort(d->edit, n_edits, sizeof(*d->edit), by_destination);
	for (moore_swid s = 0; s < d->old.x->plan->n_switches; s++) {
		const struct moore_ether_config *c = &d->old.config[s];
		uint32_t n;

		for (uint32_t i = 0; i < c->n_routes && rc == CLI_OK; i += n) {
			const struct cli_ether_edit e = { .sw = s, .n_hops = 1, .route = c->route[i] };

			n = moore_ether_config_hops(c, i);
			if (n > 1 && !last_edit(d, n_edits, s, &e.route.to, false))
				rc = add_edit(d, &e);
		}
	}
	if (d->n_edits && !d->n_steps)
		d->n_steps = 1;
	return rc;
}

static int
add_step(struct cli_ether_diff *d, uint32_t k)
{
	const struct moore_motion *m = d->steps->motion;
	int rc = CLI_OK;

	for (size_t i = 0; i < m->step[k].n && rc == CLI_OK; i++)
		rc = add_row(d, k, &m->row[m->step[k].first + i]);
	return rc;
}

static int
add_steps(struct cli_ether_diff *d)
{
	uint32_t n = d->n_steps = d->steps ? d->steps->motion->n_steps : 0;
	int rc = n ? add_step(d, 0) : CLI_OK;

	if (rc == CLI_OK && d->steps)
		rc = add_single(d);
	for (uint32_t k = 1; k < n && rc == CLI_OK; k++)
		rc = add_step(d, k);
	return rc;
}

/* ---- what does not change where packets go --------------------------------------------------- */

/* The number of next hops that the switch runs for a prefix after the steps, and the first of them;
 * edits are as for last_edit(). */
static uint32_t
after_steps(const struct cli_ether_diff *d, uint32_t n_edits, moore_swid s,
	    const struct moore_addr *to, const struct moore_ether_route **first)
{
	const struct cli_ether_edit *e = last_edit(d, n_edits, s, to, false);
	const struct moore_ether_config *old = &d->old.config[s];

	if (e) {
		*first = &e->route;
		return e->n_hops;
	}
	*first = route_to(old, to);
	return *first ? moore_ether_config_hops(old, (uint32_t)(*first - old->route)) : 0;
}

static bool
same_hops(const struct moore_ether_route *a, uint32_t n_a, const struct moore_ether_route *b, uint32_t n_b)
{
	uint32_t i = 0;

	while (i < n_a && i < n_b && moore_ether_route_equal(&a[i], &b[i]))
		i++;
	return i == n_a && i == n_b;
}

/* Adds what differs otherwise at one switch. */
static int
add_rest(struct cli_ether_diff *d, uint32_t n_edits, moore_swid s)
{
	const struct moore_ether_config *new = &d->new.config[s], *old = &d->old.config[s];
	struct cli_ether_edit e = { .step = d->n_steps, .sw = s };
	const struct moore_ether_route *has;
	int rc = CLI_OK;

	for (uint32_t i = 0; i < new->n_routes && rc == CLI_OK; i += e.n_hops) {
		uint32_t n = after_steps(d, n_edits, s, &new->route[i].to, &has);

		e.n_hops = moore_ether_config_hops(new, i);
		e.route = new->route[i];
		if (!e.route.is_backup && !same_hops(has, n, &new->route[i], e.n_hops))
			rc = add_edit(d, &e);
	}
	e.n_hops = 0;
	for (uint32_t i = 0; i < old->n_routes && rc == CLI_OK; i += moore_ether_config_hops(old, i)) {
		e.route = (struct moore_ether_route){ .to = old->route[i].to };
		if (!old->route[i].is_backup && !route_to(new, &e.route.to) && after_steps(d, n_edits, s, &e.route.to, &has))
			rc = add_edit(d, &e);
	}
	return rc;
}

static int
by_step(const void *a, const void *b)
{
	const struct cli_ether_edit *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->route.is_backup != y->route.is_backup)
		return x->route.is_backup ? 1 : -1;
	return !x->n_hops - !y->n_hops;
}

int
cli_ether_diff_load(struct cli_ether_diff *d, const char *dir)
{
	int rc;

	*d = (struct cli_ether_diff){ .n_steps = 0 };
	if ((rc = cli_ether_load(dir, &d->new)) != CLI_OK ||
	    (rc = cli_ether_load(dir, &d->old)) != CLI_OK)
		return rc;
	return read_side(dir, false, &d->new);
}

int
cli_ether_diff_read_old(struct cli_ether_diff *d, const char *running)
{
	return read_side(running, true, &d->old);
}

/* Adds an edit of each backup for which `which` asks; n_edits is as for last_edit(). */
static int
add_backups_where(struct cli_ether_diff *d, uint32_t n_edits, uint32_t step,
		  enum cli_ether_backup_edit which)
{
	int rc = CLI_OK;

	for (moore_swid s = 0; s < d->new.x->plan->n_switches; s++) {
		const bool removes = which != CLI_ETHER_BACKUP_ADD;
		const struct moore_ether_config *c = removes ? &d->old.config[s] : &d->new.config[s];

		for (uint32_t i = 0; i < c->n_routes && rc == CLI_OK; i++) {
			const struct cli_ether_edit e = { .step = step, .sw = s, .n_hops = !removes, .route = c->route[i] };

			if (!c->route[i].is_backup)
				continue;
			/* A step that drops packets withdrew the backup, too. */
			if (last_edit(d, n_edits, s, &e.route.to, true) ? !removes :
			    cli_ether_diff_backup_is(d, s, &c->route[i], which))
				rc = add_edit(d, &e);
		}
	}
	return rc;
}

/* Adds the edits of backups, and the step before all others if it is needed. */
static int
add_backups(struct cli_ether_diff *d, uint32_t n_edits)
{
	const uint32_t n = d->n_edits;
	const bool has_rest = n > n_edits;
	uint32_t from;
	int rc;

	d->primaries_change = n > 0;
	if ((rc = add_backups_where(d, n_edits, 0, CLI_ETHER_BACKUP_IDLE)) != CLI_OK)
		return rc;
	d->n_before = d->n_edits > n;
	d->n_steps += d->n_before;
	for (uint32_t i = 0; i < n; i++)
		d->edit[i].step += d->n_before;
	from = d->n_edits;
	rc = add_backups_where(d, n_edits, d->n_steps - (has_rest && d->n_steps), CLI_ETHER_BACKUP_IN_FORCE);
	d->n_steps += d->n_edits > from && !has_rest;
	from = d->n_edits;
	if (rc == CLI_OK)
		rc = add_backups_where(d, n_edits, d->n_steps, CLI_ETHER_BACKUP_ADD);
	d->n_steps += d->n_edits > from;
	return rc;
}

/* The next hops that an edit writes. */
static const struct moore_ether_route *
hops_of(const struct cli_ether_diff *d, const struct cli_ether_edit *e)
{
	return e->n_hops > 1 ? route_to(&d->new.config[e->sw], &e->route.to) : &e->route;
}

/* Marks the edits that open a port.  A port with routes was not set down since it was loaded, so its
 * addresses and neighbours are there. */
static int
mark_opening(struct cli_ether_diff *d)
{
	typedef bool of_port[MOORE_PORT_MAX + 1];
	const uint32_t n = d->new.x->plan->n_switches;
	of_port *used = calloc((size_t)n + 1, sizeof(*used));

	if (!used)
		return cli_error("out of memory");
	for (moore_swid s = 0; s < n; s++)
		for (uint32_t i = 0; i < d->old.config[s].n_routes; i++)
			used[s][d->old.config[s].route[i].port] = true;
	for (uint32_t i = 0; i < d->n_edits; i++) {
		struct cli_ether_edit *e = &d->edit[i];
		const struct moore_ether_route *r = hops_of(d, e);

		for (uint32_t k = 0; k < e->n_hops; k++) {
			e->opens |= !used[e->sw][r[k].port];
			used[e->sw][r[k].port] = true;
		}
	}
	free(used);
	return CLI_OK;
}

int
cli_ether_diff_find(struct cli_ether_diff *d)
{
	uint32_t n_edits;
	int rc;

	if ((rc = find_steps(d)) != CLI_OK || (rc = add_steps(d)) != CLI_OK)
		return rc;
	if ((n_edits = d->n_edits))
		qsort(d->edit, n_edits, sizeof(*d->edit), by_destination);
	for (moore_swid s = 0; s < d->new.x->plan->n_switches && rc == CLI_OK; s++)
		rc = add_rest(d, n_edits, s);
	d->n_steps += d->n_edits > n_edits;
	d->last_waits = d->last_waits && d->steps && n_edits && d->n_edits > n_edits;
	if (rc == CLI_OK)
		rc = add_backups(d, n_edits);
	if (d->n_edits)
		qsort(d->edit, d->n_edits, sizeof(*d->edit), by_step);
	return rc == CLI_OK ? mark_opening(d) : rc;
}

/* Changes the old configuration as an edit does: all routes to the prefix go, or all its backups, and
 * those of the edit come.  It stays sorted. */
static int
play(struct cli_ether_diff *d, const struct cli_ether_edit *e)
{
	struct moore_ether_config *c = &d->old.config[e->sw];
	uint32_t n_routes = c->n_routes, i = moore_ether_config_find(c, &e->route.to), n = 0;
	struct moore_err err;

	while (i < n_routes && e->route.is_backup && !c->route[i].is_backup &&
	       moore_addr_equal(&c->route[i].to, &e->route.to))
		i++;
	while (i + n < n_routes && moore_addr_equal(&c->route[i + n].to, &e->route.to) &&
	       c->route[i + n].is_backup == e->route.is_backup)
		n++;
	for (uint32_t k = n; k < e->n_hops; k++)	/* makes room at the end */
		if (moore_ether_config_add(c, &e->route, &err) < 0)
			return cli_error("%s", err.text);
	if (n != e->n_hops && i + n < n_routes)
		memmove(&c->route[i + e->n_hops], &c->route[i + n], (n_routes - i - n) * sizeof(*c->route));
	if (e->n_hops)
		memcpy(&c->route[i], hops_of(d, e), e->n_hops * sizeof(*c->route));
	c->n_routes = n_routes - n + e->n_hops;
	return CLI_OK;
}

int
cli_ether_diff_play(struct cli_ether_diff *d, uint32_t step)
{
	int rc = CLI_OK;

	for (uint32_t i = 0; i < d->n_edits && rc == CLI_OK; i++)
		if (d->edit[i].step == step)
			rc = play(d, &d->edit[i]);
	return rc;
}

/* ---- output -------------------------------------------------------------------------------------- */

/* The number of edits that sort before those of a switch in a step. */
static uint32_t
first_of(const struct cli_ether_diff *d, uint32_t step, moore_swid s)
{
	const struct cli_ether_edit key = { .step = step, .sw = s, .n_hops = 1 };
	uint32_t low = 0, high = d->n_edits;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (by_step(&d->edit[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void
put_edit(const struct cli_ether_diff *d, const struct cli_ether_edit *e, struct moore_buf *b)
{
	const struct moore_ether_route *r = hops_of(d, e);

	for (uint32_t k = 0; e->opens && k < e->n_hops; k++)
		moore_ether_put_port(d->new.x, e->sw, r[k].port, b);
	moore_ether_put_edit(d->new.x, r, e->n_hops, b);
}

bool
cli_ether_diff_put(const struct cli_ether_diff *d, uint32_t step, moore_swid s, struct moore_buf *b)
{
	uint32_t first = first_of(d, step, s), i = first;

	for (; i < d->n_edits && d->edit[i].step == step && d->edit[i].sw == s; i++)
		put_edit(d, &d->edit[i], b);
	return i > first;
}

void
cli_ether_diff_list(const struct cli_ether_diff *d, struct moore_buf *b)
{
	for (uint32_t i = 0; i < d->n_edits; i++) {
		const struct cli_ether_edit *e = &d->edit[i];

		if (!i || e[-1].step != e->step || e[-1].sw != e->sw)
			cli_putf(b, "# step %u: %s\n", e->step + 1, d->new.x->plan->sw[e->sw].name);
		put_edit(d, e, b);
	}
}

json_t *
cli_ether_diff_answer(const struct cli_ether_diff *d)
{
	uint32_t removed = 0, switches = 0;

	for (uint32_t i = 0; i < d->n_edits; i++) {
		removed += !d->edit[i].n_hops;
		switches += !i || d->edit[i].step != d->edit[i - 1].step || d->edit[i].sw != d->edit[i - 1].sw;
	}
	return moore_answer_ether_diff(d->new.racks, d->steps, d->n_steps, d->last_waits, d->n_edits, removed,
				       switches);
}

void
cli_ether_put_diff(struct moore_buf *b, const json_t *answer)
{
	if (!cli_int(answer, "edits")) {
		cli_putf(b, "same           the switches run the routes of the directory\n");
		return;
	}
	cli_putf(b, "differs        %lld routes to write, %lld of them to remove, in %lld step%s and %lld "
		 "loads of a switch\n", cli_int(answer, "edits"), cli_int(answer, "removed"),
		 cli_int(answer, "steps_to_load"), MOORE_S(cli_int(answer, "steps_to_load")),
		 cli_int(answer, "loads"));
	if (json_is_object(json_object_get(answer, "steps")))
		cli_put_table_steps(b, json_object_get(answer, "steps"), CLI_STEPS_OF_PREFIXES);
}
