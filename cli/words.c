// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* words.c - the words that an option may have as its value, for shell completion: from the tables
 * of libmoore, or from alternatives such as safe|fast in the table of options. */
#include <string.h>

#include "cli.h"
#include "moore/ether.h"
#include "moore/permute.h"
#include "moore/predict.h"
#include "moore/sim.h"

typedef const char *name_at(unsigned i);	/* NULL past the last */

#define NAMES(name, of, type) \
	static const char * \
	name(unsigned i) \
	{ \
		return of((enum type)i); \
	}
NAMES(method, moore_permute_name, moore_permute_method)
NAMES(job_pattern, moore_job_pattern_name, moore_job_pattern)
NAMES(placement, moore_job_placement_name, moore_job_placement)
NAMES(routing, moore_routing_name, moore_routing)
NAMES(sim_routing, moore_sim_routing_name, moore_sim_routing)
NAMES(exchange, moore_sim_exchange_name, moore_sim_exchange)
NAMES(queues, moore_sim_queues_name, moore_sim_queues)
NAMES(arbiter, moore_sim_arbiter_name, moore_sim_arbiter)

static const char *
format(size_t i, bool written)
{
	const struct moore_plan_format *f;

	for (size_t at = 0; (f = moore_plan_format_at(at)); at++)
		if ((written ? f->write != NULL : f->parse != NULL) && i-- == 0)
			return f->name;
	return NULL;
}

static const char *
written(unsigned i)
{
	return format(i, true);
}

static const char *
parsed(unsigned i)
{
	return format(i, false);
}

static const char *
ether_format(unsigned i)
{
	const struct moore_ether_format *f;
	const char *last = "";

	/* A format of several files has a row for each. */
	for (size_t at = 0; (f = moore_ether_format_at(at)); at++) {
		if (f->write && strcmp(f->name, last) && i-- == 0)
			return f->name;
		last = f->name;
	}
	return NULL;
}

/* The first row that fits counts; verb NULL fits all. */
static const struct {
	const char *verb, *option;
	name_at *at;
} rows[] = {
	{ "plan export", "to", written },
	{ "plan import", "from", parsed },
	{ "plan permute", "method", method },
	{ "ethernet emit", "format", ether_format },
	{ "simulate", "routing", sim_routing },
	{ "simulate", "exchange", exchange },
	{ "simulate", "queues", queues },
	{ "simulate", "arbiter", arbiter },
	{ NULL, "pattern", job_pattern },
	{ NULL, "placement", placement },
	{ NULL, "routing", routing },
};

void
cli_put_values(struct moore_buf *b, const struct cli_cmd *cmd, const struct cli_opt *opt)
{
	/* any-sl|sl-hint|one-vl, or the one word stock, but not LIST or NAME[:PORT] */
	if (opt->arg && (strchr(opt->arg, '|') || (*opt->arg >= 'a' && *opt->arg <= 'z')) &&
	    !strpbrk(opt->arg, "[:")) {
		size_t n = strlen(opt->arg), list = strlen("|LIST");

		if (n > list && !strcmp(opt->arg + n - list, "|LIST"))
			n -= list;
		moore_buf_fmt(b, "--%s=%.*s ", opt->name, (int)n, opt->arg);
		return;
	}
	for (size_t r = 0; opt->arg && r < ARRAY_LEN(rows); r++) {
		if ((rows[r].verb && strcmp(rows[r].verb, cmd->words)) || strcmp(rows[r].option, opt->name))
			continue;
		moore_buf_fmt(b, "--%s=%s", opt->name, rows[r].at(0));
		for (unsigned i = 1; rows[r].at(i); i++)
			moore_buf_fmt(b, "|%s", rows[r].at(i));
		moore_buf_fmt(b, " ");
		return;
	}
}
