// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_ibdm.c - reads and writes a plan as a topology file of ibdm (ibdiagnet, ibtopodiff; the
 * manual page ibdm-topo-file).
 *
 *     SW10 s0-0-0
 *        P1 -> HCA1 s0-0-0-h0 P1
 *        P4 -> SW10 s0-1-1 P5
 *
 * The type of a system says what it is: SW<n> a switch of n ports, HCA<n> an endpoint.  ibdm
 * needs an IBNL file for each type.  Of types of other makers those that begin with HCA or MT2 are
 * endpoints, since ibdm's adapters have such names, and all others are switches.  A link may
 * stand at both of its ends, and have a width and a speed (-4x-10G->), which are not kept.
 *
 * Lost: GUIDs, rates, lengths, labels, cabinets, the family. */
#include <stdlib.h>
#include <string.h>

#include "draft.h"

/* ---- writing ----------------------------------------------------------------- */

static bool
is_word(const char *s)
{
	return *s && !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:")];
}

static int
check_names(const struct moore_plan *p, struct moore_err *err)
{
	const char *bad = NULL, *list = "switches";
	uint32_t i;

	for (i = 0; i < p->n_switches && !bad; i++)
		if (!is_word(p->sw[i].name))
			bad = p->sw[i].name;
	if (!bad) {
		list = "endpoints";
		for (i = 0; i < p->n_endpoints && !bad; i++)
			if (!is_word(p->ep[i].name))
				bad = p->ep[i].name;
	}
	return bad ? moore_fail(err, MOORE_EPLAN, 0, "%s[%u]: \"%s\" has characters beside letters, digits and "
				"_ - . : which ibdm does not take: rename it", list, i - 1, bad) : 0;
}

static void
put_switch(struct moore_buf *out, const struct moore_plan *p, moore_swid s)
{
	moore_buf_fmt(out, "SW%u %s", p->sw[s].ports, p->sw[s].name);
}

/* The cables of each switch stand with their first end. */
static int
put_cables(struct moore_buf *out, const struct moore_plan *p, const struct moore_plan_wiring *w)
{
	const struct moore_plan_ref *plug = w->plug, *end = plug + w->n_plugs;
	uint8_t *ports = calloc((size_t)p->n_endpoints + 1, sizeof(*ports));

	if (!ports)
		return -MOORE_ENOMEM;
	for (uint32_t i = 0; i < w->n_cas; i++)
		for (uint32_t k = 0; k < w->ca[i].n; k++)
			ports[w->ep[w->ca[i].start + k]] = w->ca[i].ports;
	for (moore_swid s = 0; s < p->n_switches; s++) {
		put_switch(out, p, s);
		moore_buf_fmt(out, "\n");
		for (; plug < end && plug->key >> 8 == s; plug++) {
			const struct moore_plan_cable *c = &p->cable[plug->index];
			const struct moore_plan_endpoint *ep = &p->ep[plug->index];

			if (plug->kind == MOORE_PLAN_CABLE_B)
				continue;
			moore_buf_fmt(out, "   P%u -> ", (unsigned)(plug->key & 255));
			if (plug->kind == MOORE_PLAN_ENDPOINT) {
				moore_buf_fmt(out, "HCA%u %s P%u\n", ports[plug->index], ep->name, ep->ca_port);
				continue;
			}
			put_switch(out, p, c->sw[1]);
			moore_buf_fmt(out, " P%u\n", c->port[1]);
		}
		moore_buf_fmt(out, "\n");
	}
	free(ports);
	return 0;
}

int
moore_plan_write_ibdm(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	int rc = moore_plan_wiring_init(&w, p, err);

	if (rc < 0)
		return rc;
	if ((rc = check_names(p, err)) == 0 && put_cables(out, p, &w) < 0)
		rc = moore_fail_nomem(err);
	moore_plan_wiring_fini(&w);
	return rc < 0 ? rc : moore_plan_written(out, err);
}

/* ---- reading -------------------------------------------------------------------- */

struct word {
	const char *s;
	size_t len;
};

#define WORDS 6

/* Parts a line at blanks; what follows # is no part of it.  Returns the number of words, at most
 * WORDS. */
