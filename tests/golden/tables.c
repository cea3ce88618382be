// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tables.c - one line of hashes for each routed fabric, to be compared with tables.txt.
 *
 *   tables [--draws N] [--switches N]
 *
 * Each fabric below is routed by the engine at LMC 0, 1 and 2 under both profiles: intact
 * (draw 0) and with 20 seeded failures (draws 1 to 20).  Even draws pass the plan to the
 * engine, odd ones do not.  --draws and --switches leave out later draws and larger
 * fabrics.  A line names the case, then gives the columns of the first line: 32-bit FNV
 * hashes, computed here from the content of the tables, and moore's own three hashes of
 * the same run.  No column depends on memory layout, so two builds give the same text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "fabrics.h"
#include "moore/moore.h"

#define N_DRAWS 20
#define N_GROUPS 4		/* multicast trees of each case */
#define N_SAMPLES 24		/* sources whose path SLs are hashed */
#define DUMP_MAX 500000		/* (switch, LID) pairs up to which LFTs are written as text */

static const struct fabric {
	const char *family, *params;
	const char *conf;	/* "key value" of moore.conf besides the profile; NULL: none */
	uint32_t permute;	/* cabinet size for a permutation of the links; 0: none */
} fabrics[] = {
	{ "slimfly", "q=3", NULL, 0 },
	{ "slimfly", "q=4", NULL, 0 },
	{ "slimfly", "q=5 p=4", NULL, 0 },
	{ "slimfly", "q=5 p=4", "layers nta", 0 },
	{ "slimfly", "q=5 p=4", "layers valiant", 0 },
	{ "slimfly", "q=5 p=4", "layers inr", 0 },
	{ "slimfly", "q=5 p=4", "classes 0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3", 0 },
	{ "slimfly", "q=5 p=4", "seed 7", 0 },
	{ "slimfly", "q=5 p=4", NULL, 5 },
	{ "slimfly", "q=7", NULL, 0 },
	{ "slimfly", "q=9", NULL, 0 },
	{ "slimfly", "q=13 p=floor", NULL, 0 },
	{ "mlfm", "h=4", NULL, 0 },
	{ "mlfm", "h=4", "layers inr", 0 },
	{ "mlfm", "h=6", NULL, 0 },
	{ "mlfm", "h=15", NULL, 0 },
	{ "oft", "k=4", NULL, 0 },
	{ "oft", "k=4", "layers valiant", 0 },
	{ "oft", "k=6", NULL, 0 },
	{ "oft", "k=12", NULL, 0 },
	{ "hypercube", "n=4 p=2", NULL, 0 },
	{ "fhypercube", "n=4 p=2", NULL, 0 },
	{ "torus2d", "a=4 b=5 p=2", NULL, 0 },
	{ "torus5d", "a=2 b=2 c=2 d=2 e=2", NULL, 0 },
	{ "myriclos", "n=32", NULL, 0 },
	{ "dragonfly", "a=4 h=1 p=2", NULL, 0 },
	{ "hyperx", "s1=3 s2=3 s3=2 p=2", NULL, 0 },
	{ "dln", "n=24 k=4 p=2", NULL, 0 },
	{ "dln", "n=32 k=3 seed=7", NULL, 8 },
	{ "ring", "12", NULL, 0 },
	{ "tree", "15", NULL, 0 },
};

static void
die(const char *what, const struct moore_err *err)
{
	fprintf(stderr, "tables: %s: %s\n", what, err->text);
	exit(2);
}

/* ---- hashes: FNV-1a of 32 bits, independent of moore_hash() ------------------------ */

static uint32_t
fnv(uint32_t h, const void *data, size_t len)
{
	const uint8_t *b = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ b[i]) * 16777619u;
	return h;
}

#define FNV_INIT 2166136261u

static bool
hash_piece(void *arg, const char *data, size_t len)
{
	uint32_t *h = arg;

	*h = fnv(*h, data, len);
	return true;
}

static uint32_t
hash_lft(const struct moore_fabric *f, const struct moore_lft *t)
{
	uint32_t h = FNV_INIT;

	for (moore_swid s = 0; s < f->n_switches; s++)
		h = fnv(h, moore_lft_row(t, s), f->lid_top + 1u);
	return h;
}

static uint32_t
hash_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t)
{
	uint32_t h = FNV_INIT;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
			for (unsigned out = 0; out <= f->sw[s].n_ports; out++)
				h = fnv(h, moore_sl2vl_get(t, s, (moore_portnum)in,
							   (moore_portnum)out)->vl, MOORE_N_SL);
	return h;
}

