// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_capture.c - `moorectl capture`: a fabric in one file that may leave the site.
 *
 * Tables are read into the library's structures, names and GUIDs are replaced there, and the
 * members are written from the structures: a text that no structure holds cannot be in a
 * capture.  Each member is made twice, once to learn its size and hash and once to write it,
 * because the text of all LFTs can be longer than memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "routes/live.h"

#define KEY_NAME ".moore-capture.key"

struct taking {
	struct cli_tables t;
	struct moore_plan *plan;
	struct moore_capture c;
	uint8_t key[MOORE_KEY_BYTES];
};

/* ---- the key --------------------------------------------------------------------------- */

/* Writes a new key to the file fd, and gives it its name unless another capture was faster. */
static int
name_key(int fd, const char *temp, const char *path)
{
	char text[2 * MOORE_KEY_BYTES + 2];
	uint8_t key[MOORE_KEY_BYTES];

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return cli_error("%s: no random numbers: %s", path, strerror(errno));
	for (size_t i = 0; i < sizeof(key); i++)
		snprintf(text + 2 * i, 3, "%02x", key[i]);
	text[sizeof(text) - 2] = '\n';
	if (write(fd, text, sizeof(text) - 1) != sizeof(text) - 1 || fsync(fd) < 0)
		return cli_error("%s: cannot write the key: %s", path, strerror(errno));
	if (link(temp, path) < 0 && errno != EEXIST)
		return cli_error("%s: cannot make the key: %s: name another file with --key", path,
				 strerror(errno));
	return CLI_OK;
}

/* Makes the key under another name, which mkostemp() opens for its owner alone: under its own
 * name it is whole at all times, and of two captures that make it at once both use one. */
static int
make_key(const char *path)
{
	struct moore_buf temp = MOORE_BUF_INIT;
	int fd, rc;

	moore_buf_fmt(&temp, "%s.XXXXXX", path);
	if (temp.oom)
		return cli_error("out of memory");
	if ((fd = mkostemp(temp.data, O_CLOEXEC)) < 0) {
		rc = cli_error("%s: cannot make the key: %s: name another file with --key", path,
			       strerror(errno));
	} else {
		rc = name_key(fd, temp.data, path);
		close(fd);
		unlink(temp.data);
	}
	moore_buf_free(&temp);
	return rc;
}

static int
parse_key(const char *path, const struct moore_buf *text, uint8_t *key)
{
	size_t n = strcspn(text->data, "\n");
	uint64_t byte;

	for (size_t i = 0; n == 2 * MOORE_KEY_BYTES && i < MOORE_KEY_BYTES; i++) {
		const char *s = text->data + 2 * i, *end = s + 2;

		if (!moore_text_u64(&s, end, 16, 255, &byte) || s != end)
			n = 0;
		key[i] = (uint8_t)byte;
	}
	if (n != 2 * MOORE_KEY_BYTES || text->len > n + 1)
		return cli_error("%s:1: is no key: a key is one line of %d hexadecimal digits; name "
				 "another file, which is made if it does not exist", path,
				 2 * MOORE_KEY_BYTES);
	return CLI_OK;
}

/* Reads the key, or makes it if there is none. */
static int
load_key(const char *path, uint8_t *key)
{
	struct moore_buf text;
	struct stat st;
	int rc;

	if (stat(path, &st) < 0 && errno == ENOENT && (rc = make_key(path)) != CLI_OK)
		return rc;
	if ((rc = cli_read_at_most(path, 4096, "key", &text)) != CLI_OK)
		return rc;
	if (stat(path, &st) == 0 && st.st_mode & 077)
		rc = cli_error("%s: others may read this key: chmod 600 %s", path, path);
	else
		rc = parse_key(path, &text, key);
	moore_buf_free(&text);
	return rc;
}

/* Replaces the names, unless --names keep. */
static int
hide_names(const struct cli_call *c, struct taking *x)
{
	const char *names = cli_opt(c, "names"), *path = cli_opt(c, "key"), *home = getenv("HOME");
	char *own = NULL;
	struct moore_err err;
	int rc;

	if (names && !strcmp(names, "keep"))
		return CLI_OK;
	if (!path && (!home || !(path = own = cli_path_join(home, KEY_NAME))))
		return cli_misuse(c, "--key FILE is missing, and HOME is not set");
	if ((rc = load_key(path, x->key)) == CLI_OK) {
		x->c.pseudonyms = true;
		x->c.key_id = moore_keyed_hash(x->key, MOORE_KEY_ID_OF, strlen(MOORE_KEY_ID_OF));
		if (moore_fabric_pseudonyms(x->t.f, x->key, &err) < 0)
			rc = cli_error_at(path, &err);
	}
	free(own);
	return rc;
}

