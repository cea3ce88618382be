// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_write.c - writes tables as OpenSM's dump files, line for line, for programs that read
 * those (ibdmchk, scripts, the readers here).
 *
 * What a fabric does not hold is written as ibsim has it: no vendor, revision A1, 4x at 2.5;
 * no port is marked as the subnet manager's, and the SL2VL tables of channel adapters are
 * left out.
 *
 * OpenSM sorts devices by their GUIDs in network byte order.  On a little-endian machine its
 * dumps are therefore sorted by the last byte of the GUID first; these are so on every
 * machine.
 *
 * The LFTs of the largest subnet are 4 GB of text, so no text is kept: a buffer with a drain
 * stays small.  Text that many lines share is formatted once. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "moore/dumps.h"

struct item {			/* a switch, or an endpoint's port */
	uint64_t key[2];	/* the node's GUID, byte-swapped; then the port number */
	uint32_t i;
	bool is_ep;
};

static uint64_t
swap_bytes(uint64_t v)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 8; i++, v >>= 8)
		r = r << 8 | (v & 0xff);
	return r;
}

static int
cmp_item(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	for (unsigned k = 0; k < 2; k++)
		if (x->key[k] != y->key[k])
			return x->key[k] < y->key[k] ? -1 : 1;
	return 0;
}

/* Returns the switches, and the endpoints when asked for, in OpenSM's order. */
static struct item *
in_order(const struct moore_fabric *f, bool endpoints,
	 uint64_t (*guid)(const struct moore_switch *),
	 struct moore_buf *out)
{
	uint32_t n = f->n_switches + (endpoints ? f->n_endpoints : 0);
	struct item *o = malloc(((size_t)n + 1) * sizeof(*o));

	if (!o) {
		out->oom = true;
		return NULL;
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		o[s] = (struct item){ { swap_bytes(guid(&f->sw[s])), 0 }, s, false };
	for (uint32_t e = 0; endpoints && e < f->n_endpoints; e++)
		o[f->n_switches + e] = (struct item){ { swap_bytes(f->ep[e].node_guid),
			f->ep[e].ca_port }, e, true };
	qsort(o, n, sizeof(*o), cmp_item);
	return o;
}

static uint64_t
node_guid(const struct moore_switch *s)
{
	return s->guid;
}

static uint64_t
port_guid(const struct moore_switch *s)
{
	return s->port_guid;
}

static unsigned long long
ull(uint64_t v)
{
	return v;
}

/* ---- opensm-subnet.lst ----------------------------------------------------- */

struct end {
	const char *type, *name;
	uint64_t node_guid, port_guid;
	unsigned ports, lid, pn;
};

static struct end
end_of_switch(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	const struct moore_switch *sw = &f->sw[s];

	return (struct end){ "SW", sw->name, sw->guid, sw->port_guid, sw->n_ports, sw->lid, p };
}

static struct end
end_of_endpoint(const struct moore_fabric *f, moore_epid e, unsigned ports)
{
	const struct moore_endpoint *ep = &f->ep[e];

	return (struct end){ ep->router ? "Rt" : "CA", ep->name, ep->node_guid, ep->guid,
		ports, ep->lid, ep->ca_port };
}

/* Writes one end of a line.  VenID has six digits in the near end and eight in the far one. */
static void
put_end(struct moore_buf *out, const struct end *e, int ven_digits)
{
	moore_buf_fmt(out, "{ %s Ports:%02X SystemGUID:%016llx NodeGUID:%016llx PortGUID:%016llx "
		      "VenID:%0*X DevID:0000 Rev:000000A1 {%s} LID:%04X PN:%02X } ", e->type, e->ports,
		      ull(e->node_guid), ull(e->node_guid), ull(e->port_guid), ven_digits, 0u,
		      e->name, e->lid, e->pn);
}

static void
put_link(struct moore_buf *out, const struct end *near, const struct end *far)
{
	put_end(out, near, 6);
	put_end(out, far, 8);
	moore_buf_fmt(out, "PHY=4x LOG=ACT SPD=2.5\n");
}

/* Returns the number of ports of each endpoint's node: the greatest port number in the
 * fabric. */
static void
count_ca_ports(const struct moore_fabric *f, const struct item *o, uint32_t n, uint8_t *ports)
{
	for (uint32_t i = n; i-- > 0;) {
		const struct item *next = i + 1 < n ? &o[i + 1] : NULL;

		if (!o[i].is_ep)
			continue;
		ports[o[i].i] = next && next->is_ep && next->key[0] == o[i].key[0] ?
			ports[next->i] : f->ep[o[i].i].ca_port;
	}
}

static void
put_switch_links(const struct moore_fabric *f, moore_swid s, const uint8_t *ca_ports,
		 struct moore_buf *out)
{
	for (unsigned n = 1; n <= f->sw[s].n_ports; n++) {
		const struct moore_port *p = moore_fabric_port(f, s, (moore_portnum)n);
		struct end near = end_of_switch(f, s, (moore_portnum)n), far;

		if (p->role == MOORE_ROLE_SWITCH)
			far = end_of_switch(f, p->peer, p->peer_port);
		else if (p->role == MOORE_ROLE_ENDPOINT)
			far = end_of_endpoint(f, p->peer, ca_ports[p->peer]);
		else
			continue;
		put_link(out, &near, &far);
	}
}

void
moore_dump_write_subnet(const struct moore_fabric *f, struct moore_buf *out)
{
	uint32_t n = f->n_switches + f->n_endpoints;
	struct item *o = in_order(f, true, node_guid, out);
	uint8_t *ca_ports = malloc((size_t)f->n_endpoints + 1);

	if (!o || !ca_ports) {
		out->oom = true;
		goto out;
	}
	count_ca_ports(f, o, n, ca_ports);
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_endpoint *ep = &f->ep[o[i].i];
		struct end near, far;

		if (!o[i].is_ep) {
			put_switch_links(f, o[i].i, ca_ports, out);
		} else if (ep->sw != MOORE_NONE) {
			near = end_of_endpoint(f, o[i].i, ca_ports[o[i].i]);
			far = end_of_switch(f, ep->sw, ep->port);
			put_link(out, &near, &far);
		}
	}
out:
	free(ca_ports);
	free(o);
}

