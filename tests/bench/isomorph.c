// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* isomorph.c - compares the library's map of one graph onto another with igraph's BLISS and
 * VF2: seconds in one run for a graph that is relabelled (same) and for one in which two
 * links exchanged an end as well (other).  igraph runs in a process of its own, so that it
 * can be stopped. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "igraph_oracle.h"
#include "relabel.h"
#include "topo/isomorph.h"

#define ALLOWED 5		/* seconds that igraph may take */

enum { NO, YES, STOPPED };

struct answer {
	double took;
	int says;
};

struct pair {
	uint32_t n, *colour, *scratch, *image;
	size_t n_links;
	struct moore_topo_link *a, *b;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct answer
ours(struct pair *p)
{
	struct answer a = { .took = now() };
	bool oom = false;

	memcpy(p->scratch, p->colour, 2 * p->n * sizeof(*p->colour));
	a.says = moore_topo_map(p->n, p->a, p->b, p->n_links, p->scratch, p->image, &oom);
	a.took = now() - a.took;
	return a;
}

/* The time includes making igraph's graphs, which is a few per cent of it. */
static struct answer
theirs(struct pair *p, enum oracle_how how)
{
	struct answer a = { .took = now() };
	pid_t child = fork();
	int status;

	if (!child) {
		alarm(ALLOWED);
		_exit(oracle_alike(how, p->n, p->a, p->b, p->n_links, p->colour) ? YES : NO);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 ||
	    (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)) {
		fprintf(stderr, "isomorph: igraph did not answer\n");
		exit(1);
	}
	a.took = now() - a.took;
	a.says = WIFEXITED(status) ? WEXITSTATUS(status) : STOPPED;
	return a;
}

static void
row(const char *what, struct pair *p)
{
	static const char *const says[] = { "no", "yes", "stopped" };
	struct answer o = ours(p), b = theirs(p, ORACLE_BLISS), v = theirs(p, ORACLE_VF2);

	printf("%-30s %6u %7zu %8.3f %-7s %8.3f %-7s %8.3f %-7s %9.2f\n", what, p->n, p->n_links,
	       o.took, says[o.says], b.took, says[b.says], v.took, says[v.says],
	       b.took / o.took);
	fflush(stdout);
}

static void
run(const char *spec)
{
	struct moore_topo *t = relabel_build(spec);
	struct moore_rng r = { 1 };
	struct pair p = { 0 };
	char what[64];

	if (!t) {
		fprintf(stderr, "isomorph: no %s\n", spec);
		exit(1);
	}
	p = (struct pair){ .n = t->n_switches, .n_links = t->n_links, .a = t->link,
		.b = calloc(t->n_links, sizeof(*p.b)), .image = calloc(t->n_switches, sizeof(*p.image)),
		.colour = calloc(2 * t->n_switches, sizeof(*p.colour)),
		.scratch = calloc(2 * t->n_switches, sizeof(*p.scratch)) };
	relabel(&r, p.n, t->link, p.n_links, p.colour, p.b, p.colour + p.n);
	snprintf(what, sizeof(what), "%s, same", spec);
	row(what, &p);
	relabel_switch(&r, p.b, p.n_links);
	snprintf(what, sizeof(what), "%s, other", spec);
	row(what, &p);
	free(p.b);
	free(p.image);
	free(p.colour);
	free(p.scratch);
	moore_topo_free(t);
}

int
main(int argc, char **argv)
{
	static const char *const specs[] = { "slimfly q=13", "slimfly q=25", "slimfly q=37",
		"oft k=20", "mlfm h=40", "torus2d a=64 b=64", "torus5d a=4 b=4 c=4 d=4 e=4",
		"hypercube n=12", "fhypercube n=11", "hyperx s1=16 s2=16 s3=16",
		"dragonfly a=16 g=129 h=8", "myriclos n=1024", "dln n=4096 k=4" };

	oracle_init();
	printf("%-30s %6s %7s %16s %16s %16s %9s\n", "", "nodes", "links", "moore", "BLISS", "VF2",
	       "BLISS/ours");
	if (argc > 1)
		for (int i = 1; i < argc; i++)
			run(argv[i]);
	else
		for (size_t i = 0; i < ARRAY_LEN(specs); i++)
			run(specs[i]);
	return 0;
}