/* ---- the members ------------------------------------------------------------------------ */

static const struct cli_tables *
tables_of(const void *arg)
{
	return &((const struct taking *)arg)->t;
}

static int
put_subnet(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_subnet(tables_of(arg)->f, out);
	return 0;
}

static int
put_lfts(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	return moore_dump_write_lfts(tables_of(arg)->f, tables_of(arg)->lft, out, err);
}

static int
put_sl2vl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_sl2vl(tables_of(arg)->f, tables_of(arg)->sl2vl, out);
	return 0;
}

static int
put_mcast(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_mft(tables_of(arg)->f, tables_of(arg)->mft, out);
	return 0;
}

static int
put_path_sl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	return moore_dump_write_path_sl(tables_of(arg)->f, tables_of(arg)->sl_set, out, err);
}

static int
put_op_vls(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_op_vls(tables_of(arg)->f, out);
	return 0;
}

static int
put_hardware(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_hardware(tables_of(arg)->f, tables_of(arg)->hardware, out);
	return 0;
}

static int
put_counters(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	(void)err;
	moore_dump_write_counters(tables_of(arg)->f, tables_of(arg)->counted, out);
	return 0;
}

static int
put_plan(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	return moore_plan_write(((const struct taking *)arg)->plan, out, err);
}

typedef int put_member(const void *arg, struct moore_buf *out, struct moore_err *err);

static put_member *const put[MOORE_N_CAPTURED] = {
	[MOORE_CAPTURED_SUBNET] = put_subnet, [MOORE_CAPTURED_LFTS] = put_lfts,
	[MOORE_CAPTURED_SL2VL] = put_sl2vl, [MOORE_CAPTURED_MCAST] = put_mcast,
	[MOORE_CAPTURED_PATH_SL] = put_path_sl, [MOORE_CAPTURED_OP_VLS] = put_op_vls,
	[MOORE_CAPTURED_HARDWARE] = put_hardware, [MOORE_CAPTURED_COUNTERS] = put_counters,
	[MOORE_CAPTURED_PLAN] = put_plan,
};

static bool
has(const struct taking *x, enum moore_captured which)
{
	switch (which) {
	case MOORE_CAPTURED_SL2VL: return !x->t.no_lanes;
	case MOORE_CAPTURED_MCAST: return x->t.mft;
	case MOORE_CAPTURED_PATH_SL: return x->t.sl_set;
	case MOORE_CAPTURED_OP_VLS: return x->t.op_vls;
	case MOORE_CAPTURED_HARDWARE: return x->t.hardware;
	case MOORE_CAPTURED_COUNTERS: return x->t.counted;
	default: return true;
	}
}

/* ---- their sizes and hashes ---------------------------------------------------------------- */

struct measured {
	uint64_t len, hash;
};

static bool
measure_piece(void *arg, const char *data, size_t len)
{
	struct measured *m = arg;

	m->len += len;
	m->hash = moore_hash(m->hash, data, len);
	return true;
}

/* Sets size and hash of each member, and the counts. */
static int
measure(const char *dir, struct taking *x)
{
	uint64_t sum = 0;
	struct moore_err err;

	for (int i = 0; i < MOORE_N_CAPTURED; i++) {
		struct measured m = { 0, MOORE_HASH_INIT };
		struct moore_buf b = { .drain = measure_piece, .drain_arg = &m };
		int rc;

		if (!has(x, i))
			continue;
		rc = put[i](x, &b, &err);
		moore_buf_drain(&b);
		if (rc == 0 && b.oom)
			rc = moore_fail_nomem(&err);
		moore_buf_free(&b);
		if (rc < 0)
			return cli_error_at(dir, &err);
		x->c.member[i] = (struct moore_member){ moore_captured_name(i), NULL, (size_t)m.len };
		x->c.hash[i] = m.hash;
		sum += m.len;
		cli_busy_share(NULL, (i + 1.0) / MOORE_N_CAPTURED);
	}
	/* The headers and the manifest take less than the rest of the limit. */
	if (sum > CLI_READ_MAX - ((size_t)1 << 20))
		return cli_error("%s: its tables are more than the 1 GiB that a capture holds", dir);
	x->c.switches = x->t.f->n_switches;
	x->c.endpoints = x->t.f->n_endpoints;
	x->c.cables = x->plan->n_cables;
	x->c.lids = x->t.f->lid_top;
	return CLI_OK;
}

