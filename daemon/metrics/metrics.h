/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* metrics.h - Prometheus text of each plane's last scan, polls and plan. */
#ifndef MOORED_METRICS_H
#define MOORED_METRICS_H

#include "watch/hot.h"
#include "watch/sound.h"
#include "watch/sweeps.h"
#include "state.h"

/* Copies and references from which a worker writes the text. */
struct metrics_plane {
	char name[64];
	enum plane_state state;
	enum metrics_ports ports;
	enum manager manager;
	struct managers managers;
	enum tables_by by;
	struct soundness sound;
	int last_sweep_ok;		/* 1 or 0; -1: the plugin reported none */
	struct view *view;		/* of the last scan; NULL: none */
	struct snapshot *snap;		/* of the last poll; NULL: none */
	uint64_t polls, polled_ms;
	uint32_t took_us, n_asked, n_failed;
	struct moore_reading *last;	/* of each port of snap */
	struct moore_reading *host;	/* of each endpoint of snap */
	float *load, *wait;		/* shares; negative when unknown */
	uint32_t standing[MOORE_N_FINDINGS];
	uint64_t raised[MOORE_N_FINDINGS];
};
struct metrics {
	unsigned n_planes;
	struct metrics_plane plane[MOORED_PLANES_MAX];
	struct planned *plan;		/* NULL: none */
	uint64_t reloads, started_ms;
	bool config_good, records_good;
};
/* Copies what the metrics are made of; called on the loop's thread.  NULL when out of
 * memory. */
struct metrics *metrics_take(struct moored *d);
void metrics_free(struct metrics *m);
/* Text format 0.0.4.  Any thread.  O(ports + the check of the cabling). */
void metrics_write(const struct metrics *m, struct moore_buf *out);

/* Serves metrics_write() under /metrics of conf.metrics (scrape.c). */
extern const struct part part_scrape;

#endif
