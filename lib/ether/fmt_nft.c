// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_nft.c - class.nft: the classes of a Linux switch as an nftables map for each DSCP, from
 * the in port to the DSCP that the packet leaves with.  (One map from both is not possible:
 * nftables does not match the DSCP of IPv6 within a concatenation.)
 *
 * Linux marks packets so; which queue and which PFC priority a DSCP has is set in the network
 * card (dcb, mlnx_qos), so the reader takes the priorities of the options for granted.  A packet
 * with the DSCP of a lossless class whose map does not have its port leaves with DSCP 0.
 *
 * What runs is read from `nft -n list table inet moore`, which prints the same table in words and
 * numbers of its own. */
#include <string.h>

#include "ether_impl.h"

static void
put_map(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
	unsigned dscp, struct moore_buf *b)
{
	moore_buf_fmt(b, "\tmap from%u {\n\t\ttype ifname : verdict\n\t\telements = {\n", dscp);
	for (unsigned p = 1; c && p <= x->plan->sw[s].ports; p++) {
		const struct moore_ether_class *by = &c->by_dscp[p * MOORE_N_DSCP + dscp];

		if (by->leaves != MOORE_ETHER_LOSSY)
			moore_buf_fmt(b, "\t\t\t\"" MOORE_PORT_PREFIX "%u\" : goto dscp%u,\n", p, by->dscp);
	}
	moore_buf_fmt(b, "\t\t}\n\t}\n");
}

static void
put_chains(const struct moore_ether_opts *o, struct moore_buf *b)
{
	static const char *const ip[MOORE_N_IP] = { "ip", "ip6" };

	for (unsigned i = 0; i < o->n_classes; i++)
		moore_buf_fmt(b, "\tchain dscp%u {\n\t\tmeta nfproto ipv4 ip dscp set %u\n"
			      "\t\tmeta nfproto ipv6 ip6 dscp set %u\n\t}\n", o->dscp[i], o->dscp[i],
			      o->dscp[i]);
	moore_buf_fmt(b, "\tchain forward {\n"
		      "\t\ttype filter hook forward priority mangle; policy accept;\n");
	for (unsigned f = 0; f < MOORE_N_IP; f++)
		for (unsigned i = 0; i < o->n_classes; i++)
			moore_buf_fmt(b, "\t\t%s dscp %u iifname vmap @from%u\n", ip[f], o->dscp[i],
				      o->dscp[i]);
	for (unsigned f = 0; f < MOORE_N_IP; f++)
		for (unsigned i = 0; i < o->n_classes; i++)
			moore_buf_fmt(b, "\t\t%s dscp %u %s dscp set 0\n", ip[f], o->dscp[i], ip[f]);
	moore_buf_fmt(b, "\t}\n}\n");
}

/* Writes the file; without c, that without elements. */
static void
put_file(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
	 struct moore_buf *b)
{
	moore_buf_fmt(b, "table inet moore\ndelete table inet moore\ntable inet moore {\n");
	for (unsigned i = 0; i < x->opts.n_classes; i++)
		put_map(x, s, c, x->opts.dscp[i], b);
	put_chains(&x->opts, b);
}

int
moore_ether_put_nft(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
		    struct moore_buf *b, struct moore_err *err)
{
	(void)err;
	put_file(x, s, c, b);
	return 0;
}

/* ---- reading ------------------------------------------------------------------------- */

static bool
skip(const char **at, const char *end, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(end - *at) < n || memcmp(*at, text, n))
		return false;
	*at += n;
	return true;
}

static uint8_t
priority_of(const struct moore_ether_opts *o, uint64_t dscp)
{
	for (unsigned i = 0; i < o->n_classes; i++)
		if (o->dscp[i] == dscp)
			return o->priority[i];
	return MOORE_ETHER_LOSSY;
}

static void
set_class(const struct moore_ether *x, struct moore_ether_config *c, uint64_t port, unsigned from,
	  uint64_t to)
{
	c->by_dscp[port * MOORE_N_DSCP + from] = (struct moore_ether_class){
		priority_of(&x->opts, from), priority_of(&x->opts, to), (uint8_t)to };
}

/* Makes room for classes; all lossless priorities have PFC, since no file says which have. */
static int
begin(const struct moore_ether *x, moore_swid s, struct moore_ether_config *c, struct moore_err *err)
{
	unsigned all = 0;
	int rc;

	if ((rc = moore_ether_classes_new(c, x, s, err)) < 0)
		return rc;
	for (unsigned i = 0; i < x->opts.n_classes; i++)
		all |= 1u << x->opts.priority[i];
	memset(c->pfc, (int)all, x->plan->sw[s].ports + 1u);
	return 0;
}

