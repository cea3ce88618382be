// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stability.c - loses links of a planned Slim Fly one at a time (all links; on larger ones
 * some) and reports how much of the tables changes, how much must change, and what can
 * happen during the update.  stability [all]: every link of each fabric. */
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

	print_head();
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		campaign(T[i].params, T[i].lmc, all ? 1 : T[i].every);
	return 0;
}
