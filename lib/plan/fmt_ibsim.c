// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ibsim.c - reads and writes a plan as the fabric description that ibsim loads.
 *
 * A record is a header, one line for each used port, and a blank line.  A line "switchguid="
 * or "caguid=" gives the GUID of the next record.  A port line ends in the peer's LID and the
 * link's rate, as ibnetdiscover prints it: the writer puts LID 0 and 4xSDR, ibsim's defaults,
 * since ibsim warns of each line without them.
 *
 * The reader follows ibsim 0.10 (sim_net.c): GUIDs count on from the one given, a link may be
 * listed at one end only, and unknown lines are skipped.  The text after # in a header is the
 * node's description; it becomes the name here if no other node has it.  What needs a file or
 * a module (include, module, @ aliases) is refused.
 *
 * Lost: rates, lengths, labels, cabinets, the family. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

/* ---- writing ----------------------------------------------------------------- */

#define TAIL "\t# lid 0 4xSDR\n"

static int
check_name(const char *list, uint32_t i, const char *name, struct moore_err *err)
{
	if (name[strcspn(name, "#@")])
		return moore_fail(err, MOORE_EPLAN, 0, "%s[%u].name: \"%s\" holds # or @, which ibsim "
				  "reserves: rename it", list, i, name);
	return 0;
}

/* Refuses port GUIDs that are not the node's GUID + port number: ibsim has no others. */
static int
check_ibsim(const struct moore_plan_wiring *w, const struct moore_plan *p, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->n_switches; i++)
		rc = check_name("switches", i, p->sw[i].name, err);
	for (uint32_t i = 0; !rc && i < w->n_cas; i++) {
		const struct moore_plan_ca *ca = &w->ca[i];

		rc = check_name("endpoints", ca->first, ca->name, err);
		for (uint32_t j = ca->start; !rc && j < ca->start + ca->n; j++) {
			uint32_t e = w->ep[j];

			if (w->ep_guid[e] != ca->guid + p->ep[e].ca_port)
				rc = moore_fail(err, MOORE_EPLAN, 0, "endpoints[%u].guid: 0x%llx: ibsim "
						"numbers the ports of a CA in a row, so port %u of "
						"\"%s\" would be 0x%llx: change it or leave it out", e,
						(unsigned long long)w->ep_guid[e], p->ep[e].ca_port,
						ca->name,
						(unsigned long long)(ca->guid + p->ep[e].ca_port));
		}
	}
	return rc;
}

/* Writes the ibsim command line that has room for the plan, since ibsim's limits are fixed at
 * its start. */
static void
put_head(struct moore_buf *b, const struct moore_plan_wiring *w, const struct moore_plan *p)
{
	size_t ports = 0;

	for (uint32_t i = 0; i < p->n_switches; i++)
		ports += p->sw[i].ports + 1u;
	for (uint32_t i = 0; i < w->n_cas; i++)
		ports += w->ca[i].ports;
	moore_buf_fmt(b, "# ibsim -s -N %u -S %u -P %zu FILE\n", p->n_switches + w->n_cas,
		      p->n_switches, ports);
}

static void
put_peer(struct moore_buf *b, const struct moore_plan *p, const struct moore_plan_ref *plug)
{
	const struct moore_plan_cable *c = &p->cable[plug->index];
	int far = plug->kind == MOORE_PLAN_CABLE_A;

	moore_buf_fmt(b, "[%u]\t", (unsigned)(plug->key & 0xff));
	if (plug->kind == MOORE_PLAN_ENDPOINT)
		moore_buf_fmt(b, "\"%s\"[%u]" TAIL, p->ep[plug->index].name,
			      p->ep[plug->index].ca_port);
	else
		moore_buf_fmt(b, "\"%s\"[%u]" TAIL, p->sw[c->sw[far]].name, c->port[far]);
}

