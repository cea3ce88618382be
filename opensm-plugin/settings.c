// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* settings.c - reads moore.conf, and the plan and the links file that it names, at each
 * heavy sweep, so that SIGHUP to OpenSM is enough after an edit.
 *
 * Invariant: once all files have been read, usable settings exist at any time: if a file
 * fails later, the error is logged and the last good settings stay in force. */
#include "plugin.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define CONF_BYTES_MAX ((size_t)1 << 16)
#define LINKS_BYTES_MAX ((size_t)1 << 20)
#define POLICY_BYTES_MAX ((size_t)1 << 20)
#define OPTION "moore_conf="

void
mplug_settings_init(struct mplug_sm *sm, const char *options)
{
	struct mplug_settings *s = &sm->settings;
	const char *at = options ? strstr(options, OPTION) : NULL;
	size_t len;

	strcpy(s->path, MOORE_SYSCONFDIR "/moore/moore.conf");
	if (!at || (at > options && !strchr(" \t,", at[-1])))
		return;		/* the option may belong to another plugin */
	at += strlen(OPTION);
	len = strcspn(at, " \t\n");
	if (len == 0 || len >= sizeof(s->path)) {
		mplug_log_err(sm, MPLUG_MR_CONF, "event_plugin_options: " OPTION
			      ": a path of 1 to %zu bytes is needed; using %s",
			      sizeof(s->path) - 1, s->path);
		return;
	}
	memcpy(s->path, at, len);
	s->path[len] = '\0';
	s->named = true;
}

void
mplug_settings_free(struct mplug_settings *s)
{
	moore_plan_free(s->plan);
	moore_links_free(s->links);
	s->plan = NULL;
	s->links = NULL;
}

static int
read_all(int fd, char *text, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, text + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;	/* the file has shrunk since fstat() */
		got += (size_t)n;
	}
	return 0;
}

int
mplug_slurp(const char *path, size_t max, char **out, size_t *len, struct stat *st)
{
	char *text = NULL;
	int rc, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, st) < 0) {
		rc = -errno;
		goto out;
	}
	rc = S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
	if (!S_ISREG(st->st_mode))
		goto out;
	rc = -EFBIG;
	if ((size_t)st->st_size > max)
		goto out;
	rc = -ENOMEM;
	text = malloc((size_t)st->st_size + 1);
	if (!text || (rc = read_all(fd, text, (size_t)st->st_size)) < 0)
		goto out;
	*out = text;
	*len = (size_t)st->st_size;
	text = NULL;
out:
	free(text);
	close(fd);
	return rc;
}

static enum mplug_mr
unreadable(const char *path, int rc, size_t max, enum mplug_mr code, struct moore_err *err)
{
	if (rc == -EFBIG)
		moore_fail(err, MOORE_EINVAL, 0, "%s: is larger than %zu KiB, which is more than "
			   "such a file needs: name the right one", path, max >> 10);
	else if (rc == -EINVAL)
		moore_fail(err, MOORE_EINVAL, 0, "%s: is no regular file: a pipe or a device could "
			   "hold OpenSM up", path);
	else
		moore_fail(err, MOORE_EINVAL, 0, "%s: %s", path, strerror(-rc));
	return code;
}

/* Puts the file's name in front of the error: "file:line: why". */
static enum mplug_mr
misread(const char *path, enum mplug_mr code, struct moore_err *err)
{
	struct moore_err inner = *err;

	if (inner.line)
		moore_fail(err, inner.code, inner.line, "%s:%u: %s", path, inner.line, inner.text);
	else
		moore_fail(err, inner.code, 0, "%s: %s", path, inner.text);
	return inner.code == MOORE_ENOMEM ? MPLUG_MR_NOMEM : code;
}

/* An empty file is most likely one that is being written, or that a full disk has cut. */
static enum mplug_mr
refuse_empty(const struct mplug_settings *s, struct moore_err *err)
{
	moore_fail(err, MOORE_EINVAL, 0, "%s: is empty: `moorectl conf` prints what it can hold; "
		   "a comment alone stands for the defaults", s->path);
	return s->valid ? MPLUG_MR_CONF : MPLUG_MR_OK;
}

static enum mplug_mr
read_conf(struct mplug_settings *s, struct moore_conf *conf, struct moore_err *err)
{
	enum mplug_mr mr = MPLUG_MR_OK;
	char *text = NULL;
	struct stat st;
	size_t len;
	int rc;

	moore_conf_defaults(conf);
	rc = mplug_slurp(s->path, CONF_BYTES_MAX, &text, &len, &st);
	if (rc == -ENOENT && !s->named)
		return MPLUG_MR_OK;
	if (rc < 0)
		return unreadable(s->path, rc, CONF_BYTES_MAX, MPLUG_MR_CONF, err);
	s->empty = !len;
	if (s->empty)
		mr = refuse_empty(s, err);
	else if (moore_conf_parse(conf, text, len, err) < 0)
		mr = misread(s->path, MPLUG_MR_CONF, err);
	free(text);
	return mr;
}

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool
mplug_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       same_time(&a->st_mtim, &b->st_mtim);
}

static bool
is_known_bad(const struct mplug_bad_plan *bad, const char *path)
{
	struct stat st;

	return bad->mr && !strcmp(bad->path, path) && stat(path, &st) == 0 &&
	       mplug_same_file(&st, &bad->st) && same_time(&st.st_ctim, &bad->st.st_ctim);
}

