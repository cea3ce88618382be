// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_slurm.c - a plan from and as Slurm's topology.conf for topology/tree.
 *
 * That file holds a tree: leaf switches with Nodes=, and switches above them with
 * Switches=.  The fabrics here are no trees, so what is written is what a scheduler
 * can use: each switch with endpoints, and one switch "fabric" above all of them,
 * which stands for the wiring.  Nodes that share a leaf are close; all others are
 * equally far, as they are in a fabric of diameter two.
 * Read back are the leaves and their nodes, on ports 1, 2, .. in the order given;
 * "fabric" and what is above nothing else is left out, and other Switches= are
 * cables on the next ports.
 * Not held: all cables, ports, CA ports beyond a node's first, GUIDs, everything
 * about cables and cabinets. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

#define TOP "fabric"
#define LIST_MAX 100000		/* names that one list may stand for */

/* ---- writing ----------------------------------------------------------------- */

static int
check_name(const char *list, uint32_t i, const char *name, struct moore_err *err)
{
	if (name[strcspn(name, " ,=[]#")] || !strcmp(name, TOP))
		return moore_fail(err, MOORE_EPLAN, 0, "%s[%u].name: \"%s\": Slurm's names hold no blank, "
				  "comma, bracket, = or #, and " TOP " is the switch above all: rename it",
				  list, i, name);
	return 0;
}

/* The CAs whose first port is at switch s, in *mark order; returns how many. */
static uint32_t
put_nodes(struct moore_buf *b, const struct moore_plan *p, const struct moore_plan_wiring *w,
	  const struct moore_plan_ref *at, uint32_t from, uint32_t to)
{
	(void)p;
	for (uint32_t i = from; i < to; i++)
		moore_buf_fmt(b, "%s%s", i > from ? "," : "", w->ca[at[i].index].name);
	return to - from;
}

static int
put_leaves(struct moore_buf *out, const struct moore_plan *p, const struct moore_plan_wiring *w,
	   struct moore_plan_ref *at, struct moore_err *err)
{
	struct moore_buf top = MOORE_BUF_INIT;
	int rc = 0;

	for (uint32_t i = 0; i < w->n_cas; i++)
		at[i] = (struct moore_plan_ref){ "", moore_plan_plug_key(p->ep[w->ep[w->ca[i].start]].sw,
						 p->ep[w->ep[w->ca[i].start]].port), i, 0 };
	moore_plan_refs_sort(at, w->n_cas);
	for (uint32_t from = 0, to; !rc && from < w->n_cas; from = to) {
		const uint32_t s = (uint32_t)(at[from].key >> 8);

		for (to = from; !rc && to < w->n_cas && at[to].key >> 8 == s; to++)
			rc = check_name("endpoints", w->ca[at[to].index].first,
					w->ca[at[to].index].name, err);
		if (rc < 0 || (rc = check_name("switches", s, p->sw[s].name, err)) < 0)
			break;
		moore_buf_fmt(out, "SwitchName=%s Nodes=", p->sw[s].name);
		put_nodes(out, p, w, at, from, to);
		moore_buf_fmt(out, "\n");
		moore_buf_fmt(&top, "%s%s", from ? "," : "", p->sw[s].name);
	}
	if (!rc && top.len)
		moore_buf_fmt(out, "SwitchName=" TOP " Switches=%s\n", top.data);
	out->oom |= top.oom;
	moore_buf_free(&top);
	return rc;
}

int
moore_plan_write_slurm(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	struct moore_plan_ref *at = NULL;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0)
		return rc;
	moore_buf_fmt(out, "# Leaf switches and their nodes; \"" TOP "\" stands for the cables between\n"
		      "# all switches, which are no tree.\n");
	if (!(at = malloc((w.n_cas + 1u) * sizeof(*at))))
		rc = moore_fail_nomem(err);
	else
		rc = put_leaves(out, p, &w, at, err);
	free(at);
	moore_plan_wiring_fini(&w);
	return rc < 0 ? rc : moore_plan_written(out, err);
}

/* ---- reading -------------------------------------------------------------------- */

struct reader {
	struct moore_draft d;
	struct moore_text text;
	uint8_t *used;		/* ports of each node, by node */
	uint32_t n_used;
	uint32_t listed;	/* names that lists have stood for */
};

struct list {			/* the names of one value, one after the other */
	const char *s, *end;
	uint64_t at, to;	/* inside brackets; at > to outside */
	const char *head, *tail, *close;	/* of the bracket that is open */
	size_t width;
};

static int
wrong(struct reader *r, const char *want)
{
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->text.line, "want %s", want);
}

/* n1,n[02-05,7]x : the next name into b; 1, 0 at the end, or -MOORE_E* */
static int
next_name(struct reader *r, struct list *l, struct moore_buf *b)
{
	const char *stop;

	b->len = 0;
	if (l->at > l->to && l->tail && l->s < l->close) {	/* the next range */
		const char *from = l->s;

		if (!moore_text_u64(&l->s, l->close, 10, UINT32_MAX, &l->at))
			return wrong(r, "numbers in brackets, as in n[0-3,7]");
		l->width = (size_t)(l->s - from);
		l->to = l->at;
		if (l->s < l->close && *l->s == '-' &&
		    (l->s++, !moore_text_u64(&l->s, l->close, 10, UINT32_MAX, &l->to)))
			return wrong(r, "numbers in brackets, as in n[0-3,7]");
		if (l->to < l->at || (l->s < l->close && *l->s++ != ','))
			return wrong(r, "rising ranges in brackets, as in n[0-3,7]");
	}
	if (r->listed++ == 10 * LIST_MAX)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "more than %d nodes in all",
				  10 * LIST_MAX);
	if (l->tail && l->at <= l->to) {
		struct moore_buf number = MOORE_BUF_INIT;

		moore_buf_fmt(&number, "%llu", (unsigned long long)l->at++);
		moore_buf_add(b, l->head, (size_t)(l->close - l->head) ? strcspn(l->head, "[") : 0);
		for (size_t n = number.len; n < l->width; n++)
			moore_buf_fmt(b, "0");
		moore_buf_add(b, number.data ? number.data : "", number.len);
		b->oom |= number.oom;
		moore_buf_free(&number);
		stop = memchr(l->tail, ',', (size_t)(l->end - l->tail));
		stop = stop ? stop : l->end;
		moore_buf_add(b, l->tail, (size_t)(stop - l->tail));
		if (l->at > l->to && l->s >= l->close) {	/* the bracket is done */
			l->s = stop + (stop < l->end);
			l->tail = NULL;
		}
		return b->oom ? moore_fail_nomem(r->d.err) : 1;
	}
	if (l->s >= l->end)
		return 0;
	stop = l->s;
	while (stop < l->end && *stop != ',' && *stop != '[')
		stop++;
	if (stop < l->end && *stop == '[') {
		l->head = l->s;
		if (!(l->close = memchr(stop, ']', (size_t)(l->end - stop))) || l->close == stop + 1)
			return wrong(r, "] behind the numbers");
		l->tail = l->close + 1;
		l->s = stop + 1;
		l->at = 1;
		l->to = 0;
		return next_name(r, l, b);
	}
	moore_buf_add(b, l->s, (size_t)(stop - l->s));
	l->s = stop + (stop < l->end);
	return b->oom ? moore_fail_nomem(r->d.err) : 1;
}
