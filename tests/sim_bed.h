/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sim_bed.h - a fabric with moore's tables, on which tests simulate packets. */
#ifndef MOORE_TEST_SIM_BED_H
#define MOORE_TEST_SIM_BED_H

#include "moore/engine.h"
#include "moore/sim.h"
#include "plan_of.h"

struct bed {
	struct moore_fabric *f;
	struct moore_engine_result *r;
	struct moore_sim_tables tables;
	struct moore_sim_opts o;
	moore_epid *node;
	struct moore_sim_traffic uniform;
	double *share;		/* of each sender: all offsets alike */
};

/* The caller frees it with bed_free(). */
static inline struct bed
bed_of(const char *family, const char *params, uint8_t lmc)
{
	struct moore_plan *p = plan_of(family, params);
	struct moore_conf conf;
	struct bed b;

	moore_conf_defaults(&conf);
	moore_sim_defaults(&b.o);
	assert_int_equal(moore_fabric_from_plan(&b.f, p, lmc, NULL), 0);
	assert_int_equal(moore_engine_run(&b.r, b.f, p, &conf, NULL, NULL, NULL), 0);
	moore_plan_free(p);
	b.tables = (struct moore_sim_tables){ b.f, b.r->lft, b.r->sl2vl, NULL };
	b.node = calloc(b.f->n_endpoints, sizeof(*b.node));
	for (uint32_t i = 0; i < b.f->n_endpoints; i++)
		b.node[i] = i;
	b.share = calloc((size_t)b.f->n_endpoints << lmc, sizeof(*b.share));
	for (uint32_t i = 0; i < b.f->n_endpoints << lmc; i++)
		b.share[i] = 1.0 / (1u << lmc);
	b.uniform = (struct moore_sim_traffic){ .node = b.node, .n_nodes = b.f->n_endpoints, .share = b.share,
						.n_offsets = 1u << lmc };
	return b;
}

static inline void
bed_free(struct bed *b)
{
	moore_engine_result_free(b->r);
	moore_fabric_free(b->f);
	free(b->node);
	free(b->share);
}

static inline struct moore_sim_result
simulate(const struct bed *b, enum moore_sim_routing routing, const struct moore_sim_traffic *t, double load)
{
	const struct moore_sim_point point = { .routing = routing, .traffic = t, .load = load };
	struct moore_sim_result x;
	struct moore_err err = { .text = "" };

	if (moore_simulate(&x, &point, 1, &b->tables, &b->o, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return x;
}

#endif
