// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - the keys of moored.conf.  Elsewhere: the reader of such files (lib/base/keys.c). */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "conf.h"
#include "moore/keys.h"

enum { CONF_MAX = 1 << 20, CONF_FAULTS_MAX = 100 };

#define TEXT(field) MOORE_KEY_TEXT, 0, sizeof(((struct moored_conf *)NULL)->field), NULL
#define NUMBER(min, max) MOORE_KEY_U32, min, max, NULL
#define WORD(words) MOORE_KEY_WORD, 0, 0, words
#define LIVE(field) offsetof(struct moored_conf, field), false
#define RESTART(field) offsetof(struct moored_conf, field), true

static const struct moore_key rows[] = {
	{ "plan", TEXT(plan), "(null)",
	  "The plan of the intended fabric (moorectl plan new), which the observed fabric is "
	  "checked against. Without it the fabric is served as it is, and its wiring is not "
	  "checked.",
	  LIVE(plan) },
	{ "socket", TEXT(socket), "/run/moored/moored.sock",
	  "The Unix socket that accepts requests of moorectl and other clients. Not used when "
	  "systemd passes a socket.",
	  RESTART(socket) },
	{ "group", TEXT(group), "(null)",
	  "Members of this group may read; root and the user that moored runs as may also "
	  "change things (reload, plan). Without it nobody else has access.",
	  LIVE(group) },
	{ "state_dir", TEXT(state_dir), "/var/lib/moored",
	  "The directory that keeps the history and the number of the last scan across "
	  "restarts; (null) keeps nothing.",
	  RESTART(state_dir) },
	{ "moore_conf", TEXT(moore_conf), "(null)",
	  "The moore.conf of the routing engine, for routes that are computed rather than "
	  "read back; (null) means its defaults.",
	  LIVE(moore_conf) },
	{ "planes", TEXT(planes), "(null)",
	  "Ports of this host, one for each fabric, as DEVICE:PORT separated by commas "
	  "(mlx5_0:1,mlx5_1:1); the word ethernet is a plane of Ethernet switches. (null) means "
	  "the first active port.",
	  RESTART(planes) },
	{ "ethernet", TEXT(ethernet), "(null)",
	  "The command that prints what an Ethernet switch reports: its words are divided at blanks "
	  "and run without a shell, {switch} is the name of a switch of the plan, and {what} one of "
	  "chassis, neighbors (lldpcli -f json0 show chassis, show neighbors details) and links (ip "
	  "-json -statistics link show).",
	  RESTART(ethernet) },
	{ "ethernet_dir", TEXT(ethernet_dir), "(null)",
	  "The directory that moorectl ethernet emit wrote. With it the command of ethernet is also run "
	  "with {what} routes (ip -json route show), or routes6 (ip -6 -json route show) if the network "
	  "has IPv6 only, and classes (nft -n list table inet moore), so that a hotspot is explained by the "
	  "routes over it, and path and verify answer; (null) means that neither is read.",
	  RESTART(ethernet_dir) },
	{ "metrics", TEXT(metrics), "127.0.0.1:9684",
	  "ADDRESS:PORT that serves Prometheus text under /metrics; (null) disables this.",
	  RESTART(metrics) },
	{ "metrics_ports", WORD("few|links|all"), "few",
	  "The ports that have series under /metrics. few: data sent and wait of links between "
	  "switches, and of any port the error counters that are not 0; links: all counters, load and "
	  "wait of links between switches, too; all: ports to endpoints and HCA ports, too, and each "
	  "planned link in every state. Slim Fly q=13 with 3,042 endpoints: some 3, 10 and 22 MB for each "
	  "scrape.",
	  LIVE(metrics_ports) },
	{ "page", TEXT(page), "(null)",
	  "ADDRESS:PORT that serves a web page of the fabric, which only reads: 127.0.0.1:9685 for "
	  "browsers of this host. Any process that reaches the port may read what members of group "
	  "may; there is no password, so put a proxy that asks for one in front of it before others "
	  "reach it. (null) disables this.",
	  RESTART(page) },
	{ "page_hosts", TEXT(page_hosts), "(null)",
	  "Names of this host, or of the proxy in front, by which browsers reach the page, separated by "
	  "commas. localhost and IP addresses need no name here; a request by any other name is "
	  "refused, since another site may have chosen it.",
	  LIVE(page_hosts) },
	{ "page_charts", TEXT(page_charts), "/usr/share/javascript/chart.js/chart.min.js",
	  "The file of Chart.js 3 (Debian: libjs-chart.js) that draws the page's charts; without it "
	  "the page lists the rates.",
	  LIVE(page_charts) },
	{ "poll_ms", NUMBER(100, 3600000), "1000",
	  "Milliseconds from one reading of all counters to the next.",
	  RESTART(poll_ms) },
	{ "sweep_s", NUMBER(1, 86400), "10",
	  "The greatest number of seconds between two looks for changes that nothing "
	  "announced. An announced change causes a look at once.",
	  RESTART(sweep_s) },
	{ "history_s", NUMBER(60, 604800), "3600",
	  "Seconds for which the rates of each port are kept.",
	  RESTART(history_s) },
	{ "drain", WORD("off|on"), "off",
	  "on: links between switches that have errors or flap are drained without being asked, as "
	  "moorectl drain --apply does, and used again when they were quiet. moored must be allowed to "
	  "write the folder of the file of links (moore.conf), such as its state_dir.",
	  LIVE(drain) },
	{ "drain_quiet_s", NUMBER(10, 2592000), "3600",
	  "The seconds for which a link that moored drained must have had neither errors nor flaps until "
	  "it is used again.",
	  LIVE(drain_quiet_s) },
	{ "drain_most", NUMBER(0, 10000), "4",
	  "The number of links between switches that may be drained at a time, those of a person's "
	  "lines in the file of links (moore.conf) included; moorectl drain keeps to it.",
	  LIVE(drain_most) },
	{ "outstanding", NUMBER(1, 1024), "16",
	  "Requests (MADs) that may await an answer at once.",
	  RESTART(outstanding) },
	{ "clients", NUMBER(1, CONF_CLIENTS_MAX), "1024",
	  "Connections at once; any more get an error and are closed.",
	  LIVE(clients) },
};

