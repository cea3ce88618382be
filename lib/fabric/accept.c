// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* accept.c - what was read of a switch, held against what was programmed.
 *
 * A row of the answer is one function.  It says no only if what was read differs from what was
 * programmed or contradicts itself, and yes only if there was something to compare: rows that
 * are all equal do not show that a switch tells in ports apart. */
#include <string.h>

#include "moore/accept.h"

struct accept {
	const struct moore_accept_side *read, *was;
	moore_swid s, ws;	/* the switch in read->f and in was->f; ws MOORE_NONE: not there */
	const struct moore_switch *sw;
	const uint32_t *has;	/* its values */
	struct moore_buf *why;	/* of the present row */
};

static const struct moore_port *
port_of(const struct accept *a, unsigned p)
{
	return moore_fabric_port(a->read->f, a->s, (moore_portnum)p);
}

static bool
is_linked(const struct accept *a, unsigned p)
{
	return p && (port_of(a, p)->role == MOORE_ROLE_SWITCH || port_of(a, p)->role == MOORE_ROLE_ENDPOINT);
}

static const uint16_t *
values_of(const struct accept *a, unsigned p)
{
	return a->read->hardware->port[a->sw->port0 + p];
}

static enum moore_accept_verdict
unknown(struct accept *a, const char *why)
{
	moore_buf_fmt(a->why, "%s", why);
	return MOORE_ACCEPT_UNKNOWN;
}

#define NOT_PROGRAMMED "what OpenSM has programmed was not given, or does not hold this switch"

/* ---- SL to VL rows ------------------------------------------------------------------- */

/* The first SL whose VL differs, or MOORE_N_SL. */
static unsigned
differs_at(const struct moore_sl_row *x, const struct moore_sl_row *y)
{
	unsigned sl = 0;

	while (sl < MOORE_N_SL && x->vl[sl] == y->vl[sl])
		sl++;
	return sl;
}

/* Compares the rows of an out port; *apart: two in ports have different rows.  Returns how many
 * rows differ from the programmed ones, and writes about the first of the switch. */
static unsigned
compare_out(struct accept *a, unsigned out, unsigned *rows, bool *apart)
{
	const struct moore_sl_row *first = NULL;
	unsigned bad = 0;

	for (unsigned in = 0; in <= a->sw->n_ports; in++) {
		const struct moore_sl_row *is, *was;
		unsigned sl;

		if (in && !is_linked(a, in))
			continue;
		is = moore_sl2vl_get(a->read->sl2vl, a->s, (moore_portnum)in, (moore_portnum)out);
		was = moore_sl2vl_get(a->was->sl2vl, a->ws, (moore_portnum)in, (moore_portnum)out);
		first = first ? first : was;
		*apart |= differs_at(first, was) < MOORE_N_SL;
		(*rows)++;
		if ((sl = differs_at(is, was)) == MOORE_N_SL)
			continue;
		bad++;
		if (!a->why->len)
			moore_buf_fmt(a->why, "in port %u, out port %u, SL %u: VL %u was programmed and VL %u is "
				      "read; ", in, out, sl, was->vl[sl], is->vl[sl]);
	}
	return bad;
}

static enum moore_accept_verdict
judge_sl2vl(struct accept *a)
{
	unsigned rows = 0, bad = 0, apart = 0;

	if (!values_of(a, 0)[MOORE_PT_VLS])
		return unknown(a, "PortInfo of port 0 was not read");
	if (!a->has[MOORE_SW_MAPS_SL]) {
		moore_buf_fmt(a->why, "port 0 does not report IsSLMappingSupported: packets keep VL = SL");
		return MOORE_ACCEPT_NO;
	}
	if (a->ws == MOORE_NONE || !a->was->sl2vl || !a->read->sl2vl)
		return unknown(a, NOT_PROGRAMMED " or its SL to VL rows");
	for (unsigned out = 1; out <= a->sw->n_ports; out++) {
		bool differ = false;

		if (is_linked(a, out))
			bad += compare_out(a, out, &rows, &differ);
		apart += differ;
	}
	if (bad) {
		moore_buf_fmt(a->why, "%u of %u rows are not as programmed", bad, rows);
		return MOORE_ACCEPT_NO;
	}
	moore_buf_fmt(a->why, "all %u rows are as programmed, and at %u out ports they differ by in port",
		      rows, apart);
	return apart ? MOORE_ACCEPT_YES : MOORE_ACCEPT_UNKNOWN;
}

/* ---- operational VLs ----------------------------------------------------------------- */

