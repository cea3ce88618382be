// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_record.c - `moorectl record`: rates of all ports over time, kept in a file.
 *
 * A recording is frames (moore/history.h): the fabric, then rows of rates, and the
 * fabric again whenever it changed.  Each frame is written at once, so a recording
 * that is broken off lacks its end and nothing else.  cmd_replay.c reads it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "online.h"
#include "write_whole.h"

#define FOR_EVER UINT32_MAX	/* 136 years of seconds */

struct recording {
	const char *path;
	int fd;
	struct cli_client cl;
	long long after_ms, sweep;	/* rows later than this; of which sweep they are */
	uint64_t bytes;
};

static int
append(struct recording *r, const struct moore_buf *frames)
{
	if (!write_whole(r->fd, frames->data, frames->len))
		return cli_error("%s: cannot write: %s: it holds the rows of before", r->path, strerror(errno));
	r->bytes += frames->len;
	return CLI_OK;
}

/* The next rows, with the fabric before them when it is another.  *came: there were some. */
static int
fetch(const struct cli_call *c, struct recording *r, bool *came)
{
	struct moore_buf frames = MOORE_BUF_INIT;
	bool with_fabric = !r->sweep;
	json_t *answer = NULL;
	int rc;

	for (;;) {
		rc = cli_online_ask(c, &r->cl, "history.export", json_pack("{s:I, s:b}", "after_ms",
			(json_int_t)r->after_ms, "fabric", with_fabric), &answer);
		if (rc != CLI_OK)
			return rc;
		if (with_fabric || cli_int(answer, "sweep") == r->sweep)
			break;
		with_fabric = true;
		json_decref(answer);
	}
	*came = cli_int(answer, "last_ms") > r->after_ms;
	r->sweep = cli_int(answer, "sweep");
	r->after_ms = cli_int(answer, "last_ms");
	if (!cli_base64_read(cli_str(answer, "data"), &frames))
		rc = cli_error("moored: what it recorded is not base64");
	else
		rc = append(r, &frames);
	moore_buf_free(&frames);
	json_decref(answer);
	return rc;
}

static volatile sig_atomic_t stopped;

static void
on_stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/* Ctrl-C ends a recording as its time does; a second one ends it if moored hangs. */
static void
catch_stop(void)
{
	struct sigaction a = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

static int
run(const struct cli_call *c, struct recording *r, uint64_t seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	bool came;
	int rc;

	catch_stop();
	cli_busy(seconds == FOR_EVER ? "recording until Ctrl-C" : "recording");
	while ((rc = fetch(c, r, &came)) == CLI_OK && !stopped && (came || time(NULL) < end))
		if (!came)
			nanosleep(&(struct timespec){ 0, 500000000 }, NULL);
	cli_idle();
	return rc;
}

int
cmd_record(const struct cli_call *c)
{
	struct recording r = { .path = c->arg[0], .fd = -1 };
	uint64_t past = 0, seconds;
	int rc;

	seconds = cli_has(c, "past") ? 0 : FOR_EVER;
	if ((rc = cli_opt_u64(c, "seconds", 0, FOR_EVER, &seconds)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "past", 0, UINT32_MAX, &past)) != CLI_OK)
		return rc;
	r.after_ms = ((long long)time(NULL) - (long long)past) * 1000;
	if (r.after_ms < 0)
		r.after_ms = 0;
	if ((rc = cli_connect(&r.cl, NULL)) == CLI_OK) {
		r.fd = open(r.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (r.fd < 0)
			rc = cli_error("%s: cannot write: %s", r.path, strerror(errno));
	}
	if (rc == CLI_OK)
		rc = run(c, &r, seconds);
	if (r.fd >= 0 && close(r.fd) < 0 && rc == CLI_OK)
		rc = cli_error("%s: cannot write: %s", r.path, strerror(errno));
	cli_disconnect(&r.cl);
	if (rc == CLI_OK && c->json)
		return cli_print_json(json_pack("{s:o, s:I, s:I}", "file", moore_json_name(r.path),
						"bytes", (json_int_t)r.bytes, "last_ms",
						(json_int_t)r.after_ms));
	return rc;
}