int
moore_plan_write_ibsim(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	size_t at = 0;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0 || (rc = check_ibsim(&w, p, err)) < 0)
		goto out;
	put_head(out, &w, p);
	for (uint32_t i = 0; i < p->n_switches; i++) {
		moore_buf_fmt(out, "\nswitchguid=0x%llx\nSwitch\t%u \"%s\"\n",
			      (unsigned long long)w.sw_guid[i], p->sw[i].ports, p->sw[i].name);
		for (; at < w.n_plugs && w.plug[at].key >> 8 == i; at++)
			put_peer(out, p, &w.plug[at]);
	}
	for (uint32_t i = 0; i < w.n_cas; i++) {
		const struct moore_plan_ca *ca = &w.ca[i];

		moore_buf_fmt(out, "\ncaguid=0x%llx\nHca\t%u \"%s\"\n", (unsigned long long)ca->guid,
			      ca->ports, ca->name);
		for (uint32_t j = ca->start; j < ca->start + ca->n; j++) {
			const struct moore_plan_endpoint *e = &p->ep[w.ep[j]];

			moore_buf_fmt(out, "[%u]\t\"%s\"[%u]" TAIL, e->ca_port, p->sw[e->sw].name,
				      e->port);
		}
	}
	rc = moore_plan_written(out, err);
out:
	moore_plan_wiring_fini(&w);
	return rc;
}

/* ---- reading -------------------------------------------------------------------- */

enum { SWITCH, CA, ROUTER, N_TYPES };

struct reader {
	struct moore_draft d;
	struct moore_text text;
	const char *s, *end;	/* the rest of the line */
	uint64_t next[N_TYPES], base[N_TYPES];	/* GUIDs */
	bool known[N_TYPES];	/* a line gave the GUID */
	uint32_t node;		/* node of the present record, or MOORE_NONE */
};

static bool
take(struct reader *r, const char *word)
{
	const size_t n = strlen(word);

	if ((size_t)(r->end - r->s) < n || memcmp(r->s, word, n))
		return false;
	r->s += n;
	return true;
}

static void
skip_blanks(struct reader *r)
{
	while (r->s < r->end && (*r->s == ' ' || *r->s == '\t'))
		r->s++;
}

/* Takes an id in quotes and returns its first character, or NULL. */
static const char *
take_id(struct reader *r, size_t *len)
{
	const char *from, *to;

	skip_blanks(r);
	if (!take(r, "\""))
		return NULL;
	from = r->s;
	if (!(to = memchr(from, '"', (size_t)(r->end - from))))
		return NULL;
	*len = (size_t)(to - from);
	r->s = to + 1;
	return from;
}

static int
wrong(const struct reader *r, const char *want)
{
	return moore_fail(r->d.err, MOORE_ESYNTAX, r->text.line, "want %s", want);
}

/* Reads switchguid=0x20, or switchguid+5, which counts from the last such line. */
static int
read_guid(struct reader *r, int type)
{
	uint64_t v;
	bool more;

	skip_blanks(r);
	more = take(r, "+");
	if ((!more && !take(r, "=")) || !moore_text_u64(&r->s, r->end, 0, UINT64_MAX, &v))
		return wrong(r, "a GUID, as in switchguid=0x200000");
	r->base[type] = more ? r->base[type] : v;
	r->next[type] = more ? r->base[type] + v : v;
	r->known[type] = true;
	return 0;
}

/* Reads the # "description" that may follow a header. */
static int
read_description(struct reader *r, struct moore_draft_node *n)
{
	const char *hash = memchr(r->s, '#', (size_t)(r->end - r->s)), *desc;
	size_t len;

	if (!hash)
		return 0;
	r->s = hash + 1;
	if (!(desc = take_id(r, &len)) || !len || len > MOORE_NAME_MAX || memchr(desc, '\\', len))
		return 0;
	return (n->shown = moore_strndup(desc, len)) ? 0 : moore_fail_nomem(r->d.err);
}

static int
read_header(struct reader *r, int type)
{
	struct moore_draft_node *n;
	const char *id;
	uint64_t ports;
	size_t len;

	skip_blanks(r);
	if (!moore_text_u64(&r->s, r->end, 10, MOORE_PORT_MAX, &ports) || !ports)
		return wrong(r, "a number of ports, 1..254");
	if (!(id = take_id(r, &len)))
		return wrong(r, "the node's id in quotes");
	if ((r->node = moore_draft_node(&r->d, id, len, r->text.line)) == MOORE_NONE)
		return -r->d.err->code;
	n = &r->d.node[r->node];
	if (n->declared)
		return moore_fail(r->d.err, MOORE_EPLAN, r->text.line, "\"%s\" has a record on line %u "
				  "already", n->name, n->line);
	n->declared = true;
	n->line = r->text.line;
	n->ca = type != SWITCH;
	n->ports = (moore_portnum)ports;
	n->guid = r->known[type] ? r->next[type] : 0;
	r->next[type] += type == SWITCH ? 1 : ports + 1;
	return read_description(r, n);
}

