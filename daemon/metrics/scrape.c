// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* scrape.c - serves metrics_write() under /metrics of conf.metrics: a part.
 *
 * The text is made on the worker from a copy (metrics.c), at most SCRAPES at once.
 * Elsewhere: connections and their bounds (http/http.c). */
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "metrics/metrics.h"

enum { SCRAPES = 4, TAKERS = 8 };

struct scrapes {
	struct moored *d;
	struct http_site site;
	struct http *http;
	unsigned n;
};

struct scrape {
	struct moored *d;
	struct http_wait wait;
	struct metrics *m;
	struct moore_buf text;
};

static void
scrape_run(void *arg)
{
	struct scrape *s = arg;

	metrics_write(s->m, &s->text);
}

static void
scrape_done(void *arg)
{
	struct scrape *s = arg;
	struct http_peer *p = http_waited(&s->wait);

	if (s->d->scrapes)
		s->d->scrapes->n--;
	if (p && s->text.oom) {
		http_refuse(p, "500 Internal Server Error", "");
	} else if (p) {
		http_answer(p, "text/plain; version=0.0.4; charset=utf-8", s->text.data,
			    s->text.len, true);
		s->text = (struct moore_buf)MOORE_BUF_INIT;
	}
	moore_buf_free(&s->text);
	metrics_free(s->m);
	free(s);
}

static void
scrape_start(struct scrapes *all, struct http_peer *p)
{
	struct scrape *s = all->n < SCRAPES ? calloc(1, sizeof(*s)) : NULL;

	if (s && (s->m = metrics_take(all->d)) &&
	    worker_add(all->d->worker[WORK_SHORT], scrape_run, scrape_done, s) == 0) {
		all->n++;
		s->d = all->d;
		http_wait(p, &s->wait);
		return;
	}
	if (s)
		metrics_free(s->m);
	free(s);
	http_refuse(p, "503 Service Unavailable", "Retry-After: 1\r\n");
}

static void
ask(void *arg, struct http_peer *p, struct http_head *h)
{
	if (strcmp(h->path, "/metrics") != 0)
		http_refuse(p, "404 Not Found", "");
	else
		scrape_start(arg, p);
}

static int
start(struct moored *d)
{
	struct scrapes *s;

	if (!d->conf.metrics[0])
		return 0;
	if (!(s = d->scrapes = calloc(1, sizeof(*s))))
		return -1;
	s->d = d;
	s->site = (struct http_site){ .name = "metrics", .peers = FDS_METRICS, .takers = TAKERS,
		.fields = "", .ask = ask, .arg = s };
	return http_new(&s->http, d, &s->site, d->conf.metrics);
}

static void
stop(struct moored *d)
{
	if (!d->scrapes)
		return;
	http_free(d->scrapes->http);
	free(d->scrapes);
	d->scrapes = NULL;	/* what the worker still makes goes to nobody */
}

const struct part part_scrape = { .name = "scrape", .start = start, .stop = stop };
