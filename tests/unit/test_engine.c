// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_engine.c - the sequence from a fabric to checked tables: which plan counts, what the
 * topology is called, what the hash covers, and the refusals.  Refusals that only a defect
 * could cause are provoked by a change of the fabric between two stages.  Steps are built and
 * judged; test_motion.c plays many more. */
#include "harness.h"

#include "moore/moore.h"
#include "plan_of.h"

static struct moore_plan *
small_plan(void)
{
	return plan_of("slimfly", "q=3 p=1");
}

static struct moore_fabric *
fabric_of(const struct moore_plan *p, uint8_t lmc)
{
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	return f;
}

static struct moore_engine_result *
run(const struct moore_fabric *f, const struct moore_plan *p, const char *conf_text)
{
	struct moore_engine_result *r;
	struct moore_conf conf;

	assert_int_equal(moore_conf_parse(&conf, conf_text, strlen(conf_text), NULL), 0);
	assert_int_equal(moore_engine_run(&r, f, p, &conf, NULL, NULL, NULL), 0);
	CHECK("sound", r->verdict->sound);
	CHECK("the tables are those of the routes", r->lft == moore_route_lft(r->route));
	return r;
}

/* ---- plan and topology ------------------------------------------------------------------ */

/* Makes switch s another one than planned. */
static void
replace_switch(struct moore_fabric *f, moore_swid s)
{
	f->sw[s].guid += 0x1000;
	f->sw[s].name[0] = '#';
}

static void
expect_topology(const char *why, const struct moore_fabric *f, const struct moore_plan *p,
		const char *want, bool unused)
{
	struct moore_engine_result *r = run(f, p, "");

	if (strcmp(r->topology, want) != 0)
		fail_msg("%s: \"%s\"", why, r->topology);
	CHECK_EQ(why, r->plan_unused, unused);
	moore_engine_result_free(r);
}

static void
topologies(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 0);
	(void)state;

	expect_topology("recognised", f, NULL, "slimfly q=3", false);
	expect_topology("planned", f, p, "planned slimfly q=3 p=1", false);
	for (moore_swid s = 1; s < f->n_switches; s++)
		replace_switch(f, s);
	expect_topology("one planned switch", f, p, "planned slimfly q=3 p=1", false);
	replace_switch(f, 0);
	expect_topology("none", f, p, "slimfly q=3", true);
	free(p->family);
	p->family = NULL;
	p->n_params = 0;
	moore_fabric_free(f);
	f = fabric_of(p, 0);
	expect_topology("a plan without a family", f, p, "planned graph", false);
	moore_fabric_cut(f, 0, f->sw[0].n_ports);
	expect_topology("with a missing link", f, NULL, "slimfly q=3", false);
	moore_fabric_free(f);
	moore_plan_free(p);
}

static size_t n_jobs;	/* that were run */

static void
run_counted(unsigned width, size_t n, void (*job)(void *arg, unsigned worker, size_t i), void *arg)
{
	(void)width;
	n_jobs += n;
	for (size_t i = 0; i < n; i++)
		job(arg, 0, i);
}

/* The jobs that a run takes. */
static size_t
work_of(const struct moore_fabric *f, const struct moore_plan *p)
{
	static const struct moore_jobs jobs = { run_counted, 2 };
	struct moore_engine_result *r;
	struct moore_conf conf;

	moore_conf_defaults(&conf);
	conf.jobs = &jobs;
	n_jobs = 0;
	assert_int_equal(moore_engine_run(&r, f, p, &conf, NULL, NULL, NULL), 0);
	moore_engine_result_free(r);
	return n_jobs;
}

static void
another_fabrics_plan(void **state)
{
	struct moore_plan *p = plan_of("mlfm", "h=4"), *q = plan_of("slimfly", "q=5");
	struct moore_fabric *f = fabric_of(q, 0);
	size_t without = work_of(f, NULL);
	(void)state;

	CHECK("jobs are counted", without > 0);
	CHECK("no route is made for it", work_of(f, p) <= without);
	moore_fabric_free(f);
	moore_plan_free(q);
	moore_plan_free(p);
}

/* Without endpoints, port 1 of each switch has a link. */
static void
no_endpoints(void **state)
{
	struct moore_plan *p = plan_of("slimfly", "q=3 p=0");
	struct moore_fabric *f = fabric_of(p, 0);
	(void)state;

	expect_topology("links at port 1 count", f, NULL, "slimfly q=3", false);
	moore_fabric_free(f);
	moore_plan_free(p);
}

