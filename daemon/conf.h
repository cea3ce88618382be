/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* conf.h - reading moored.conf.  A failure leaves *c as it was and says
 * "FILE:LINE: key: why" in err->text. */
#ifndef MOORED_CONF_H
#define MOORED_CONF_H

#include "moore/base.h"

#define MOORED_PLANES_MAX 8
#define CONF_CLIENTS_MAX 60000

/* METRICS_FEW: data and wait of links between switches, and error counters that are not 0;
 * METRICS_LINKS: all of those links; METRICS_ALL: endpoint ports, too, and every state of each
 * planned link. */
enum drain { DRAIN_OFF, DRAIN_ON };

enum metrics_ports { METRICS_FEW, METRICS_LINKS, METRICS_ALL };

struct moored_conf {		/* moored.conf(5); each key is a row in conf.c */
	char plan[512];		/* path of the intended fabric; "" for none */
	char socket[108];
	char group[64];		/* may read; changes are for root and the daemon's user */
	char state_dir[512];	/* history and the number of the last scan; "" keeps nothing */
	char moore_conf[512];	/* of the plugin, for what-if routes; "" for defaults */
	char planes[256];	/* "mlx5_0:1,mlx5_1:1"; "" is the first active port */
	char ethernet[1024];	/* the command that asks a switch; "" for none */
	char ethernet_dir[512];	/* what `ethernet emit` wrote; "": routes are not read */
	char metrics[64];	/* ADDRESS:PORT; "" serves none */
	enum metrics_ports metrics_ports;	/* which series /metrics has of ports */
	char page[64];		/* ADDRESS:PORT of the web page; "" serves none */
	char page_hosts[512];	/* names by which browsers reach it, separated by commas */
	char page_charts[512];	/* path of Chart.js */
	uint32_t poll_ms;	/* between counter polls */
	uint32_t sweep_s;	/* between light checks for changes */
	uint32_t history_s;
	uint32_t outstanding;	/* MADs at once */
	enum drain drain;	/* links with errors or flaps are drained without being asked */
	uint32_t drain_quiet_s;	/* for so long without errors, until they are used again */
	uint32_t drain_most;	/* links that may be drained at a time */
	uint32_t clients;	/* connections at once, up to CONF_CLIENTS_MAX */
};

void moored_conf_defaults(struct moored_conf *c);
int moored_conf_parse(struct moored_conf *c, const char *path, const char *text, size_t len,
		      struct moore_err *err);
int moored_conf_read(struct moored_conf *c, const char *path, struct moore_err *err);
/* Calls tell for each faulty line of a file, at most 100, and returns how many; 0, too, for a file
 * that cannot be read. */
unsigned moored_conf_faults(const char *path, void (*tell)(const struct moore_err *err));
/* Take from a new reading what a running daemon can; names of the keys that
 * differ and take a restart go to *stale. */
void moored_conf_take_live(struct moored_conf *c, const struct moored_conf *from,
			   struct moore_buf *stale);
/* One name of the key planes. */
struct plane_name {
	char text[64];		/* "mlx5_0:1"; "": the first active port of any device */
	char device[64];	/* "mlx5_0" */
	int port;		/* 0: the device's first active one */
	bool good;		/* false: device is the whole text, which no device is called */
};
/* Reads the first name of planes; returns what stands behind it and its comma.  The names of the
 * empty text are one empty name. */
const char *moored_conf_plane(struct plane_name *p, const char *planes);
/* A file with every key, its help and its default. */
void moored_conf_template(struct moore_buf *out);

#endif
