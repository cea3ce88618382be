// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump.c - writes what OpenSM's own dumps leave out, beside them and when they are written:
 * moore-op-vls.dump, the operational VLs, for `moorectl verify`; and under profile sl-hint
 * which SLs are safe: moore-path-sl.dump for `moorectl verify --sl hint`, and moore-slvl.dump
 * and moore-psl.dump for ibdmchk -d and -c.  moore-psl.dump is long, so it is written source
 * by source. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "write_whole.h"

struct dump {
	const char *name;
	/* Appends piece i to out; returns false when the dump has no piece i. */
	bool (*piece)(const struct mplug_sm *sm, uint32_t i, struct moore_buf *out);
};

static bool
path_sls(const struct mplug_sm *sm, uint32_t i, struct moore_buf *out)
{
	if (!i && moore_dump_write_path_sl(sm->good, sm->result->sl_set, out, NULL) < 0)
		out->oom = true;
	return !i;
}

static bool
lanes(const struct mplug_sm *sm, uint32_t i, struct moore_buf *out)
{
	if (!i)
		moore_dump_write_slvl(sm->good, sm->result->sl2vl, out);
	return !i;
}

/* The SL that answers a query which names no SL, in the default partition. */
static uint8_t
record_sl(const void *sm, moore_lid slid, moore_lid dlid)
{
	return mplug_path_sl_of(sm, 0, slid, dlid);
}

static bool
records(const struct mplug_sm *sm, uint32_t i, struct moore_buf *out)
{
	if (i < sm->good->n_endpoints)
		moore_dump_write_psl(sm->good, i, record_sl, sm, out);
	return i < sm->good->n_endpoints;
}

/* The lanes that links have after this sweep, which is when OpenSM writes its dumps. */
static bool
op_vls(const struct mplug_sm *sm, uint32_t i, struct moore_buf *out)
{
	struct moore_fabric *f = NULL;

	if (i)
		return false;
	if (moore_fabric_copy(&f, sm->newest, NULL) < 0) {
		out->oom = true;
	} else {
		mplug_observe_op_vls(sm, f);
		moore_dump_write_op_vls(f, out);
	}
	moore_fabric_free(f);
	return true;
}

static const struct dump op_vls_dump = { "moore-op-vls.dump", op_vls };
static const struct dump dumps[] = {
	{ "moore-path-sl.dump", path_sls },
	{ "moore-slvl.dump", lanes },
	{ "moore-psl.dump", records },
};

/* Writes tmp and renames it to path, so that path is always a whole file. */
static bool
write_dump(const struct mplug_sm *sm, const struct dump *d, const char *path, const char *tmp)
{
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	struct moore_buf b = MOORE_BUF_INIT;
	bool ok = fd >= 0;

	for (uint32_t i = 0; ok && d->piece(sm, i, &b); i++) {
		errno = ENOMEM;
		ok = !b.oom && write_whole(fd, b.data, b.len);
		b.len = 0;
	}
	moore_buf_free(&b);
	if (fd >= 0 && close(fd) < 0)
		ok = false;
	return ok && rename(tmp, path) == 0;
}

/* Writes the file, or removes the one that an earlier sweep left.  A path that does not fit
 * into path[] is refused, since its first 2047 bytes may name another file. */
static void
dump(struct mplug_sm *sm, const struct dump *d, bool wanted)
{
	const char *dir = sm->osm->subn.opt.dump_files_dir;
	char path[2048], tmp[2048 + 4];

	if (!osm_log_is_active(&sm->osm->log, OSM_LOG_ROUTING) || !dir)
		return;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, d->name) >= sizeof(path)) {
		mplug_log_err(sm, MPLUG_MR_DUMP, "%s: %s: it is not written", d->name,
			      strerror(ENAMETOOLONG));
		return;
	}
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	if (!wanted) {
		unlink(path);
	} else if (!write_dump(sm, d, path, tmp)) {
		mplug_log_err(sm, MPLUG_MR_DUMP, "%s: %s: it is not written", path, strerror(errno));
		unlink(tmp);
	}
}

void
mplug_dump(struct mplug_sm *sm)
{
	for (size_t i = 0; i < ARRAY_LEN(dumps); i++)
		dump(sm, &dumps[i], sm->result->sl_set);
}

void
mplug_dump_op_vls(struct mplug_sm *sm)
{
	dump(sm, &op_vls_dump, true);
}
