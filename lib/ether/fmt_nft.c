// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_nft.c - class.nft: the classes of a Linux switch as one nftables map from (in port, DSCP)
 * to the DSCP that the packet leaves with.
 *
 * Linux marks packets so; which queue and which PFC priority a DSCP has is set in the network
 * card (dcb, mlnx_qos), so the reader takes the priorities of the options for granted.  A packet
 * with the DSCP of a lossless class that the map does not have leaves with DSCP 0. */
#include <string.h>

#include "ether_impl.h"

/* The map and the chains around its elements. */
static void
put_before(struct moore_buf *b)
{
	moore_buf_fmt(b, "table inet moore\ndelete table inet moore\ntable inet moore {\n"
		      "\tmap class {\n\t\ttype ifname . dscp : verdict\n\t\telements = {\n");
}

static void
put_lossy(const struct moore_ether_opts *o, const char *ip, struct moore_buf *b)
{
	moore_buf_fmt(b, "\t\t%s dscp {", ip);
	for (unsigned i = 0; i < o->n_classes; i++)
		moore_buf_fmt(b, "%s %u", i ? "," : "", o->dscp[i]);
	moore_buf_fmt(b, " } %s dscp set 0\n", ip);
}

static void
put_after(const struct moore_ether_opts *o, struct moore_buf *b)
{
	moore_buf_fmt(b, "\t\t}\n\t}\n");
	for (unsigned i = 0; i < o->n_classes; i++)
		moore_buf_fmt(b, "\tchain dscp%u {\n\t\tmeta nfproto ipv4 ip dscp set %u\n"
			      "\t\tmeta nfproto ipv6 ip6 dscp set %u\n\t}\n", o->dscp[i], o->dscp[i],
			      o->dscp[i]);
	moore_buf_fmt(b, "\tchain forward {\n\t\ttype filter hook forward priority mangle; policy accept;\n"
		      "\t\tiifname . ip dscp vmap @class\n\t\tiifname . ip6 dscp vmap @class\n");
	put_lossy(o, "ip", b);
	put_lossy(o, "ip6", b);
	moore_buf_fmt(b, "\t}\n}\n");
}

int
moore_ether_put_nft(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *c,
		    struct moore_buf *b, struct moore_err *err)
{
	(void)err;
	put_before(b);
	for (unsigned p = 1; p <= x->plan->sw[s].ports; p++)
		for (unsigned d = 0; d < MOORE_N_DSCP; d++)
			if (c->by_dscp[p * MOORE_N_DSCP + d].leaves != MOORE_ETHER_LOSSY)
				moore_buf_fmt(b, "\t\t\t\"" MOORE_PORT_PREFIX "%u\" . %u : goto dscp%u,\n",
					      p, d, c->by_dscp[p * MOORE_N_DSCP + d].dscp);
	put_after(&x->opts, b);
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

/* Reads a line of the map. */
static int
read_element(const struct moore_ether *x, moore_swid s, const char *at, const char *end,
	     unsigned line, struct moore_ether_config *c, struct moore_err *err)
{
	uint64_t port, from, to;

	if (!skip(&at, end, "\t\t\t\"" MOORE_PORT_PREFIX) ||
	    !moore_text_u64(&at, end, 10, x->plan->sw[s].ports, &port) || !port ||
	    !skip(&at, end, "\" . ") || !moore_text_u64(&at, end, 10, MOORE_N_DSCP - 1, &from) ||
	    !skip(&at, end, " : goto dscp") || !moore_text_u64(&at, end, 10, MOORE_N_DSCP - 1, &to) ||
	    !skip(&at, end, ",") || at != end)
		return moore_fail(err, MOORE_ESYNTAX, line, "this is no element such as \""
				  MOORE_PORT_PREFIX "1\" . %u : goto dscp%u, of a port of the switch",
				  x->opts.dscp[0], x->opts.dscp[x->opts.n_classes - 1]);
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
	unsigned line = 0;
	int rc = 0;

	while (text < end && rc == 0) {
		const char *at = text, *stop = next_line(&text, end), *wanted = want;

		line++;
		if (stop - at > 3 && !memcmp(at, "\t\t\t\"", 4)) {
			rc = read_element(x, s, at, stop, line, c, err);
			continue;
		}
		if (want == want_end)
			return moore_fail(err, MOORE_ESYNTAX, line, "there is more than the map and its "
					  "chains: emit the file again");
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
	put_before(&frame);
	put_after(&x->opts, &frame);
	rc = frame.oom ? moore_fail_nomem(err) : read_lines(x, s, text, len, &frame, c, err);
	moore_buf_free(&frame);
	return rc;
}
