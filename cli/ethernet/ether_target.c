// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_target.c - a directory that is written whole or not at all: under another name beside its own, until
 * it is whole.  A signal that ends the program removes it; what SIGKILL leaves, the next run does.  A
 * directory whose program still runs is locked. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ethernet/ether.h"
#include "ethernet/ether_target.h"

int
cli_ether_cannot(const char *what, const char *path)
{
	return cli_error("%s: cannot %s: %s", path, what, strerror(errno));
}

/* ---- removing ------------------------------------------------------------------------------ */

/* Removes what an open directory holds.  Makes system calls alone, as a signal handler must. */
static void
remove_held(int dir)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t n;

	while ((n = getdents64(dir, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(entries + at);
			int sub;

			at += e->d_reclen;
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
			    unlinkat(dir, e->d_name, 0) == 0)
				continue;
			if ((sub = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
				continue;
			remove_held(sub);
			close(sub);
			unlinkat(dir, e->d_name, AT_REMOVEDIR);
		}
}

static void
remove_tree(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return;
	remove_held(dir);
	close(dir);
	rmdir(path);
}

/* ---- what earlier runs left ------------------------------------------------------------------ */

static const char suffix[] = ".unfinished-XXXXXX";

static bool
is_unfinished(const char *entry, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(entry, name, n) && !fnmatch(".unfinished-??????", entry + n, 0);
}

/* Removes the directories beside dir that no program is writing. */
static void
remove_left(const char *dir, size_t len)
{
	char *at = strndup(dir, len), *again = strndup(dir, len);
	const char *in = at ? dirname(at) : NULL, *name = again ? basename(again) : NULL;
	DIR *d = in && name ? opendir(in) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		int fd = is_unfinished(e->d_name, name) ?
			openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
			remove_held(fd);
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
		}
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	free(at);
	free(again);
}

/* ---- signals -------------------------------------------------------------------------------- */

static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
static struct sigaction usual[ARRAY_LEN(ending)];
static const char *volatile unfinished;		/* the directory that a signal leaves no use for */

/* The main thread alone writes files and receives signals (threads.c), so nothing is written while this
 * handler runs. */
static void
on_end(int sig)
{
	if (unfinished)
		remove_tree(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static sigset_t
block_ending(void)
{
	sigset_t set, before;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

static void
catch_ending(void)
{
	struct sigaction a = { .sa_handler = on_end };

	sigfillset(&a.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++) {
		sigaction(ending[i], NULL, &usual[i]);
		if (usual[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &a, NULL);
	}
}

static void
release_ending(void)
{
	if (!unfinished)
		return;
	unfinished = NULL;
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaction(ending[i], &usual[i], NULL);
}

/* Opens and locks the directory; -1 if another run has taken it for one that was left. */
static int
open_locked(const char *tmp)
{
	int fd = open(tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat a, b;

	if (fd < 0)
		return -1;
	if ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) || fstat(fd, &a) < 0 || stat(tmp, &b) < 0 ||
	    a.st_ino != b.st_ino) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Makes the directory, and tells the handler before any signal can come.  Returns it, locked, or -1. */
static int
make_unfinished(char *tmp)
{
	char *letters = tmp + strlen(tmp) - strlen("XXXXXX");
	sigset_t before = block_ending();
	int fd = -1;

	for (unsigned i = 0; i < 100 && fd < 0; i++) {
		memcpy(letters, "XXXXXX", strlen("XXXXXX"));
		if (!mkdtemp(tmp))
			break;
		fd = open_locked(tmp);
	}
	if (fd >= 0) {
		unfinished = tmp;
		catch_ending();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* A directory that is there may be replaced if it is empty or was emitted before. */
static int
may_replace(const char *dir)
{
	char *mark = cli_path_join(dir, CLI_ETHER_ADDRESSES);
	struct dirent *entry;
	bool is_empty = true;
	struct stat st;
	DIR *d;

	if (!mark)
		return cli_error("out of memory");
	if (stat(mark, &st) == 0 || (stat(dir, &st) != 0 && errno == ENOENT)) {
		free(mark);
		return CLI_OK;
	}
	free(mark);
	if (!(d = opendir(dir)))
		return cli_ether_cannot("open", dir);
	while ((entry = readdir(d)))
		is_empty = is_empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	closedir(d);
	return is_empty ? CLI_OK : cli_error("%s: holds other files than those of ethernet emit: name "
					     "another directory", dir);
}

int
cli_ether_target_open(struct cli_ether_target *t, const char *dir)
{
	int rc = may_replace(dir);
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	*t = (struct cli_ether_target){ .dir = dir, .fd = -1 };
	if (rc != CLI_OK)
		return rc;
	remove_left(dir, n);
	if (asprintf(&t->tmp, "%.*s%s", (int)n, dir, suffix) < 0) {
		t->tmp = NULL;
		return cli_error("out of memory");
	}
	if ((t->fd = make_unfinished(t->tmp)) >= 0)
		return chmod(t->tmp, 0755) == 0 ? CLI_OK : cli_ether_cannot("open to all", t->tmp);
	rc = cli_ether_cannot("make a directory beside this", dir);
	free(t->tmp);
	t->tmp = NULL;
	return rc;
}

int
cli_ether_target_close(struct cli_ether_target *t, int rc)
{
	struct stat st;

	if (t->fd >= 0 && rc == CLI_OK && syncfs(t->fd) < 0)
		rc = cli_ether_cannot("write", t->tmp);
	if (t->tmp && rc == CLI_OK && stat(t->dir, &st) == 0) {
		if (renameat2(AT_FDCWD, t->tmp, AT_FDCWD, t->dir, RENAME_EXCHANGE) < 0)
			rc = cli_ether_cannot("replace", t->dir);
		remove_tree(t->tmp);	/* the old one, or the new one that has no use */
	} else if (t->tmp && rc == CLI_OK) {
		if (rename(t->tmp, t->dir) < 0)
			rc = cli_ether_cannot("make", t->dir);
	} else if (t->tmp) {
		remove_tree(t->tmp);
	}
	release_ending();
	if (t->fd >= 0)
		close(t->fd);
	free(t->tmp);
	return rc;
}
