/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* client.h - asking moored.  A function here that fails has told the user why in
 * words (no daemon, no permission, ...) and gives CLI_FAIL. */
#ifndef MOORE_CLI_CLIENT_H
#define MOORE_CLI_CLIENT_H

#include "cli.h"

#define CLI_SOCKET "/run/moored/moored.sock"

/* `moorectl --socket PATH`; before any connection. */
void cli_set_socket(const char *path);

struct cli_client {
	int fd;
	int next_id;
	struct moore_buf in;		/* what came after the last line */
	json_t *events;			/* notifications that came before an answer */
};
/* off_line: how to ask without moored, for the message; or NULL. */
int cli_connect(struct cli_client *cl, const char *off_line);
void cli_disconnect(struct cli_client *cl);
/* Ask and wait for the answer.  Takes params (NULL: none); *result is the caller's.  When
 * moored answers with an error: its code in *code, and no message when code is not
 * NULL; with code NULL the message is printed. */
int cli_call(struct cli_client *cl, const char *method, json_t *params, json_t **result,
	     int *code);
/* Have notifications sent from now on: kinds is a list of their names (taken; NULL: all). */
int cli_subscribe(struct cli_client *cl, json_t *kinds);
/* The next notification {"method":..,"params":..}, the caller's; waits ms at most
 * (-1: for ever).  *event is NULL when time was up. */
int cli_next_event(struct cli_client *cl, int ms, json_t **event);
/* Connect, call, disconnect. */
int cli_ask(const char *method, json_t *params, json_t **result);

#endif
