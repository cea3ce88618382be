// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* common.c - what methods share. */
#include <stdlib.h>
#include <string.h>

#include "methods/methods.h"
#include "state.h"
#include "watch/hot.h"

json_t *
refuse_unread(const struct snapshot *s, struct rpc_error *e)
{
	return rpc_fail(e, RPC_NO_FABRIC, s->is_ethernet ? "scan %llu has no routes of the switches: they are "
			"read where ethernet_dir of moored.conf names the directory of moorectl ethernet emit" :
			"scan %llu has not read the switches' tables yet", (unsigned long long)s->scan);
}

const struct snapshot *
call_snapshot(const struct call *c, enum need need, struct rpc_error *e)
{
	const struct snapshot *s = c->view ? c->view->snap : NULL;

	if (!s)
		rpc_fail(e, RPC_NO_FABRIC, "no fabric was found yet: system.status says why");
	else if (need >= NEED_FABRIC && !s->fabric)
		rpc_fail(e, RPC_NO_FABRIC, "scan %llu found no LIDs: is a subnet manager running?",
			 (unsigned long long)s->scan);
	else if (need >= NEED_TABLES && s->lft && !s->sl2vl)
		rpc_fail(e, RPC_NO_FABRIC, "scan %llu read the switches' routes, but not their lanes or "
			 "classes: system.status says why", (unsigned long long)s->scan);
	else if (need >= NEED_TABLES && !s->lft)
		refuse_unread(s, e);
	else
		return s;
	return NULL;
}

const struct snapshot *
call_infiniband(const struct call *c, enum need need, const char *instead, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, need, e);

	if (!s || !s->is_ethernet)
		return s;
	rpc_fail(e, RPC_NO_FABRIC, "plane %u is of Ethernet switches: %s", s->plane, instead);
	return NULL;
}

unsigned
asked_plane(const struct call *c)
{
	return (unsigned)json_integer_value(json_object_get(c->params, "plane"));
}

bool
take_moore_conf(struct call *c, struct rpc_error *e)
{
	c->own = strdup(c->d->conf.moore_conf);
	if (!c->own)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	return c->own != NULL;
}

json_t *
drop_own(struct call *c, json_t *result, struct rpc_error *e)
{
	(void)e;
	free(c->own);
	return result;
}

json_t *
drop_copy(struct call *c, json_t *result, struct rpc_error *e)
{
	(void)e;
	hot_copy_free(c->own);
	return result;
}

json_t *
json_base64(const struct moore_buf *b)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((b->len + 2) / 3 * 4 + 1), *t = text;
	const uint8_t *d = (const uint8_t *)b->data;
	json_t *j;

	if (!text)
		return NULL;
	for (size_t i = 0; i < b->len; i += 3) {
		size_t n = b->len - i;
		uint32_t v = (uint32_t)d[i] << 16 | (n > 1 ? (uint32_t)d[i + 1] << 8 : 0) |
			     (n > 2 ? d[i + 2] : 0);

		*t++ = digit[v >> 18];
		*t++ = digit[v >> 12 & 63];
		*t++ = n > 1 ? digit[v >> 6 & 63] : '=';
		*t++ = n > 2 ? digit[v & 63] : '=';
	}
	j = json_stringn_nocheck(text, (size_t)(t - text));
	free(text);
	return j;
}
