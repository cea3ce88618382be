// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* load_tables.c - loads tables: directories of OpenSM's dumps, and captures, which hold such dumps. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- a directory of dumps -------------------------------------------------------- */

/* The dumps up to COUNTERS are read for every verb, the last one for verify --mcast alone. */
enum { SUBNET, LFTS, SL2VL, MCAST, PATH_SL, OP_VLS, HARDWARE, COUNTERS, LID_MATRIX, N_DUMPS };

static const char *const dump_name[N_DUMPS] = {
	"opensm-subnet.lst", "opensm-lfts.dump", "opensm-sl2vl.dump", "opensm.mcfdbs",
	"moore-path-sl.dump", "moore-op-vls.dump", "moore-hardware.dump", "moore-counters.dump",
	"opensm-lid-matrix.dump",
};

/* Puts the directory before the file and line that the parser names. */
static int
dump_error(const char *dir, const struct moore_err *err)
{
	for (int i = 0; i < N_DUMPS; i++) {
		size_t n = strlen(dump_name[i]);

		if (!strncmp(err->text, dump_name[i], n) && err->text[n] == ':' && err->line)
			return cli_error("%s/%s:%u%s", dir, dump_name[i], err->line,
					 err->text + n);
	}
	if (err->line)
		return cli_error("%s/%.*s:%u%s", dir, (int)strcspn(err->text, ":"), err->text,
				 err->line, err->text + strcspn(err->text, ":"));
	return cli_error("%s: %s", dir, err->text);
}

static int
find_dump(const char *dir, int which, char **path)
{
	struct stat st;

	if (!(*path = cli_path_join(dir, dump_name[which])))
		return cli_error("out of memory");
	if (stat(*path, &st) == 0)
		return CLI_OK;
	if (which == LFTS || which == SUBNET)
		return stat(dir, &st) < 0 ? cli_error("%s: no such directory", cli_file_name(dir)) :
		       cli_error("%s: no such file: OpenSM writes it at each heavy sweep when its "
				 "log_flags include 0x40; moorectl route -o DIR writes it too", *path);
	/* There is no multicast group, no QoS, any SL may be used, nothing tells the operational
	 * VLs, the hardware or the counters, or hops are those of shortest paths. */
	return CLI_FOUND;
}

/* Reads the LFTs in pieces, since they can be longer than memory: once for the fabric (text
 * is then the subnet list) and once for the tables. */
static int
read_lfts(const char *path, const struct moore_buf *text, struct cli_tables *t,
	  const char *dir)
{
	struct moore_err err;
	struct cli_lines l;
	int rc = cli_lines_open(path, &l), parsed;

	if (rc != CLI_OK)
		return rc;
	parsed = text ? moore_dump_read_fabric(&t->f, text->data, text->len, &l.source, &err) :
		moore_dump_read_lfts(&t->lft, t->f, &l.source, &err);
	if ((rc = cli_lines_close(&l)) == CLI_OK && parsed < 0)
		rc = dump_error(dir, &err);
	return rc;
}

/* What switches report replaces what is assumed of them without it. */
static int
parse_hardware(const struct moore_buf *text, struct cli_tables *t, struct moore_err *err)
{
	int rc = moore_dump_parse_hardware(&t->hardware, t->f, text->data, text->len, err);

	t->sl_maps = rc == 0;
	for (moore_swid s = 0; rc == 0 && s < t->f->n_switches; s++) {
		const uint32_t port0 = t->f->sw[s].port0;

		if (t->hardware->port[port0][MOORE_PT_VLS])
			t->f->sw[s].maps_sl = t->hardware->sw[s][MOORE_SW_MAPS_SL];
		else
			t->sl_maps = false;
	}
	return rc;
}

static int
parse_dump(int which, const struct moore_buf *text, struct cli_tables *t, struct moore_err *err)
{
	switch (which) {
	case SL2VL: return moore_dump_parse_sl2vl(&t->sl2vl, t->f, text->data, text->len, err);
	case MCAST: return moore_dump_parse_mft(&t->mft, t->f, text->data, text->len, err);
	case PATH_SL:
		return moore_dump_parse_path_sl(&t->sl_set, t->f, text->data, text->len, err);
	case HARDWARE:
		return parse_hardware(text, t, err);
	case COUNTERS:
		return moore_dump_parse_counters(&t->counted, t->f, text->data, text->len, err);
	case LID_MATRIX:
		return moore_dump_parse_lid_matrix(&t->hops, t->f, text->data, text->len, err);
	default:
		t->op_vls = "file";
		return moore_dump_parse_op_vls(t->f, text->data, text->len, err);
	}
}

/* Reads one dump; only one text is in memory at a time. */
static int
read_dump(const char *dir, int which, struct cli_tables *t)
{
	struct moore_buf text = MOORE_BUF_INIT;
	char *path, *lfts = NULL;
	struct moore_err err;
	int rc = find_dump(dir, which, &path);

	if (rc == CLI_OK && which == LFTS)
		rc = read_lfts(path, NULL, t, dir);
	else if (rc == CLI_OK && (rc = cli_read(path, &text)) == CLI_OK) {
		if (which == SUBNET && (rc = find_dump(dir, LFTS, &lfts)) == CLI_OK)
			rc = read_lfts(lfts, &text, t, dir);
		else if (which != SUBNET && parse_dump(which, &text, t, &err) < 0)
			rc = dump_error(dir, &err);
	} else if (rc == CLI_FOUND) {
		t->no_lanes |= which == SL2VL;
		rc = CLI_OK;
	}
	moore_buf_free(&text);
	free(lfts);
	free(path);
	return rc;
}

static int
refuse_empty(const char *path)
{
	return cli_error("%s: its dumps hold no switch: they are empty or cut off", path);
}

