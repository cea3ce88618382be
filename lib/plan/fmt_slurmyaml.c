// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_slurmyaml.c - writes a plan as Slurm's topology.yaml with one topology of blocks, by the
 * manual pages topology.yaml(5) and topology.conf(5) of Slurm 25.05.  Untested with Slurm.
 *
 * A block holds the nodes of one cabinet if all switches with nodes have a cabinet.  Else it
 * holds those of the switches whose names differ in the last coordinate alone, such as a column
 * s0-3-* of a Slim Fly or a group of a Dragonfly; a name without coordinates is a block of its
 * own.  A node is in the block of its first port.
 *
 * block_sizes has one size, the nodes of the smallest block: each block must have at least as
 * many as the first size, and larger sizes would join blocks in their order, which says nothing
 * in a fabric where all blocks are equally far from each other. */
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"

static int
check_name(const char *what, const char *name, struct moore_err *err)
{
	bool hidden = false;

	for (const char *s = name; *s && !hidden; s++)
		hidden = moore_text_hidden(s, strlen(s));
	if (hidden || !*name || name[strcspn(name, " ,=[]#\"\\")])
		return moore_fail(err, MOORE_EPLAN, 0, "%s \"%s\": Slurm's names hold no blank, comma, "
				  "bracket, quote, backslash, = or #: rename it", what, name);
	return 0;
}

static const struct moore_plan_endpoint *
first_port(const struct moore_plan *p, const struct moore_plan_wiring *w, uint32_t ca)
{
	return &p->ep[w->ep[w->ca[ca].start]];
}

static char *
block_of(const struct moore_plan_switch *s, bool by_cabinet)
{
	const char *dash = strrchr(s->name, '-');

	if (by_cabinet)
		return moore_strndup(s->cabinet, strlen(s->cabinet));
	return moore_strndup(s->name, dash && dash > s->name ? (size_t)(dash - s->name) :
			     strlen(s->name));
}

/* Sorts the nodes by the name of their block and by where they are plugged in. */
static int
sort_nodes(struct moore_plan_ref *at, char **block, const struct moore_plan *p,
	   const struct moore_plan_wiring *w, struct moore_err *err)
{
	bool by_cabinet = true;

	for (uint32_t i = 0; i < w->n_cas; i++)
		by_cabinet &= p->sw[first_port(p, w, i)->sw].cabinet != NULL;
	for (uint32_t i = 0; i < w->n_cas; i++) {
		const struct moore_plan_endpoint *e = first_port(p, w, i);

		if (!(block[i] = block_of(&p->sw[e->sw], by_cabinet)))
			return moore_fail_nomem(err);
		at[i] = (struct moore_plan_ref){ block[i], moore_plan_plug_key(e->sw, e->port), i, 0 };
	}
	moore_plan_refs_sort(at, w->n_cas);
	return 0;
}

static int
put_blocks(struct moore_buf *out, const struct moore_plan_ref *at, const struct moore_plan_wiring *w,
	   struct moore_err *err)
{
	struct moore_buf blocks = MOORE_BUF_INIT;
	uint32_t least = w->n_cas;
	int rc = 0;

	for (uint32_t from = 0, to; !rc && from < w->n_cas; from = to) {
		rc = check_name("block", at[from].name, err);
		moore_buf_fmt(&blocks, "      - block: \"%s\"\n        nodes: \"", at[from].name);
		for (to = from; !rc && to < w->n_cas && !strcmp(at[to].name, at[from].name); to++) {
			rc = check_name("endpoint", w->ca[at[to].index].name, err);
			moore_buf_fmt(&blocks, "%s%s", to > from ? "," : "", w->ca[at[to].index].name);
		}
		moore_buf_fmt(&blocks, "\"\n");
		least = to - from < least ? to - from : least;
	}
	if (!rc)
		moore_buf_fmt(out, "---\n# By the documentation of Slurm 25.05; untested.\n"
			      "- topology: \"fabric\"\n  cluster_default: true\n  block:\n    block_sizes:\n"
			      "      - %u\n    blocks:\n", least);
	moore_buf_add(out, blocks.data ? blocks.data : "", blocks.len);
	out->oom |= blocks.oom;
	moore_buf_free(&blocks);
	return rc;
}

int
moore_plan_write_slurmyaml(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	const size_t before = out->len;
	struct moore_plan_ref *at = NULL;
	struct moore_plan_wiring w;
	char **block = NULL;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0)
		return rc;
	at = malloc((w.n_cas + 1u) * sizeof(*at));
	block = calloc(w.n_cas + 1u, sizeof(*block));
	if (!at || !block)
		rc = moore_fail_nomem(err);
	else if (!w.n_cas)
		rc = moore_fail(err, MOORE_EPLAN, 0, "no endpoint: Slurm's blocks are made of nodes");
	else if ((rc = sort_nodes(at, block, p, &w, err)) == 0)
		rc = put_blocks(out, at, &w, err);
	for (uint32_t i = 0; block && i < w.n_cas; i++)
		free(block[i]);
	free(block);
	free(at);
	moore_plan_wiring_fini(&w);
	return moore_plan_end(out, before, rc, err);
}
