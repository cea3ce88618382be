// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plugin.c - how OpenSM loads the plugin.
 *
 * OpenSM loads libosmmoore.so (event_plugin_name osmmoore) and looks up the symbol
 * osm_event_plugin.  create() registers the routing engine "moore", which
 * `routing_engine moore,no_fallback` selects.
 *
 * OpenSM frees its routing engines before it calls delete(): the engine's destroy()
 * frees the routes, and delete() frees the rest.  Routes are decided in the routing
 * callbacks, under OpenSM's lock.  OpenSM calls report() from the thread that routes,
 * without its lock, when it has discovered the fabric, when all tables were sent and
 * answered, and when the subnet is up. */
#include <opensm/osm_config.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_version.h>

#include "plugin.h"

static void
plugin_delete(void *data)
{
	struct mplug_sm *sm = data;

	mplug_early_end(sm);
	mplug_sm_forget(sm);
	mplug_trees_forget(&sm->trees);
	mplug_flap_forget(&sm->flap);
	mplug_watch_forget(&sm->watch);
	mplug_held_forget(&sm->held);
	mplug_motion_forget(&sm->motion);
	mplug_settings_free(&sm->settings);
	mplug_kept_free(&sm->kept);
	moore_ranks_free(sm->ranks);
	moore_grown_free(sm->grown);
	mplug_tell_fini(sm);
	free(sm);
}

static void
plugin_report(void *data, osm_epi_event_id_t event, void *event_data)
{
	(void)event_data;
	switch (event) {
	case OSM_EVENT_ID_HEAVY_SWEEP_DONE:
		mplug_held_read(data);
		mplug_lanes_read(data);
		break;
	case OSM_EVENT_ID_UCAST_ROUTING_DONE:
		mplug_lanes_confirm(data);	/* asks for a sweep, which ends the steps, if lanes are missing */
		mplug_motion_sent(data);
		break;
	case OSM_EVENT_ID_SUBNET_UP:
		mplug_flap_up(data);
		mplug_tell_up(data);
		mplug_watch_up(data);
		break;
	default:
		break;
	}
}

static void *
plugin_create(struct osm_opensm *osm)
{
	struct mplug_sm *sm = calloc(1, sizeof(*sm));

	if (!sm || !mplug_layout_fits(osm)) {
		free(sm);
		return NULL;
	}
	sm->osm = osm;
	mplug_tell_init(sm);
	mplug_settings_init(sm, osm->subn.opt.event_plugin_options);
	if (osm_register_external_routing_engine(osm, &mplug_engine_module, sm) != CL_SUCCESS) {
		plugin_delete(sm);
		return NULL;
	}
	mplug_early_begin(sm);
	osm_log(&osm->log, OSM_LOG_INFO, "moore: version " MOORE_VERSION " for " OSM_VERSION
		", settings in %s\n", sm->settings.path);
	return sm;
}

__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = plugin_create,
	.delete = plugin_delete,
	.report = plugin_report,
};