static enum moore_accept_verdict
judge_vls(struct accept *a)
{
	unsigned ports = 0, least = 15, greatest = 0;

	for (unsigned p = 1; p <= a->sw->n_ports; p++) {
		const uint16_t *v = values_of(a, p);
		unsigned was;

		if (!is_linked(a, p) || !v[MOORE_PT_VLS])
			continue;
		was = a->ws == MOORE_NONE || !a->was->vls ? v[MOORE_PT_VLS] :
			moore_fabric_port(a->was->f, a->ws, (moore_portnum)p)->lanes;
		if (v[MOORE_PT_VLS] > v[MOORE_PT_VL_CAP] || v[MOORE_PT_VLS] != was) {
			moore_buf_fmt(a->why, "port %u runs %u VLs; it can run %u, and %u were programmed", p,
				      v[MOORE_PT_VLS], v[MOORE_PT_VL_CAP], was);
			return MOORE_ACCEPT_NO;
		}
		least = v[MOORE_PT_VLS] < least ? v[MOORE_PT_VLS] : least;
		greatest = v[MOORE_PT_VLS] > greatest ? v[MOORE_PT_VLS] : greatest;
		ports++;
	}
	if (!ports)
		return unknown(a, "no port has a link");
	moore_buf_fmt(a->why, "%u ports run ", ports);
	moore_buf_fmt(a->why, least == greatest ? "%u VLs" : "%u to %u VLs", least, greatest);
	if (a->ws != MOORE_NONE && a->was->vls) {
		moore_buf_fmt(a->why, ", as programmed");
		return MOORE_ACCEPT_YES;
	}
	moore_buf_fmt(a->why, "; what was programmed is not known (moore-op-vls.dump)");
	return MOORE_ACCEPT_UNKNOWN;
}

/* ---- VL arbitration ------------------------------------------------------------------ */

/* The VLs on which packets leave by this port. */
static unsigned
vls_used(const struct accept *a, unsigned out)
{
	unsigned used = 0;

	for (unsigned in = 0; in <= a->sw->n_ports; in++)
		for (unsigned sl = 0; (!in || is_linked(a, in)) && sl < MOORE_N_SL; sl++)
			used |= 1u << moore_sl2vl_vl(a->read->sl2vl, a->read->f, a->s, (moore_portnum)in,
						     (moore_portnum)out, sl);
	return used & 0x7fff;
}

/* False, with the reason, if a VL in use has no weight or another than the rest. */
static bool
check_weights(struct accept *a, unsigned p, unsigned used, unsigned weight[MOORE_N_ARB])
{
	const uint32_t at = a->sw->port0 + p;
	int first = -1;

	for (unsigned vl = 0; vl < 15; vl++) {
		unsigned w[MOORE_N_ARB];

		if (!(used >> vl & 1))
			continue;
		for (int i = 0; i < MOORE_N_ARB; i++)
			w[i] = moore_hardware_weight(a->read->hardware, at, i, vl);
		if (!w[0] && !w[1]) {
			moore_buf_fmt(a->why, "port %u: packets leave on VL %u, which has no weight", p, vl);
			return false;
		}
		if (first >= 0 && memcmp(w, weight, sizeof(w)) != 0) {
			moore_buf_fmt(a->why, "port %u: VLs %d and %u have weights %u and %u (high %u and %u); "
				      "moore's plugin programs equal ones", p, first, vl,
				      weight[MOORE_ARB_LOW], w[MOORE_ARB_LOW], weight[MOORE_ARB_HIGH],
				      w[MOORE_ARB_HIGH]);
			return false;
		}
		memcpy(weight, w, sizeof(w));
		first = (int)vl;
	}
	return true;
}

static enum moore_accept_verdict
judge_arb(struct accept *a)
{
	unsigned ports = 0, weight[MOORE_N_ARB] = { 0 };

	if (!a->read->sl2vl)
		return unknown(a, "SL to VL rows were not read, so the VLs in use are not known");
	for (unsigned p = 1; p <= a->sw->n_ports; p++) {
		const struct moore_arb *arb = a->read->hardware->arb[a->sw->port0 + p];
		unsigned used = is_linked(a, p) && values_of(a, p)[MOORE_PT_VLS] > 1 ? vls_used(a, p) : 0;

		if (!(used & (used - 1)))
			continue;	/* one VL needs no arbitration */
		if (!arb[MOORE_ARB_HIGH].read && !arb[MOORE_ARB_LOW].read) {
			moore_buf_fmt(a->why, "port %u runs several VLs, and no arbitration table was read", p);
			return values_of(a, p)[MOORE_PT_LOW_CAP] ? MOORE_ACCEPT_UNKNOWN : MOORE_ACCEPT_NO;
		}
		if (!check_weights(a, p, used, weight))
			return MOORE_ACCEPT_NO;
		ports++;
	}
	if (!ports)
		return unknown(a, "packets leave each port on one VL, so there is nothing to arbitrate");
	moore_buf_fmt(a->why, "at %u ports every VL in use has the same weight (at the last: low %u, high "
		      "%u)", ports, weight[MOORE_ARB_LOW], weight[MOORE_ARB_HIGH]);
	return MOORE_ACCEPT_YES;
}

