// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_campaign.c - any bytes as a campaign file, and as the file of a chunk beside it.  What is accepted keeps the bounds
 * of campaign.h, and each of its points belongs to a call; what is refused has printed a reason.  A chunk has no point
 * that has no line with the right checksum. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"
#include "load/campaign.h"

static const char fuzz_name[] = "campaign files";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"{ \"moore_campaign\": 1, \"topology\": [\"slimfly q=5 p=3\", \"oft k=6\"],\n"
		"  \"routing\": [\"min\", \"ugal\"], \"pattern\": [\"uniform\", \"shift\"],\n"
		"  \"load\": [0.1, 0.5, 0.9], \"seed\": [1, 2, 3], \"lmc\": 2, \"length\": 3200 }",
		"{\"moore_campaign\":1,\"topology\":\"mlfm h=3\",\"exchange\":[\"ring\",\"tree\"],\n\"message\":4096,"
		"\"chunk\":5, \"placement\": \"RDN\", \"processes\": 12, \"buffer\": 2, \"queues\": \"fifo\"}",
		"{ \"topology\": \"hypercube n=3\", \"moore_campaign\": 1, \"ugal-weight\": 0.5,\n\n\"speedup\": 1.5,"
		" \"seed\": 18446744073709551615 }",
		NULL
	};

	return seeds;
}

/* A folder of this process, where the files are. */
static const char *
folder(void)
{
	static char name[] = "/tmp/fuzz_campaign.XXXXXX";
	static bool made;

	/* What is refused prints a reason: into stderr, not into the descriptor, which is that of sanitizers. */
	if (!made && (!mkdtemp(name) || !freopen("/dev/null", "r", stdin) || !(stderr = fopen("/dev/null", "w"))))
		abort();
	made = true;
	return name;
}

/* Removes it, where the driver ends the process. */
static __attribute__((destructor)) void
remove_folder(void)
{
	char name[80];

	snprintf(name, sizeof(name), "%s/c", folder());
	unlink(name);
	snprintf(name, sizeof(name), "%s/chunk-0", folder());
	unlink(name);
	rmdir(folder());
}

static void
put(const char *path, const uint8_t *data, size_t len)
{
	int fd;

	unlink(path);		/* ext4 would write a file that is truncated to the disk */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) < 0)
		abort();
}

static void
look_at_calls(const struct campaign *k)
{
	const size_t seeds = k->seed.n ? k->seed.n : 1;
	struct campaign_call call;

	if (!k->n_points || k->n_points > CAMPAIGN_POINTS || k->n_chunks > CAMPAIGN_CHUNKS ||
	    k->n_points != k->topology.n * seeds * k->per_seed || k->chunk * k->n_chunks < k->n_points)
		abort();
	for (size_t t = 0; t < k->topology.n; t++) {
		if (campaign_call(k, t, seeds - 1, &call) != CLI_OK || !call.c.n_args)
			abort();
		campaign_call_free(&call);
	}
}

static void
look_at_chunk(const struct campaign *k, const char *path, const uint8_t *data, size_t len)
{
	struct campaign_chunk x;

	put(path, data, len);
	if (campaign_look(k, 0, &x) != CLI_OK || x.n_done)
		abort();
	campaign_chunk_free(&x);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	char file[80], chunk[80];
	const char *arg[] = { file };
	struct cli_cmd cmd = { .words = "campaign run" };
	const struct cli_call c = { .cmd = &cmd, .arg = arg, .n_args = 1 };
	struct campaign k;
	json_t *error;
	int rc;

	snprintf(file, sizeof(file), "%s/c", folder());
	snprintf(chunk, sizeof(chunk), "%s/chunk-0", folder());
	put(file, data, len);
	rc = campaign_read(&c, &k);
	error = cli_first_error();
	if ((rc == CLI_OK) == (error != NULL))
		abort();
	json_decref(error);
	if (rc == CLI_OK) {
		free(k.dir);
		if (!(k.dir = strdup(folder())))
			abort();
		look_at_calls(&k);
		look_at_chunk(&k, chunk, data, len);
	}
	campaign_free(&k);
}
