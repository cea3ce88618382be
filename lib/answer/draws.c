// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draws.c - the spread over many draws of what is left when links fail at random. */
#include <stdlib.h>

#include "answer/answer_impl.h"
#include "moore/hot.h"

#define DRAW_SPREAD OBJ_OR_NULL("'min':" NUM ",'q1':" NUM ",'median':" NUM ",'q3':" NUM \
	",'max':" NUM ",'mean':" NUM)

const char moore_schema_draws[] = OBJ("'links':" INT ",'draws':" INT ",'seed':" INT ",'shares':"
	LIST_OF(OBJ("'share':" NUM ",'failed':" INT ",'connected':" INT ",'sound':" INT
		",'partitioned_share':" DRAW_SPREAD ",'diameter':" DRAW_SPREAD
		",'mean_distance':" DRAW_SPREAD ",'bisection':" DRAW_SPREAD ",'throughput_uniform':" DRAW_SPREAD
		",'throughput_worst':" DRAW_SPREAD)));

struct figures {		/* of one draw, in the order of `figure` */
	double v[6];
	bool known[6];
};

static const char *const figure[] = {
	"partitioned_share", "diameter", "mean_distance", "bisection", "throughput_uniform",
	"throughput_worst",
};

static struct figures
figures_of(const struct moore_draw *d)
{
	const bool routed = d->sound && d->connected;

	return (struct figures){
		{ d->partitioned, d->diameter, d->mean_distance, (double)d->bisection, d->uniform, d->worst },
		{ true, d->connected, d->connected, d->connected && d->bisection >= 0, routed, routed },
	};
}

/* The spread of the i-th figure over those of n draws that have it; null if none has. */
static json_t *
json_figure(const struct moore_draw *d, uint32_t n, size_t i, double *scratch)
{
	struct moore_summary s;
	uint32_t known = 0;

	for (uint32_t k = 0; k < n; k++) {
		struct figures f = figures_of(&d[k]);

		if (f.known[i])
			scratch[known++] = f.v[i];
	}
	moore_summarize(&s, scratch, known);
	return known ? json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "min", s.min, "q1", s.q1,
				 "median", s.median, "q3", s.q3, "max", s.max, "mean", s.mean) :
		json_null();
}

static json_t *
json_share(const struct moore_draws *all, uint32_t i, double *scratch)
{
	const struct moore_draw *d = all->draw + (size_t)i * all->n_draws;
	uint32_t connected = 0, sound = 0;
	json_t *o;

	for (uint32_t k = 0; k < all->n_draws; k++) {
		connected += d[k].connected;
		sound += d[k].sound;
	}
	o = json_pack("{s:f, s:i, s:i, s:i}", "share", all->share[i], "failed", (int)d->failed,
		      "connected", (int)connected, "sound", (int)sound);
	for (size_t k = 0; k < ARRAY_LEN(figure); k++)
		o = moore_json_set(o, figure[k], json_figure(d, all->n_draws, k, scratch));
	return o;
}

json_t *
moore_answer_draws(const struct moore_draws *all)
{
	double *scratch = calloc((size_t)all->n_draws + 1, sizeof(*scratch));
	json_t *list = scratch ? json_array() : NULL;

	for (uint32_t i = 0; i < all->n_shares && list; i++)
		list = moore_json_add(list, json_share(all, i, scratch));
	free(scratch);
	return list ? json_pack("{s:i, s:i, s:o, s:o}", "links", (int)all->n_links, "draws",
				(int)all->n_draws, "seed", moore_json_count(all->seed), "shares", list) :
		NULL;
}