/* ---- a capture -------------------------------------------------------------------- */

bool
cli_is_capture(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[512];
	struct stat st;
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		read(fd, head, sizeof(head)) == sizeof(head) && moore_tar_begins(head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

bool
cli_is_tables(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (S_ISDIR(st.st_mode) || cli_is_capture(path));
}

int
cli_open_capture(const char *path, struct moore_buf *file, struct moore_capture *out)
{
	struct moore_err err;
	int rc = cli_read(path, file);

	if (rc == CLI_OK && moore_capture_open(out, file->data, file->len, &err) < 0) {
		rc = cli_error_at(path, &err);
		moore_buf_free(file);
	}
	return rc;
}

static int
parse_member(const struct moore_capture *c, int which, struct cli_tables *t, struct moore_err *err)
{
	const struct moore_member *m = &c->member[which], *lfts = &c->member[MOORE_CAPTURED_LFTS];
	const struct moore_buf text = { .data = (char *)m->data, .len = m->len };

	t->no_lanes |= which == SL2VL && !m->name;
	if (!m->name)
		return 0;
	if (which == SUBNET)
		return moore_dump_parse_fabric(&t->f, m->data, m->len, lfts->data, lfts->len, err);
	if (which == LFTS)
		return moore_dump_parse_lfts(&t->lft, t->f, m->data, m->len, err);
	return parse_dump(which, &text, t, err);
}

static int
parse_members(const char *path, const struct moore_capture *c, struct cli_tables *t)
{
	_Static_assert((int)MOORE_CAPTURED_COUNTERS == COUNTERS, "the members begin with these dumps");
	struct moore_err err;
	int rc = CLI_OK;

	for (int i = 0; i <= COUNTERS && rc == CLI_OK; i++) {
		if (parse_member(c, i, t, &err) < 0)
			rc = dump_error(path, &err);
		else if (!t->f->n_switches)
			rc = refuse_empty(path);
	}
	return rc;
}

static int
load_capture(const char *path, struct cli_tables *t)
{
	struct moore_capture c;
	struct moore_buf file;
	int rc = cli_open_capture(path, &file, &c);

	if (rc != CLI_OK)
		return rc;
	rc = parse_members(path, &c, t);
	moore_buf_free(&file);
	return rc;
}

/* ---- either ----------------------------------------------------------------------- */

static int
load_dumps(const char *dir, struct cli_tables *t)
{
	struct stat st;
	int rc = CLI_OK;

	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return cli_error("%s: is no directory: give the one that holds %s, %s and %s",
				 dir, dump_name[LFTS], dump_name[SL2VL], dump_name[SUBNET]);
	for (int i = 0; i <= COUNTERS && rc == CLI_OK; i++) {
		rc = read_dump(dir, i, t);
		if (rc == CLI_OK && !t->f->n_switches)
			rc = refuse_empty(dir);
	}
	return rc;
}

/* What is computed from all dumps together.  rc: what reading them returned. */
static int
finish_tables(const char *from, struct cli_tables *t, int rc)
{
	struct moore_err err;

	if (rc == CLI_OK && ((t->no_lanes && moore_sl2vl_new(&t->sl2vl, t->f, &err) < 0) ||
			     moore_fabric_lids(t->f, &t->owner, &err) < 0))
		rc = dump_error(from, &err);
	if (rc != CLI_OK)
		cli_tables_free(t);
	return rc;
}

int
cli_load_tables(const char *dir, struct cli_tables *out)
{
	*out = (struct cli_tables){ NULL };
	cli_busy("reading the tables");
	return finish_tables(dir, out, cli_is_capture(dir) ? load_capture(dir, out) :
			     load_dumps(dir, out));
}

int
cli_parse_capture(const char *from, const struct moore_capture *c, struct cli_tables *out)
{
	*out = (struct cli_tables){ NULL };
	return finish_tables(from, out, parse_members(from, c, out));
}

int
cli_load_hops(const char *dir, struct cli_tables *t)
{
	int rc = read_dump(dir, LID_MATRIX, t);
	struct moore_err err;

	if (rc == CLI_OK && t->hops && moore_stock_hops_whole(t->f, t->hops, &err) < 0)
		rc = cli_error("%s/%s: %s", dir, dump_name[LID_MATRIX], err.text);
	return rc;
}

int
cli_set_op_vls(const struct cli_call *c, struct cli_tables *t)
{
	uint64_t n = 0;
	int rc = cli_opt_u64(c, "op-vls", 1, 15, &n);

	if (rc != CLI_OK || !n)
		return rc;
	if (n != 1 && n != 2 && n != 4 && n != 8 && n != 15)
		return cli_misuse(c, "--op-vls %u: a link runs 1, 2, 4, 8 or 15 data VLs", (unsigned)n);
	for (uint32_t i = 0; i < t->f->n_ports; i++)
		t->f->port[i].lanes = (uint8_t)n;
	t->op_vls = "option";
	return CLI_OK;
}

void
cli_tables_free(struct cli_tables *t)
{
	moore_mft_free(t->mft);
	moore_sl2vl_free(t->sl2vl);
	moore_sl_set_free(t->sl_set);
	moore_lft_free(t->lft);
	moore_hardware_free(t->hardware);
	moore_counted_free(t->counted);
	free(t->hops);
	moore_fabric_free(t->f);
	free(t->owner);
	*t = (struct cli_tables){ NULL };
}

struct moore_answer_tables
cli_answer_tables(const struct cli_tables *t)
{
	return (struct moore_answer_tables){ .f = t->f, .lft = t->lft, .sl2vl = t->sl2vl,
		.mft = t->mft, .owner = t->owner, .no_lanes = t->no_lanes,
		.op_vls = t->op_vls, .sl_maps = t->sl_maps };
}