static void
lonely_switch(void **state)
{
	struct moore_fabric *f;
	(void)state;

	assert_int_equal(moore_fabric_new(&f, 1, 0, 1, NULL), 0);
	f->sw[0].guid = f->sw[0].port_guid = 1;
	f->sw[0].name = strdup("alone");
	f->sw[0].lid = 1;
	f->sw[0].maps_sl = true;
	moore_fabric_layout(f);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	expect_topology("without any port but port 0", f, NULL, "hyperx s1=1 s2=1", false);
	moore_fabric_free(f);
}

/* A cable from a switch to itself does not hide the topology. */
static void
loop_cable(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f;
	(void)state;

	p->sw[0].ports = (moore_portnum)(p->sw[0].ports + 2);
	f = fabric_of(p, 0);
	moore_fabric_link(f, 0, (moore_portnum)(p->sw[0].ports - 1), 0, p->sw[0].ports, 8);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	expect_topology("looped", f, NULL, "slimfly q=3", false);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* A name of more than 95 characters is cut. */
static void
long_name(void **state)
{
	static const int64_t last[] = { 12345678, 123456789, 1234567890, INT64_MIN };
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 0);
	char want[200];
	(void)state;

	p->n_params = 4;
	p->key = realloc(p->key, p->n_params * sizeof(*p->key));
	p->value = realloc(p->value, p->n_params * sizeof(*p->value));
	for (size_t i = 0; i < p->n_params; i++) {
		strcpy(p->key[i], "k");
		p->value[i] = INT64_MIN;
	}
	for (size_t i = 0; i < ARRAY_LEN(last); i++) {
		p->value[3] = last[i];
		snprintf(want, sizeof(want), "planned slimfly k=%lld k=%lld k=%lld k=%lld",
			 (long long)INT64_MIN, (long long)INT64_MIN, (long long)INT64_MIN,
			 (long long)last[i]);
		CHECK_EQ("about 95 characters", strlen(want), i < 3 ? 95 + i : 107);
		want[95] = '\0';
		expect_topology("cut", f, p, want, false);
	}
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* Switches that the plan gives no GUID are matched by name alone, whatever GUID the fabric
 * of a plan would give them; those with one by GUID. */
static void
matched(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 0);
	struct moore_route_stats st;
	struct moore_engine_result *r;
	(void)state;

	p->sw = realloc(p->sw, p->n_switches * sizeof(*p->sw));	/* no spare one at the end */
	for (moore_swid s = 0; s < f->n_switches; s++)	/* the GUID that the next one would have */
		f->sw[s].guid = f->sw[s].port_guid = 0x200000 + (s + 1) % f->n_switches;
	r = run(f, p, "");
	moore_route_stats(r->route, &st);
	CHECK_EQ("by name", st.missing_switches + st.missing_links + st.extra_links, 0);
	moore_engine_result_free(r);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		f->sw[s].name[0] = '#';
		p->sw[s].guid = f->sw[s].guid;
	}
	r = run(f, p, "");
	moore_route_stats(r->route, &st);
	CHECK_EQ("by GUID", st.missing_switches + st.missing_links + st.extra_links, 0);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* LIDs are those of the observed fabric: a plan with more endpoints than there are LIDs at
 * LMC 1 is no obstacle, but one with more than there are at LMC 0 is refused. */
static void
large_plan(void **state)
{
	struct moore_plan *p = small_plan(), *large = plan_of("hypercube", "n=7 p=200");
	struct moore_fabric *f = fabric_of(p, 0);
	struct moore_engine_result *r;
	struct moore_conf conf;
	(void)state;

	CHECK("large", 2 * large->n_endpoints > 0xbfff);
	expect_topology("accepted, and not used", f, large, "slimfly q=3", true);
	moore_plan_free(large);
	large = plan_of("hypercube", "n=8 p=200");
	moore_conf_defaults(&conf);
	CHECK_EQ("refused", moore_engine_run(&r, f, large, &conf, NULL, NULL, NULL), -MOORE_ELID);
	CHECK("no result", !r);
	moore_fabric_free(f);
	moore_plan_free(large);
	moore_plan_free(p);
}

/* ---- the hash --------------------------------------------------------------------------- */