static const struct moore_keys keys = {
	rows, ARRAY_LEN(rows),
	"# moored.conf - settings of moored, which watches the fabric.\n"
	"# Lines are `key value`; # starts a comment.  These are the defaults.\n"
	"# SIGHUP reads it again; a key marked (restart) takes a restart.\n",
	"moored --print-config"
};

void
moored_conf_defaults(struct moored_conf *c)
{
	memset(c, 0, sizeof(*c));
	moore_keys_defaults(&keys, c);
}

int
moored_conf_parse(struct moored_conf *c, const char *path, const char *text, size_t len,
		  struct moore_err *err)
{
	struct moored_conf made;
	int rc;

	moored_conf_defaults(&made);
	if ((rc = moore_keys_parse(&keys, &made, path, text, len, NULL, err)) < 0)
		return rc;
	*c = made;
	return 0;
}

int
moored_conf_read(struct moored_conf *c, const char *path, struct moore_err *err)
{
	struct moore_buf text;
	int rc = file_read(path, CONF_MAX, &text, err);

	if (rc < 0)
		return rc;
	rc = moored_conf_parse(c, path, text.data, text.len, err);
	moore_buf_free(&text);
	return rc;
}

unsigned
moored_conf_faults(const char *path, void (*tell)(const struct moore_err *err))
{
	struct moored_conf c;
	struct moore_buf text;
	struct moore_err err;
	unsigned n = 0;

	if (file_read(path, CONF_MAX, &text, &err) < 0)
		return 0;
	while (n < CONF_FAULTS_MAX && moored_conf_parse(&c, path, text.data, text.len, &err) < 0) {
		tell(&err);
		n++;
		if (!err.line)
			break;
		moore_keys_skip(text.data, text.len, err.line);
	}
	moore_buf_free(&text);
	return n;
}

void
moored_conf_take_live(struct moored_conf *c, const struct moored_conf *from,
		      struct moore_buf *stale)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool text = rows[i].type == MOORE_KEY_TEXT;
		char *to = (char *)c + rows[i].offset;
		const char *of = (const char *)from + rows[i].offset;

		if (!rows[i].restart)
			memcpy(to, of, text ? rows[i].max : sizeof(uint32_t));
		else if (text ? strcmp(to, of) : memcmp(to, of, sizeof(uint32_t)))
			moore_buf_fmt(stale, "%s%s", stale->len ? ", " : "", rows[i].key);
	}
}

const char *
moored_conf_plane(struct plane_name *p, const char *planes)
{
	size_t len = strcspn(planes, ","), device = strcspn(planes, ":,");
	const char *end = planes + len, *at = planes + device + 1;
	uint64_t port = 0;

	p->good = device && (device == len || (moore_text_u64(&at, end, 10, MOORE_PORT_MAX, &port) &&
					       at == end && port));
	p->port = p->good ? (int)port : 0;
	snprintf(p->text, sizeof(p->text), "%.*s", (int)len, planes);
	snprintf(p->device, sizeof(p->device), "%.*s", (int)(p->good ? device : len), planes);
	return *end ? end + 1 : end;
}

void
moored_conf_template(struct moore_buf *out)
{
	moore_keys_template(&keys, out);
}
