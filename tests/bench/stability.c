// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stability.c - loses links of a planned Slim Fly one at a time (all links; on larger ones
 * some) and reports how much of the tables changes, how much must change, and what can
 * happen during the update.  stability [all]: every link of each fabric.
 *
 * stability noplan: how many times as many blocks a lost link changes without a plan as with one. */
#include <stdio.h>

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/mix.h"

struct sums {
	unsigned n, safe, loops, cycles, by_switch, by_block, unknown, opensm, locks, over;
	double blocks, least, shortest, shortest_max, lost_max;
};

static void
die(const char *what, const struct moore_err *err)
{
	fprintf(stderr, "stability: %s: %s\n", what, err->text);
	exit(1);
}

static struct moore_engine_result *
route(const struct moore_fabric *seen, const struct moore_plan *plan)
{
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	if (moore_engine_run(&r, seen, plan, &conf, NULL, NULL, &err) < 0)
		die("engine", &err);
	return r;
}

static double
ratio(const struct moore_churn_count *a, const struct moore_churn_count *b)
{
	return (double)a->blocks / (double)b->blocks;
}

static void
add(struct sums *t, const struct moore_churn *c, const struct moore_mix *m)
{
	double shortest = ratio(&c->changed, &c->shortest), lost = ratio(&c->changed, &c->lost);

	t->n++;
	t->safe += m->safe;
	t->loops += m->loop_lids > 0;
	t->cycles += !m->acyclic;
	t->by_switch += m->order == MOORE_ORDER_SWITCHES;
	t->by_block += m->order == MOORE_ORDER_BLOCKS;
	t->unknown += m->order == MOORE_ORDER_UNKNOWN;
	t->opensm += m->opensm_loop_lids > 0;
	t->locks += !m->order_acyclic;
	t->over += shortest > 3;
	t->blocks += (double)c->changed.blocks;
	t->least += ratio(&c->changed, &c->forced);
	t->shortest += shortest;
	t->shortest_max = shortest > t->shortest_max ? shortest : t->shortest_max;
	t->lost_max = lost > t->lost_max ? lost : t->lost_max;
}

static void
lose(struct moore_fabric *f, const struct moore_engine_result *was, const struct moore_plan *plan,
     moore_swid s, moore_portnum p, struct sums *t)
{
	struct moore_port a = *moore_fabric_port(f, s, p);
	struct moore_engine_result *now;
	struct moore_churn churn;
	struct moore_mix *mix;
	struct moore_err err;

	moore_fabric_cut(f, s, p);
	now = route(f, plan);
	if (moore_churn(&churn, f, was->lft, now->lft, &err) < 0 ||
	    moore_mix_judge(&mix, f, &(struct moore_mix_tables){ was->lft, was->sl2vl },
			    &(struct moore_mix_tables){ now->lft, now->sl2vl }, &err) < 0)
		die("judge", &err);
	add(t, &churn, mix);
	moore_mix_free(mix);
	moore_engine_result_free(now);
	moore_fabric_link(f, s, p, a.peer, a.peer_port, a.lanes);
}

static void
print_sums(const char *params, uint8_t lmc, unsigned links, const struct sums *t)
{
	printf("  %-6s %3u %4u of %-5u %6.0f %6.2f %6.2f %6.2f %6.2f %5u %5u %5u %6u %8u %5u %7u %7u %7u\n",
	       params, lmc, t->n, links, t->blocks / t->n, t->lost_max, t->least / t->n,
	       t->shortest / t->n, t->shortest_max, t->over, t->safe, t->loops, t->cycles,
	       t->by_switch, t->by_block, t->unknown, t->opensm, t->locks);
}

static void
campaign(const char *params, uint8_t lmc, unsigned every)
{
	const struct moore_topo_family *fam = moore_topo_family_find("slimfly");
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	const char *words[] = { params };
	struct moore_engine_result *was;
	struct moore_topo *topo;
	struct moore_plan *plan;
	struct moore_fabric *f;
	struct sums t = { 0 };
	struct moore_err err;
	unsigned n = 0;

	if (moore_topo_params_parse(fam, param, words, 1, &err) < 0 ||
	    moore_topo_build(&topo, fam, param, &err) < 0 ||
	    moore_plan_from_topo(&plan, topo, &err) < 0 ||
	    moore_fabric_from_plan(&f, plan, lmc, &err) < 0)
		die(params, &err);
	was = route(f, plan);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s && n++ % every == 0)
				lose(f, was, plan, s, (moore_portnum)p, &t);
		}
	print_sums(params, lmc, n, &t);
	fflush(stdout);
	moore_engine_result_free(was);
	moore_fabric_free(f);
	moore_plan_free(plan);
	moore_topo_free(topo);
}

static void
print_head(void)
{
	printf("one link of a planned Slim Fly lost: LFT blocks that change, their ratio to the blocks\n"
	       "of lost routes (greatest), to the least any table must change (mean), and to the least\n"
	       "shortest routes must (mean, greatest, links over 3); then links by what may happen\n"
	       "while tables go out in any combination, by which order of writes never loops, by\n"
	       "whether OpenSM's order loops, and by whether the order found could still deadlock\n");
	printf("  %-6s %3s %13s %6s %6s %6s %13s %5s %5s %5s %6s %8s %5s %7s %7s %7s\n", "fabric",
	       "LMC", "links lost", "blocks", "/lost", "/least", "/shortest", "over3", "safe",
	       "loops", "cycles", "switches", "block", "unknown", "OpenSM", "locks");
}

/* ---- with a plan and without ------------------------------------------------------------ */

