// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* early.c - grows the trees of the intended graph while OpenSM starts and discovers the fabric.
 *
 * Ranks and trees depend on the plan, or the kept graph, and on settings, but not on what is up.  A
 * thread reads these files as soon as the plugin is loaded, and makes routes for the fabric as intended.  The
 * first routing waits for it, and finds its ranks and trees as if a sweep before had made them; so does
 * a standby subnet manager when it takes over.  If something has changed meanwhile, or turns out
 * different, they are of no use and are made again.
 *
 * The thread touches nothing but struct mplug_early and says nothing: what is wrong with a file, the
 * first routing finds. */
#include "plugin.h"
#include "threads.h"

/* Makes routes for the fabric of the plan.  They are thrown away: ranks and trees are kept beside them. */
static void
grow(struct mplug_early *e, const struct moore_plan *plan)
{
	struct moore_conf *conf = &e->settings.conf;
	struct moore_engine_result *r = NULL;
	struct moore_fabric *f = NULL;
	struct moore_err err;

	conf->kept = e->kept.plan;
	conf->ranks = &e->ranks;
	conf->grown = &e->grown;
	if (moore_fabric_from_plan(&f, plan, e->lmc, &err) == 0 &&
	    moore_engine_run(&r, f, e->settings.plan, conf, NULL, NULL, &err) == 0)
		moore_engine_result_free(r);
	moore_fabric_free(f);
}

static void *
prepare(void *arg)
{
	struct mplug_early *e = arg;
	const double start = mplug_now_ms();
	struct moore_err err;

	if (mplug_settings_load(&e->settings, &err) != MPLUG_MR_OK)
		return NULL;
	if (!e->settings.plan)
		mplug_kept_load(&e->kept);
	/* Under sl-hint no trees are kept, so routes would be made twice. */
	if ((e->settings.plan || e->kept.plan) && e->settings.conf.profile != MOORE_PROFILE_SL_HINT)
		grow(e, e->settings.plan ? e->settings.plan : e->kept.plan);
	e->took_ms = mplug_now_ms() - start;
	return NULL;
}

void
mplug_early_begin(struct mplug_sm *sm)
{
	struct mplug_early *e = &sm->early;

	e->lmc = sm->osm->subn.opt.lmc;
	e->settings = sm->settings;	/* so far, where moore.conf is */
	e->running = threads_start(&e->thread, prepare, e);
}

void
mplug_early_end(struct mplug_sm *sm)
{
	struct mplug_early *e = &sm->early;

	if (!e->running)
		return;
	pthread_join(e->thread, NULL);
	e->running = false;
	sm->settings.plan = e->settings.plan;	/* compared with the file's bytes, as in later sweeps */
	sm->settings.plan_hash = e->settings.plan_hash;
	sm->settings.bad_plan = e->settings.bad_plan;
	moore_links_free(e->settings.links);
	mplug_kept_take(sm, &e->kept);
	sm->ranks = e->ranks;
	sm->grown = e->grown;
	if (sm->grown)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: the trees of the %s were made in %.0f ms while "
			"OpenSM started\n", sm->settings.plan ? "plan" : "kept graph", e->took_ms);
}
