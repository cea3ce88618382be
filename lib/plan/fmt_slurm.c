// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_slurm.c - reads and writes a plan as Slurm's topology.conf for topology/tree.
 *
 * That file holds a tree: leaf switches with Nodes=, and switches above them with Switches=.
 * The fabrics here are not trees, so the writer puts what a scheduler can use: each switch
 * with endpoints, and one switch "fabric" above all of them, which stands for the cables.
 * Nodes at the same leaf are close; all others are equally far, as in a fabric of diameter
 * two.
 *
 * The reader takes leaves and their nodes, on ports 1, 2, ... in the order given.  It skips
 * "fabric"; other Switches= become cables on the next ports.
 *
 * Lost: all cables, ports, CA ports beyond a node's first, GUIDs, everything about cables and
 * cabinets. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

#define TOP "fabric"
#define LIST_MAX 1000000	/* names that all lists together may expand to */

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
		for (uint32_t i = from; i < to; i++)
			moore_buf_fmt(out, "%s%s", i > from ? "," : "", w->ca[at[i].index].name);
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
	const size_t before = out->len;
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
	return moore_plan_end(out, before, rc, err);
}

/* ---- reading -------------------------------------------------------------------- */

struct reader {
	struct moore_draft d;
	struct moore_text text;
	uint32_t sw;		/* switch of the present line, or MOORE_NONE */
	bool top;		/* the present line is that of TOP */
	uint8_t *used;		/* ports in use at each node of the draft */
	uint32_t used_cap, listed;	/* names that lists have expanded to so far */
};

static int
wrong(struct reader *r, const char *want)
{
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->text.line, "want %s", want);
}

/* Takes the next free port of a node. */
static int
take_port(struct reader *r, uint32_t node, moore_portnum *out)
{
	if (node >= r->used_cap) {
		const uint32_t cap = node < 512 ? 1024 : 2 * node;
		uint8_t *p = realloc(r->used, cap);

		if (!p)
			return moore_fail_nomem(r->d.err);
		memset(p + r->used_cap, 0, cap - r->used_cap);
		r->used = p;
		r->used_cap = cap;
	}
	if (r->used[node] == MOORE_PORT_MAX)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "\"%s\": more than %d nodes and "
				  "switches below it", r->d.node[node].name, MOORE_PORT_MAX);
	*out = ++r->used[node];
	return 0;
}

/* Adds a node or a switch below the switch of the present line. */
static int
add_below(struct reader *r, const char *name, size_t len, bool ca)
{
	struct moore_draft_link k = { .line = r->text.line, .node[0] = r->sw };
	struct moore_draft_node *n;
	int rc;

	if (r->listed++ == LIST_MAX)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "more than %d names in all lists",
				  LIST_MAX);
	if (r->top)
		return 0;
	if ((k.node[1] = moore_draft_node(&r->d, name, len, r->text.line)) == MOORE_NONE)
		return -r->d.err->code;
	n = &r->d.node[k.node[1]];
	if (n->declared && n->ca != ca)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "\"%s\" is a node and a switch: rename "
				  "one", n->name);
	n->declared = true;
	n->ca = ca;
	if ((rc = take_port(r, k.node[0], &k.port[0])) < 0 ||
	    (rc = take_port(r, k.node[1], &k.port[1])) < 0)
		return rc;
	return moore_draft_link(&r->d, &k);
}

/* Adds HEAD, a number padded with zeros to width, TAIL. */
static int
add_numbered(struct reader *r, const char *head, size_t n_head, uint64_t number, size_t width,
	     const char *tail, size_t n_tail, bool ca)
{
	struct moore_buf b = MOORE_BUF_INIT, digits = MOORE_BUF_INIT;
	int rc;

	moore_buf_fmt(&digits, "%llu", (unsigned long long)number);
	moore_buf_add(&b, head, n_head);
	for (size_t i = digits.len; i < width; i++)
		moore_buf_fmt(&b, "0");
	moore_buf_add(&b, digits.data ? digits.data : "", digits.len);
	moore_buf_add(&b, tail, n_tail);
	rc = b.oom || digits.oom ? moore_fail_nomem(r->d.err) : add_below(r, b.data, b.len, ca);
	moore_buf_free(&digits);
	moore_buf_free(&b);
	return rc;
}

