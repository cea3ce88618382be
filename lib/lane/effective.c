// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* effective.c - the SL2VL rows of either profile as the hardware applies them: OpenSM masks
 * each VL but VL 15 to the lanes of the out port (osm_qos.c: vl & (2^(code-1) - 1)), and VL
 * = SL on a switch without a table. */
#include <string.h>

#include "moore/lane.h"

static struct moore_sl_row
effective_row(const struct moore_fabric *f, const struct moore_lane_opts *o, const uint32_t *pos,
	      moore_swid s, moore_portnum in, moore_portnum out)
{
	uint8_t mask = moore_lane_mask(moore_fabric_port(f, s, out)->lanes);
	enum moore_role role = moore_fabric_port(f, s, in)->role;
	struct moore_sl_row row = { { 0 } };

	if (f->sw[s].maps_sl && pos)
		row = moore_lane_hint_row(f, o, pos, s, in, out);
	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++) {
		if (!f->sw[s].maps_sl)
			row.vl[sl] = sl;
		else if (!pos)
			row.vl[sl] = moore_lane_any_sl(o, role, sl);
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
fill_pair(struct moore_sl2vl *t, const struct moore_fabric *f, const struct moore_lane_opts *opts,
	  const uint32_t *pos, struct known *k, moore_swid s, moore_portnum in, moore_portnum out,
	  struct moore_err *err)
{
	uint16_t *id = &t->id[t->base[s] + (size_t)in * t->width[s] + out];
	uint32_t *row = &k->row[f->sw[s].maps_sl][moore_fabric_port(f, s, in)->role]
		[moore_lane_mask(moore_fabric_port(f, s, out)->lanes)];
	struct moore_sl_row r;
	int rc;

	if (!pos && *row) {
		*id = (uint16_t)(*row - 1);
		return 0;
	}
	r = effective_row(f, opts, pos, s, in, out);
	rc = moore_sl2vl_set(t, s, in, out, &r, err);
	*row = *id + 1u;
	return rc;
}

/* Fills like[] with the first in port whose rows are those of each in port: under any-sl of the
 * same role. */
static void
find_alike(const struct moore_fabric *f, const uint32_t *pos, moore_swid s, moore_portnum *like)
{
	moore_portnum first[MOORE_ROLE_SELF + 1];

	for (unsigned i = f->sw[s].n_ports + 1u; i-- > 0;)
		first[moore_fabric_port(f, s, (moore_portnum)i)->role] = (moore_portnum)i;
	for (unsigned i = 0; i <= f->sw[s].n_ports; i++)
		like[i] = pos ? (moore_portnum)i : first[moore_fabric_port(f, s, (moore_portnum)i)->role];
}

static int
fill_switch(struct moore_sl2vl *t, const struct moore_fabric *f, const struct moore_lane_opts *opts,
	    const uint32_t *pos, struct known *k, moore_swid s, struct moore_err *err)
{
	uint16_t *id = t->id + t->base[s];
	moore_portnum like[MOORE_PORT_MAX + 1];
	int rc = 0;

	find_alike(f, pos, s, like);
	for (unsigned o = 1; o <= f->sw[s].n_ports && rc == 0; o++) {
		if (moore_fabric_port(f, s, (moore_portnum)o)->role == MOORE_ROLE_NONE)
			continue;
		for (unsigned i = 0; i <= f->sw[s].n_ports && rc == 0; i++)
			if (like[i] == i)
				rc = fill_pair(t, f, opts, pos, k, s, (moore_portnum)i, (moore_portnum)o, err);
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
			  struct moore_err *err)
{
	struct known k = { { { { 0 } } } };
	struct moore_sl2vl *t;
	int rc;

	*out = NULL;
	rc = moore_sl2vl_new(&t, f, err);
	for (moore_swid s = 0; s < f->n_switches && rc == 0; s++)
		rc = fill_switch(t, f, o, pos, &k, s, err);
	if (rc < 0) {
		moore_sl2vl_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

int
moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
		     const struct moore_lane_opts *o, struct moore_err *err)
{
	return moore_lane_hint_effective(out, f, o, NULL, err);
}