/* ---- opensm-lfts.dump ------------------------------------------------------ */

/* The owner of each LID, and the same as text: that of LID i is text.data[at[i]..at[i + 1]]. */
struct owners {
	struct moore_lid_owner *own;
	struct moore_buf text;
	size_t *at;
};

static void
put_owner(struct moore_buf *out, const struct moore_fabric *f, const struct moore_lid_owner *own)
{
	const struct moore_endpoint *ep = own->ep == MOORE_NONE ? NULL : &f->ep[own->ep];

	if (own->sw == MOORE_NONE)
		moore_buf_fmt(out, "unknown node and type\n");
	else
		moore_buf_fmt(out, "%s portguid 0x%016llx: '%s'\n",
			      !ep ? "Switch" : ep->router ? "Router" : "Channel Adapter",
			      ull(ep ? ep->guid : f->sw[own->sw].port_guid),
			      ep ? ep->name : f->sw[own->sw].name);
}

static int
name_owners(struct owners *w, const struct moore_fabric *f, struct moore_err *err)
{
	int rc = moore_fabric_lids(f, &w->own, err);

	if (rc < 0)
		return rc;
	if (!(w->at = malloc(((size_t)f->lid_top + 2) * sizeof(*w->at))))
		return moore_fail_nomem(err);
	for (unsigned lid = 0; lid <= f->lid_top; lid++) {
		w->at[lid] = w->text.len;
		put_owner(&w->text, f, &w->own[lid]);
	}
	w->at[f->lid_top + 1u] = w->text.len;
	return w->text.oom ? moore_fail_nomem(err) : 0;
}

static char *
put_lid(char *to, unsigned lid, const char *digits)
{
	*to++ = '0';
	*to++ = 'x';
	for (int shift = 12; shift >= 0; shift -= 4)
		*to++ = digits[lid >> shift & 15];
	return to;
}

/* Writes a number with at least that many digits. */
static char *
put_decimal(char *to, unsigned v, unsigned digits)
{
	char t[12];
	unsigned n = 0;

	do
		t[n++] = (char)('0' + v % 10);
	while ((v /= 10) || n < digits);
	while (n)
		*to++ = t[--n];
	return to;
}

static char *
put_text(char *to, const char *text)
{
	size_t n = strlen(text);

	memcpy(to, text, n);
	return to + n;
}

