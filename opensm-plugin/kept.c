// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kept.c - the graph that routes are computed for when there is no plan, kept in a file
 * beside OpenSM's own caches.
 *
 * When a sweep sees a complete fabric (moore_engine_run() decides), the fabric is written as
 * a plan in JSON, whole or not at all.  From then on routes are computed for that graph as long
 * as all that is seen is part of it, so a failure changes little, and a subnet manager that
 * was restarted computes the same tables.
 *
 * The file is read again when it was replaced, and removing it makes the plugin forget the
 * graph: that is how an operator says that a missing switch will not return.  A file that cannot be
 * read, such as one that is being copied, does not. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "write_whole.h"

/* OpenSM keeps guid2lid in the same directory. */
static const char *
path_of(char *path, size_t size)
{
	const char *dir = getenv("OSM_CACHE_DIR");

	snprintf(path, size, "%s/" MOORE_KEPT_FILE, dir && *dir ? dir : OSM_DEFAULT_CACHE_DIR);
	return path;
}

void
mplug_kept_free(struct mplug_kept *k)
{
	moore_plan_free(k->plan);
	*k = (struct mplug_kept){ NULL };
}

/* Reads the file.  If it cannot be read, the plan stays. */
static int
load(struct mplug_kept *k, const char *path, struct moore_err *err)
{
	struct moore_plan *plan = NULL;
	char *text = NULL;
	size_t len;
	int rc = mplug_slurp(path, MOORE_PLAN_SUBNET_BYTES_MAX, &text, &len, &k->st);

	if (rc < 0)
		moore_fail(err, MOORE_EINVAL, 0, "%s", strerror(-rc));
	else
		rc = moore_plan_parse(&plan, text, len, err);
	free(text);
	k->saved = true;
	k->unreadable = rc < 0;
	if (rc < 0)
		return rc;
	moore_plan_free(k->plan);
	k->plan = plan;
	return 0;
}

static void
tell_read(const struct mplug_sm *sm, const char *path)
{
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: kept graph of %u switches and %u links in %s\n",
		sm->kept.plan->n_switches, sm->kept.plan->n_cables, path);
}

static void
read_file(struct mplug_sm *sm, const char *path)
{
	struct moore_err err;
	char at[24] = "";

	if (load(&sm->kept, path, &err) == 0) {
		tell_read(sm, path);
		return;
	}
	if (err.line)
		snprintf(at, sizeof(at), "line %u, ", err.line);
	mplug_log_err(sm, MPLUG_MR_KEPT, "%s: it is not used: %s%s: %sthe file will be replaced "
		      "when the fabric is complete", path, at, err.text,
		      sm->kept.plan ? "the graph that was kept before is used, and " : "");
}

void
mplug_kept_load(struct mplug_kept *k)
{
	struct moore_err err;
	char path[2048];

	if (load(k, path_of(path, sizeof(path)), &err) < 0)
		*k = (struct mplug_kept){ NULL };
}

void
mplug_kept_take(struct mplug_sm *sm, struct mplug_kept *k)
{
	char path[2048];

	if (!k->plan)
		return;
	sm->kept = *k;
	tell_read(sm, path_of(path, sizeof(path)));
}

const struct moore_plan *
mplug_kept_read(struct mplug_sm *sm)
{
	struct mplug_kept *k = &sm->kept;
	char path[2048];
	struct stat st;

	if (sm->settings.plan)
		return NULL;
	if (k->plan && !k->saved)
		return k->plan;		/* newer than the file, which could not be written */
	if (stat(path_of(path, sizeof(path)), &st) < 0) {
		if (errno == ENOENT)
			mplug_kept_free(k);
		return k->plan;
	}
	if (!k->saved || !mplug_same_file(&st, &k->st)) {
		k->st = st;
		read_file(sm, path);
	}
	return k->plan;
}

