// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* live.c - the tables that moored read from the switches, as the dumps of a capture.
 *
 * moored sends each file in pieces.  If it has scanned another fabric meanwhile, or read the
 * counters again, pieces of both would not fit, so all are asked for again. */
#include <string.h>

#include "routes/live.h"

enum { ATTEMPTS = 3 };

static const enum moore_captured files[] = {
	MOORE_CAPTURED_SUBNET, MOORE_CAPTURED_LFTS, MOORE_CAPTURED_SL2VL, MOORE_CAPTURED_MCAST,
	MOORE_CAPTURED_OP_VLS, MOORE_CAPTURED_HARDWARE, MOORE_CAPTURED_COUNTERS,
};

struct reading {
	struct cli_client cl;
	struct moore_buf text[MOORE_N_CAPTURED];
	long long sweep, at_ms;
	long long poll;			/* of the counters' first piece */
};

/* Appends one piece; *from becomes where the next begins, -1 at the end.  CLI_FOUND: it is of
 * another sweep. */
static int
fetch_piece(const struct cli_call *c, struct reading *r, enum moore_captured which, long long *from)
{
	json_t *answer = NULL;
	const json_t *next;
	int rc = cli_online_ask(c, &r->cl, "fabric.dump", json_pack("{s:s, s:I}", "file",
				moore_captured_name(which), "from", (json_int_t)*from), &answer);

	if (rc != CLI_OK)
		return rc;
	if ((r->sweep && r->sweep != cli_int(answer, "sweep")) ||
	    (*from && r->poll != cli_int(answer, "poll")))
		rc = CLI_FOUND;
	else if (!cli_base64_read(cli_str(answer, "data"), &r->text[which]))
		rc = cli_error("moored: a piece of %s is not base64", moore_captured_name(which));
	else if (r->text[which].len > CLI_READ_MAX)
		rc = cli_error("moored: %s is larger than the 1 GiB that a capture holds",
			       moore_captured_name(which));
	r->sweep = cli_int(answer, "sweep");
	r->at_ms = cli_int(answer, "at_ms");
	r->poll = cli_int(answer, "poll");
	next = json_object_get(answer, "next");
	*from = json_is_integer(next) ? json_integer_value(next) : -1;
	json_decref(answer);
	return rc;
}

static void
forget(struct reading *r)
{
	for (int i = 0; i < MOORE_N_CAPTURED; i++)
		moore_buf_free(&r->text[i]);
	memset(r->text, 0, sizeof(r->text));
	r->sweep = 0;
}

static int
fetch_all(const struct cli_call *c, struct reading *r)
{
	int rc = CLI_OK;

	for (size_t i = 0; i < ARRAY_LEN(files) && rc == CLI_OK; i++)
		for (long long from = 0; from >= 0 && rc == CLI_OK;)
			rc = fetch_piece(c, r, files[i], &from);
	return rc;
}

int
cli_load_live(const struct cli_call *c, const char *off_line, struct cli_tables *out, uint64_t *at)
{
	struct reading r = { .sweep = 0 };
	struct moore_capture all = { .at = 0 };
	int rc = cli_connect(&r.cl, off_line);

	*out = (struct cli_tables){ NULL };
	cli_busy("asking moored");
	for (int i = 0; rc == CLI_OK && i < ATTEMPTS; i++) {
		forget(&r);
		if ((rc = fetch_all(c, &r)) != CLI_FOUND)
			break;
		rc = i + 1 < ATTEMPTS ? CLI_OK : cli_error("moored: the fabric changes while it is read: "
							   "try again when it is quiet");
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		all.member[files[i]] = (struct moore_member){ moore_captured_name(files[i]),
			r.text[files[i]].data ? r.text[files[i]].data : "", r.text[files[i]].len };
	if (!r.text[MOORE_CAPTURED_COUNTERS].len)	/* moored has not read them yet */
		all.member[MOORE_CAPTURED_COUNTERS].name = NULL;
	if (rc == CLI_OK && (rc = cli_parse_capture("moored", &all, out)) == CLI_OK)
		out->op_vls = "portinfo";
	*at = (uint64_t)r.at_ms / 1000;
	forget(&r);
	cli_disconnect(&r.cl);
	return rc;
}
