/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* client.h - asks moored. A function of this header that fails has printed the reason (no
 * daemon, no permission, ...) and returns CLI_FAIL. */
#ifndef MOORE_CLI_CLIENT_H
#define MOORE_CLI_CLIENT_H

#include "cli.h"

#define CLI_SOCKET "/run/moored/moored.sock"

/* Sets the path of --socket; must precede any connection. */
void cli_set_socket(const char *path);

struct cli_client {
	int fd;
	int next_id;
	struct moore_buf in;		/* bytes after the last complete line */
	json_t *events;			/* notifications that came before an answer */
};
/* off_line: what to do without moored, for the message; or NULL. */
int cli_connect(struct cli_client *cl, const char *off_line);
void cli_disconnect(struct cli_client *cl);
/* Sends a request and waits for its answer. Takes params (NULL: none); the caller owns
 * *result. When moored answers with an error, its code is stored in *code and no message is
 * printed; if code is NULL, the message is printed. */
int cli_call(struct cli_client *cl, const char *method, json_t *params, json_t **result,
	     int *code);
/* Subscribes to notifications: kinds lists their names (taken; NULL: all). */
int cli_subscribe(struct cli_client *cl, json_t *kinds);
/* Waits up to ms milliseconds (-1: without limit) for the next notification,
 * {"method":..,"params":..}, which the caller owns. *event is NULL when none came. */
int cli_next_event(struct cli_client *cl, int ms, json_t **event);
/* Connects, calls, disconnects. */
int cli_ask(const char *method, json_t *params, json_t **result);

#endif