static void
add(uint64_t *h, const void *data, size_t len)
{
	*h = moore_hash(*h, data, len);
}

/* The hash as engine.h describes it: settings, plan, tables. */
static uint64_t
hash_twin(const struct moore_engine_result *r, const struct moore_fabric *f,
	  const struct moore_plan *p, const struct moore_conf *c)
{
	uint64_t h = MOORE_HASH_INIT, tables[2];

	add(&h, &c->seed, 8);
	add(&h, &c->profile, sizeof(c->profile));
	add(&h, &c->layers, sizeof(c->layers));
	add(&h, c->lanes.sl_class, MOORE_N_SL);
	h = moore_links_hash(h, c->link_rules);
	for (uint32_t i = 0; p && i < p->n_switches; i++) {
		add(&h, &p->sw[i].guid, 8);
		for (const char *s = p->sw[i].name;; s++) {
			add(&h, s, 1);
			if (!*s)
				break;
		}
	}
	for (uint32_t i = 0; p && i < p->n_cables; i++) {
		add(&h, &p->cable[i].sw[0], sizeof(moore_swid));
		add(&h, &p->cable[i].sw[1], sizeof(moore_swid));
		add(&h, &p->cable[i].port[0], sizeof(moore_portnum));
		add(&h, &p->cable[i].port[1], sizeof(moore_portnum));
	}
	for (uint32_t i = 0; p && i < p->n_endpoints; i++) {
		add(&h, &p->ep[i].sw, sizeof(moore_swid));
		add(&h, &p->ep[i].port, sizeof(moore_portnum));
	}
	assert_int_equal(moore_lft_hash(&tables[0], f, r->lft, NULL), 0);
	assert_int_equal(moore_sl2vl_hash(&tables[1], f, r->sl2vl, NULL), 0);
	CHECK("of the LFTs", r->routes_hash == tables[0]);
	CHECK("of the lanes", r->lanes_hash == tables[1]);
	add(&h, &tables[0], 8);
	add(&h, &tables[1], 8);
	return h;
}

static void
hashes(void **state)
{
	static const char *const T[] = {
		"", "seed 1\n", "layers nta\n", "profile sl-hint\n", "classes 0,1\n",
		"profile sl-hint\nclasses 0,0,0,0,1\n",
	};
	static const char rules[] = "s0-0-0 avoid\n";
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 1);
	struct moore_links *links;
	(void)state;

	assert_int_equal(moore_links_parse(&links, rules, strlen(rules), NULL), 0);
	for (size_t i = 0; i < 4 * ARRAY_LEN(T); i++) {
		const struct moore_plan *plan = i & 1 ? p : NULL;
		const char *text = T[i / 4];
		struct moore_engine_result *r;
		struct moore_conf c;

		assert_int_equal(moore_conf_parse(&c, text, strlen(text), NULL), 0);
		c.link_rules = i & 2 ? links : NULL;
		assert_int_equal(moore_engine_run(&r, f, plan, &c, NULL, NULL, NULL), 0);
		CHECK(text, r->hash == hash_twin(r, f, plan, &c));
		moore_engine_result_free(r);
	}
	moore_links_free(links);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* The settings reach the routes and the lanes, and sl_set is made under sl-hint alone. */
static void
settings(void **state)
{
	static const struct {
		const char *text;
		bool routes, lanes, sl_set;	/* what differs from the defaults */
	} T[] = {
		{ "seed 0\n", false, false, false },
		{ "seed 1\n", true, false, false },
		{ "layers nta\n", true, false, false },
		{ "classes 0,1\n", false, true, false },
		{ "profile sl-hint\n", true, true, true },
	};
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 1);
	struct moore_engine_result *base = run(f, p, "");
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_engine_result *r = run(f, p, T[i].text);

		CHECK_EQ(T[i].text, r->routes_hash != base->routes_hash, T[i].routes);
		CHECK_EQ(T[i].text, r->lanes_hash != base->lanes_hash, T[i].lanes);
		CHECK_EQ(T[i].text, r->sl_set != NULL, T[i].sl_set);
		moore_engine_result_free(r);
	}
	moore_engine_result_free(base);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* Under sl-hint every class in use has the tables of class 0. */