/* The SL sets of sl-hint; 0 under any-sl, which has none. */
static uint32_t
hash_sl_set(const struct moore_fabric *f, const struct moore_sl_set *t)
{
	uint32_t h = FNV_INIT;

	for (moore_swid s = 0; t && s < f->n_switches; s++)
		h = fnv(h, moore_sl_set_row(t, s), (f->lid_top + 1u) * sizeof(*t->sl));
	return t ? h : 0;
}

/* The tables that path records may name, from some LIDs to all. */
static uint32_t
hash_path_sl(const struct moore_fabric *f, const struct moore_route *r)
{
	uint32_t h = FNV_INIT;

	for (uint32_t i = 0; i < N_SAMPLES; i++) {
		moore_lid from = (moore_lid)(1 + (uint64_t)i * f->lid_top / N_SAMPLES);

		for (uint32_t to = 1; to <= f->lid_top; to++) {
			uint8_t right = moore_route_right(r, from, (moore_lid)to);

			h = fnv(h, &right, 1);
		}
	}
	return h;
}

static uint32_t
hash_stats(const struct moore_engine_result *e)
{
	struct moore_route_stats st;
	uint32_t h = FNV_INIT;

	moore_route_stats(e->route, &st);
	const uint32_t field[] = {
		st.missing_links, st.extra_links, st.unused_links, st.one_lane_links,
		st.missing_switches, st.repaired, st.avoided_links, st.drained_switches,
		st.unknown_rules, st.unknown_line, e->plan_unused,
	};

	h = fnv(h, field, sizeof(field));
	return fnv(h, e->topology, strlen(e->topology));
}

/* ---- multicast ----------------------------------------------------------------------- */

static void
mask_port(struct moore_mft *m, size_t group, moore_swid s, moore_portnum p)
{
	moore_bits_set(m->mask[group * m->n_switches + s], p);
}

/* Endpoints drawn from a seed join one group; the tree's ports go into the MFT. */
static uint32_t
add_group(struct moore_mft *m, const struct moore_fabric *f, const struct moore_route *r,
	  struct moore_rng *rng, uint16_t mlid)
{
	uint32_t n = f->n_endpoints ? 2 + moore_rng_below(rng, 11) : 0;
	uint8_t *parent = calloc(f->n_switches + 1u, 1);
	moore_swid member[16];
	moore_epid at[16];
	int64_t group = moore_mft_group(m, mlid);
	uint32_t h = FNV_INIT;
	struct moore_err err;
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		at[i] = moore_rng_below(rng, f->n_endpoints);
		member[i] = f->ep[at[i]].sw;
	}
	rc = n ? moore_route_mcast(r, mlid, member, n, parent, &err) : 0;
	h = fnv(h, &rc, sizeof(rc));
	if (rc < 0 && rc != -MOORE_EUNREACH)
		die("multicast", &err);
	h = fnv(h, parent, f->n_switches);
	for (moore_swid s = 0; n && s < f->n_switches; s++) {
		const struct moore_port *p = moore_fabric_port(f, s, parent[s] <= f->sw[s].n_ports ?
							       parent[s] : 0);

		if (p->role != MOORE_ROLE_SWITCH)
			continue;
		mask_port(m, (size_t)group, s, parent[s]);
		mask_port(m, (size_t)group, p->peer, p->peer_port);
	}
	for (uint32_t i = 0; i < n; i++)
		mask_port(m, (size_t)group, member[i], f->ep[at[i]].port);
	free(parent);
	return h;
}

static uint32_t
hash_mft(struct moore_mft *m, const struct moore_fabric *f, const struct moore_route *r)
{
	struct moore_rng rng = { f->n_switches };
	uint32_t h = FNV_INIT;

	for (uint32_t g = 0; g < N_GROUPS; g++) {
		uint32_t one = add_group(m, f, r, &rng, (uint16_t)(0xc000 + g));

		h = fnv(h, &one, sizeof(one));
	}
	return fnv(h, m->mask, sizeof(*m->mask) * m->n_groups * m->n_switches);
}

/* ---- the written dumps ----------------------------------------------------------------- */

struct source {
	const struct moore_conf *conf;
	const struct moore_route *route;
};

