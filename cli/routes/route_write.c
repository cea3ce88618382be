// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* route_write.c - writes computed routes as the dumps that OpenSM would leave: one set of files, and
 * one more for each step to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "routes/route_write.h"

static int
make_dir(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0777) == 0)
		return CLI_OK;
	if (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return CLI_OK;
	if (errno == EEXIST)
		return cli_error("%s: is no directory: name one for the tables", dir);
	return cli_error("%s: cannot make this directory: %s: make the directories above it, or "
			 "name another", dir, strerror(errno));
}

/* Locks dir until *fd is closed, since the files of two runs would not belong together.  Where a
 * file system has no locks, nothing is locked. */
static int
lock_dir(const char *dir, int *fd)
{
	*fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return CLI_OK;
	return cli_error("%s: another moorectl is writing tables there: wait until it has ended, or "
			 "name another directory", dir);
}

/* Removes a file of an earlier run, which would be read as part of these tables. */
static int
drop_stale(const char *dir, const char *name)
{
	char *path = cli_path_join(dir, name);
	int rc = CLI_OK;

	if (!path)
		return cli_error("out of memory");
	if (remove(path) != 0 && errno != ENOENT)
		rc = cli_error("%s: cannot remove: %s: it is of an earlier run", path, strerror(errno));
	free(path);
	return rc;
}

/* One set of dumps: that of the routing, with the routes of a step. */
struct dumps {
	const struct cli_routing *r;
	const struct moore_lft *lft;
};

static const struct cli_routing *
dumps_of(const void *arg)
{
	return ((const struct dumps *)arg)->r;
}

static int
put_lfts(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct dumps *d = arg;

	return moore_dump_write_lfts(d->r->seen, d->lft, out, err);
}

static int
put_sl2vl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	(void)err;
	moore_dump_write_sl2vl(r->seen, r->result->sl2vl, out);
	return 0;
}

static int
put_subnet(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	(void)err;
	moore_dump_write_subnet(r->seen, out);
	return 0;
}

static int
put_fdbs(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct dumps *d = arg;

	return moore_dump_write_fdbs(d->r->seen, d->lft, out, err);
}

/* Off line no group has members. */
static int
put_mcast(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);
	struct moore_mft *no_groups;
	int rc = moore_mft_new(&no_groups, r->seen->n_switches, err);

	if (rc == 0)
		moore_dump_write_mft(r->seen, no_groups, out);
	moore_mft_free(no_groups);
	return rc;
}

static int
put_op_vls(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	(void)err;
	moore_dump_write_op_vls(r->seen, out);
	return 0;
}

static int
put_path_sl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	return moore_dump_write_path_sl(r->seen, r->result->sl_set, out, err);
}

static int
put_slvl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	(void)err;
	moore_dump_write_slvl(r->seen, r->result->sl2vl, out);
	return 0;
}

/* The SL in the path record of a request that asks for none. */
static uint8_t
record_sl(const void *routing, moore_lid slid, moore_lid dlid)
{
	const struct cli_routing *r = routing;

	return moore_lane_hint_sl(&r->conf.lanes, 0, moore_route_right(r->result->route, slid, dlid));
}

static int
put_psl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);

	(void)err;
	for (moore_epid e = 0; e < r->seen->n_endpoints; e++)
		moore_dump_write_psl(r->seen, e, record_sl, r, out);
	return 0;
}

/* parent_port[] of a tree over each connected part of the fabric, of allowed turns alone. */
static int
span(const struct cli_routing *r, uint8_t *parent_port, moore_swid *left, struct moore_err *err)
{
	uint32_t n = r->seen->n_switches, n_left = n;
	uint8_t *part = calloc((size_t)n + 1, 1);
	int rc = part ? 0 : moore_fail_nomem(err);

	for (moore_swid s = 0; s < n; s++)
		left[s] = s;
	while (rc == 0 && n_left) {
		uint32_t k = 0;

		rc = moore_route_mcast(r->result->route, 0, left, n_left, part, err);
		if (rc == -MOORE_EUNREACH)
			rc = 0;		/* the others are in another part */
		for (uint32_t i = 0; i < n_left; i++)
			if (part[left[i]] == MOORE_NO_PATH)
				left[k++] = left[i];
			else
				parent_port[left[i]] = part[left[i]];
		n_left = k;
	}
	free(part);
	return rc;
}

