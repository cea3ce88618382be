// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_change.c - `moorectl change`: from one set of dumps to the next, how much
 * changes, how much must, what may go wrong while it goes out, and an order of
 * writes in which it does not. */
#include <stdlib.h>

#include "cli.h"

struct change {
	struct cli_tables was, now;
	struct moore_lft *old_lft, *new_lft;	/* of now's switches, in one stride */
	struct moore_sl2vl *old_sl2vl;
	struct moore_mix *mix;
	struct moore_churn churn;
	uint32_t gone, added;		/* switches */
};

static const char *const order_name[] = {
	[MOORE_ORDER_ANY] = "any", [MOORE_ORDER_SWITCHES] = "switches",
	[MOORE_ORDER_BLOCKS] = "blocks", [MOORE_ORDER_UNKNOWN] = "unknown",
};

static int
judge(struct change *x, struct moore_err *err)
{
	const struct moore_mix_tables was = { x->was.lft, x->was.sl2vl };
	const struct moore_mix_tables now = { x->now.lft, x->now.sl2vl };
	const struct moore_fabric *f = x->now.f;
	size_t stride = was.lft->stride > now.lft->stride ? was.lft->stride : now.lft->stride;
	int rc;

	if ((rc = moore_mix_carry(&x->old_lft, &x->old_sl2vl, f, stride, x->was.f, &was, &now,
				  err)) < 0 ||
	    (rc = moore_mix_carry(&x->new_lft, NULL, f, stride, f, &now, &now, err)) < 0 ||
	    (rc = moore_churn(&x->churn, f, x->old_lft, x->new_lft, err)) < 0)
		return rc;
	return moore_mix_judge(&x->mix, f, &(struct moore_mix_tables){ x->old_lft, x->old_sl2vl },
			       &(struct moore_mix_tables){ x->new_lft, now.sl2vl }, err);
}

/* How many switches of a are not in b. */
static uint32_t
count_missing(const struct moore_fabric *a, const struct moore_fabric *b)
{
	struct moore_err err;
	moore_swid sw;
	moore_epid ep;
	uint32_t n = 0;
	char guid[24];

	for (uint32_t s = 0; s < a->n_switches; s++) {
		snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)a->sw[s].guid);
		n += moore_fabric_find(b, guid, &sw, &ep, &err) < 0;
	}
	return n;
}

/* ---- text ---------------------------------------------------------------------- */

static double
ratio(const struct moore_churn_count *changed, const struct moore_churn_count *least)
{
	return least->blocks ? (double)changed->blocks / (double)least->blocks : 0;
}

static void
put_least(struct moore_buf *b, const char *what, const struct moore_churn *c,
	  const struct moore_churn_count *least)
{
	cli_putf(b, "%s%llu rows in %llu blocks", what, (unsigned long long)least->rows,
		 (unsigned long long)least->blocks);
	if (least->blocks)
		cli_putf(b, " (%.2f times as many blocks change)", ratio(&c->changed, least));
	cli_putf(b, "\n");
}

static void
put_churn(struct moore_buf *b, const struct change *x)
{
	const struct moore_churn *c = &x->churn;

	cli_putf(b, "switches       %u, %u gone, %u new\n", x->now.f->n_switches, x->gone, x->added);
	cli_putf(b, "changed        %llu rows in %llu of %llu blocks\n",
		 (unsigned long long)c->changed.rows, (unsigned long long)c->changed.blocks,
		 (unsigned long long)c->all.blocks);
	put_least(b, "routes lost    ", c, &c->lost);
	put_least(b, "at least       ", c, &c->forced);
	put_least(b, "if shortest    ", c, &c->shortest);
	cli_putf(b, "dead ends      %llu rows led to nothing until replaced, %llu lead to nothing now\n",
		 (unsigned long long)x->mix->dead_old, (unsigned long long)x->mix->dead_new);
}

static void
put_links(struct moore_buf *b, const struct moore_fabric *f, const struct moore_channel *ch,
	  uint32_t n, bool vl)
{
	for (uint32_t i = 0; i < n; i++) {
		cli_putf(b, "  %u. %s[%u] -> ", i + 1, f->sw[ch[i].sw].name, ch[i].port);
		cli_put_peer(b, f, ch[i].sw, ch[i].port);
		if (vl)
			cli_putf(b, " on VL %u", ch[i].vl);
		cli_putf(b, "\n");
	}
}

static void
put_mix(struct moore_buf *b, const struct change *x)
{
	const struct moore_mix *m = x->mix;
	const struct moore_fabric *f = x->now.f;

	if (m->safe)
		cli_putf(b, CLI_GREEN "safe" CLI_PLAIN ": no combination of old and new rows loops or "
			 "can deadlock: %u LIDs, %llu dependencies\n", m->lids,
			 (unsigned long long)m->n_dependencies);
	if (m->loop_lids) {
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": %u of %u LIDs can run in circles while "
			 "some switches have new rows and others old ones, for example LID %u (%s):\n",
			 m->loop_lids, m->lids, m->loop_lid, cli_lid_name(&x->now, m->loop_lid));
		put_links(b, f, m->loop, m->loop_len, false);
	}
	if (!m->acyclic) {
		cli_putf(b, CLI_RED "NOT safe" CLI_PLAIN ": packets routed by a mixture of old and new "
			 "rows on these %u links can wait for one another:\n", m->cycle_len);
		put_links(b, f, m->cycle, m->cycle_len, true);
	}
}

