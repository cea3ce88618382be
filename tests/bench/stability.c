// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stability.c - lose each link of a planned Slim Fly in turn, or some of them:
 * how much of the tables changes, how much must, and what may happen while it
 * does.  stability [quick] - quick: q=5 alone. */
#include <stdio.h>

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/mix.h"

struct sums {
	unsigned n, safe, loops, cycles, by_switch, by_block, no_order, opensm, locks;
	double ratio_max, ratio_sum, least_max, least_sum, blocks;
	uint64_t loop_lids, dead;
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

static void
add(struct sums *t, const struct moore_churn *c, const struct moore_mix *m)
{
	double ratio = (double)c->changed.blocks / (double)c->forced.blocks;
	double least = (double)c->changed.blocks / (double)c->shortest.blocks;

	t->n++;
	t->safe += m->safe;
	t->loops += m->loop_lids > 0;
	t->cycles += !m->acyclic;
	t->by_switch += m->order == MOORE_ORDER_SWITCHES;
	t->by_block += m->order == MOORE_ORDER_BLOCKS;
	t->no_order += m->order == MOORE_ORDER_UNKNOWN;
	t->opensm += m->opensm_loop_lids > 0;
	t->locks += !m->order_acyclic;
	t->loop_lids += m->loop_lids;
	t->dead += m->dead_old;
	t->blocks += (double)c->changed.blocks;
	t->ratio_sum += ratio;
	t->ratio_max = ratio > t->ratio_max ? ratio : t->ratio_max;
	t->least_sum += least;
	t->least_max = least > t->least_max ? least : t->least_max;
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
	printf("| %s | %u | %u of %u | %.0f | %.2f | %.2f | %.2f | %.2f | %u | %u | %.0f | %u | %u | %u | %u | %u | %u |\n",
	       params, lmc, t.n, n, t.blocks / t.n, t.ratio_sum / t.n, t.ratio_max,
	       t.least_sum / t.n, t.least_max, t.safe, t.loops, (double)t.loop_lids / t.n,
	       t.cycles, t.by_switch, t.by_block, t.no_order, t.opensm, t.locks);
	fflush(stdout);
	moore_engine_result_free(was);
	moore_fabric_free(f);
	moore_plan_free(plan);
	moore_topo_free(topo);
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && !strcmp(argv[1], "quick");

	printf("params lmc links blocks forced-mean forced-max short-mean short-max safe loops looplids cycles byswitch byblock none opensm locks\n");
	campaign("q=5", 0, 1);
	campaign("q=5", 2, 1);
	if (quick)
		return 0;
	campaign("q=7", 0, 16);
	campaign("q=7", 2, 32);
	campaign("q=9", 0, 64);
	campaign("q=13", 0, 600);
	campaign("q=13", 2, 1200);
	return 0;
}