static int
put_lid_matrix(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = dumps_of(arg);
	size_t n = r->seen->n_switches;
	uint8_t *parent_port = calloc(n + 1, 1);
	moore_swid *left = calloc(n + 1, sizeof(*left));
	int rc;

	if (!parent_port || !left)
		rc = moore_fail_nomem(err);
	else if ((rc = span(r, parent_port, left, err)) == 0)
		rc = moore_dump_write_lid_matrix(r->seen, parent_port, out, err);
	free(parent_port);
	free(left);
	return rc;
}

enum when { ALWAYS, ONE_VL, HINT };	/* profile one-vl; profile sl-hint */

static const struct {
	const char *name;
	int (*write)(const void *arg, struct moore_buf *out, struct moore_err *err);
	enum when when;
} files[] = {
	{ "opensm-lfts.dump", put_lfts, ALWAYS }, { "opensm-sl2vl.dump", put_sl2vl, ALWAYS },
	{ "opensm-subnet.lst", put_subnet, ALWAYS }, { "opensm.fdbs", put_fdbs, ALWAYS },
	{ "opensm.mcfdbs", put_mcast, ALWAYS }, { "moore-op-vls.dump", put_op_vls, ALWAYS },
	{ "opensm-lid-matrix.dump", put_lid_matrix, ONE_VL },
	{ "moore-path-sl.dump", put_path_sl, HINT },
	{ "moore-slvl.dump", put_slvl, HINT }, { "moore-psl.dump", put_psl, HINT },
};

#define N_FILES ARRAY_LEN(files)

static bool
is_written(size_t i, const struct cli_routing *r)
{
	return files[i].when == ALWAYS ||
		(files[i].when == HINT ? r->conf.profile == MOORE_PROFILE_SL_HINT :
		 r->conf.profile == MOORE_PROFILE_ONE_VL);
}

/* Adds the files of one set to those that are to be written. */
static int
add_files(struct cli_file *file, size_t *n, const char *dir, const struct dumps *d)
{
	for (size_t i = 0; i < N_FILES; i++) {
		if (!is_written(i, d->r))
			continue;
		file[*n] = (struct cli_file){ .path = cli_path_join(dir, files[i].name),
			.write = files[i].write, .arg = d };
		if (!file[(*n)++].path)
			return cli_error("out of memory");
	}
	return CLI_OK;
}

/* Removes the files that are not written for r, or all files when r is NULL. */
static int
drop_files(const char *dir, const struct cli_routing *r)
{
	int rc = CLI_OK;

	for (size_t i = 0; i < N_FILES && rc == CLI_OK; i++)
		if (!r || !is_written(i, r))
			rc = drop_stale(dir, files[i].name);
	return rc;
}

static char *
step_dir(const char *dir, uint32_t k)
{
	char name[24];

	snprintf(name, sizeof(name), "step-%u", k);
	return cli_path_join(dir, name);
}

/* Removes the steps after the n-th, which an earlier run has left. */
static int
drop_steps(const char *dir, uint32_t n)
{
	int rc = CLI_OK;

	for (bool there = true; there && rc == CLI_OK;) {
		char *path = step_dir(dir, ++n);
		struct stat st;

		if (!path)
			return cli_error("out of memory");
		there = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
		if (there && (rc = drop_files(path, NULL)) == CLI_OK && rmdir(path) != 0)
			rc = cli_error("%s: cannot remove: %s: it is of an earlier run", path,
				       strerror(errno));
		free(path);
	}
	return rc;
}

static void
apply(struct moore_lft *to, const struct moore_motion *m, uint32_t step)
{
	const struct moore_row *row = m->row + m->step[step].first;

	for (size_t i = 0; i < m->step[step].n; i++)
		moore_lft_row(to, row[i].sw)[row[i].lid] = row[i].port;
}