static int
read_port(struct reader *r)
{
	struct moore_draft_link k = { .line = r->text.line, .node[0] = r->node };
	uint64_t port = 1;
	const char *id;
	size_t len;

	if (r->node == MOORE_NONE)
		return wrong(r, "a header such as Switch 8 \"name\" before the ports");
	if (!moore_text_u64(&r->s, r->end, 10, MOORE_PORT_MAX, &port) || !port || !take(r, "]"))
		return wrong(r, "a port in brackets, 1..254");
	k.port[0] = (moore_portnum)port;
	if (!(id = take_id(r, &len)))
		return wrong(r, "the peer's id in quotes");
	if (memchr(id, '@', len))
		return wrong(r, "no alias (@): name the node itself");
	if ((k.node[1] = moore_draft_node(&r->d, id, len, r->text.line)) == MOORE_NONE)
		return -r->d.err->code;
	skip_blanks(r);
	port = 1;			/* ibsim's default */
	if (take(r, "[") && (!moore_text_u64(&r->s, r->end, 10, MOORE_PORT_MAX, &port) || !port))
		return wrong(r, "the peer's port in brackets, 1..254");
	k.port[1] = (moore_portnum)port;
	return moore_draft_link(&r->d, &k);
}

static int
read_line(struct reader *r)
{
	static const struct {
		const char *word;
		int type;
		int (*read)(struct reader *r, int type);	/* NULL: refused */
	} words[] = {
		{ "switchguid", SWITCH, read_guid }, { "Switch", SWITCH, read_header },
		{ "hcaguids", CA, read_guid }, { "caguid", CA, read_guid }, { "Hca", CA, read_header },
		{ "Ca", CA, read_header }, { "rtguid", ROUTER, read_guid },
		{ "Rt", ROUTER, read_header }, { "include", 0, NULL }, { "module", 0, NULL },
		{ "@", 0, NULL },
	};

	if (r->s < r->end && *r->s == '#')
		return 0;
	if (take(r, "["))
		return read_port(r);
	r->node = MOORE_NONE;		/* any other line ends a record */
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!take(r, words[i].word))
			continue;
		if (words[i].read)
			return words[i].read(r, words[i].type);
		return moore_fail(r->d.err, MOORE_ESYNTAX, r->text.line, "%s: not supported: write the "
				  "nodes themselves into this file", words[i].word);
	}
	return 0;
}

/* Names nodes by their descriptions, except where two nodes have the same one or it is the id
 * of another node. */
static int
settle_names(struct moore_draft *d)
{
	struct moore_plan_ref *r = malloc((2 * (size_t)d->n_nodes + 1) * sizeof(*r));
	size_t n = 0;

	if (!r)
		return moore_fail_nomem(d->err);
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		r[n++] = (struct moore_plan_ref){ d->node[i].name, i, i, 0 };
		if (d->node[i].shown && strcmp(d->node[i].shown, d->node[i].name))
			r[n++] = (struct moore_plan_ref){ d->node[i].shown, i, i, 1 };
	}
	moore_plan_refs_sort(r, n);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && !strcmp(r[to].name, r[from].name); to++)
			;
		for (size_t i = from; to - from > 1 && i < to; i++)
			if (r[i].kind)
				r[i].key = UINT64_MAX;
	}
	for (size_t i = 0; i < n; i++)
		if (r[i].key == UINT64_MAX) {
			free(d->node[r[i].index].shown);
			d->node[r[i].index].shown = NULL;
		}
	free(r);
	return 0;
}

int
moore_plan_parse_ibsim(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct reader r = { .d = { .err = err ? err : &own, .twice = true, .declare = true },
			    .text = { text, text + len, 0 }, .node = MOORE_NONE };
	size_t n;
	int rc = 0;

	*out = NULL;
	while (!rc && moore_text_line(&r.text, &r.s, &n)) {
		r.end = r.s + n;
		rc = read_line(&r);
	}
	if (!rc && (rc = settle_names(&r.d)) == 0)
		rc = moore_draft_finish(&r.d, out);
	moore_draft_free(&r.d);
	return rc;
}