/* Writes a new file, waits until it is on the disk, and renames it to path. */
static bool
write_file(const char *path, const struct moore_buf *b, struct stat *st)
{
	char tmp[2048 + 4];
	bool ok;
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.new", path);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return false;
	ok = write_whole(fd, b->data, b->len) && fsync(fd) == 0 && fstat(fd, st) == 0;
	if (close(fd) < 0)
		ok = false;
	if (ok && rename(tmp, path) == 0)
		return true;
	unlink(tmp);
	return false;
}

static void
save(struct mplug_sm *sm, const char *path)
{
	struct mplug_kept *k = &sm->kept;
	struct moore_buf b = MOORE_BUF_INIT;

	errno = ENOMEM;
	k->saved = moore_plan_write(k->plan, &b, NULL) == 0 && write_file(path, &b, &k->st);
	k->unreadable &= !k->saved;
	if (k->saved)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %s of %u switches and %u links is kept "
			"in %s\n", *sm->result->topology ? sm->result->topology : "the graph",
			k->plan->n_switches, k->plan->n_cables, path);
	else
		mplug_log_err(sm, MPLUG_MR_KEPT, "%s: %s: it cannot be written: after a restart of "
			      "OpenSM, failures may change most routes: make a directory with room "
			      "for it, or name a plan in moore.conf", path, strerror(errno));
	moore_buf_free(&b);
}

static struct moore_route_stats
stats_of(const struct mplug_sm *sm)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	return st;
}

/* True if a file that could not be read may be replaced by the graph that is in use. */
static bool
is_complete(const struct mplug_sm *sm)
{
	const struct moore_route_stats st = stats_of(sm);

	return sm->result->intent == MOORE_INTENT_KEPT && !st.missing_links && !st.missing_switches;
}

/* Says once that parts of the kept graph are missing, and how to forget them. */
static void
tell_missing(struct mplug_sm *sm, const char *path)
{
	struct moore_route_stats st = stats_of(sm);
	uint32_t *told = sm->kept.missing;

	if (sm->result->intent != MOORE_INTENT_KEPT)
		st.missing_links = st.missing_switches = 0;
	if ((st.missing_links || st.missing_switches) &&
	    (st.missing_links != told[0] || st.missing_switches != told[1]))
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: missing of the kept graph: %u link%s, %u "
			"switch%s; if they will not return, %sremove %s\n", st.missing_links,
			MOORE_S(st.missing_links), st.missing_switches, MOORE_ES(st.missing_switches),
			sm->kept.saved ? "" : "see to MR23 first, so that there is a file, and then ", path);
	told[0] = st.missing_links;
	told[1] = st.missing_switches;
}

static void
warn(struct mplug_sm *sm, const char *path)
{
	const struct moore_engine_result *r = sm->result;

	if (r->kept_differs)
		mplug_log_err(sm, MPLUG_MR_KEPT, "%s: it is not used, since the fabric has switches or "
			      "links that are not in it: if these are meant to be, remove the file",
			      path);
	if (r->n_unknown)
		mplug_log_err(sm, MPLUG_MR_KEPT, "%u switch%s missing, and no kept graph tells "
			      "the GUIDs: most routes change now and again later: copy %s from "
			      "a subnet manager that has it, or name a plan in moore.conf",
			      r->n_unknown, r->n_unknown == 1 ? " is" : "es are", path);
}

void
mplug_kept_update(struct mplug_sm *sm)
{
	struct mplug_kept *k = &sm->kept;
	struct moore_err err;
	char path[2048];

	if (sm->settings.plan)
		return;
	path_of(path, sizeof(path));
	if (sm->result->keep) {
		mplug_kept_free(k);
		if (moore_engine_keep(&k->plan, sm->newest, sm->result->topology, &err) < 0)
			mplug_log_err(sm, MPLUG_MR_KEPT, "the graph is not kept: %s", err.text);
	}
	if (k->plan && (!k->saved || (k->unreadable && is_complete(sm))))
		save(sm, path);
	tell_missing(sm, path);
	warn(sm, path);
}
