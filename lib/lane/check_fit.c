// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_fit.c - rejects tables that were made for another fabric, since they would be read
 * out of bounds. */
#include "check_impl.h"

int
moore_ck_fit_lft(const struct moore_fabric *f, const struct moore_lft *t, const char *which,
		 struct moore_err *err)
{
	if (t->n_switches != f->n_switches || t->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "%sLFTs: made for another fabric", which);
	return 0;
}

int
moore_ck_fit_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t, const char *which,
		   struct moore_err *err)
{
	if (t->n_switches != f->n_switches)
		return moore_fail(err, MOORE_EINVAL, 0, "%sSL2VL: made for another fabric", which);
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (t->width[s] != f->sw[s].n_ports + 1)
			return moore_fail(err, MOORE_EINVAL, 0, "%sSL2VL: switch %s has %u ports in the "
					  "fabric and %u in the table", which, f->sw[s].name,
					  f->sw[s].n_ports, t->width[s] - 1u);
	return 0;
}

int
moore_ck_fit_mft(const struct moore_fabric *f, const struct moore_mft *t, struct moore_err *err)
{
	if (t->n_switches != f->n_switches)
		return moore_fail(err, MOORE_EINVAL, 0, "multicast tables: made for another fabric");
	return 0;
}

int
moore_ck_fit_sl_set(const struct moore_fabric *f, const struct moore_sl_set *t,
		    struct moore_err *err)
{
	if (t->n_switches != f->n_switches || t->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "SLs in use: made for another fabric");
	return 0;
}
