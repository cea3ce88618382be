/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* online.h - what the verbs that ask moored share: they ask one question, get one answer as
 * JSON, and print it as text. docs/rpc.md lists the methods and their results. */
#ifndef MOORE_CLI_ONLINE_H
#define MOORE_CLI_ONLINE_H

#include "client.h"
#include "term.h"

#define OPT_SOCKET { "socket", 0, "PATH", "ask the moored whose socket is PATH (" CLI_SOCKET ")" }
#define OPT_ONLINE OPT_SOCKET, \
	{ "plane", 0, "N", "index of the plane in planes of moored.conf (0)" }

#define CLI_NO_FABRIC (-32002)	/* moored has not found a fabric yet */

struct cli_online {
	const char *method;
	void (*put)(struct moore_buf *b, const json_t *answer);
	/* True when the check found something; NULL: the verb is no check. */
	bool (*found)(const json_t *answer);
	const char *off_line;	/* what to do without moored; NULL: it is required */
};
/* Asks with params (taken; NULL: none) and --plane, prints the answer, returns the exit
 * code. */
int cli_online(const struct cli_call *c, const struct cli_online *how, json_t *params);
/* Asks likewise and returns the answer, which the caller owns. */
int cli_get(const struct cli_call *c, const char *method, json_t *params, const char *off_line,
	    json_t **answer);
/* Prints an answer (taken; NULL: out of memory), from moored or computed here, with put()
 * or as JSON. CLI_FOUND when found() is true. */
typedef void cli_put_answer(struct moore_buf *b, const json_t *answer);
typedef bool cli_has_finding(const json_t *answer);
int cli_show(const struct cli_call *c, json_t *answer, cli_put_answer *put, cli_has_finding *found);
/* The same for an answer whose text a shell reads: no line is wrapped. */
int cli_show_script(const struct cli_call *c, json_t *answer, cli_put_answer *put,
		    cli_has_finding *found);
/* For found(): true when the answer is a verdict whose `ok` is false. */
bool cli_not_ok(const json_t *answer);
/* Adds --plane to params (taken; NULL: none). NULL, with a message, when it is not a
 * number. */
json_t *cli_plane(const struct cli_call *c, json_t *params);
/* Asks one of several questions, on an open connection. */
int cli_online_ask(const struct cli_call *c, struct cli_client *cl, const char *method,
		   json_t *params, json_t **answer);

/* Reads a link, "S3[7]" or "S3:7"; the caller frees *name. */
int cli_read_link(const struct cli_call *c, const char *s, char **name, uint64_t *port);
/* Appends the bytes that s stands for; false if it is not base64 or memory ran out. */
bool cli_base64_read(const char *s, struct moore_buf *out);

/* Return a field of an answer; "", 0 or false when it is absent. */
const char *cli_str(const json_t *o, const char *key);
long long cli_int(const json_t *o, const char *key);
double cli_num(const json_t *o, const char *key);
bool cli_yes(const json_t *o, const char *key);
/* Append a switch port or endpoint, such as "S3[7]" or "h12"; the second function also
 * appends its cabinet and unit, if it has them. */
void cli_put_place(struct moore_buf *b, const json_t *place);
void cli_put_floor(struct moore_buf *b, const json_t *place);
/* "50 switches, 200 endpoints, 175 cables", of an object with these three numbers. */
void cli_put_size(struct moore_buf *b, const json_t *o);
/* Appends the link that leaves a switch by a port: "S3[7] -> S4[2]". */
void cli_put_link(struct moore_buf *b, const json_t *link);
void cli_cell_place(struct cli_grid *g, const json_t *place);
/* Adds a share (0..1) as "82 %", or "-" when it is unknown. */
void cli_cell_share(struct cli_grid *g, const json_t *o, const char *key);
/* Appends a rate: "1.5 GB/s". */
void cli_put_bytes(struct moore_buf *b, double bytes);
void cli_put_rate(struct moore_buf *b, double bytes_per_s);
/* Appends an event as a line, "15:04:05  sweep     scan 2: 50 switches, 200 endpoints"; form is how the
 * time is printed (event.c). */
void cli_put_event(struct moore_buf *b, const json_t *event, const char *form);
/* Appends a duration: "3 s", "2 h 5 min". */
void cli_put_time(struct moore_buf *b, long long ms);

#endif
