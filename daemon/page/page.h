/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* page.h - the web page of moored: a part that serves conf.page, read-only.
 *
 *   page.c    which requests are trusted, what a path is, events as they come (/events)
 *   api.c     /api/METHOD: the methods of the socket that the page needs, and no other
 *   files.c   the page's own files, which the program holds; and the chart library
 *
 * The page computes nothing about the fabric: what it shows are the answers of methods. */
#ifndef MOORED_PAGE_H
#define MOORED_PAGE_H

#include "http/http.h"
#include "log.h"
#include "part.h"
#include "rpc/rpc.h"

#define PAGE_JOBS 32		/* on workers at once; the rest of their queues is others' */

struct web {
	struct moored *d;
	struct http_site site;
	struct http *http;
	struct rpc_host host;	/* as the server's, with the page's methods */
	size_t shared;
	unsigned n_jobs;	/* answers that workers make */
	struct log_gate unread;	/* the chart library */
};

extern const struct part part_page;
/* Sends an event, a line of JSON with its newline, to the browsers that show the page. */
void page_event(struct moored *d, const char *line, size_t len);
bool page_listens(const struct moored *d);	/* a browser would get it */

/* Answer a request for METHOD with its params as a query ("switch=s0&port=3"), for a file of the
 * page, and for the chart library. */
void page_api_start(struct web *g);
void page_api(struct web *g, struct http_peer *p, const char *method, const char *query);
void page_file(struct http_peer *p, const char *path);
void page_library(struct web *g, struct http_peer *p);

#endif