/* ---- writing --------------------------------------------------------------------------- */

static void
put_manifest(const struct taking *x, struct moore_buf *out)
{
	json_t *o = moore_answer_capture(&x->c);
	char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	size_t len = text ? strlen(text) : 0;

	moore_tar_head(out, MOORE_MANIFEST, len + 1, x->c.at);
	moore_buf_add(out, text, len);
	moore_buf_add(out, "\n", 1);
	moore_tar_pad(out, len + 1);
	out->oom |= !text;
	free(text);
	json_decref(o);
}

static int
put_archive(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct taking *x = arg;

	for (int i = 0; i < MOORE_N_CAPTURED; i++) {
		const struct moore_member *m = &x->c.member[i];

		if (!m->name)
			continue;
		moore_tar_head(out, m->name, m->len, x->c.at);
		if (put[i](x, out, err) < 0)
			return -err->code;
		moore_tar_pad(out, m->len);
		cli_busy_share(NULL, (i + 1.0) / MOORE_N_CAPTURED);
	}
	put_manifest(x, out);
	moore_tar_end(out);
	return 0;
}

/* ---- the verb -------------------------------------------------------------------------- */

static void
put_answer(struct moore_buf *b, const json_t *o)
{
	const json_t *m;
	size_t i;

	cli_putf(b, "fabric         ");
	cli_put_size(b, o);
	cli_putf(b, ", LIDs up to %lld\n", cli_int(o, "lids"));
	if (!strcmp(cli_str(o, "names"), "kept"))
		cli_putf(b, "names          " CLI_YELLOW "names and GUIDs are those of the site" CLI_PLAIN
			 "\n");
	else
		cli_putf(b, "names          pseudonyms under key %s; keep its file at the site\n",
			 cli_str(o, "key_id"));
	json_array_foreach(json_object_get(o, "members"), i, m)
		cli_putf(b, "%-14s %-20s %10lld bytes\n", i ? "" : "members", cli_str(m, "name"),
			 cli_int(m, "bytes"));
}

/* Reads the dumps of a directory; the tables are as old as the dump of the LFTs. */
static int
load_dir(const char *dir, struct taking *x)
{
	char *path = cli_path_join(dir, moore_captured_name(MOORE_CAPTURED_LFTS));
	struct stat st;

	if (!path)
		return cli_error("out of memory");
	x->c.at = stat(path, &st) == 0 && st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0;
	free(path);
	return cli_load_tables(dir, &x->t);
}

static int
take(const struct cli_call *c, struct taking *x)
{
	const char *to = cli_opt(c, "output"), *from = c->n_args ? c->arg[0] : "moored";
	struct moore_err err;
	struct cli_file file = { .path = to, .write = put_archive, .arg = x };
	int rc;

	cli_busy("reading");
	x->c.live = !c->n_args;
	if ((rc = c->n_args ? load_dir(from, x) :
	     cli_load_live(c, "moorectl capture DIR", &x->t, &x->c.at)) != CLI_OK ||
	    (rc = hide_names(c, x)) != CLI_OK)
		return rc;
	if (moore_plan_from_fabric(&x->plan, x->t.f, &err) < 0)
		return cli_error_at(from, &err);
	cli_busy("measuring");
	if ((rc = measure(from, x)) != CLI_OK)
		return rc;
	cli_busy("writing");
	if ((rc = cli_write_all(&file, 1)) != CLI_OK || !strcmp(to, "-"))
		return rc;
	return cli_show(c, moore_answer_capture(&x->c), put_answer, NULL);
}

int
cmd_capture(const struct cli_call *c)
{
	const char *names = cli_opt(c, "names");
	struct taking x = { .plan = NULL };
	int rc;

	if (!cli_opt(c, "output"))
		return cli_misuse(c, "-o FILE is missing: where is the capture to be written?");
	if (names && strcmp(names, "keep") && strcmp(names, "hide"))
		return cli_misuse(c, "--names %s: it is hide or keep", names);
	if (c->n_args && cli_is_capture(c->arg[0]))
		return cli_error("%s: is a capture already: give a directory of dumps", c->arg[0]);
	rc = take(c, &x);
	moore_plan_free(x.plan);
	cli_tables_free(&x.t);
	return rc;
}
