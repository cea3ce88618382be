// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_nft.c - class.nft: the classes of a Linux switch as an nftables map for each DSCP, from
 * the in port to the DSCP that the packet leaves with.  (One map from both is not possible:
 * nftables does not match the DSCP of IPv6 within a concatenation.)
 *
 * Linux marks packets so; which queue and which PFC priority a DSCP has is set in the network
 * card (dcb, mlnx_qos), so the reader takes the priorities of the options for granted.  A packet
 * with the DSCP of a lossless class whose map does not have its port leaves with DSCP 0. */
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

/* Reads an element of the map of a DSCP. */
static int
read_element(const struct moore_ether *x, moore_swid s, unsigned from, const char *at,
	     const char *end, unsigned line, struct moore_ether_config *c, struct moore_err *err)
{
	uint64_t port, to;

	if (!skip(&at, end, "\t\t\t\"" MOORE_PORT_PREFIX) ||
	    !moore_text_u64(&at, end, 10, x->plan->sw[s].ports, &port) || !port ||
	    !skip(&at, end, "\" : goto dscp") ||
	    !moore_text_u64(&at, end, 10, MOORE_N_DSCP - 1, &to) ||
	    !skip(&at, end, ",") || at != end)
		return moore_fail(err, MOORE_ESYNTAX, line, "this is no element such as \""
				  MOORE_PORT_PREFIX "1\" : goto dscp%u, of a port of the switch",
				  x->opts.dscp[0]);
	c->by_dscp[port * MOORE_N_DSCP + from] = (struct moore_ether_class){
		priority_of(&x->opts, from), priority_of(&x->opts, to), (uint8_t)to };
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
	unsigned all = 0;
	int rc;

	if ((rc = moore_ether_classes_new(c, x, s, err)) < 0)
		return rc;
	for (unsigned i = 0; i < x->opts.n_classes; i++)
		all |= 1u << x->opts.priority[i];
	memset(c->pfc, (int)all, x->plan->sw[s].ports + 1u);
	put_file(x, s, NULL, &frame);
	rc = frame.oom ? moore_fail_nomem(err) : read_lines(x, s, text, len, &frame, c, err);
	moore_buf_free(&frame);
	return rc;
}
