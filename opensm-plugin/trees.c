// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* trees.c - changes the trees of multicast groups safely.
 *
 * While a group's tree changes, each switch holds its old mask or its new one.  If links of
 * both trees together form a circle, packets of the group could run around it and multiply.
 * Then only the links that both trees have are published, and OpenSM is asked to compute the
 * group anew at once: after that, the old tree is a part of the new one.  The same is done
 * for all groups of a sweep if packets of old and new trees and of unicast routes could wait
 * for each other.
 *
 * Invariant: held has the masks that OpenSM sent last.  OpenSM does not tell whether they
 * were answered, and what another subnet manager left is not known.
 * Elsewhere: choosing a tree (mcast.c). */
#include "plugin.h"

#include "moore/mix.h"

/* This function of the opensm program is in none of its headers. */
extern void osm_sm_reroute_mlid(osm_sm_t *sm, ib_net16_t mlid);

#define MLID_FIRST IB_LID_MCAST_START_HO
#define N_MLIDS (IB_LID_MCAST_END_HO - IB_LID_MCAST_START_HO + 1)

void
mplug_trees_forget(struct mplug_trees *t)
{
	if (t->timer_set)
		cl_timer_destroy(&t->timer);
	moore_mft_free(t->held);
	*t = (struct mplug_trees){ .held = NULL };
}

/* ---- what OpenSM has sent ---------------------------------------------------------- */

static bool
read_mask(const osm_switch_t *sw, uint16_t mlid, uint64_t mask[4])
{
	const osm_mcast_tbl_t *t = &sw->mcast_tbl;
	bool any = false;

	if (!t->p_mask_tbl || mlid > t->max_mlid_ho)
		return false;
	for (unsigned p = 0; p < sw->num_ports; p++)
		if (osm_mcast_tbl_is_port(t, mlid, (uint8_t)p)) {
			mask[p / 64] |= UINT64_C(1) << p % 64;
			any = true;
		}
	return any;
}

static int
read_group(struct moore_mft *t, const struct mplug_view *v, uint16_t mlid)
{
	int64_t g = -1;

	for (moore_swid s = 0; s < v->f->n_switches; s++) {
		uint64_t mask[4] = { 0 };

		if (!read_mask(v->sw[s], mlid, mask))
			continue;
		if (g < 0 && (g = moore_mft_group(t, mlid)) < 0)
			return -1;
		memcpy(t->mask[(size_t)g * t->n_switches + s], mask, sizeof(mask));
	}
	return 0;
}

int
mplug_trees_read(struct mplug_sm *sm, const struct mplug_view *v, struct moore_err *err)
{
	struct moore_mft *t;
	unsigned top = sm->osm->subn.max_mcast_lid_ho;
	int rc;

	moore_mft_free(sm->trees.held);
	sm->trees.held = NULL;
	if ((rc = moore_mft_new(&t, v->f->n_switches, err)) < 0)
		return rc;
	sm->trees.held = t;
	for (unsigned mlid = MLID_FIRST; mlid <= top; mlid++)
		if (read_group(t, v, (uint16_t)mlid) < 0)
			return moore_fail_nomem(err);
	return 0;
}

/* Returns the masks of a group by switch of sm->newest, or NULL. */
static uint64_t (*
masks_of(const struct moore_mft *t, uint16_t mlid))[4]
{
	for (uint32_t g = 0; t && g < t->n_groups; g++)
		if (t->mlid[g] == mlid)
			return &t->mask[(size_t)g * t->n_switches];
	return NULL;
}

/* ---- one group ----------------------------------------------------------------------- */

static bool
has(const uint64_t mask[4], unsigned port)
{
	return mask[port / 64] >> port % 64 & 1;
}

static uint32_t
root_of(uint32_t *up, uint32_t s)
{
	while (up[s] != s)
		s = up[s] = up[up[s]];
	return s;
}

/* True if the links of both trees together form a circle.  up[] is scratch. */
static bool
circles(const struct moore_fabric *f, uint64_t (*a)[4], uint64_t (*b)[4], uint32_t *up)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		up[s] = s;
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *at = moore_fabric_port(f, s, (moore_portnum)p);
			uint32_t x, y;

			if (at->role != MOORE_ROLE_SWITCH || at->peer < s)
				continue;
			if (!has(a[s], p) && !has(b[s], p) && !has(a[at->peer], at->peer_port) &&
			    !has(b[at->peer], at->peer_port))
				continue;
			x = root_of(up, s);
			y = root_of(up, at->peer);
			if (x == y)
				return true;
			up[x] = y;
		}
	return false;
}