/* Everything that is written: set[0] in DIR, set[k] in DIR/step-k. */
struct output {
	uint32_t n_sets;
	struct dumps *set;
	struct moore_lft **lft;		/* routes after each step */
	char **dir;
	struct cli_file *file;
	size_t n_files;
};

static int
new_output(struct output *o, const char *dir, const struct cli_routing *r,
	   const struct moore_motion *m)
{
	*o = (struct output){ .n_sets = 1 + (m ? m->n_steps : 0) };
	o->set = calloc(o->n_sets, sizeof(*o->set));
	o->lft = calloc(o->n_sets, sizeof(struct moore_lft *));
	o->dir = calloc(o->n_sets, sizeof(char *));
	o->file = calloc(o->n_sets * N_FILES, sizeof(*o->file));
	if (!o->set || !o->lft || !o->dir || !o->file)
		return cli_error("out of memory");
	for (uint32_t k = 0; k < o->n_sets; k++) {
		o->set[k] = (struct dumps){ r, r->result->lft };
		if (!(o->dir[k] = k ? step_dir(dir, k) : strdup(dir)))
			return cli_error("out of memory");
	}
	return CLI_OK;
}

/* Makes the routes after each step. */
static int
play_steps(struct output *o, const struct cli_table_steps *way)
{
	const struct moore_lft *before = way->was;
	struct moore_err err;

	for (uint32_t k = 1; k < o->n_sets; k++) {
		if (moore_lft_new(&o->lft[k], before->n_switches, (moore_lid)(before->stride - 1),
				  &err) < 0)
			return cli_error("%s", err.text);
		memcpy(o->lft[k]->row, before->row, before->stride * before->n_switches);
		apply(o->lft[k], way->steps->motion, k - 1);
		o->set[k].lft = before = o->lft[k];
	}
	return CLI_OK;
}

static int
write_sets(struct output *o, const struct cli_routing *r)
{
	int rc = CLI_OK;

	for (uint32_t k = 0; k < o->n_sets && rc == CLI_OK; k++)
		if ((rc = make_dir(o->dir[k])) == CLI_OK)
			rc = add_files(o->file, &o->n_files, o->dir[k], &o->set[k]);
	if (rc == CLI_OK)
		rc = cli_write_all(o->file, o->n_files);
	for (uint32_t k = 0; k < o->n_sets && rc == CLI_OK; k++)
		rc = drop_files(o->dir[k], r);
	for (uint32_t k = 1; k < o->n_sets && rc != CLI_OK; k++)
		rmdir(o->dir[k]);	/* only one that is new: it is empty */
	return rc;
}

static void
free_output(struct output *o)
{
	for (size_t i = 0; i < o->n_files; i++)
		free((char *)o->file[i].path);
	for (uint32_t k = 0; k < o->n_sets; k++) {
		if (o->dir)
			free(o->dir[k]);
		if (o->lft)
			moore_lft_free(o->lft[k]);
	}
	free(o->file);
	free(o->dir);
	free(o->lft);
	free(o->set);
}

static struct cli_written
measure(const struct output *o)
{
	struct cli_written w = { .files = o->n_files };
	struct stat st;

	for (size_t i = 0; i < o->n_files; i++)
		if (stat(o->file[i].path, &st) == 0)
			w.bytes += (double)st.st_size;
	return w;
}

int
cli_write_routing(const char *dir, const struct cli_routing *r, const struct cli_table_steps *way,
		  struct cli_written *w)
{
	struct output o;
	int lock = -1, rc;

	cli_busy("writing");
	if ((rc = new_output(&o, dir, r, way->steps ? way->steps->motion : NULL)) == CLI_OK &&
	    (rc = play_steps(&o, way)) == CLI_OK && (rc = make_dir(dir)) == CLI_OK &&
	    (rc = lock_dir(dir, &lock)) == CLI_OK && (rc = write_sets(&o, r)) == CLI_OK && way->steps)
		rc = drop_steps(dir, o.n_sets - 1);
	*w = measure(&o);
	if (lock >= 0)
		close(lock);
	free_output(&o);
	return rc;
}