static uint8_t
record_sl(const void *arg, moore_lid from, moore_lid to)
{
	const struct source *s = arg;

	return moore_lane_hint_sl(&s->conf->lanes, 0, moore_route_right(s->route, from, to));
}

/* Dumps with a line for each (switch, LID) are left out of large fabrics, and moore-psl.dump,
 * with a line for each pair of endpoints, has only some sources.  moore-path-sl.dump is
 * left out: it holds the SL sets, which have a column. */
static uint32_t
hash_dumps(const struct moore_fabric *f, const struct moore_engine_result *e,
	   const struct moore_mft *m, const struct moore_conf *conf)
{
	const bool small = (uint64_t)f->n_switches * f->lid_top <= DUMP_MAX;
	const struct source src = { conf, e->route };
	uint32_t h = FNV_INIT;
	struct moore_buf b = { .drain = hash_piece, .drain_arg = &h };
	struct moore_err err;

	if (small && (moore_dump_write_lfts(f, e->lft, &b, &err) < 0 ||
		      moore_dump_write_fdbs(f, e->lft, &b, &err) < 0))
		die("dumps", &err);
	moore_dump_write_sl2vl(f, e->sl2vl, &b);
	moore_dump_write_subnet(f, &b);
	moore_dump_write_mft(f, m, &b);
	if (e->sl_set) {
		moore_dump_write_slvl(f, e->sl2vl, &b);
		for (moore_epid i = 0; i < f->n_endpoints; i += 1 + f->n_endpoints / 8)
			moore_dump_write_psl(f, i, record_sl, &src, &b);
	}
	moore_buf_drain(&b);
	if (b.oom)
		die("dumps", &(struct moore_err){ .text = "out of memory" });
	moore_buf_free(&b);
	return h;
}

/* ---- fabrics and failures -------------------------------------------------------------- */

/* Switches by number, each with one endpoint: a ring, or a binary tree. */
static struct moore_plan *
small_plan(const char *family, uint32_t n)
{
	struct moore_topo t = { .n_switches = n };
	struct moore_plan *p = NULL;
	struct moore_err err;

	t.name = calloc(n, sizeof(*t.name));
	t.endpoints = calloc(n, sizeof(*t.endpoints));
	t.link = calloc(n, sizeof(*t.link));
	t.family = moore_topo_family_at(0);	/* required here; the plan's name goes below */
	for (uint32_t s = 0; s < n; s++) {
		snprintf(t.name[s], sizeof(t.name[s]), "s%u", s);
		t.endpoints[s] = 1;
		if (s > 0)
			t.link[t.n_links++] = (struct moore_topo_link){
				!strcmp(family, "tree") ? (s - 1) / 2 : s - 1, s };
	}
	if (!strcmp(family, "ring"))
		t.link[t.n_links++] = (struct moore_topo_link){ 0, n - 1 };
	if (moore_plan_from_topo(&p, &t, &err) < 0)
		die(family, &err);
	free(t.name);
	free(t.endpoints);
	free(t.link);
	free(p->family);
	p->family = NULL;
	p->n_params = 0;
	return p;
}

static struct moore_plan *
plan_of_fabric(const struct fabric *x)
{
	const struct moore_permute_opts opts = { .fraction = 1, .trials = 3, .seed = 1 };
	struct moore_plan *p = moore_topo_family_find(x->family) ?
		plan_of(x->family, x->params) : small_plan(x->family, (uint32_t)atoi(x->params));
	struct moore_permutation *result = NULL;
	struct moore_err err;

	if (x->permute && (moore_plan_fill_cabinets(p, x->permute, &err) < 0 ||
			   moore_permute(p, &opts, &result, &err) < 0))
		die("permute", &err);
	moore_permutation_free(result);
	return p;
}

static void
cut_one_link(struct moore_fabric *f, struct moore_rng *r)
{
	for (int tries = 0; tries < 1000; tries++) {
		moore_swid s = moore_rng_below(r, f->n_switches);
		moore_portnum p = (moore_portnum)(1 + moore_rng_below(r, f->sw[s].n_ports));

		if (moore_fabric_port(f, s, p)->role == MOORE_ROLE_SWITCH) {
			moore_fabric_cut(f, s, p);
			return;
		}
	}
}

