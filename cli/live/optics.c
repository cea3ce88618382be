// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* optics.c - joins what ibdiagnet and mlxlink left behind to the links of an answer, by GUID and
 * port.
 *
 * mlxlink prints neither the GUID of its device nor the InfiniBand number of the port, so the name
 * of its file must have both: 0xb8cef60300a1b2c3-12.json. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/optics.h"

static const char *const files[] = { "ibdiagnet2.net_dump_ext", "ibdiagnet2.db_csv" };

/* CLI_FOUND: there is no such file. */
static int
load_file(const char *dir, const char *name, struct moore_optics *t)
{
	char *path = cli_path_join(dir, name);
	struct moore_buf text;
	struct moore_err err;
	struct stat st;
	int rc;

	if (!path)
		return cli_error("out of memory");
	if (stat(path, &st) < 0)
		rc = CLI_FOUND;
	else if ((rc = cli_read(path, &text)) == CLI_OK) {
		if (moore_optics_add(t, text.data ? text.data : "", text.len, &err) < 0)
			rc = cli_error_at(path, &err);
		moore_buf_free(&text);
	}
	free(path);
	return rc;
}

static int
load_ibdiagnet(const struct cli_call *c, struct moore_optics *out)
{
	const char *dir = cli_opt(c, "ibdiagnet");
	size_t found = 0;

	for (size_t i = 0; dir && i < ARRAY_LEN(files); i++) {
		int rc = load_file(dir, files[i], out);

		if (rc == CLI_FAIL)
			return rc;
		found += rc == CLI_OK;
	}
	if (dir && !found)
		return cli_error("%s: holds neither %s nor %s: ibdiagnet --get_phy_info --get_cable_info "
				 "writes them, into /var/tmp/ibdiagnet2", cli_file_name(dir), files[0], files[1]);
	if (out->skipped)
		cli_error("%s: rows without GUID and port are left out: %u", cli_file_name(dir),
			 out->skipped);
	return CLI_OK;
}

/* ---- mlxlink ------------------------------------------------------------------------ */

#define MLXLINK_MAX ((size_t)1 << 20)	/* bytes of one file */

/* Reads the name "0xGUID-PORT.txt" or ".json". */
static bool
read_name(const char *name, uint64_t *guid, uint64_t *port)
{
	const char *at = name, *end = name + strlen(name);

	return moore_text_u64(&at, end, 16, UINT64_MAX, guid) && *at++ == '-' &&
		moore_text_u64(&at, end, 10, UINT8_MAX, port) &&
		(!strcmp(at, ".txt") || !strcmp(at, ".json"));
}

static int
is_mlxlink(const struct dirent *e)
{
	uint64_t guid, port;

	return read_name(e->d_name, &guid, &port);
}

static int
by_guid_and_port(const struct dirent **a, const struct dirent **b)
{
	uint64_t x[2] = { 0 }, y[2] = { 0 };

	read_name((*a)->d_name, &x[0], &x[1]);
	read_name((*b)->d_name, &y[0], &y[1]);
	for (int i = 0; i < 2; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
load_port(const char *dir, const char *name, struct moore_optics *t)
{
	char *path = cli_path_join(dir, name);
	struct moore_buf text;
	uint64_t guid = 0, port = 0;
	struct moore_err err;
	int rc;

	if (!path)
		return cli_error("out of memory");
	read_name(name, &guid, &port);
	if ((rc = cli_read_at_most(path, MLXLINK_MAX, "output of mlxlink", &text)) == CLI_OK) {
		if (moore_optics_add_mlxlink(t, guid, (uint32_t)port, text.data ? text.data : "", text.len,
					     &err) < 0)
			rc = cli_error_at(path, &err);
		moore_buf_free(&text);
	}
	free(path);
	return rc;
}

static int
load_mlxlink(const struct cli_call *c, struct moore_optics *out)
{
	const char *dir = cli_opt(c, "mlxlink");
	struct dirent **entry = NULL;
	int rc = CLI_OK, n;

	if (!dir)
		return CLI_OK;
	if ((n = scandir(dir, &entry, is_mlxlink, by_guid_and_port)) < 0)
		return cli_error("%s: %s", cli_file_name(dir), strerror(errno));
	if (!n)
		rc = cli_error("%s: holds no file named like 0xb8cef60300a1b2c3-12.json or .txt: the GUID and "
			       "the port that `mlxlink -m -c` was asked for", cli_file_name(dir));
	for (int i = 0; i < n; i++) {
		if (rc == CLI_OK)
			rc = load_port(dir, entry[i]->d_name, out);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

int
cli_load_optics(const struct cli_call *c, struct moore_optics *out)
{
	int rc;

	*out = (struct moore_optics)MOORE_OPTICS_INIT;
	if ((rc = load_ibdiagnet(c, out)) != CLI_OK)
		return rc;
	return load_mlxlink(c, out);
}

/* ---- joining ------------------------------------------------------------------------ */

static void
join_end(const struct moore_optics *t, json_t *row, const char *guid, const char *port,
	 const char *key)
{
	const char *s = cli_str(row, guid), *end = s + strlen(s);
	uint64_t v = 0;

	moore_text_u64(&s, end, 0, UINT64_MAX, &v);
	json_object_set_new(row, key, moore_answer_optic(moore_optics_find(t, v,
			    (uint32_t)cli_int(row, port))));
}

void
cli_join_optics(const struct cli_call *c, const struct moore_optics *t, json_t *rows, bool both_ends)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		if (!cli_has(c, "ibdiagnet") && !cli_has(c, "mlxlink"))
			return;
		join_end(t, row, "guid", "port", "optics");
		if (both_ends)
			join_end(t, row, "peer_guid", "peer_port", "peer_optics");
	}
}

static void
put_end(struct moore_buf *b, const json_t *row, const char *name, const char *port, const char *key)
{
	const json_t *o = json_object_get(row, key);
	struct moore_buf left = MOORE_BUF_INIT, text = MOORE_BUF_INIT;

	for (int v = 0; json_is_object(o) && v < MOORE_N_OPTIC_VALUES; v++) {
		const char *what = moore_optic_value_name(v);

		if (*cli_str(o, what))
			cli_putf(&text, "%s%s %s", text.len ? ", " : "", what, cli_str(o, what));
	}
	if (text.len) {
		cli_putf(&left, "%s[%lld]", cli_str(row, name), cli_int(row, port));
		cli_put_help(b, left.data, 15, text.data);
	}
	b->oom |= left.oom || text.oom;
	moore_buf_free(&left);
	moore_buf_free(&text);
}

void
cli_put_optics(struct moore_buf *b, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		put_end(b, row, "switch", "port", "optics");
		put_end(b, row, "peer", "peer_port", "peer_optics");
	}
}