/* Reads an element of the map of a DSCP. */
static int
read_element(const struct moore_ether *x, moore_swid s, unsigned from, const char *at,
	     const char *end, unsigned line, struct moore_ether_config *c, struct moore_err *err)
{
	const struct moore_ether_class *was;
	uint64_t port, to;

	if (!skip(&at, end, "\t\t\t\"" MOORE_PORT_PREFIX) ||
	    !moore_text_u64(&at, end, 10, x->plan->sw[s].ports, &port) || !port ||
	    !skip(&at, end, "\" : goto dscp") ||
	    !moore_text_u64(&at, end, 10, MOORE_N_DSCP - 1, &to) ||
	    !skip(&at, end, ",") || at != end)
		return moore_fail(err, MOORE_ESYNTAX, line, "this is no element such as \""
				  MOORE_PORT_PREFIX "1\" : goto dscp%u, of a port of the switch",
				  x->opts.dscp[0]);
	was = &c->by_dscp[port * MOORE_N_DSCP + from];
	if (was->arrives != MOORE_ETHER_LOSSY && was->dscp != to)
		return moore_fail(err, MOORE_ESYNTAX, line, "the port is in the map already, with another "
				  "verdict, so nft would refuse the file: leave one of them");
	set_class(x, c, port, from, to);
	return 0;
}

/* Takes the next line of text; without its end. */
static const char *
next_line(const char **at, const char *end)
{
	const char *nl = memchr(*at, '\n', (size_t)(end - *at)), *stop = nl ? nl : end;

	*at = nl ? nl + 1 : end;
	return stop;
}

/* All lines but the elements must be those that are emitted. */
static int
read_lines(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
	   const struct moore_buf *frame, struct moore_ether_config *c, struct moore_err *err)
{
	const char *end = text + len, *want = frame->data, *want_end = frame->data + frame->len;
	unsigned line = 0, n_maps = 0;
	int rc = 0;

	while (text < end && rc == 0) {
		const char *at = text, *stop = next_line(&text, end), *wanted = want;

		line++;
		if (n_maps && stop - at > 3 && !memcmp(at, "\t\t\t\"", 4)) {
			rc = read_element(x, s, x->opts.dscp[n_maps - 1], at, stop, line, c, err);
			continue;
		}
		n_maps += skip(&(const char *){ at }, stop, "\tmap from") && n_maps < x->opts.n_classes;
		if (want == want_end)
			return moore_fail(err, MOORE_ESYNTAX, line, "there is more than the maps and "
					  "their chains: emit the file again");
		if (next_line(&want, want_end) - wanted != stop - at ||
		    memcmp(at, wanted, (size_t)(stop - at)))
			return moore_fail(err, MOORE_ESYNTAX, line, "the line differs from the one that "
					  "is emitted: \"%.*s\" is expected",
					  (int)(want - wanted - 1), wanted);
	}
	if (rc == 0 && want != want_end)
		rc = moore_fail(err, MOORE_ESYNTAX, line, "the file ends too early: emit it again");
	return rc;
}

int
moore_ether_read_nft(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
		     struct moore_ether_config *c, struct moore_err *err)
{
	struct moore_buf frame = MOORE_BUF_INIT;
	int rc;

	if ((rc = begin(x, s, c, err)) < 0)
		return rc;
	put_file(x, s, NULL, &frame);
	rc = frame.oom ? moore_fail_nomem(err) : read_lines(x, s, text, len, &frame, c, err);
	moore_buf_free(&frame);
	return rc;
}

/* ---- reading what nft lists ------------------------------------------------------------ */

struct words {
	const char *at, *end;
	unsigned line;
};

/* Takes the next word, without a comma at its end; its length is 0 at the end of the text. */
static const char *
next_word(struct words *w, size_t *len)
{
	const char *word;

	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n'))
		w->line += *w->at++ == '\n';
	word = w->at;
	while (w->at < w->end && *w->at != ' ' && *w->at != '\t' && *w->at != '\n')
		w->at++;
	*len = (size_t)(w->at - word);
	*len -= *len && word[*len - 1] == ',';
	return word;
}

/* Says whether both are the same word, or the same number (nft prints a DSCP as 0x1a). */
static bool
same_word(const char *a, size_t n_a, const char *b, size_t n_b)
{
	const char *x = a, *y = b;
	uint64_t v, w;

	if (n_a == n_b && !memcmp(a, b, n_a))
		return true;
	return skip(&x, a + n_a, "0x") && moore_text_u64(&x, a + n_a, 16, MOORE_N_DSCP - 1, &v) &&
		x == a + n_a && moore_text_u64(&y, b + n_b, 10, MOORE_N_DSCP - 1, &w) && y == b + n_b &&
		v == w;
}