/* Adds the names of an item such as n[02-05,7]x; open and close are its brackets. */
static int
add_ranges(struct reader *r, const char *item, const char *open, const char *close, const char *end,
	   bool ca)
{
	const char *s = open + 1;
	int rc = 0;

	while (!rc) {
		const char *from = s;
		uint64_t a, b;
		size_t width;

		if (!moore_text_u64(&s, close, 10, UINT32_MAX, &a))
			return wrong(r, "numbers in brackets, as in n[0-3,7]");
		width = (size_t)(s - from) < MOORE_NAME_MAX ? (size_t)(s - from) : MOORE_NAME_MAX;
		b = a;
		if (s < close && *s == '-') {
			s++;
			if (!moore_text_u64(&s, close, 10, UINT32_MAX, &b) || b < a)
				return wrong(r, "rising ranges in brackets, as in n[0-3,7]");
		}
		for (; !rc && a <= b; a++)
			rc = add_numbered(r, item, (size_t)(open - item), a, width, close + 1,
					  (size_t)(end - close - 1), ca);
		if (s == close)
			break;
		if (*s++ != ',')
			return wrong(r, "a comma between ranges, as in n[0-3,7]");
	}
	return rc;
}

/* Reads a list such as n1,n[02-05,7]x; commas inside brackets do not separate names. */
static int
read_list(struct reader *r, const char *s, const char *end, bool ca)
{
	int rc = 0;

	if (s == end)
		return wrong(r, "names behind the =");
	while (!rc && s < end) {
		const char *stop = s, *open = NULL, *close = NULL;

		for (; stop < end && !(*stop == ',' && !(open && !close)); stop++) {
			if ((*stop == '[' && open) || (*stop == ']' && (!open || close)))
				return wrong(r, "one pair of brackets in a name");
			open = *stop == '[' ? stop : open;
			close = *stop == ']' ? stop : close;
		}
		if (open && !close)
			return wrong(r, "] behind the numbers");
		rc = open ? add_ranges(r, s, open, close, stop, ca) :
		     add_below(r, s, (size_t)(stop - s), ca);
		s = stop + (stop < end);
	}
	return rc;
}

static int
read_switch(struct reader *r, const char *s, const char *end)
{
	struct moore_draft_node *n;

	r->top = (size_t)(end - s) == strlen(TOP) && !memcmp(s, TOP, strlen(TOP));
	if (r->top)
		return 0;
	if ((r->sw = moore_draft_node(&r->d, s, (size_t)(end - s), r->text.line)) == MOORE_NONE)
		return -r->d.err->code;
	n = &r->d.node[r->sw];
	if (n->declared && n->ca)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "\"%s\" is a node on line %u: rename "
				  "one", n->name, n->line);
	n->declared = true;
	return 0;
}

/* Reads KEY=VALUE words up to a comment.  As in Slurm, keys may be in any case. */
static int
read_word(struct reader *r, const char *s, const char *end)
{
	static const struct {
		const char *key;
		char kind;
	} keys[] = { { "switchname=", 'S' }, { "nodes=", 'N' }, { "switches=", 'W' },
		     { "linkspeed=", 0 } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const size_t n = strlen(keys[i].key);
		size_t same = 0;

		while (same < n && s + same < end && (s[same] | (s[same] >= 'A' && s[same] <= 'Z' ? 32 : 0)) ==
		       keys[i].key[same])
			same++;
		if (same < n)
			continue;
		if (keys[i].kind == 'S')
			return read_switch(r, s + n, end);
		if (keys[i].kind && r->sw == MOORE_NONE && !r->top)
			return wrong(r, "SwitchName= before Nodes= and Switches=");
		return keys[i].kind ? read_list(r, s + n, end, keys[i].kind == 'N') : 0;
	}
	return wrong(r, "SwitchName=, Nodes=, Switches= or LinkSpeed=");
}

static int
read_line(struct reader *r, const char *s, size_t len)
{
	const char *end = s + len, *hash = memchr(s, '#', len);
	int rc = 0;

	end = hash ? hash : end;
	r->sw = MOORE_NONE;
	r->top = false;
	while (!rc && s < end) {
		const char *stop = s;

		while (stop < end && *stop != ' ' && *stop != '\t')
			stop++;
		if (stop > s)
			rc = read_word(r, s, stop);
		s = stop + (stop < end);
	}
	return rc;
}

int
moore_plan_parse_slurm(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .d = { .err = err ? err : &own }, .text = { text, text + len, 0 } };
	const char *line;
	size_t n;
	int rc = 0;

	*out = NULL;
	while (!rc && moore_text_line(&r.text, &line, &n))
		rc = read_line(&r, line, n);
	if (!rc)
		rc = moore_draft_finish(&r.d, out);
	free(r.used);
	moore_draft_free(&r.d);
	return rc;
}