/* Notes a plan that cannot be used, unless it is younger than two seconds: then it may
 * change once more without another time stamp. */
static void
note_bad(struct mplug_bad_plan *bad, const char *path, const struct stat *st, enum mplug_mr mr,
	 const struct moore_err *why)
{
	bad->mr = MPLUG_MR_OK;
	if (mr != MPLUG_MR_PLAN || time(NULL) - st->st_ctim.tv_sec <= 2)
		return;
	strcpy(bad->path, path);
	bad->st = *st;
	bad->mr = mr;
	bad->why = *why;
}

/* Sets *plan to NULL if the file has not changed: then the present plan stays. */
static enum mplug_mr
read_plan(struct mplug_settings *s, const char *path, struct moore_plan **plan,
	  uint64_t *hash, struct moore_err *err)
{
	enum mplug_mr mr = MPLUG_MR_OK;
	char *text = NULL;
	struct stat st;
	size_t len;
	int rc;

	*plan = NULL;
	if (is_known_bad(&s->bad_plan, path)) {
		*err = s->bad_plan.why;
		return s->bad_plan.mr;
	}
	rc = mplug_slurp(path, MOORE_PLAN_SUBNET_BYTES_MAX, &text, &len, &st);
	if (rc < 0)
		return unreadable(path, rc, MOORE_PLAN_SUBNET_BYTES_MAX, MPLUG_MR_PLAN, err);
	*hash = moore_hash(MOORE_HASH_INIT, text, len);
	if ((!s->plan || *hash != s->plan_hash) && moore_plan_parse(plan, text, len, err) < 0)
		mr = misread(path, MPLUG_MR_PLAN, err);
	note_bad(&s->bad_plan, path, &st, mr, err);
	free(text);
	return mr;
}

static enum mplug_mr
read_links(const char *path, struct moore_links **links, struct stat *st, struct moore_err *err)
{
	enum mplug_mr mr = MPLUG_MR_OK;
	char *text = NULL;
	size_t len;
	int rc = mplug_slurp(path, LINKS_BYTES_MAX, &text, &len, st);

	if (rc < 0)
		return unreadable(path, rc, LINKS_BYTES_MAX, MPLUG_MR_LINKS, err);
	if (moore_links_parse(links, text, len, err) < 0)
		mr = misread(path, MPLUG_MR_LINKS, err);
	free(text);
	return mr;
}

enum mplug_mr
mplug_settings_load(struct mplug_settings *s, struct moore_err *err)
{
	struct moore_conf conf;
	struct moore_plan *plan = NULL;
	struct moore_links *links = NULL;
	uint64_t hash = 0;
	enum mplug_mr mr;

	s->empty = false;
	mr = read_conf(s, &conf, err);
	if (!mr && *conf.links)
		mr = read_links(conf.links, &links, &s->links_st, err);
	if (!mr && *conf.plan)
		mr = read_plan(s, conf.plan, &plan, &hash, err);
	if (mr) {
		moore_links_free(links);
		return mr;
	}
	moore_links_free(s->links);
	conf.link_rules = s->links = links;
	if (plan || !*conf.plan) {
		moore_plan_free(s->plan);
		s->plan = plan;
	}
	s->jobs = threads_lend(conf.threads);
	conf.jobs = &s->jobs;
	s->conf = conf;
	s->plan_hash = hash;
	s->valid = true;
	return MPLUG_MR_OK;
}

enum mplug_mr
mplug_settings_read(struct mplug_sm *sm, struct moore_err *err)
{
	enum mplug_mr mr = mplug_settings_load(&sm->settings, err);

	if (!mr && sm->settings.empty)
		mplug_log_err(sm, MPLUG_MR_CONF, "%s; the defaults apply, and no plan", err->text);
	if (mr && sm->settings.valid) {
		mplug_log_err(sm, mr, "%s; the last good settings stay in force", err->text);
		return MPLUG_MR_OK;
	}
	return mr;
}

static void
warn_policy(struct mplug_sm *sm, const char *path, bool partitions)
{
	struct moore_policy_sls found;
	char *text = NULL;
	struct stat st;
	size_t len;

	if (!path || mplug_slurp(path, POLICY_BYTES_MAX, &text, &len, &st) < 0)
		return;		/* OpenSM itself reports a file that it cannot read */
	found = moore_policy_scan(text, len, partitions, &sm->settings.conf.lanes);
	if (found.wrong_line)
		mplug_log_err(sm, MPLUG_MR_POLICY, "%s:%u: sets SL %u: under profile sl-hint an SL "
			      "asks for a class, path records give 4 * class + table, and groups "
			      "cannot use it: write 0, or 4c for the class c of moore.conf, where "
			      "`classes` gives SL 4c that class", path, found.wrong_line, found.wrong);
	free(text);
}

void
mplug_settings_policies(struct mplug_sm *sm)
{
	const osm_subn_opt_t *o = &sm->osm->subn.opt;

	if (sm->settings.conf.profile != MOORE_PROFILE_SL_HINT)
		return;
	warn_policy(sm, o->partition_config_file, true);
	if (o->qos)
		warn_policy(sm, o->qos_policy_file, false);
}