/* Takes the links away that the old tree does not have.  Returns true if there were any. */
static bool
keep_common(const struct moore_fabric *f, uint64_t (*now)[4], uint64_t (*was)[4])
{
	bool less = false;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
			    has(now[s], p) && !has(was[s], p)) {
				now[s][p / 64] &= ~(UINT64_C(1) << p % 64);
				less = true;
			}
	return less;
}

/* Runs in the thread of the timers.  OpenSM holds its lock while it computes trees, and only
 * then it takes requests for further ones. */
static void
ask_again(void *context)
{
	struct mplug_sm *sm = context;
	struct mplug_trees *t = &sm->trees;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	t->common_only = false;
	for (unsigned i = 0; i < t->n_again; i++)
		osm_sm_reroute_mlid(&sm->osm->sm, cl_hton16(t->again[i]));
	t->n_again = 0;
	CL_PLOCK_RELEASE(&sm->osm->lock);
}

/* Asks for the group once more.  A group that finds no room waits for the next sweep. */
static void
note_again(struct mplug_sm *sm, uint16_t mlid)
{
	struct mplug_trees *t = &sm->trees;

	if (t->n_again == MPLUG_AGAIN_MAX) {
		sm->osm->subn.force_heavy_sweep = TRUE;
		return;
	}
	t->again[t->n_again++] = mlid;
	if (!t->timer_set)
		t->timer_set = cl_timer_init(&t->timer, ask_again, sm) == CL_SUCCESS;
	if (t->timer_set)
		cl_timer_start(&t->timer, 1);
}

int
mplug_trees_soften(struct mplug_sm *sm, uint16_t mlid, uint64_t (*mask)[4])
{
	static const char *const text = "moore: multicast group 0x%x: new links of its tree follow when "
		"the old ones are gone\n";
	const struct moore_fabric *f = sm->newest;
	struct mplug_trees *t = &sm->trees;
	uint64_t (*was)[4];
	uint32_t *up;

	if (sm->good != f || !t->held || t->held->n_switches != f->n_switches)
		return 0;	/* the turns are those of the trees that are in force */
	if (moore_mft_group(t->held, mlid) < 0 ||
	    !(up = malloc(((size_t)f->n_switches + 1) * sizeof(*up))))
		return -1;
	was = masks_of(t->held, mlid);
	if ((t->common_only || circles(f, was, mask, up)) && keep_common(f, mask, was)) {
		osm_log(&sm->osm->log, OSM_LOG_INFO, text, mlid);
		note_again(sm, mlid);
	}
	memcpy(was, mask, f->n_switches * sizeof(*mask));
	free(up);
	return 0;
}

/* ---- all groups of a sweep -------------------------------------------------------------- */

/* Computes the new tree of each group.  Sets *changed if one differs from the old one. */
static int
compute_all(struct mplug_sm *sm, struct moore_mft *out, bool *changed)
{
	size_t n = out->n_switches;

	for (unsigned i = 0; i < N_MLIDS; i++) {
		osm_mgrp_box_t *box = sm->osm->subn.mboxes[i];
		uint16_t mlid = (uint16_t)(MLID_FIRST + i);
		uint64_t (*was)[4] = masks_of(sm->trees.held, mlid);
		int64_t g;

		if (!box)
			continue;
		if ((g = moore_mft_group(out, mlid)) < 0 ||
		    mplug_mcast_masks(sm, box, &out->mask[(size_t)g * n]) < 0)
			return -1;
		*changed |= was && memcmp(was, &out->mask[(size_t)g * n], n * sizeof(*was));
	}
	return 0;
}

void
mplug_trees_judge(struct mplug_sm *sm, const struct moore_held *held,
		  const struct moore_mix_lanes *lanes)
{
	struct moore_mft *next = NULL;
	const struct moore_mft *both[2];
	struct moore_mix_lanes with = *lanes;
	struct moore_mix_held *verdict;
	bool changed = false;
	int rc;

	sm->trees.common_only = false;
	if (sm->good != sm->newest || !sm->trees.held || !sm->trees.held->n_groups)
		return;
	rc = moore_mft_new(&next, sm->newest->n_switches, NULL);
	if (rc == 0)
		rc = compute_all(sm, next, &changed);
	both[0] = sm->trees.held;
	both[1] = next;
	with.mft = both;
	with.n_mft = 2;
	if (rc == 0 && changed &&
	    (rc = moore_mix_held(&verdict, sm->newest, held, NULL, &with,
				  sm->settings.conf.jobs, NULL)) == 0) {
		sm->trees.common_only = !verdict->acyclic;
		moore_mix_held_free(verdict);
	}
	if (rc < 0)
		sm->trees.common_only = true;
	moore_mft_free(next);
}