static void
spread(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 1);
	struct moore_engine_result *r = run(f, p, "profile sl-hint\nclasses 0,0,0,0,0,0,0,0,2\n");
	(void)state;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (moore_lid lid = 1; lid <= f->lid_top; lid++) {
			unsigned sl = moore_sl_set_row(r->sl_set, s)[lid], one = sl & 15;

			CHECK_EQ("classes 0 and 2", sl, one | one << 8);
		}
	CHECK("table A", moore_sl_set_row(r->sl_set, 0)[1] & 1);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* ---- marks, and what is refused ----------------------------------------------------------- */

struct change {
	struct moore_fabric *f;
	void (*routed)(struct moore_fabric *f), (*laned)(struct moore_fabric *f);
	unsigned n, mark[3];
};

static void
note(void *arg, enum moore_engine_mark m)
{
	struct change *c = arg;

	assert_true(c->n < 3);
	c->mark[c->n++] = m;
	if (m == MOORE_MARK_ROUTED && c->routed)
		c->routed(c->f);
	if (m == MOORE_MARK_LANES && c->laned)
		c->laned(c->f);
}

static void
marks(void **state)
{
	struct moore_plan *p = small_plan();
	struct change c = { .f = fabric_of(p, 0) };
	struct moore_engine_result *r;
	struct moore_conf conf;
	(void)state;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_engine_run(&r, c.f, p, &conf, note, &c, NULL), 0);
	CHECK_EQ("three marks", c.n, 3);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ("in order", c.mark[i], i);
	moore_engine_result_free(r);
	moore_fabric_free(c.f);
	moore_plan_free(p);
}

static void
unmap_all(struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		f->sw[s].maps_sl = false;
}

static void
map_all(struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		f->sw[s].maps_sl = true;
}

/* Makes port p of switch s one with 15 lanes, where SL 15 is VL 15 without an SL2VL table. */
static void
widen(struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	f->sw[s].maps_sl = false;
	f->port[f->sw[s].port0 + p].lanes = 15;
}

static void
widen_first(struct moore_fabric *f)
{
	widen(f, 0, 1);
}

static void
widen_last(struct moore_fabric *f)
{
	moore_swid s = f->n_switches - 1;

	widen(f, s, f->sw[s].n_ports);
}

/* Makes the first switch one that maps no SLs, with 15 lanes at a port without a link. */
static void
widen_last_beside_a_decoy(struct moore_fabric *f)
{
	widen(f, 0, f->sw[0].n_ports);
	widen_last(f);
}

static void
cut_first(struct moore_fabric *f)
{
	moore_fabric_cut(f, 0, 2);
}

static void
refusals(void **state)
{
	static const struct {
		const char *why;
		void (*routed)(struct moore_fabric *f), (*laned)(struct moore_fabric *f);
		const char *part[2];
	} T[] = {
		{ "no switch maps SLs: one lane, cyclic", unmap_all, NULL,
		  { "the checker found a cycle of ", " waiting channels through \"s" } },
		{ "a link went", NULL, cut_first,
		  { "connected pairs without a route, such as \"s", "to LID " } },
		{ "SL 15 is dropped at port 1 of the first switch", widen_first, NULL,
		  { "switch \"s0-0-0\" cannot map SLs and has ports with 15 VLs", "max_op_vls" } },
		{ "at the last port of the last", widen_last, NULL,
		  { "switch \"s1-2-2\" cannot map SLs and has ports with 15 VLs", "max_op_vls" } },
		{ "not at a port without a link", widen_last_beside_a_decoy, NULL,
		  { "switch \"s1-2-2\" cannot map SLs and has ports with 15 VLs", "max_op_vls" } },
		{ "dropped for no such reason", widen_first, map_all,
		  { "lane entries in use that drop packets", "defect of the engine" } },
	};
	struct moore_conf conf;
	(void)state;

	moore_conf_defaults(&conf);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan *p = small_plan();
		struct change c = { .routed = T[i].routed, .laned = T[i].laned };
		struct moore_engine_result *r = (void *)&c;
		struct moore_err err = { .line = 9 };

		p->sw[0].ports++;	/* a port without a link */
		c.f = fabric_of(p, 0);
		CHECK_EQ(T[i].why, moore_engine_run(&r, c.f, NULL, &conf, note, &c, &err), -MOORE_EUNSAFE);
		CHECK(T[i].why, !r);
		CHECK_EQ(T[i].why, c.n, 2);
		CHECK_EQ("no line of a file", err.line, 0);
		CHECK_STR(T[i].why, err.text, T[i].part[0]);
		CHECK_STR(T[i].why, err.text, T[i].part[1]);
		moore_fabric_free(c.f);
		moore_plan_free(p);
	}
}