static size_t
part(const char *s, size_t len, struct word *word)
{
	const char *end = s + len;
	size_t n = 0;

	while (s < end && n < WORDS) {
		size_t k = 0;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
			s++;
		if (s == end || *s == '#')
			break;
		while (s + k < end && s[k] != ' ' && s[k] != '\t' && s[k] != '\r')
			k++;
		word[n++] = (struct word){ s, k };
		s += k;
	}
	return n;
}

static bool
begins(struct word w, const char *with)
{
	return w.len >= strlen(with) && !memcmp(w.s, with, strlen(with));
}

/* Finds the system of this type and name; MOORE_NONE on failure. */
static uint32_t
find_system(struct moore_draft *d, struct word type, struct word name, unsigned line)
{
	uint32_t i = moore_draft_node(d, name.s, name.len, line);
	bool ca = begins(type, "HCA") || begins(type, "MT2");
	size_t digits = type.len;
	struct moore_draft_node *n;

	if (i == MOORE_NONE)
		return i;
	n = &d->node[i];
	if (n->declared && n->ca != ca) {
		moore_fail(d->err, MOORE_EPLAN, line, "\"%s\" is %s on line %u: its type must be the same "
			   "everywhere", n->name, n->ca ? "an endpoint" : "a switch", n->line);
		return MOORE_NONE;
	}
	while (digits && type.s[digits - 1] >= '0' && type.s[digits - 1] <= '9')
		digits--;
	if (!ca && digits == 2 && begins(type, "SW"))
		moore_text_port(type.s + digits, type.len - digits, &n->ports);
	n->ca = ca;
	n->declared = true;
	return i;
}

/* Reads a port's name, P<n>. */
static bool
read_port(struct word w, moore_portnum *out)
{
	return begins(w, "P") && moore_text_port(w.s + 1, w.len - 1, out);
}

/* Reads "P1 -> SW10 s0-1-1 P5", a link of the system `from`. */
static int
read_link(struct moore_draft *d, uint32_t from, const struct word *word, size_t n, unsigned line)
{
	struct moore_draft_link k = { .node = { from }, .line = line };

	if (n != 5 || word[1].len < 2 || *word[1].s != '-' || word[1].s[word[1].len - 1] != '>')
		return moore_fail(d->err, MOORE_ESYNTAX, line, "is no link: it is P<port> -> TYPE NAME P<port>");
	if (from == MOORE_NONE)
		return moore_fail(d->err, MOORE_ESYNTAX, line, "a link before the first system: systems are "
				  "not indented");
	if (!read_port(word[0], &k.port[0]) || !read_port(word[4], &k.port[1]))
		return moore_fail(d->err, MOORE_ESYNTAX, line, "ports of the front are P1 to P%d", MOORE_PORT_MAX);
	if ((k.node[1] = find_system(d, word[2], word[3], line)) == MOORE_NONE)
		return -d->err->code;
	return moore_draft_link(d, &k);
}

static int
read_line(struct moore_draft *d, uint32_t *system, const char *s, size_t len, unsigned line)
{
	struct word word[WORDS];
	size_t n = part(s, len, word);

	if (!n)
		return 0;
	if (*s == ' ' || *s == '\t')
		return read_link(d, *system, word, n, line);
	if (n < 2)
		return moore_fail(d->err, MOORE_ESYNTAX, line, "is no system: it is TYPE NAME");
	*system = find_system(d, word[0], word[1], line);
	return *system == MOORE_NONE ? -d->err->code : 0;
}

int
moore_plan_parse_ibdm(struct moore_plan **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_err own;
	struct moore_draft d = { .err = err ? err : &own, .twice = true };
	struct moore_text t = { text, text + len, 0 };
	uint32_t system = MOORE_NONE;
	const char *line;
	size_t n;
	int rc = 0;

	*out = NULL;
	while (rc == 0 && moore_text_line(&t, &line, &n))
		rc = read_line(&d, &system, line, n, t.line);
	if (rc == 0 && !d.n_nodes)
		rc = moore_fail(d.err, MOORE_ESYNTAX, 0, "an empty list");
	if (rc == 0)
		rc = moore_draft_finish(&d, out);
	moore_draft_free(&d);
	return rc;
}
