/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* shadow.h - two views of the answer of `moorectl shadow`: lines, and a page for a browser. */
#ifndef MOORE_CLI_SHADOW_H
#define MOORE_CLI_SHADOW_H

#include "online.h"

void cli_put_shadow(struct moore_buf *b, const json_t *answer);
void cli_put_shadow_html(struct moore_buf *b, const json_t *answer, const char *title);

#endif