/* Draws 1, 4, 7... lose one link, 2, 5, 8... one in 20, 3, 6, 9... a switch and some links. */
static struct moore_fabric *
failed(struct moore_fabric *f, uint32_t draw)
{
	struct moore_rng r = { draw * 1000003ull + f->n_switches };
	struct moore_fabric *g = f;

	if (draw == 0)
		return f;
	if (draw % 3 == 0) {
		g = test_without(f, moore_rng_below(&r, f->n_switches));
		moore_fabric_free(f);
	}
	if (draw % 3 == 1)
		cut_one_link(g, &r);
	else
		test_cut_some(g, &r, draw % 3 == 2 ? 5 : 2);
	return g;
}

/* ---- one case ------------------------------------------------------------------------------ */

static const char *
profile_word(uint32_t profile)
{
	return profile == MOORE_PROFILE_ANY_SL ? "any-sl" : "sl-hint";
}

static void
set_conf(struct moore_conf *c, const struct fabric *x, uint32_t profile)
{
	char key[16];
	struct moore_err err;

	moore_conf_defaults(c);
	if (moore_conf_set(c, "profile", profile_word(profile), &err) < 0)
		die("profile", &err);
	if (!x->conf)
		return;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(x->conf, " "), x->conf);
	if (moore_conf_set(c, key, strchr(x->conf, ' ') + 1, &err) < 0)
		die(x->conf, &err);
}

static void
print_hashes(const struct moore_fabric *f, const struct moore_engine_result *e,
	     const struct moore_conf *conf)
{
	struct moore_mft *m = NULL;
	struct moore_err err;
	uint32_t mft;

	if (moore_mft_new(&m, f->n_switches, &err) < 0)
		die("mft", &err);
	mft = hash_mft(m, f, e->route);
	printf("%08x %08x %08x %08x %08x %08x %08x %016llx %016llx %016llx\n",
	       hash_lft(f, e->lft), hash_sl2vl(f, e->sl2vl), mft, hash_sl_set(f, e->sl_set),
	       hash_path_sl(f, e->route), hash_stats(e), hash_dumps(f, e, m, conf),
	       (unsigned long long)e->hash, (unsigned long long)e->routes_hash,
	       (unsigned long long)e->lanes_hash);
	moore_mft_free(m);
}

static void
one_case(const struct fabric *x, const struct moore_plan *plan, uint8_t lmc, uint32_t profile,
	 uint32_t draw)
{
	struct moore_engine_result *e = NULL;
	struct moore_fabric *f = NULL;
	struct moore_conf conf;
	struct moore_err err;
	int rc;

	set_conf(&conf, x, profile);
	if (moore_fabric_from_plan(&f, plan, lmc, &err) < 0)
		die(x->family, &err);
	f = failed(f, draw);
	printf("%s %s%s%s%s lmc=%u %s draw %u: ", x->family, x->params, x->permute ? " permuted" : "",
	       x->conf ? " " : "", x->conf ? x->conf : "", lmc, profile_word(profile), draw);
	rc = moore_engine_run(&e, f, draw % 2 ? NULL : plan, &conf, NULL, NULL, &err);
	if (rc < 0)
		printf("error %d\n", -rc);
	else
		print_hashes(f, e, &conf);
	moore_engine_result_free(e);
	moore_fabric_free(f);
}

static void
all_cases(const struct fabric *x, uint32_t n_draws, uint32_t max_switches)
{
	struct moore_plan *plan = plan_of_fabric(x);

	for (uint8_t lmc = 0; lmc < 3 && plan->n_switches <= max_switches; lmc++)
		for (uint32_t profile = 0; profile < 2; profile++)
			for (uint32_t draw = 0; draw <= n_draws; draw++)
				one_case(x, plan, lmc, profile, draw);
	moore_plan_free(plan);
}

int
main(int argc, char **argv)
{
	uint32_t n_draws = N_DRAWS, max_switches = UINT32_MAX;

	for (int i = 1; i + 1 < argc; i += 2) {
		uint32_t *value = !strcmp(argv[i], "--draws") ? &n_draws :
			!strcmp(argv[i], "--switches") ? &max_switches : NULL;

		if (!value) {
			fprintf(stderr, "usage: tables [--draws N] [--switches N]\n");
			return 2;
		}
		*value = (uint32_t)atoi(argv[i + 1]);
	}
	puts("case: lft sl2vl mft sl-sets path-sls stats dumps hash routes_hash lanes_hash");
	for (size_t i = 0; i < ARRAY_LEN(fabrics); i++)
		all_cases(&fabrics[i], n_draws, max_switches);
	return fflush(stdout) ? 2 : 0;
}