static void
put_lft(const struct moore_fabric *f, const struct moore_lft *t, moore_swid s,
	const struct owners *w, struct moore_buf *out)
{
	const struct moore_switch *sw = &f->sw[s];
	const uint8_t *row = moore_lft_row(t, s);

	moore_buf_fmt(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016llx ('%s'):\n",
		      f->lid_top, sw->lid, ull(sw->guid), sw->name);
	for (unsigned lid = 1; lid <= f->lid_top; lid++) {
		char line[16], *end;

		if (row[lid] > sw->n_ports)
			continue;
		end = put_lid(line, lid, "0123456789abcdef");
		*end++ = ' ';
		end = put_text(put_decimal(end, row[lid], 3), " # ");
		moore_buf_add(out, line, (size_t)(end - line));
		moore_buf_add(out, w->text.data + w->at[lid], w->at[lid + 1] - w->at[lid]);
	}
	moore_buf_fmt(out, "%u lids dumped\n", f->lid_top);
}

static int
put_all_lfts(const struct moore_fabric *f, const struct moore_lft *t, struct moore_buf *out,
	     void (*put)(const struct moore_fabric *, const struct moore_lft *, moore_swid,
			 const struct owners *, struct moore_buf *),
	     struct moore_err *err)
{
	struct owners w = { .text = MOORE_BUF_INIT };
	struct item *o = NULL;
	int rc;

	if (t->n_switches != f->n_switches || t->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "LFTs: made for another fabric");
	if ((rc = name_owners(&w, f, err)) < 0)
		goto out;
	if ((o = in_order(f, false, node_guid, out)))
		for (uint32_t i = 0; i < f->n_switches && !out->oom; i++)
			put(f, t, o[i].i, &w, out);
	rc = out->oom ? moore_fail_nomem(err) : 0;
out:
	free(o);
	moore_buf_free(&w.text);
	free(w.at);
	free(w.own);
	return rc;
}

int
moore_dump_write_lfts(const struct moore_fabric *f, const struct moore_lft *t,
		      struct moore_buf *out, struct moore_err *err)
{
	return put_all_lfts(f, t, out, put_lft, err);
}

/* ---- opensm.fdbs ----------------------------------------------------------- */

/* Counts the links from s to the port of own, along the table; -1 when it is not reached.
 * The last link to an endpoint counts, as in OpenSM. */
static int
count_hops(const struct moore_fabric *f, const struct moore_lft *t, moore_swid s, unsigned lid,
	   const struct moore_lid_owner *own)
{
	for (uint32_t hops = 0; hops <= f->n_switches; hops++) {
		uint8_t port = moore_lft_row(t, s)[lid];
		const struct moore_port *p;

		if (s == own->sw && port == own->port)
			return (int)hops + (own->ep != MOORE_NONE);
		if (port > f->sw[s].n_ports)
			return -1;
		p = moore_fabric_port(f, s, port);
		if (p->role != MOORE_ROLE_SWITCH)
			return -1;
		s = p->peer;
	}
	return -1;
}

static void
put_fdb(const struct moore_fabric *f, const struct moore_lft *t, moore_swid s,
	const struct owners *w, struct moore_buf *out)
{
	const uint8_t *row = moore_lft_row(t, s);

	moore_buf_fmt(out, "dump_ucast_routes: Switch 0x%016llx\nLID    : Port : Hops : Optimal\n",
		      ull(f->sw[s].guid));
	for (unsigned lid = 1; lid <= f->lid_top; lid++) {
		char line[48], *end = put_lid(line, lid, "0123456789ABCDEF");
		bool routed = w->own[lid].sw != MOORE_NONE && row[lid] != MOORE_NO_PATH;
		int hops = routed ? count_hops(f, t, s, lid, &w->own[lid]) : -1;

		end = put_text(end, " : ");
		if (routed)
			end = put_text(put_decimal(end, row[lid], 3), "  : ");
		if (hops >= 0)
			end = put_text(put_decimal(end, (unsigned)hops, 2), "   : yes\n");
		else
			end = put_text(end, routed ? "HOPS UNKNOWN\n" : "UNREACHABLE\n");
		moore_buf_add(out, line, (size_t)(end - line));
	}
}

int
moore_dump_write_fdbs(const struct moore_fabric *f, const struct moore_lft *t,
		      struct moore_buf *out, struct moore_err *err)
{
	return put_all_lfts(f, t, out, put_fdb, err);
}

/* ---- opensm-sl2vl.dump ------------------------------------------------------ */

#define SL2VL_ROW 48	/* bytes of 16 times " 0 " */

