// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* table_steps.c - the steps from the tables of a directory to new ones, off line.
 *
 * The old tables are brought into the shape of the new fabric by GUID.  Rows are by LID, so
 * a LID must have the same owner on both sides; otherwise the steps would mix rows of
 * different destinations.  Switches and endpoints may be missing on either side. */
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "threads.h"

/* ---- the same LIDs on both sides --------------------------------------------------------- */

struct node {
	uint64_t guid;
	const char *name;
	moore_lid lid;
	uint8_t lmc;
	uint32_t i;		/* moore_swid or moore_epid */
};

static struct node
node_at(const struct moore_fabric *f, bool switches, uint32_t i)
{
	if (switches)
		return (struct node){ f->sw[i].guid, f->sw[i].name, f->sw[i].lid, f->sw[i].lmc, i };
	return (struct node){ f->ep[i].guid, f->ep[i].name, f->ep[i].lid, f->ep[i].lmc, i };
}

static int
cmp_node(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Lists the switches or the endpoints of f by GUID; NULL when out of memory. */
static struct node *
list_nodes(const struct moore_fabric *f, bool switches, uint32_t *n)
{
	struct node *list;

	*n = switches ? f->n_switches : f->n_endpoints;
	if (!(list = calloc((size_t)*n + 1, sizeof(*list))))
		return NULL;
	for (uint32_t i = 0; i < *n; i++)
		list[i] = node_at(f, switches, i);
	qsort(list, *n, sizeof(*list), cmp_node);
	return list;
}

/* The old number of each new switch or endpoint, or MOORE_NONE; NULL, with a message, when
 * out of memory. */
static uint32_t *
match(const struct moore_fabric *was, const struct moore_fabric *now, bool switches)
{
	uint32_t n_old, n_new, k = 0, *old_of;
	struct node *old = list_nodes(was, switches, &n_old), *new = list_nodes(now, switches, &n_new);

	old_of = calloc((size_t)n_new + 1, sizeof(*old_of));
	for (uint32_t i = 0; old && new && old_of && i < n_new; i++) {
		while (k < n_old && old[k].guid < new[i].guid)
			k++;
		old_of[new[i].i] = k < n_old && old[k].guid == new[i].guid ? old[k].i : MOORE_NONE;
	}
	if (!old || !new) {
		free(old_of);
		old_of = NULL;
	}
	free(old);
	free(new);
	if (!old_of)
		cli_error("out of memory");
	return old_of;
}

uint32_t *
cli_old_switches(const struct moore_fabric *was, const struct moore_fabric *now)
{
	return match(was, now, true);
}

static void
put_lids(struct moore_buf *b, const struct node *n)
{
	cli_putf(b, n->lmc ? "LIDs %u to %u" : "LID %u", n->lid, n->lid + (1u << n->lmc) - 1);
}

#define WHAT_TO_DO "rows of both must not meet: compute the new tables from the plan, and with the " \
	"--lmc, of the tables in force"

/* Refuses a GUID whose LIDs differ. */
static int
refuse_lids(const char *dir, const struct node *was, const struct node *now)
{
	struct moore_buf a = MOORE_BUF_INIT, b = MOORE_BUF_INIT;
	int rc;

	put_lids(&a, was);
	put_lids(&b, now);
	rc = cli_error("%s: GUID 0x%016llx (%s) has %s there and %s in the new tables: " WHAT_TO_DO, dir,
		       (unsigned long long)was->guid, was->name ? was->name : "",
		       a.len ? a.data : "", b.len ? b.data : "");
	moore_buf_free(&a);
	moore_buf_free(&b);
	return rc;
}

static int
compare_lids(const char *dir, const struct moore_fabric *was, const struct moore_fabric *now,
	     bool switches)
{
	uint32_t n = switches ? now->n_switches : now->n_endpoints;
	uint32_t *old_of = match(was, now, switches);
	int rc = old_of ? CLI_OK : CLI_FAIL;

	for (uint32_t i = 0; i < n && rc == CLI_OK; i++) {
		struct node old, new = node_at(now, switches, i);

		if (old_of[i] == MOORE_NONE)
			continue;
		old = node_at(was, switches, old_of[i]);
		if (old.lid && new.lid && (old.lid != new.lid || old.lmc != new.lmc))
			rc = refuse_lids(dir, &old, &new);
	}
	free(old_of);
	return rc;
}

static uint64_t
owner_guid(const struct moore_fabric *f, const struct moore_lid_owner *own)
{
	return own->sw == MOORE_NONE ? 0 : own->ep == MOORE_NONE ? f->sw[own->sw].guid :
	       f->ep[own->ep].guid;
}

/* Refuses a LID that has passed from one node to another. */
static int
compare_owners(const char *dir, const struct moore_fabric *was, const struct moore_fabric *now)
{
	struct moore_lid_owner *old = NULL, *new = NULL;
	unsigned top = was->lid_top < now->lid_top ? was->lid_top : now->lid_top;
	struct moore_err err;
	int rc = CLI_OK;

	if (moore_fabric_lids(was, &old, &err) < 0 || moore_fabric_lids(now, &new, &err) < 0)
		rc = cli_error("%s", err.text);
	for (unsigned lid = 1; lid <= top && rc == CLI_OK; lid++) {
		uint64_t a = owner_guid(was, &old[lid]), b = owner_guid(now, &new[lid]);

		if (a && b && a != b)
			rc = cli_error("%s: LID %u is that of GUID 0x%016llx there and of GUID 0x%016llx in "
				       "the new tables: " WHAT_TO_DO, dir, lid, (unsigned long long)a,
				       (unsigned long long)b);
	}
	free(old);
	free(new);
	return rc;
}

/* Refuses tables of which a switch has no row: a routed switch has one for its own LID at least,
 * so its section is missing, and what it holds is not known. */
static int
refuse_gaps(const char *where, const struct cli_tables *t)
{
	for (moore_swid s = 0; s < t->f->n_switches; s++) {
		const uint8_t *row = moore_lft_row(t->lft, s);
		size_t lid = 0;

		while (lid < t->lft->stride && row[lid] == MOORE_NO_PATH)
			lid++;
		if (lid == t->lft->stride && t->f->sw[s].lid)
			return cli_error("%s: opensm-lfts.dump has no row of switch 0x%016llx (%s), so what "
					 "it holds is not known: copy the file whole", where,
					 (unsigned long long)t->f->sw[s].guid,
					 t->f->sw[s].name ? t->f->sw[s].name : "");
	}
	return CLI_OK;
}

/* ---- old tables in the shape of the new fabric ---------------------------------------- */

void
cli_fewer_lanes(struct moore_fabric *now, const struct moore_fabric *was, const uint32_t *old_of)
{
	for (moore_swid s = 0; s < now->n_switches; s++) {
		moore_swid o = old_of[s];

		for (unsigned p = 1; o != MOORE_NONE && p <= now->sw[s].n_ports &&
		     p <= was->sw[o].n_ports; p++) {
			const struct moore_port *old = moore_fabric_port(was, o, (moore_portnum)p);
			struct moore_port *port = &now->port[now->sw[s].port0 + p];

			if (old->role && port->role && old->lanes < port->lanes)
				port->lanes = old->lanes;
		}
	}
}

/* The SLs that sources use before or after. */
static int
join_sls(struct moore_sl_set **out, const struct moore_fabric *f, const struct moore_sl_set *was,
	 const struct moore_sl_set *now, const uint32_t *old_of, struct moore_err *err)
{
	size_t stride = was->stride > now->stride ? was->stride : now->stride;
	int rc = moore_sl_set_new(out, f->n_switches, (moore_lid)(stride - 1), err);

	for (moore_swid s = 0; rc == 0 && s < f->n_switches; s++) {
		uint16_t *to = moore_sl_set_row(*out, s);

		memcpy(to, moore_sl_set_row(now, s), now->stride * sizeof(*to));
		for (size_t lid = 0; old_of[s] != MOORE_NONE && lid < was->stride; lid++)
			to[lid] |= moore_sl_set_row(was, old_of[s])[lid];
	}
	return rc;
}

static int
carry_trees(struct moore_mft **out, const struct moore_fabric *f, const struct moore_mft *was,
	    const uint32_t *old_of, struct moore_err *err)
{
	int rc = moore_mft_new(out, f->n_switches, err);

	for (uint32_t g = 0; rc == 0 && g < was->n_groups; g++) {
		int64_t to = moore_mft_group(*out, was->mlid[g]);

		if (to < 0)
			return moore_fail_nomem(err);
		for (moore_swid s = 0; s < f->n_switches; s++)
			if (old_of[s] != MOORE_NONE)
				memcpy((*out)->mask[(size_t)to * f->n_switches + s],
				       was->mask[(size_t)g * was->n_switches + old_of[s]],
				       sizeof(*was->mask));
	}
	return rc;
}

static int
carry(struct cli_table_steps *x, const struct cli_tables *was, const struct cli_tables *now,
      struct moore_err *err)
{
	const struct moore_mix_tables a = { was->lft, was->sl2vl }, b = { now->lft, now->sl2vl };
	size_t stride = a.lft->stride > b.lft->stride ? a.lft->stride : b.lft->stride;
	int rc;

	if ((rc = moore_fabric_copy(&x->f, now->f, err)) < 0)
		return rc;
	cli_fewer_lanes(x->f, was->f, x->old_of);
	if ((rc = moore_mix_carry(&x->was, &x->old_sl2vl, x->f, stride, was->f, &a, &b, err)) < 0 ||
	    (rc = moore_mix_carry(&x->now, NULL, x->f, stride, now->f, &b, &b, err)) < 0)
		return rc;
	if (was->sl_set && now->sl_set &&
	    (rc = join_sls(&x->sl_set, x->f, was->sl_set, now->sl_set, x->old_of, err)) < 0)
		return rc;
	return was->mft ? carry_trees(&x->trees, x->f, was->mft, x->old_of, err) : 0;
}

/* ---- the steps ------------------------------------------------------------------------ */

static int
find(struct cli_table_steps *x, const struct cli_tables *was, const struct cli_tables *now,
     struct moore_err *err)
{
	const struct moore_mft *trees[2];
	const struct moore_jobs jobs = threads_lend(0);
	struct moore_motion_opts opts = { .sl2vl = now->sl2vl, .mft = trees, .jobs = &jobs };
	int rc;

	if ((rc = carry(x, was, now, err)) < 0)
		return rc;
	opts.other = x->old_sl2vl;
	opts.sl_set = x->sl_set;
	if (x->trees)
		trees[opts.n_mft++] = x->trees;
	if (now->mft)
		trees[opts.n_mft++] = now->mft;
	return moore_engine_steps(&x->steps, x->f, &(struct moore_held){ .lft = x->was }, x->now, &opts,
				  err);
}

int
cli_try_table_steps(struct cli_table_steps *x, const char *dir, const struct cli_tables *was,
		    const struct cli_tables *now, struct moore_err *err)
{
	int rc;

	*x = (struct cli_table_steps){ .f = NULL };
	if (was->sl_set && was->sl_set->n_unlisted)
		return cli_error("%s: moore-path-sl.dump has no line for %llu pair%s, so the SLs that "
				 "packets have are not known: copy it whole", dir,
				 (unsigned long long)was->sl_set->n_unlisted,
				 MOORE_S(was->sl_set->n_unlisted));
	if ((rc = refuse_gaps(dir, was)) != CLI_OK ||
	    (rc = refuse_gaps("the new tables", now)) != CLI_OK ||
	    (rc = compare_lids(dir, was->f, now->f, true)) != CLI_OK ||
	    (rc = compare_lids(dir, was->f, now->f, false)) != CLI_OK ||
	    (rc = compare_owners(dir, was->f, now->f)) != CLI_OK)
		return rc;
	if (!(x->old_of = cli_old_switches(was->f, now->f)))
		return CLI_FAIL;
	cli_busy("finding steps");
	rc = find(x, was, now, err);
	if (rc == -MOORE_EUNSAFE)
		return CLI_FOUND;
	return rc < 0 ? cli_error_at(dir, err) : CLI_OK;
}

int
cli_table_steps(struct cli_table_steps *x, const char *dir, const struct cli_tables *was,
		const struct cli_tables *now)
{
	struct moore_err err;
	int rc = cli_try_table_steps(x, dir, was, now, &err);

	return rc == CLI_FOUND ? cli_error_at(dir, &err) : rc;
}

void
cli_table_steps_free(struct cli_table_steps *x)
{
	moore_engine_steps_free(x->steps);
	moore_lft_free(x->was);
	moore_lft_free(x->now);
	moore_sl2vl_free(x->old_sl2vl);
	moore_sl_set_free(x->sl_set);
	moore_mft_free(x->trees);
	moore_fabric_free(x->f);
	free(x->old_of);
	*x = (struct cli_table_steps){ .f = NULL };
}

/* ---- in words --------------------------------------------------------------------------- */

static void
put_rows(struct moore_buf *b, const json_t *step, enum cli_step_words words)
{
	const long long n = cli_int(step, "rows"), blocks = cli_int(step, "blocks");

	if (words == CLI_STEPS_OF_PREFIXES)
		cli_putf(b, "%lld route%s, %lld of them to nowhere", n, MOORE_S(n), cli_int(step, "no_path"));
	else
		cli_putf(b, "%lld row%s in %lld block%s, %lld of them to no-path", n, MOORE_S(n), blocks,
			 MOORE_S(blocks), cli_int(step, "no_path"));
}

void
cli_put_table_steps(struct moore_buf *b, const json_t *steps, enum cli_step_words words)
{
	const json_t *list = json_object_get(steps, "list"), *s;
	bool waits = false;
	size_t i;

	cli_putf(b, "steps          %zu; at first %lld pairs (%s) are dead that the new tables "
		 "connect\n", json_array_size(list), cli_int(steps, "dead"),
		 words == CLI_STEPS_OF_PREFIXES ? "switch, prefix" : "switch with endpoints, LID");
	json_array_foreach(list, i, s) {
		waits |= cli_yes(s, "wait");
		cli_putf(b, "  %zu. %s", i + 1,
			 cli_yes(s, "wait") ? "after packets of earlier steps have left, " : "");
		put_rows(b, s, words);
		cli_putf(b, ": %lld dead pair%s back, %lld live pair%s interrupted, %s\n",
			 cli_int(s, "back"), cli_int(s, "back") == 1 ? " is" : "s are",
			 cli_int(s, "interrupted"), MOORE_S(cli_int(s, "interrupted")),
			 cli_yes(s, "safe") ? CLI_GREEN "safe" CLI_PLAIN :
			 CLI_RED "NOT safe" CLI_PLAIN);
	}
	if (!cli_yes(steps, "start_safe"))
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": the old tables can loop or deadlock already\n");
	if (*cli_str(steps, "why"))
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": %s\n", cli_str(steps, "why"));
	else if (waits)
		cli_putf(b, CLI_GREEN "safe" CLI_PLAIN ": no mixture of a step with the one before loops or "
			 "can deadlock, nor does any of all steps since a wait\n");
	else
		cli_putf(b, CLI_GREEN "safe" CLI_PLAIN ": no mixture of all steps loops or can deadlock, so "
			 "none has to wait for packets of earlier ones\n");
}