enum order { GUIDS, IN_ORDER, OTHER_ORDER };	/* how the plan names the switches */

static void
give_guids(struct moore_fabric *f, struct moore_plan *plan, enum order order)
{
	struct moore_rng r = { 1 };
	uint32_t *place = calloc((size_t)f->n_switches + 1, sizeof(*place));

	if (!place)
		abort();
	for (moore_swid s = 0; s < f->n_switches; s++)
		place[s] = s;
	if (order != IN_ORDER)
		moore_rng_shuffle(&r, place, f->n_switches);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		f->sw[s].guid = f->sw[s].port_guid = 0x200000 + place[s];
		plan->sw[s].guid = order == GUIDS ? f->sw[s].guid : 0;
	}
	free(place);
}

struct pair {			/* without a plan, and with one */
	struct moore_engine_result *r[2];
};

static struct pair
route_both(const struct moore_fabric *f, const struct moore_plan *plan)
{
	return (struct pair){ { route(f, NULL), route(f, plan) } };
}

static void
free_both(const struct pair *p)
{
	moore_engine_result_free(p->r[0]);
	moore_engine_result_free(p->r[1]);
}

struct ratios {
	unsigned n, over, unrecognised;
	double blocks[2], least, most;
};

static void
lose_both(struct moore_fabric *f, const struct moore_plan *plan, const struct pair *was, moore_swid s,
	  moore_portnum p, struct ratios *t)
{
	const struct moore_port a = *moore_fabric_port(f, s, p);
	struct moore_churn churn[2];
	struct moore_err err;
	struct pair now;
	double times;

	moore_fabric_cut(f, s, p);
	now = route_both(f, plan);
	for (unsigned i = 0; i < 2; i++) {
		if (moore_churn(&churn[i], f, was->r[i]->lft, now.r[i]->lft, &err) < 0)
			die("churn", &err);
		t->blocks[i] += (double)churn[i].changed.blocks;
	}
	times = ratio(&churn[0].changed, &churn[1].changed);
	t->over += times > 1.5;
	t->unrecognised += now.r[0]->intent != MOORE_INTENT_FAMILY;
	t->least = t->n && t->least < times ? t->least : times;
	t->most = t->most > times ? t->most : times;
	t->n++;
	free_both(&now);
	moore_fabric_link(f, s, p, a.peer, a.peer_port, a.lanes);
}

static void
compare(const char *family, const char *params, uint8_t lmc, enum order order, unsigned every)
{
	static const char *const how[] = { "GUIDs", "their order", "another order" };
	struct moore_plan *plan = plan_of(family, params);
	struct moore_fabric *f;
	struct ratios t = { 0 };
	struct moore_err err;
	struct pair was;
	unsigned n = 0;

	if (moore_fabric_from_plan(&f, plan, lmc, &err) < 0)
		die(params, &err);
	give_guids(f, plan, order);
	was = route_both(f, plan);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s && n++ % every == 0)
				lose_both(f, plan, &was, s, (moore_portnum)p, &t);
		}
	printf("  %-9s %-8s %3u %4u of %-5u %-13s %7.0f %7.0f %6.2f %6.2f %6.2f %6u %12u\n", family, params, lmc,
	       t.n, n, how[order], t.blocks[0] / t.n, t.blocks[1] / t.n, t.blocks[0] / t.blocks[1], t.least,
	       t.most, t.over, t.unrecognised);
	fflush(stdout);
	free_both(&was);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

static void
compare_all(void)
{
	static const struct {
		const char *family, *params;
		uint8_t lmc;
		unsigned every;
	} T[] = {
		{ "slimfly", "q=5", 0, 1 }, { "slimfly", "q=5", 2, 1 }, { "slimfly", "q=8", 0, 16 },
		{ "slimfly", "q=8", 2, 32 }, { "slimfly", "q=13", 2, 800 }, { "oft", "k=4", 0, 1 },
		{ "oft", "k=4", 2, 1 }, { "oft", "k=5", 2, 4 }, { "mlfm", "h=4", 0, 1 }, { "mlfm", "h=4", 2, 1 },
		{ "mlfm", "h=5", 2, 4 }, { "dragonfly", "a=4 h=2", 2, 2 },
	};

	printf("one link lost without a plan, and with one that names the switches by GUIDs, without GUIDs in\n"
	       "the order of their GUIDs, or in another order: LFT blocks that change (means), how many times\n"
	       "as many without a plan (all links together; least and greatest of a link; links over 1.5), and\n"
	       "links without which the family was not recognised\n");
	printf("  %-9s %-8s %3s %13s %-13s %7s %7s %6s %6s %6s %6s %12s\n", "fabric", "", "LMC", "links lost",
	       "plan", "without", "with", "times", "least", "most", "over", "unrecognised");
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (unsigned order = GUIDS; order <= OTHER_ORDER; order++)
			compare(T[i].family, T[i].params, T[i].lmc, order, T[i].every);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *params;
		uint8_t lmc;
		unsigned every;
	} T[] = {
		{ "q=5", 0, 1 }, { "q=5", 2, 1 }, { "q=7", 0, 4 }, { "q=7", 2, 8 },
		{ "q=9", 0, 16 }, { "q=9", 2, 32 }, { "q=13", 0, 200 }, { "q=13", 2, 400 },
	};
	bool all = argc > 1 && !strcmp(argv[1], "all");

	if (argc > 1 && !strcmp(argv[1], "noplan")) {
		compare_all();
		return 0;
	}
	print_head();
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		campaign(T[i].params, T[i].lmc, all ? 1 : T[i].every);
	return 0;
}
