// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump.c - what the switches hold, as the files that OpenSM would dump, in pieces.
 *
 * The files of a large fabric are longer than an answer may be.  A file is made again for each
 * piece, and what lies outside the piece is dropped while it is made: nothing is kept between
 * calls, and the caller sees by `sweep`, and by `poll` of counters, whether the pieces belong
 * together. */
#include <stdlib.h>
#include <string.h>

#include "moore/moore.h"
#include "methods/methods.h"
#include "state.h"
#include "watch/hot.h"

#define COUNTERS_FILE "moore-counters.dump"

/* ---- counters, which belong to the loop's thread and are copied for the worker ------------ */

struct polled {
	struct moore_counted *c;	/* of the snapshot's ports */
	uint64_t number;
};

/* Copies the last readings to the ports of f. */
static int
copy_readings(struct moore_counted **out, const struct hot_plane *p, const struct moore_fabric *f,
	      struct moore_err *err)
{
	const struct moore_fabric *from = p->snap->fabric;
	uint32_t *map = NULL;
	int rc;

	if ((rc = moore_counted_new(out, f, err)) < 0 ||
	    (rc = moore_port_map(&map, from, f, err)) < 0)
		return rc;
	(*out)->at_ms = p->at_ms;
	for (uint32_t i = 0; i < from->n_ports; i++)
		if (map[i] != MOORE_NONE)
			(*out)->port[map[i]] = p->last[i];
	free(map);
	return 0;
}

/* Without a poll, or of another file, c->own stays NULL. */
static bool
take_counters(struct call *c, struct rpc_error *e)
{
	const struct hot_plane *p = hot_plane(c->d, asked_plane(c));
	const char *name = json_string_value(json_object_get(c->params, "file"));
	const struct snapshot *s = c->view ? c->view->snap : NULL;
	struct polled *own;

	if (strcmp(name, COUNTERS_FILE) != 0 || !p || !s || !s->fabric)
		return true;
	if (!(own = calloc(1, sizeof(*own))) || copy_readings(&own->c, p, s->fabric, NULL) < 0) {
		if (own)
			moore_counted_free(own->c);
		free(own);
		rpc_fail(e, RPC_INTERNAL, "out of memory");
		return false;
	}
	own->number = p->number;
	c->own = own;
	return true;
}

static json_t *
drop_counters(struct call *c, json_t *result, struct rpc_error *e)
{
	struct polled *own = c->own;

	(void)e;
	if (own)
		moore_counted_free(own->c);
	free(own);
	return result;
}

/* ---- the files ---------------------------------------------------------------------------- */

#define PIECE ((size_t)4 << 20)

static int
put_subnet(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	moore_dump_write_subnet(s->fabric, out);
	return 0;
}

static int
put_lfts(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	return moore_dump_write_lfts(s->fabric, s->lft, out, NULL);
}

static int
put_sl2vl(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	moore_dump_write_sl2vl(s->fabric, s->sl2vl, out);
	return 0;
}

static int
put_mcast(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	if (s->mft)
		moore_dump_write_mft(s->fabric, s->mft, out);
	return 0;
}

static int
put_op_vls(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	moore_dump_write_op_vls(s->fabric, out);
	return 0;
}

static int
put_hardware(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	(void)p;
	moore_dump_write_hardware(s->fabric, s->hardware, out);
	return 0;
}

/* Empty as long as none were read. */
static int
put_counters(const struct snapshot *s, const struct polled *p, struct moore_buf *out)
{
	if (p)
		moore_dump_write_counters(s->fabric, p->c, out);
	return 0;
}

/* In the order of FILES below. */
static const struct {
	const char *name;
	int (*put)(const struct snapshot *s, const struct polled *p, struct moore_buf *out);
} files[] = {
	{ "opensm-subnet.lst", put_subnet }, { "opensm-lfts.dump", put_lfts },
	{ "opensm-sl2vl.dump", put_sl2vl }, { "opensm.mcfdbs", put_mcast },
	{ "moore-op-vls.dump", put_op_vls }, { "moore-hardware.dump", put_hardware },
	{ COUNTERS_FILE, put_counters },
};
#define FILES "['opensm-subnet.lst','opensm-lfts.dump','opensm-sl2vl.dump','opensm.mcfdbs'," \
	"'moore-op-vls.dump','moore-hardware.dump','" COUNTERS_FILE "']"

struct piece {
	uint64_t from, at;		/* bytes of the file: wanted, and seen */
	struct moore_buf out;
	bool more;			/* the file goes on behind the piece */
};

static bool
take(void *arg, const char *data, size_t len)
{
	struct piece *p = arg;
	uint64_t skip = p->at < p->from ? p->from - p->at : 0;

	p->at += len;
	if (skip >= len)
		return true;
	data += skip;
	len -= (size_t)skip;
	p->more = len > PIECE - p->out.len;
	moore_buf_add(&p->out, data, p->more ? PIECE - p->out.len : len);
	return !p->more;		/* the writer then stops */
}

static json_t *
run_dump(struct call *c, struct rpc_error *e)
{
	const char *name = json_string_value(json_object_get(c->params, "file"));
	const struct snapshot *s = call_infiniband(c, NEED_FABRIC, "their tables are no files of OpenSM; moorectl "
						   "ethernet diff compares what they run with what emit wrote", e);
	const struct polled *polled = c->own;
	struct piece p = { .from = (uint64_t)json_integer_value(json_object_get(c->params, "from")),
		.out = MOORE_BUF_INIT };
	struct moore_buf b = { .drain = take, .drain_arg = &p };
	json_t *data = NULL;
	size_t i = 0;
	bool failed;

	if (!s || !call_snapshot(c, NEED_TABLES, e))
		return NULL;
	while (strcmp(files[i].name, name) != 0)	/* the schema has accepted it */
		i++;
	failed = files[i].put(s, polled, &b) < 0;
	moore_buf_drain(&b);
	if (p.more || (!failed && !b.oom))
		data = p.out.oom ? NULL : json_base64(&p.out);
	moore_buf_free(&b);
	moore_buf_free(&p.out);
	if (!data)
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	return from_sweep(s, json_pack("{s:o, s:o, s:o}", "data", data, "next", p.more ?
				       json_integer((json_int_t)(p.from + PIECE)) : json_null(),
				       "poll", polled ? json_integer((json_int_t)polled->number) :
				       json_null()));
}

const struct method methods_dump[] = {
	{ "fabric.dump", "Returns a piece of what the switches hold, as a file that OpenSM would dump, in "
	  "base64; next is where the next piece begins, null at the end.", ACCESS_READ,
	  P_REQ("'file'", PLANE ",'file':{'type':'string','enum':" FILES "},'from':{'type':'integer',"
		"'minimum':0,'description':'next of the answer before (0)'}"),
	  R(SWEEP "'data':" STR ",'next':" OR_NULL("integer") ",'poll':{'type':['integer','null'],"
	    "'description':'the reading that counters are of; null for other files'}"), run_dump,
	  TAKES_LONG, take_counters, drop_counters },
	{ 0 }
};