/* Returns the text of each distinct row. */
static char *
format_sl2vl_rows(const struct moore_sl2vl *t, struct moore_buf *out)
{
	char *text = malloc((size_t)t->n_rows * SL2VL_ROW + 1), *to = text;

	if (!text)
		out->oom = true;
	for (uint32_t i = 0; text && i < t->n_rows; i++)
		for (unsigned sl = 0; sl < MOORE_N_SL; sl++) {
			char *from = to;

			*to++ = ' ';
			to = put_decimal(to, t->rows[i].vl[sl], 1);
			if (to - from < 3)
				*to++ = ' ';
		}
	return text;
}

static void
put_sl2vl_row(unsigned in, unsigned o, const char *row, struct moore_buf *out)
{
	char line[16], *end;

	memset(line, ' ', sizeof(line));
	put_decimal(line, in, 1);
	put_decimal(line + 4, o, 1);
	end = put_text(line + 8, ":");
	moore_buf_add(out, line, (size_t)(end - line));
	moore_buf_add(out, row, SL2VL_ROW);
	moore_buf_add(out, "\n", 1);
}

static void
put_sl2vl_switch(const struct moore_fabric *f, const struct moore_sl2vl *t, moore_swid s,
		 const char *rows, struct moore_buf *out)
{
	const unsigned n = f->sw[s].n_ports;

	for (unsigned to = 1; to <= n; to++)
		for (unsigned in = 0; in <= n && moore_fabric_port(f, s, (moore_portnum)to)->role; in++)
			put_sl2vl_row(in, to, rows + (size_t)SL2VL_ROW *
				      t->id[t->base[s] + (size_t)in * t->width[s] + to], out);
}

void
moore_dump_write_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t,
		       struct moore_buf *out)
{
	static const char rule[] = "#--------------------------------------------------------\n";
	struct item *o = in_order(f, false, port_guid, out);
	char *rows = format_sl2vl_rows(t, out);

	for (uint32_t i = 0; o && rows && i < f->n_switches && !out->oom; i++) {
		const struct moore_switch *sw = &f->sw[o[i].i];

		moore_buf_fmt(out, "Switch 0x%016llx, base LID %u, \"%s\"\n#in out : 0  1  2  3  4  5  6  "
			      "7  8  9  10 11 12 13 14 15\n%s", ull(sw->port_guid), sw->lid, sw->name, rule);
		put_sl2vl_switch(f, t, o[i].i, rows, out);
		moore_buf_fmt(out, "%s\n", rule);
	}
	free(rows);
	free(o);
}

/* ---- opensm.mcfdbs ----------------------------------------------------------- */

static void
put_group(const struct moore_mft *t, uint32_t g, moore_swid s, struct moore_buf *out)
{
	moore_buf_fmt(out, "0x%04X :", t->mlid[g]);
	for (unsigned p = 0; p < 256; p++)
		if (moore_bits_get(t->mask[(size_t)g * t->n_switches + s], p))
			moore_buf_fmt(out, " 0x%03X ", p);
	moore_buf_fmt(out, "\n");
}

/* Returns the groups sorted by MLID. */
static struct item *
groups_in_order(const struct moore_mft *t, struct moore_buf *out)
{
	struct item *o = malloc(((size_t)t->n_groups + 1) * sizeof(*o));

	if (!o) {
		out->oom = true;
		return NULL;
	}
	for (uint32_t g = 0; g < t->n_groups; g++)
		o[g] = (struct item){ { t->mlid[g], 0 }, g, false };
	qsort(o, t->n_groups, sizeof(*o), cmp_item);
	return o;
}

void
moore_dump_write_mft(const struct moore_fabric *f, const struct moore_mft *t,
		     struct moore_buf *out)
{
	struct item *o = in_order(f, false, node_guid, out), *group = groups_in_order(t, out);

	for (uint32_t i = 0; o && group && i < f->n_switches; i++) {
		bool any = false;

		for (uint32_t k = 0; k < t->n_groups; k++) {
			const uint64_t *m = t->mask[(size_t)group[k].i * t->n_switches + o[i].i];

			if (!(m[0] | m[1] | m[2] | m[3]))
				continue;
			if (!any)
				moore_buf_fmt(out, "\nSwitch 0x%016llx\nLID    : Out Port(s)\n",
					      ull(f->sw[o[i].i].guid));
			any = true;
			put_group(t, group[k].i, o[i].i, out);
		}
	}
	free(group);
	free(o);
}