/* The cycle is named by its first channel, as the checker gives it. */
static void
named_cycle(void **state)
{
	struct moore_plan *p = small_plan();
	struct change c = { .f = fabric_of(p, 0), .routed = unmap_all };
	struct moore_engine_result *good = run(c.f, NULL, ""), *r;
	struct moore_check_opts any = { 0 };
	struct moore_sl2vl *lanes;
	struct moore_verdict *v;
	struct moore_conf conf;
	struct moore_err err;
	char part[128];
	(void)state;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_engine_run(&r, c.f, NULL, &conf, note, &c, &err), -MOORE_EUNSAFE);
	assert_int_equal(moore_lane_effective(&lanes, c.f, &conf.lanes, NULL, NULL), 0);
	assert_int_equal(moore_check(&v, c.f, good->lft, lanes, NULL, &any, NULL), 0);
	snprintf(part, sizeof(part), "a cycle of %u waiting channels through \"%s\" port %u:",
		 v->cycle_len, c.f->sw[v->cycle[0].from.sw].name, v->cycle[0].from.port);
	CHECK_STR("the first channel", err.text, part);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
	moore_engine_result_free(good);
	moore_fabric_free(c.f);
	moore_plan_free(p);
}

/* Runs with every allocation failing in turn.  The run fails or gives the tables of `good`.
 * The topology may have another of its names then, and a planned one may have none. */
static void
run_without_memory(const struct moore_fabric *f, const struct moore_plan *p,
		   const struct moore_conf *conf, const struct moore_engine_result *good)
{
	for (long at = 0, reached = 1; reached; at++) {
		struct moore_engine_result *r;
		struct moore_err err;
		int rc;

		alloc_count = 0;
		alloc_fail_at = at;
		rc = moore_engine_run(&r, f, p, conf, NULL, NULL, &err);
		alloc_fail_at = -1;
		reached = alloc_count > at;
		if (rc < 0) {
			CHECK_EQ("no memory", rc, -MOORE_ENOMEM);
			CHECK("and no result", !r);
			continue;
		}
		CHECK("the same tables", r->hash == good->hash);
		CHECK("a name", *r->topology || (p && !r->plan_unused));
		moore_engine_result_free(r);
	}
}

static void
memory_runs_out(void **state)
{
	struct moore_plan *p = plan_of("hypercube", "n=2");
	struct moore_fabric *f = fabric_of(p, 0);
	struct moore_conf conf;
	(void)state;

	moore_conf_defaults(&conf);
	for (unsigned i = 0; i < 8; i++) {
		const struct moore_plan *plan = i & 2 ? p : NULL;
		struct moore_engine_result *good;

		if (i == 4)	/* from here on the plan is not used */
			for (moore_swid s = 0; s < f->n_switches; s++)
				replace_switch(f, s);
		conf.profile = i & 1 ? MOORE_PROFILE_SL_HINT : MOORE_PROFILE_ANY_SL;
		assert_int_equal(moore_engine_run(&good, f, plan, &conf, NULL, NULL, NULL), 0);
		run_without_memory(f, plan, &conf, good);
		moore_engine_result_free(good);
	}
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Applies all steps to a copy of `was`. */
static void
expect_end(const struct moore_engine_steps *s, const struct moore_lft *was,
	   const struct moore_lft *now)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, was->n_switches, (moore_lid)(was->stride - 1), NULL), 0);
	memcpy(t->row, was->row, was->stride * was->n_switches);
	for (uint32_t i = 0; i < s->motion->n_rows; i++)
		moore_lft_row(t, s->motion->row[i].sw)[s->motion->row[i].lid] = s->motion->row[i].port;
	CHECK("the steps end at the new tables",
	      memcmp(t->row, now->row, t->stride * t->n_switches) == 0);
	moore_lft_free(t);
}

