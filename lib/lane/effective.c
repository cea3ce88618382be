// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* effective.c - the SL2VL rows of either profile as the hardware applies them: OpenSM masks
 * each VL but VL 15 to the lanes of the out port (osm_qos.c: vl & (2^(code-1) - 1)), and VL
 * = SL on a switch without a table. */
#include <string.h>

#include "moore/lane.h"

/* What rows follow from. */
struct source {
	const struct moore_fabric *f;
	const struct moore_lane_opts *opts;
	const uint32_t *pos;	/* NULL: any-sl */
	const uint8_t *entry;
};

static struct moore_sl_row
effective_row(const struct source *w, moore_swid s, moore_portnum in, moore_portnum out)
{
	const struct moore_fabric *f = w->f;
	uint8_t mask = moore_lane_mask(moore_fabric_port(f, s, out)->lanes);
	enum moore_role role = moore_lane_role(f, w->entry, s, in, out);
	struct moore_sl_row row = { { 0 } };

	if (f->sw[s].maps_sl && w->pos)
		row = moore_lane_hint_row(f, w->opts, w->pos, w->entry, s, in, out);
	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++) {
		if (!f->sw[s].maps_sl)
			row.vl[sl] = sl;
		else if (!w->pos)
			row.vl[sl] = moore_lane_any_sl(w->opts, role, sl);
		else if (row.vl[sl] == 15)
			continue;	/* dropped under any mask */
		row.vl[sl] &= mask;
	}
	return row;
}

/* Under any-sl a row depends on no more than this: its number + 1 where it is set already. */
struct known {
	uint32_t row[2][MOORE_ROLE_SELF + 1][16];	/* [maps SLs][role of in][mask of out] */
};

static int
fill_pair(struct moore_sl2vl *t, const struct source *w, struct known *k, moore_swid s,
	  moore_portnum in, moore_portnum out, struct moore_err *err)
{
	uint16_t *id = &t->id[t->base[s] + (size_t)in * t->width[s] + out];
	uint32_t *row = &k->row[w->f->sw[s].maps_sl][moore_lane_role(w->f, w->entry, s, in, out)]
		[moore_lane_mask(moore_fabric_port(w->f, s, out)->lanes)];
	struct moore_sl_row r;
	int rc;

	if (!w->pos && *row) {
		*id = (uint16_t)(*row - 1);
		return 0;
	}
	r = effective_row(w, s, in, out);
	rc = moore_sl2vl_set(t, s, in, out, &r, err);
	*row = *id + 1u;
	return rc;
}

/* Fills like[] with the first in port whose rows are those of each in port: under any-sl of the
 * same role and the same side in entry turns. */
static void
find_alike(const struct source *w, moore_swid s, moore_portnum *like)
{
	const unsigned n = w->f->sw[s].n_ports;
	const struct moore_port *port = &w->f->port[w->f->sw[s].port0];
	const uint8_t *side = w->entry ? w->entry + w->f->sw[s].port0 : NULL;
	moore_portnum first[MOORE_ROLE_SELF + 1][MOORE_N_SIDES];

	for (unsigned i = n + 1u; i-- > 0;)
		first[port[i].role][side ? side[i] : 0] = (moore_portnum)i;
	for (unsigned i = 0; i <= n; i++)
		like[i] = w->pos ? (moore_portnum)i : first[port[i].role][side ? side[i] : 0];
}

static int
fill_switch(struct moore_sl2vl *t, const struct source *w, struct known *k, moore_swid s,
	    struct moore_err *err)
{
	const struct moore_fabric *f = w->f;
	uint16_t *id = t->id + t->base[s];
	moore_portnum like[MOORE_PORT_MAX + 1];
	int rc = 0;

	find_alike(w, s, like);
	for (unsigned o = 1; o <= f->sw[s].n_ports && rc == 0; o++) {
		if (moore_fabric_port(f, s, (moore_portnum)o)->role == MOORE_ROLE_NONE)
			continue;
		for (unsigned i = 0; i <= f->sw[s].n_ports && rc == 0; i++)
			if (like[i] == i)
				rc = fill_pair(t, w, k, s, (moore_portnum)i, (moore_portnum)o, err);
	}
	for (unsigned i = 0; i <= f->sw[s].n_ports; i++)
		if (like[i] != i)
			memcpy(id + (size_t)i * t->width[s], id + (size_t)like[i] * t->width[s],
			       t->width[s] * sizeof(*id));
	return rc;
}

/* If pos is NULL, the profile is any-sl. */
int
moore_lane_hint_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
			  const struct moore_lane_opts *o, const uint32_t *pos,
			  const uint8_t *entry, struct moore_err *err)
{
	const struct source w = { f, o, pos, entry };
	struct known k = { { { { 0 } } } };
	struct moore_sl2vl *t;
	int rc;

	*out = NULL;
	rc = moore_sl2vl_new(&t, f, err);
	for (moore_swid s = 0; s < f->n_switches && rc == 0; s++)
		rc = fill_switch(t, &w, &k, s, err);
	if (rc < 0) {
		moore_sl2vl_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

int
moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
		     const struct moore_lane_opts *o, const uint8_t *entry, struct moore_err *err)
{
	return moore_lane_hint_effective(out, f, o, NULL, entry, err);
}
