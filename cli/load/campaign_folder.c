// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* campaign_folder.c - the folder of a campaign: which points are done, and what they found.
 *
 * Each chunk has a file, which is its claim and its journal: the process that holds a lock on it appends a line
 * for each point that ended.  The kernel ends the lock with the process.  A line ends with a checksum: the next
 * holder removes those that are damaged, names the first one, and runs their points again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/campaign.h"
#include "write_whole.h"

static int
cannot(const char *what, const char *path)
{
	return cli_error("%s: cannot %s: %s: free space, or get permission, and run the same command again; points "
			 "that are done are kept", path, what, strerror(errno));
}

/* Waits for the lock, or returns EWOULDBLOCK; 0 or an errno. */
static int
lock(int fd, int kind, bool wait)
{
	while (flock(fd, kind | (wait ? 0 : LOCK_NB)) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

/* ---- whose folder it is -------------------------------------------------------------------
 *
 * The file `begun` has a line of what the campaign is.  Every process that runs it shares a lock on that file.
 * So a folder without a point, which no process uses, can become that of a file that was corrected. */

enum state { OURS, UNFINISHED, FOREIGN };	/* UNFINISHED: a process was killed while it wrote the line */

static enum state
state_of(int fd, const struct moore_buf *wanted)
{
	char have[256];
	const ssize_t n = pread(fd, have, sizeof(have), 0);

	if (n < 0 || (size_t)n > wanted->len || memcmp(have, wanted->data, (size_t)n) != 0)
		return FOREIGN;
	return (size_t)n == wanted->len ? OURS : UNFINISHED;
}

/* True if some chunk has a point. */
static bool
has_points(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	struct stat st;
	bool found = !d;

	while (!found && (e = readdir(d)))
		found = !strncmp(e->d_name, "chunk-", 6) && fstatat(dirfd(d), e->d_name, &st, 0) == 0 && st.st_size;
	if (d)
		closedir(d);
	return found;
}

static int
refuse(const struct campaign *k)
{
	return cli_error("%s: has changed, or a plan that it names, or moore itself, since %s was begun: restore it, or "
			 "begin in another folder with -o DIR, or remove %s and with it all results", k->file, k->dir,
			 k->dir);
}

/* Writes the line, unless another process has, alone with the file. */
static int
make_ours(const struct campaign *k, const char *path, const struct moore_buf *wanted)
{
	const bool foreign = state_of(k->begun, wanted) == FOREIGN;

	if ((errno = lock(k->begun, LOCK_EX, !foreign)))
		return errno == EWOULDBLOCK ? refuse(k) : cannot("lock", path);
	switch (state_of(k->begun, wanted)) {
	case OURS:
		return CLI_OK;
	case FOREIGN:
		if (has_points(k->dir))
			return refuse(k);
		/* fall through */
	default:
		return ftruncate(k->begun, 0) == 0 && lseek(k->begun, 0, SEEK_SET) == 0 &&
			write_whole(k->begun, wanted->data, wanted->len) && fsync(k->begun) == 0 ? CLI_OK :
			cannot("write", path);
	}
}

/* Ends with a shared lock on the file, which has our line. */
static int
share(const struct campaign *k, const char *path, const struct moore_buf *wanted)
{
	int rc;

	for (;;) {
		if ((errno = lock(k->begun, LOCK_SH, true)))
			return cli_error("%s: cannot lock: %s: name a folder whose file system has locks, with -o DIR",
					 path, strerror(errno));
		if (state_of(k->begun, wanted) == OURS)
			return CLI_OK;
		if ((rc = make_ours(k, path, wanted)) != CLI_OK)
			return rc;
	}
}

int
campaign_begin(struct campaign *k)
{
	struct moore_buf wanted = MOORE_BUF_INIT;
	struct stat st;
	char *path;
	int rc;

	if (mkdir(k->dir, 0777) < 0 && (errno != EEXIST || stat(k->dir, &st) < 0 || !S_ISDIR(st.st_mode)))
		return cli_error("%s: cannot make this folder for the results: %s: name another with -o DIR", k->dir,
				 strerror(errno));
	if (!(path = cli_path_join(k->dir, "begun")))
		return cli_error("out of memory");
	cli_putf(&wanted, "moore_campaign %016llx, %zu points in %zu chunks, moore " MOORE_VERSION "\n",
		 (unsigned long long)k->hash, k->n_points, k->n_chunks);
	k->begun = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (wanted.oom)
		rc = cli_error("out of memory");
	else
		rc = k->begun < 0 ? cannot("write", path) : share(k, path, &wanted);
	moore_buf_free(&wanted);
	free(path);
	return rc;
}

/* ---- the journal of a chunk: lines "POINT SECONDS HOST ROW CHECKSUM" ------------------------------- */

struct entry {
	size_t point;
	const char *seconds, *host, *row, *end;
};

/* Of a line without its checksum.  It begins with that of the campaign, so that no other's line is taken. */
static uint64_t
checksum(const struct campaign *k, const char *line, size_t len)
{
	return moore_hash(k->hash, line, len);
}

#define CHECKSUM 17	/* characters: a blank and 16 digits */

/* Reads a line; false if it is damaged. */
static bool
read_entry(const struct campaign *k, const char *line, size_t len, struct entry *e)
{
	const char *word[4] = { line }, *p = line;
	char sum[CHECKSUM + 1];
	uint64_t point;

	if (len < CHECKSUM)
		return false;
	e->end = line + len - CHECKSUM;
	snprintf(sum, sizeof(sum), " %016llx", (unsigned long long)checksum(k, line, len - CHECKSUM));
	if (memcmp(sum, e->end, CHECKSUM) != 0)
		return false;
	for (int i = 1; i < 4; i++) {
		const char *blank = memchr(word[i - 1], ' ', (size_t)(e->end - word[i - 1]));

		if (!blank)
			return false;
		word[i] = blank + 1;
	}
	if (!moore_text_u64(&p, word[1], 10, CAMPAIGN_POINTS, &point) || p != word[1] - 1)
		return false;
	e->point = (size_t)point;
	e->seconds = word[1];
	e->host = word[2];
	e->row = word[3];
	return true;
}

struct damage {			/* lines of a journal that are none */
	unsigned n, first;	/* first: its number */
	bool torn;		/* it is the last one, and has no end */
};

/* Calls found() for each point of the chunk, once; good, which may be NULL, gets the lines that are not damaged. */
static struct damage
read_journal(const struct campaign *k, struct campaign_chunk *x, const struct moore_buf *text,
	     void (*found)(void *arg, const struct entry *e), void *arg, struct moore_buf *good)
{
	const char *next, *end = text->data + text->len;
	struct damage bad = { 0 };
	unsigned line = 0;
	struct entry e;

	memset(x->done, 0, x->n);
	x->n_done = 0;
	for (const char *p = text->data; p < end; p = next) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		line++;
		next = stop ? stop + 1 : end;
		if (!stop || !read_entry(k, p, (size_t)(stop - p), &e) || e.point < x->first ||
		    e.point >= x->first + x->n) {
			bad.first = bad.n++ ? bad.first : line;
			bad.torn = !stop && bad.n == 1;
			continue;
		}
		if (found && !x->done[e.point - x->first])
			found(arg, &e);
		x->n_done += !x->done[e.point - x->first];
		x->done[e.point - x->first] = true;
		if (good)
			moore_buf_add(good, p, (size_t)(next - p));
	}
	return bad;
}

/* Reads the file, which need not exist, into *text. */
static int
read_text(const struct campaign_chunk *x, struct moore_buf *text)
{
	*text = (struct moore_buf)MOORE_BUF_INIT;
	return access(x->path, F_OK) < 0 && errno == ENOENT ? CLI_OK : cli_read(x->path, text);
}

static int
chunk_new(const struct campaign *k, size_t number, struct campaign_chunk *x)
{
	const size_t t = number / k->chunks_per_topology, at = number % k->chunks_per_topology * k->chunk;

	*x = (struct campaign_chunk){ .number = number, .first = t * k->per_topology + at, .fd = -1,
				      .n = k->per_topology - at < k->chunk ? k->per_topology - at : k->chunk };
	x->done = calloc(x->n + 1, sizeof(*x->done));
	if (asprintf(&x->path, "%s/chunk-%zu", k->dir, number) < 0)
		x->path = NULL;
	return x->done && x->path ? CLI_OK : cli_error("out of memory");
}

int
campaign_look(const struct campaign *k, size_t number, struct campaign_chunk *x)
{
	struct moore_buf text;
	int rc = chunk_new(k, number, x);

	if (rc == CLI_OK && (rc = read_text(x, &text)) == CLI_OK) {
		read_journal(k, x, &text, NULL, NULL, NULL);
		moore_buf_free(&text);
	}
	return rc;
}

/* Puts the good lines in place of all.  A process that is killed here leaves lines of both, and again those that are
 * damaged have no checksum. */
static int
rewrite(const struct campaign_chunk *x, const struct moore_buf *good)
{
	const int fd = open(x->path, O_WRONLY | O_CLOEXEC);	/* x->fd can only append */
	const bool written = fd >= 0 && write_whole(fd, good->data, good->len) && ftruncate(fd, (off_t)good->len) == 0;
	const int rc = written ? CLI_OK : cannot("write", x->path);

	if (fd >= 0)
		close(fd);
	return rc;
}

static void
tell(const struct campaign_chunk *x, const struct damage *bad)
{
	cli_idle();
	fprintf(stderr, "moorectl: %s:%u: ", x->path, bad->first);
	if (bad->torn)
		fprintf(stderr, "has no end, since a process was killed or the disk was full: ");
	else
		fprintf(stderr, "is damaged, since its checksum is wrong: ");
	if (bad->n > 1)
		fprintf(stderr, "%u such lines are removed, and their points run again\n", bad->n);
	else
		fprintf(stderr, "the line is removed, and its point runs again\n");
}

/* Removes damaged lines of a chunk that is claimed, and names the first one. */
static int
repair(const struct campaign *k, struct campaign_chunk *x)
{
	struct moore_buf text, good = MOORE_BUF_INIT;
	struct damage bad;
	int rc = read_text(x, &text);

	if (rc != CLI_OK)
		return rc;
	bad = read_journal(k, x, &text, NULL, NULL, &good);
	if (good.oom)
		rc = cli_error("out of memory");
	else if (bad.n && (rc = rewrite(x, &good)) == CLI_OK)
		tell(x, &bad);
	moore_buf_free(&text);
	moore_buf_free(&good);
	return rc;
}

int
campaign_claim(const struct campaign *k, struct campaign_chunk *x, bool wait)
{
	int rc;

	if ((x->fd = open(x->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) < 0)
		return cannot("write", x->path);
	if ((errno = lock(x->fd, LOCK_EX, wait))) {
		rc = errno == EWOULDBLOCK ? CLI_FOUND :
			cli_error("%s: cannot lock: %s: name a folder whose file system has locks, with -o DIR",
				  x->path, strerror(errno));
		close(x->fd);
		x->fd = -1;
		return rc;
	}
	return repair(k, x);
}

int
campaign_add(const struct campaign *k, struct campaign_chunk *x, size_t point, double seconds,
	     const struct moore_buf *row)
{
	struct moore_buf line = MOORE_BUF_INIT;
	const off_t before = lseek(x->fd, 0, SEEK_END);
	char host[128] = "";
	int error = 0;

	gethostname(host, sizeof(host) - 1);
	cli_putf(&line, "%zu %.3f %s %s", point, seconds, host[0] ? host : "-", row->data ? row->data : "");
	cli_putf(&line, " %016llx\n", (unsigned long long)checksum(k, line.data, line.len));
	if (line.oom || row->oom)
		error = ENOMEM;
	else if (!write_whole(x->fd, line.data, line.len) && (error = errno) && ftruncate(x->fd, before) < 0)
		error = errno;
	moore_buf_free(&line);
	return error;
}

int
campaign_chunk_free(struct campaign_chunk *x)
{
	int rc = CLI_OK;

	if (x->fd >= 0 && fdatasync(x->fd) < 0)
		rc = cannot("write", x->path);
	if (x->fd >= 0)
		close(x->fd);
	free(x->done);
	free(x->path);
	return rc;
}

/* ---- one table of all ------------------------------------------------------------------------- */

#define COLUMNS "topology,routing,pattern,placement,load,seed,offered,accepted,accepted_ci,saturated,latency_mean," \
	"latency_ci,latency_p50,latency_p99,completion_ns,share,packets,stalled,dropped"

void
campaign_put_row(struct moore_buf *b, const char *topology, const struct moore_simulation *row, double ns)
{
	const struct moore_sim_result *x = &row->result;
	const bool quoted = topology[strcspn(topology, ",\"")] != '\0';

	moore_buf_add(b, "\"", quoted);
	for (const char *p = topology; *p; p++)
		moore_buf_add(b, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
	moore_buf_add(b, "\"", quoted);
	cli_putf(b, ",%s,%s,%s,%.12g,%llu,%.6f,%.6f,%.6f,%d,%.2f,",
		 moore_sim_routing_name(row->routing), row->pattern, row->placement, row->load,
		 (unsigned long long)x->seed, x->offered, x->accepted, x->accepted_ci, x->saturated,
		 x->latency_mean * ns);
	if (row->exchange || x->latency_ci_known)
		cli_putf(b, "%.2f", x->latency_ci * ns);
	cli_putf(b, ",%.2f,%.2f,", x->latency_p50 * ns, x->latency_p99 * ns);
	if (row->exchange && x->completion)
		cli_putf(b, "%.2f,%.6f", (double)x->completion * ns, x->share);
	else
		cli_putf(b, ",");
	cli_putf(b, ",%llu,%d,%llu", (unsigned long long)x->packets, x->stalled, (unsigned long long)x->dropped);
}

/* Returns the column that is n-th from the end. */
static const char *
column_from_end(const struct entry *e, unsigned n)
{
	const char *p = e->end;

	while (p > e->row && (p[-1] != ',' || --n))
		p--;
	return p;
}

struct merged {
	struct moore_buf results, times;
	struct campaign_sums *sums;
	struct entry *entry;	/* by point of a chunk, into text */
	size_t first;
};

static void
keep_entry(void *arg, const struct entry *e)
{
	struct merged *m = arg;

	m->entry[e->point - m->first] = *e;
	m->sums->done++;
	m->sums->saturated += *column_from_end(e, 10) == '1';
	m->sums->stalled += *column_from_end(e, 2) == '1';
	m->sums->dropped += *column_from_end(e, 1) != '0';
}

/* Adds the rows of a chunk in the order of their points. */
static int
merge_chunk(const struct campaign *k, size_t number, struct merged *m)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct campaign_chunk x;
	int rc = chunk_new(k, number, &x);

	m->first = x.first;
	m->sums->points += x.n;
	if (rc == CLI_OK && access(x.path, F_OK) == 0 && (rc = cli_read(x.path, &text)) == CLI_OK)
		read_journal(k, &x, &text, keep_entry, m, NULL);
	for (size_t i = 0; rc == CLI_OK && i < x.n; i++) {
		const struct entry *e = &m->entry[i];

		if (!x.done[i])
			continue;
		cli_putf(&m->results, "%.*s\n", (int)(e->end - e->row), e->row);
		cli_putf(&m->times, "%zu,%.*s,%.*s\n", e->point + 1, (int)(e->host - 1 - e->seconds), e->seconds,
			 (int)(e->row - 1 - e->host), e->host);
	}
	moore_buf_free(&text);
	campaign_chunk_free(&x);
	return rc;
}

static int
write_merged(const struct campaign *k, struct merged *m)
{
	char *results = cli_path_join(k->dir, "results.csv"), *times = cli_path_join(k->dir, "times.csv");
	struct cli_file files[] = { { .path = results, .data = &m->results }, { .path = times, .data = &m->times } };
	int rc = results && times ? cli_write_all(files, ARRAY_LEN(files)) : cli_error("out of memory");

	free(results);
	free(times);
	return rc;
}

int
campaign_merge(const struct campaign *k, size_t chunk, bool write, struct campaign_sums *sums)
{
	struct merged m = { .sums = sums, .entry = calloc(k->chunk + 1, sizeof(*m.entry)) };
	int rc = m.entry ? CLI_OK : cli_error("out of memory");

	*sums = (struct campaign_sums){ 0 };
	cli_putf(&m.results, COLUMNS "\n");
	cli_putf(&m.times, "row,seconds,host\n");
	for (size_t i = 0; i < k->n_chunks && rc == CLI_OK; i++)
		if (chunk == SIZE_MAX || chunk == i)
			rc = merge_chunk(k, i, &m);
	if (rc == CLI_OK && write && sums->done == k->n_points)
		rc = write_merged(k, &m);
	moore_buf_free(&m.results);
	moore_buf_free(&m.times);
	free(m.entry);
	return rc;
}