/* ---- forwarding ---------------------------------------------------------------------- */

static uint32_t
least_of(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

static enum moore_accept_verdict
judge_no_path(struct accept *a)
{
	uint32_t lids, none = 0;

	if (a->ws == MOORE_NONE || !a->was->lft)
		return unknown(a, NOT_PROGRAMMED);
	lids = least_of(least_of(a->has[MOORE_SW_LFT_TOP], a->read->f->lid_top), a->was->f->lid_top);
	for (uint32_t lid = 1; lid <= lids; lid++) {
		uint8_t is = moore_lft_row(a->read->lft, a->s)[lid];
		uint8_t was = moore_lft_row(a->was->lft, a->ws)[lid];

		if (is != was) {
			moore_buf_fmt(a->why, "LID %u: port %u was programmed and port %u is read (255: no path)",
				      lid, was, is);
			return MOORE_ACCEPT_NO;
		}
		none += was == MOORE_NO_PATH;
	}
	moore_buf_fmt(a->why, "the rows of %u LIDs are as programmed, %u of them no-path", lids, none);
	return none ? MOORE_ACCEPT_YES : MOORE_ACCEPT_UNKNOWN;
}

static enum moore_accept_verdict
judge_top(struct accept *a)
{
	const uint32_t top = a->has[MOORE_SW_LFT_TOP], cap = a->has[MOORE_SW_LFT_CAP];
	const uint32_t lids = a->read->f->lid_top;

	moore_buf_fmt(a->why, "the top is LID %u of %u that the table can have, and the greatest LID in use is "
		      "%u", top, cap, lids);
	return top >= lids && top < cap ? MOORE_ACCEPT_YES : MOORE_ACCEPT_NO;
}

static enum moore_accept_verdict
judge_lmc(struct accept *a)
{
	const struct moore_fabric *f = a->read->f;
	unsigned endpoints = 0, lids = 0;

	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw != a->s || !ep->lid || !ep->lmc)
			continue;
		endpoints++;
		for (uint32_t i = 0; i < 1u << ep->lmc; i++, lids++)
			if (moore_lft_row(a->read->lft, a->s)[ep->lid + i] != ep->port) {
				moore_buf_fmt(a->why, "LID %u, path bits %u of the endpoint at port %u, leads to "
					      "port %u", ep->lid + i, i, ep->port,
					      moore_lft_row(a->read->lft, a->s)[ep->lid + i]);
				return MOORE_ACCEPT_NO;
			}
	}
	if (!endpoints)
		return unknown(a, "no endpoint at this switch has an LMC above 0");
	moore_buf_fmt(a->why, "all %u LIDs of %u endpoints lead to their ports", lids, endpoints);
	return MOORE_ACCEPT_YES;
}

/* ---- all rows ------------------------------------------------------------------------ */

static enum moore_accept_verdict (*const judge[MOORE_N_ACCEPT])(struct accept *a) = {
	[MOORE_ACCEPT_SL2VL] = judge_sl2vl, [MOORE_ACCEPT_VLS] = judge_vls,
	[MOORE_ACCEPT_ARB] = judge_arb, [MOORE_ACCEPT_NO_PATH] = judge_no_path,
	[MOORE_ACCEPT_TOP] = judge_top, [MOORE_ACCEPT_LMC] = judge_lmc,
};

static moore_swid
find_same(const struct moore_fabric *f, const struct moore_switch *sw)
{
	for (moore_swid i = 0; f && i < f->n_switches; i++)
		if (f->sw[i].guid == sw->guid)
			return f->sw[i].n_ports == sw->n_ports ? i : MOORE_NONE;
	return MOORE_NONE;
}

int
moore_accept(struct moore_accepted *out, const struct moore_accept_side *read,
	     const struct moore_accept_side *programmed, moore_swid s, struct moore_err *err)
{
	struct accept a = { .read = read, .was = programmed, .s = s, .sw = &read->f->sw[s] };
	const bool known = read->hardware && read->lft && read->hardware->sw[s][MOORE_SW_LFT_CAP];

	*out = (struct moore_accepted){ .sw = s };
	a.ws = find_same(programmed->f, a.sw);
	a.has = known ? read->hardware->sw[s] : NULL;
	for (int i = 0; i < MOORE_N_ACCEPT; i++) {
		a.why = &out->row[i].why;
		out->row[i].verdict = known ? judge[i](&a) :
			unknown(&a, "nothing was read from this switch: let moored take the capture");
		if (a.why->oom) {
			moore_accepted_free(out);
			return moore_fail_nomem(err);
		}
	}
	return 0;
}

void
moore_accepted_free(struct moore_accepted *a)
{
	for (int i = 0; i < MOORE_N_ACCEPT; i++)
		moore_buf_free(&a->row[i].why);
}
