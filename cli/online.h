/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* online.h - what the verbs that ask moored share: one question, one answer as
 * JSON, and words made of it.  The methods and their results: docs/json-rpc.md. */
#ifndef MOORE_CLI_ONLINE_H
#define MOORE_CLI_ONLINE_H

#include "client.h"
#include "term.h"

#define OPT_ONLINE { "socket", 0, "PATH", "ask the moored there (" CLI_SOCKET ")" }, \
	{ "plane", 0, "N", "of several planes: index in planes of moored.conf (0)" }

#define CLI_NO_FABRIC (-32002)	/* moored has found none yet */

struct cli_online {
	const char *method;
	void (*put)(struct moore_buf *b, const json_t *answer);
	/* Did the check find something?  NULL: it is none. */
	bool (*found)(const json_t *answer);
	const char *off_line;	/* how to ask without moored; NULL: there is no way */
};
/* Ask with params (taken; NULL: none) and --plane, print, give the exit code. */
int cli_online(const struct cli_call *c, const struct cli_online *how, json_t *params);
/* The answer itself, the caller's. */
int cli_get(const struct cli_call *c, const char *method, json_t *params, const char *off_line,
	    json_t **answer);
/* Print an answer (taken; NULL: out of memory) by put() or with --json, wherever it is
 * from; CLI_FOUND when found() says so. */
int cli_show(const struct cli_call *c, json_t *answer,
	     void (*put)(struct moore_buf *b, const json_t *answer),
	     bool (*found)(const json_t *answer));
/* For found(): the answer is a verdict, and its `ok` is false. */
bool cli_not_ok(const json_t *answer);
/* params (taken; NULL: none) and --plane; NULL, with a message, when that is no number. */
json_t *cli_plane(const struct cli_call *c, json_t *params);
/* One question of several, on a connection that is open. */
int cli_online_ask(const struct cli_call *c, struct cli_client *cl, const char *method,
		   json_t *params, json_t **answer);

/* Fields of an answer; "" and 0 when they are not there. */
const char *cli_str(const json_t *o, const char *key);
long long cli_int(const json_t *o, const char *key);
double cli_num(const json_t *o, const char *key);
bool cli_yes(const json_t *o, const char *key);
/* A switch port or endpoint: "S3[7]", "h12", and with its cabinet and unit, if there are. */
void cli_put_place(struct moore_buf *b, const json_t *place);
void cli_put_floor(struct moore_buf *b, const json_t *place);
/* The link that leaves a switch by a port: "S3[7] -> S4[2]". */
void cli_put_link(struct moore_buf *b, const json_t *link);
void cli_cell_place(struct cli_grid *g, const json_t *place);
/* A share (0..1) as "82 %"; "-" when it is not known. */
void cli_cell_share(struct cli_grid *g, const json_t *o, const char *key);
/* "1.5 GB/s" */
void cli_put_bytes(struct moore_buf *b, double bytes);
/* "3 s", "2 h 5 min". */
void cli_put_time(struct moore_buf *b, long long ms);

#endif