/* Every cut and repair of this fabric at LMC 2 is safe, by the opinion of moore_mix_held(). */
static void
safe_steps(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f = fabric_of(p, 2), *less = fabric_of(p, 2);
	struct moore_engine_result *all = run(f, p, ""), *r;
	const struct moore_motion_opts opts = { .sl2vl = all->sl2vl };
	struct moore_engine_steps *s;

	(void)state;
	for (unsigned port = 1; port <= f->sw[0].n_ports; port++)
		if (moore_fabric_port(less, 0, (moore_portnum)port)->role == MOORE_ROLE_SWITCH) {
			moore_fabric_cut(less, 0, (moore_portnum)port);
			break;
		}
	r = run(less, p, "");
	for (unsigned i = 0; i < 2; i++) {
		const struct moore_lft *was = i ? r->lft : all->lft, *now = i ? all->lft : r->lft;

		assert_int_equal(moore_engine_steps(&s, i ? f : less, &(struct moore_held){ .lft = was },
						    now, &opts, NULL), 0);
		CHECK("there are steps", s->motion->n_steps > 0 && !s->why.code);
		for (uint32_t k = 0; k < s->motion->n_steps; k++)
			CHECK("safe", s->step[k].safe && s->step[k].safe_together &&
			      s->step[k].interrupted == s->motion->step[k].interrupted);
		expect_end(s, was, now);
		moore_engine_steps_free(s);
	}
	moore_engine_result_free(r);
	moore_engine_result_free(all);
	moore_fabric_free(less);
	moore_fabric_free(f);
	moore_plan_free(p);
}

/* Nothing that starts from rows in circles is safe: the judge says what could happen, and
 * every step waits. */
static void
unsafe_steps(void **state)
{
	struct moore_plan *p = plan_of("hypercube", "n=3");
	struct moore_fabric *f = fabric_of(p, 0);
	struct moore_engine_result *r = run(f, p, "");
	const struct moore_motion_opts opts = { .sl2vl = r->sl2vl };
	struct moore_engine_steps *s;
	struct moore_lft *was;

	(void)state;
	assert_int_equal(moore_lft_new(&was, f->n_switches, (moore_lid)(r->lft->stride - 1), NULL), 0);
	memcpy(was->row, r->lft->row, was->stride * was->n_switches);
	for (moore_swid a = 0; a < 2; a++)	/* switches 0 and 1 send LID 8 to each other */
		for (unsigned q = 1; q <= f->sw[a].n_ports; q++)
			if (moore_fabric_port(f, a, (moore_portnum)q)->role == MOORE_ROLE_SWITCH &&
			    moore_fabric_port(f, a, (moore_portnum)q)->peer == 1 - a)
				moore_lft_row(was, a)[8] = (uint8_t)q;
	assert_int_equal(moore_engine_steps(&s, f, &(struct moore_held){ .lft = was }, r->lft, &opts,
					    NULL), 0);
	CHECK("the start is unsafe", s->motion->start_unsafe && s->why.code == MOORE_EUNSAFE);
	CHECK("what could happen", strstr(s->why.text, "step 1: packets to LID 8 could loop") ||
	      strstr(s->why.text, "step 1: 2 channels could wait for each other"));
	CHECK("step 1 is not safe", !s->step[0].safe && !s->step[0].safe_together);
	for (uint32_t k = 1; k < s->motion->n_steps; k++)
		CHECK("the others wait", s->motion->step[k].wait);
	expect_end(s, was, r->lft);
	moore_engine_steps_free(s);
	for (long at = 0, reached = 1; reached; at++) {
		int rc;

		alloc_count = 0;
		alloc_fail_at = at;
		rc = moore_engine_steps(&s, f, &(struct moore_held){ .lft = was }, r->lft, &opts, NULL);
		alloc_fail_at = -1;
		reached = alloc_count > at;
		CHECK("no memory, or all steps", rc == 0 ? !!s : rc == -MOORE_ENOMEM && !s);
		if (s)
			expect_end(s, was, r->lft);
		moore_engine_steps_free(s);
	}
	moore_lft_free(was);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(topologies),
		cmocka_unit_test(another_fabrics_plan),
		cmocka_unit_test(no_endpoints),
		cmocka_unit_test(lonely_switch),
		cmocka_unit_test(loop_cable),
		cmocka_unit_test(long_name),
		cmocka_unit_test(matched),
		cmocka_unit_test(large_plan),
		cmocka_unit_test(hashes),
		cmocka_unit_test(settings),
		cmocka_unit_test(spread),
		cmocka_unit_test(marks),
		cmocka_unit_test(refusals),
		cmocka_unit_test(named_cycle),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(safe_steps),
		cmocka_unit_test(unsafe_steps),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
