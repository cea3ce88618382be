// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - the keys of moored.conf.  Elsewhere: reading such files (lib/base/keys.c). */
#include <stddef.h>
#include <string.h>

#include "file.h"
#include "conf.h"
#include "moore/keys.h"

enum { CONF_MAX = 1 << 20 };

#define TEXT(field) MOORE_KEY_TEXT, 0, sizeof(((struct moored_conf *)NULL)->field), NULL
#define NUMBER(min, max) MOORE_KEY_U32, min, max, NULL
#define LIVE(field) offsetof(struct moored_conf, field), false
#define RESTART(field) offsetof(struct moored_conf, field), true

static const struct moore_key rows[] = {
	{ "plan", TEXT(plan), "(null)",
	  "The intended fabric (moorectl plan new): what is found is checked against it. "
	  "Without it the fabric is served as it is found.",
	  LIVE(plan) },
	{ "socket", TEXT(socket), "/run/moored/moored.sock",
	  "The Unix socket on which moorectl and others ask. Not used when systemd hands "
	  "one over.",
	  RESTART(socket) },
	{ "group", TEXT(group), "(null)",
	  "Members of this group may ask; root and the user that moored runs as may also "
	  "change (reload, plan). Without it nobody else may ask.",
	  LIVE(group) },
	{ "state_dir", TEXT(state_dir), "/var/lib/moored",
	  "Where history and the number of the last scan outlive a restart; (null) keeps "
	  "nothing.",
	  RESTART(state_dir) },
	{ "moore_conf", TEXT(moore_conf), "(null)",
	  "The moore.conf of the routing engine, for routes that are computed and not read "
	  "back; (null) is its defaults.",
	  LIVE(moore_conf) },
	{ "planes", TEXT(planes), "(null)",
	  "Ports of this host, one for each fabric, as DEVICE:PORT with commas between "
	  "(mlx5_0:1,mlx5_1:1); (null) is the first active one.",
	  RESTART(planes) },
	{ "metrics", TEXT(metrics), "127.0.0.1:9684",
	  "ADDRESS:PORT that serves Prometheus text under /metrics; (null) serves none.",
	  RESTART(metrics) },
	{ "poll_ms", NUMBER(100, 3600000), "1000",
	  "Milliseconds from one reading of all counters to the next.",
	  RESTART(poll_ms) },
	{ "sweep_s", NUMBER(1, 86400), "10",
	  "Seconds between looks for changes that nothing announced. A change that is "
	  "announced is looked at at once.",
	  RESTART(sweep_s) },
	{ "history_s", NUMBER(60, 604800), "3600",
	  "Seconds of rates that are kept for each port.",
	  RESTART(history_s) },
	{ "outstanding", NUMBER(1, 1024), "16",
	  "MADs that may be on their way at once.",
	  RESTART(outstanding) },
	{ "clients", NUMBER(1, CONF_CLIENTS_MAX), "1024",
	  "Connections at once; one more is told so and closed.",
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

void
moored_conf_template(struct moore_buf *out)
{
	moore_keys_template(&keys, out);
}