static void
put_order(struct moore_buf *b, const struct change *x)
{
	static const char *const text[] = {
		[MOORE_ORDER_ANY] = "no order of writes makes a loop",
		[MOORE_ORDER_SWITCHES] = "switch by switch in this order no LID ever loops",
		[MOORE_ORDER_BLOCKS] = "no order for all blocks was found, but block by block, each "
			"with its own, no LID ever loops",
		[MOORE_ORDER_UNKNOWN] = "no order of whole blocks without loops was found",
	};
	const struct moore_mix *m = x->mix;

	if (m->safe)
		return;
	cli_putf(b, "order          %s%s\n", text[m->order], m->order == MOORE_ORDER_UNKNOWN ? "" :
		 m->order_acyclic ? ", nor can packets deadlock" : ", but packets could deadlock");
	if (m->order == MOORE_ORDER_SWITCHES) {
		cli_putf(b, "              ");
		for (uint32_t i = 0; i < m->n_steps; i++)
			if (!i || m->step[i].sw != m->step[i - 1].sw)
				cli_putf(b, " %s", x->now.f->sw[m->step[i].sw].name);
		cli_putf(b, "\n");
	}
	if (m->opensm_loop_lids)
		cli_putf(b, "OpenSM's order lets %u LIDs loop for a time (by block, then by switch GUID)\n",
			 m->opensm_loop_lids);
	else if (m->loop_lids)
		cli_putf(b, "OpenSM's order makes no loop, if every write is answered before the next\n");
}

/* ---- JSON ----------------------------------------------------------------------- */

static json_t *
json_count(const struct moore_churn_count *n)
{
	return json_pack("{s:I, s:I}", "rows", (json_int_t)n->rows, "blocks", (json_int_t)n->blocks);
}

static json_t *
json_links(const struct moore_fabric *f, const struct moore_channel *ch, uint32_t n, bool vl)
{
	json_t *list = json_array(), *o;

	for (uint32_t i = 0; i < n; i++) {
		o = json_pack("{s:o, s:o, s:i, s:o}", "switch", cli_json_name(f->sw[ch[i].sw].name),
			      "guid", cli_json_guid(f->sw[ch[i].sw].guid), "port", ch[i].port,
			      "peer", cli_json_peer(f, ch[i].sw, ch[i].port));
		if (vl && o)
			json_object_set_new(o, "vl", json_integer(ch[i].vl));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
json_steps(const struct change *x)
{
	const struct moore_mix *m = x->mix;
	json_t *list = json_array();

	for (uint32_t i = 0; i < m->n_steps; i++)
		json_array_append_new(list, json_pack("{s:o, s:i}", "switch",
			cli_json_name(x->now.f->sw[m->step[i].sw].name),
			"block", (int)m->step[i].block));
	return list;
}

static json_t *
json_change(const struct change *x)
{
	const struct moore_churn *c = &x->churn;
	const struct moore_mix *m = x->mix;
	json_t *j, *churn, *order;

	churn = json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "all", json_count(&c->all),
			  "changed", json_count(&c->changed), "lost", json_count(&c->lost),
			  "forced", json_count(&c->forced), "shortest", json_count(&c->shortest),
			  "over_forced", ratio(&c->changed, &c->forced),
			  "over_shortest", ratio(&c->changed, &c->shortest));
	order = json_pack("{s:s, s:b, s:i, s:i, s:i, s:o}", "kind", order_name[m->order],
			  "acyclic", m->order_acyclic, "blocks_with_loops", (int)m->bad_blocks,
			  "blocks_ordered", (int)m->ordered_blocks,
			  "opensm_loop_lids", (int)m->opensm_loop_lids, "steps", json_steps(x));
	j = json_pack("{s:b, s:i, s:i, s:i, s:o, s:i, s:i, s:i, s:b, s:I, s:I, s:o}",
		      "safe", m->safe, "switches", (int)x->now.f->n_switches,
		      "gone", (int)x->gone, "new", (int)x->added, "churn", churn,
		      "lids", (int)m->lids, "lids_changed", (int)m->lids_changed,
		      "loop_lids", (int)m->loop_lids, "acyclic", m->acyclic,
		      "dead_old", (json_int_t)m->dead_old, "dead_new", (json_int_t)m->dead_new,
		      "order", order);
	if (j && m->loop_lids)
		json_object_set_new(j, "loop", json_pack("{s:i, s:o}", "lid", m->loop_lid, "links",
			json_links(x->now.f, m->loop, m->loop_len, false)));
	if (j && !m->acyclic)
		json_object_set_new(j, "cycle", json_links(x->now.f, m->cycle, m->cycle_len, true));
	return j;
}

/* ---- the verb --------------------------------------------------------------------- */

static int
answer(const struct cli_call *c, const struct change *x)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json(json_change(x));
	put_churn(&b, x);
	put_mix(&b, x);
	put_order(&b, x);
	return cli_print_text(&b);
}

int
cmd_change(const struct cli_call *c)
{
	struct change x = { .mix = NULL };
	struct moore_err err;
	int rc;

	cli_busy("comparing");
	if ((rc = cli_load_tables(c->arg[0], &x.was)) != CLI_OK ||
	    (rc = cli_load_tables(c->arg[1], &x.now)) != CLI_OK)
		goto out;
	x.gone = count_missing(x.was.f, x.now.f);
	x.added = count_missing(x.now.f, x.was.f);
	if (judge(&x, &err) < 0)
		rc = cli_error_at(c->arg[1], &err);
	else
		rc = answer(c, &x);
	if (rc == CLI_OK && !x.mix->safe)
		rc = CLI_FOUND;
out:
	moore_mix_free(x.mix);
	moore_lft_free(x.old_lft);
	moore_lft_free(x.new_lft);
	moore_sl2vl_free(x.old_sl2vl);
	cli_tables_free(&x.was);
	cli_tables_free(&x.now);
	return rc;
}