static int
fail_listed(const struct words *w, const char *want, size_t len, struct moore_err *err)
{
	return moore_fail(err, MOORE_ESYNTAX, w->line, "the table differs from the one that is emitted: "
			  "\"%.*s\" is expected, as nft -n list table inet moore prints it", (int)len, want);
}

/* Takes the next word and says whether it is that one. */
static bool
expect(struct words *w, const char *want)
{
	size_t len;
	const char *word = next_word(w, &len);

	return same_word(word, len, want, strlen(want));
}

/* Reads `"swpP" : goto dscpD`, of which the first word has been taken. */
static bool
read_pair(struct words *w, const char *at, size_t len, unsigned n_ports, uint64_t *port, uint64_t *dscp)
{
	const char *end = at + len;

	if (!skip(&at, end, "\"" MOORE_PORT_PREFIX) || !moore_text_u64(&at, end, 10, n_ports, port) ||
	    !*port || !skip(&at, end, "\"") || at != end || !expect(w, ":") || !expect(w, "goto"))
		return false;
	at = next_word(w, &len);
	end = at + len;
	return skip(&at, end, "dscp") && moore_text_u64(&at, end, 10, MOORE_N_DSCP - 1, dscp) && at == end;
}

/* Reads elements, up to the brace that ends the map; an empty map lists none. */
static int
read_listed(const struct moore_ether *x, moore_swid s, unsigned from, struct words *w,
	    struct moore_ether_config *c, struct moore_err *err)
{
	static const char form[] = "\"" MOORE_PORT_PREFIX "1\" : goto dscp0";
	size_t len;
	const char *word = next_word(w, &len);
	uint64_t port, to;

	if (len == 1 && *word == '}')
		return 0;
	if (!same_word(word, len, "elements", 8) || !expect(w, "=") || !expect(w, "{"))
		return fail_listed(w, "elements = {", 12, err);
	for (word = next_word(w, &len); len != 1 || *word != '}'; word = next_word(w, &len)) {
		if (!read_pair(w, word, len, x->plan->sw[s].ports, &port, &to))
			return fail_listed(w, form, sizeof(form) - 1, err);
		set_class(x, c, port, from, to);
	}
	return expect(w, "}") ? 0 : fail_listed(w, "}", 1, err);
}

/* The words that nft lists; @ stands for the elements of a map and the brace that ends it. */
static void
put_listed(const struct moore_ether_opts *o, struct moore_buf *b)
{
	static const char *const ip[MOORE_N_IP] = { "ip", "ip6" };

	moore_buf_fmt(b, "table inet moore {");
	for (unsigned i = 0; i < o->n_classes; i++)
		moore_buf_fmt(b, " map from%u { type ifname : verdict @", o->dscp[i]);
	for (unsigned i = 0; i < o->n_classes; i++)
		moore_buf_fmt(b, " chain dscp%u { ip dscp set %u ip6 dscp set %u }", o->dscp[i], o->dscp[i],
			      o->dscp[i]);
	moore_buf_fmt(b, " chain forward { type filter hook forward priority -150; policy accept;");
	for (unsigned f = 0; f < MOORE_N_IP; f++)
		for (unsigned i = 0; i < o->n_classes; i++)
			moore_buf_fmt(b, " %s dscp %u iifname vmap @from%u", ip[f], o->dscp[i], o->dscp[i]);
	for (unsigned f = 0; f < MOORE_N_IP; f++)
		for (unsigned i = 0; i < o->n_classes; i++)
			moore_buf_fmt(b, " %s dscp %u %s dscp set 0", ip[f], o->dscp[i], ip[f]);
	moore_buf_fmt(b, " } }");
}

int
moore_ether_read_nft_list(const struct moore_ether *x, moore_swid s, const char *text, size_t len,
			  struct moore_ether_config *c, struct moore_err *err)
{
	struct moore_buf frame = MOORE_BUF_INIT;
	struct words has = { text, text + len, 1 }, want;
	unsigned n_maps = 0;
	size_t n, m = 1;
	int rc;

	if ((rc = begin(x, s, c, err)) < 0)
		return rc;
	put_listed(&x->opts, &frame);
	if (frame.oom)
		rc = moore_fail_nomem(err);
	want = (struct words){ frame.data, frame.data + frame.len, 1 };
	while (rc == 0 && m) {
		const char *wanted = next_word(&want, &m), *word;

		if (m == 1 && *wanted == '@') {
			rc = read_listed(x, s, x->opts.dscp[n_maps++], &has, c, err);
			continue;
		}
		word = next_word(&has, &n);
		if (!same_word(word, n, wanted, m))
			rc = fail_listed(&has, m ? wanted : "the end", m ? m : 7, err);
	}
	moore_buf_free(&frame);
	return rc;
}
