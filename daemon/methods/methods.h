/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* methods.h - what methods share. */
#ifndef MOORED_METHODS_H
#define MOORED_METHODS_H

#include "json.h"
#include "moore/answer.h"
#include "method.h"
#include "snapshot.h"

/* What a method needs of a snapshot. */
enum need {
	NEED_SEEN,		/* switches and cables */
	NEED_FABRIC,		/* LIDs too */
	NEED_TABLES,		/* tables read back too */
};
/* The snapshot that c is about; NULL: *e has the reason. */
const struct snapshot *call_snapshot(const struct call *c, enum need need, struct rpc_error *e);
/* The same, of an InfiniBand plane; where the plane is of Ethernet switches, *e says what to do instead. */
const struct snapshot *call_infiniband(const struct call *c, enum need need, const char *instead,
				       struct rpc_error *e);
/* Sets *e to why s has no tables, and returns NULL. */
json_t *refuse_unread(const struct snapshot *s, struct rpc_error *e);
/* The plane that params name, or 0. */
unsigned asked_plane(const struct call *c);
/* prepare() of methods that compute with moore.conf (its path is in c->own), and finish() of
 * methods whose c->own is one block. */
bool take_moore_conf(struct call *c, struct rpc_error *e);
json_t *drop_own(struct call *c, json_t *result, struct rpc_error *e);
/* finish() of methods whose c->own is a hot_copy(), or NULL. */
json_t *drop_copy(struct call *c, json_t *result, struct rpc_error *e);
json_t *json_base64(const struct moore_buf *b);	/* NULL: out of memory */

#endif
