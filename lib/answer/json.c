// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* json.c - parts of answers: names, GUIDs, counts, links, and how objects are built so
 * that a failed allocation anywhere ends in NULL and leaks nothing. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_impl.h"

json_t *
moore_json_set(json_t *o, const char *key, json_t *value)
{
	if (!o)
		json_decref(value);
	else if (json_object_set_new(o, key, value) == 0)	/* refuses NULL */
		return o;
	json_decref(o);
	return NULL;
}

json_t *
moore_json_add(json_t *list, json_t *value)
{
	if (!list)
		json_decref(value);
	else if (json_array_append_new(list, value) == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *
moore_json_merge(json_t *o, json_t *more)
{
	if (!o || !more || json_object_update(o, more) < 0) {
		json_decref(o);
		o = NULL;
	}
	json_decref(more);
	return o;
}

json_t *
moore_json_name(const char *name)
{
	json_t *j;
	char *copy;

	if (!name || (copy = moore_strndup(name, strlen(name))) == NULL)
		return name ? NULL : json_string("");
	if (!(j = json_string(copy))) {		/* not UTF-8, or out of memory */
		for (char *p = copy; *p; p++)
			if ((unsigned char)*p >= 0x80)
				*p = '?';
		j = json_string(copy);
	}
	free(copy);
	return j;
}

json_t *
moore_json_text(struct moore_buf *b)
{
	json_t *j = b->oom ? NULL : moore_json_name(b->data);

	moore_buf_free(b);
	return j;
}

json_t *
moore_json_guid(uint64_t guid)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (!guid)
		return json_null();
	moore_buf_fmt(&b, "0x%016llx", (unsigned long long)guid);
	return moore_json_text(&b);
}

json_t *
moore_json_rate(struct moore_rate rate)
{
	struct moore_buf b = MOORE_BUF_INIT;

	moore_rate_put(&b, rate);
	return b.len || b.oom ? moore_json_text(&b) : json_null();
}

json_t *
moore_json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

json_t *
moore_json_share(double x)
{
	return x < 0 ? json_null() : json_real((double)(int64_t)(x * 1e6 + 0.5) / 1e6);
}

json_t *
moore_json_bytes(double x)
{
	return x < 0 ? json_null() : json_integer((json_int_t)x);
}

json_t *
moore_json_histogram(const uint64_t *count, uint32_t last)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i <= last; i++)
		if (count[i]) {
			struct moore_buf key = MOORE_BUF_INIT;

			moore_buf_fmt(&key, "%u", i);
			o = moore_json_set(o, key.oom ? "" : key.data,
					   key.oom ? NULL : moore_json_count(count[i]));
			moore_buf_free(&key);
		}
	return o;
}

json_t *
moore_json_bits(uint16_t mask)
{
	json_t *list = json_array();

	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			list = moore_json_add(list, json_integer(i));
	return list;
}

json_t *
moore_json_load(double max, double mean)
{
	return json_pack("{s:f, s:f, s:f}", "max_load", max, "mean_load", mean,
			 "max_over_mean_load", mean > 0 ? max / mean : 0.0);
}

json_t *
moore_json_op_vls(const struct moore_fabric *f, const char *op_vls)
{
	uint8_t least = UINT8_MAX, greatest = 0;

	for (uint32_t i = 0; i < f->n_ports; i++) {
		const struct moore_port *p = &f->port[i];

		if (p->role != MOORE_ROLE_SWITCH)
			continue;
		least = p->lanes < least ? p->lanes : least;
		greatest = p->lanes > greatest ? p->lanes : greatest;
	}
	return json_pack("{s:s, s:o, s:o}", "from", op_vls ? op_vls : "assumed",
			 "least", greatest ? json_integer(least) : json_null(),
			 "greatest", greatest ? json_integer(greatest) : json_null());
}

/* ---- links --------------------------------------------------------------------- */

json_t *
moore_json_peer(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	const struct moore_port *port = moore_fabric_port(f, s, p);

	switch (port->role) {
	case MOORE_ROLE_SWITCH:
		return json_pack("{s:o, s:i}", "switch", moore_json_name(f->sw[port->peer].name),
				 "port", port->peer_port);
	case MOORE_ROLE_ENDPOINT:
		return json_pack("{s:o, s:i}", "endpoint", moore_json_name(f->ep[port->peer].name),
				 "port", f->ep[port->peer].ca_port);
	default:
		return json_null();
	}
}

json_t *
moore_json_link(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	return json_pack("{s:o, s:o, s:i, s:o}", "switch", moore_json_name(f->sw[s].name),
			 "guid", moore_json_guid(f->sw[s].guid), "port", p,
			 "peer", moore_json_peer(f, s, p));
}

json_t *
moore_json_owner(const struct moore_answer_tables *t, unsigned lid)
{
	const struct moore_lid_owner *o = lid <= t->f->lid_top ? &t->owner[lid] : NULL;

	if (!o || o->sw == MOORE_NONE)
		return json_string("");
	return moore_json_name(o->ep != MOORE_NONE ? t->f->ep[o->ep].name : t->f->sw[o->sw].name);
}

/* ---- errors ---------------------------------------------------------------------- */

const char moore_schema_error[] = OBJ("'ok':" BOOL ",'error':" AN_ERROR);

json_t *
moore_json_error(const char *text, const char *file, unsigned line)
{
	return json_pack("{s:o, s:o, s:o}", "text", moore_json_name(text),
			 "file", file ? moore_json_name(file) : json_null(),
			 "line", line ? json_integer(line) : json_null());
}

json_t *
moore_answer_error(const char *text, const char *file, unsigned line)
{
	return json_pack("{s:b, s:o}", "ok", 0, "error", moore_json_error(text, file, line));
}
