/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* conf.h - reading moored.conf.  A failure leaves *c as it was and says
 * "FILE:LINE: key: why" in err->text. */
#ifndef MOORED_CONF_H
#define MOORED_CONF_H

#include "moored.h"

void moored_conf_defaults(struct moored_conf *c);
int moored_conf_parse(struct moored_conf *c, const char *path, const char *text, size_t len,
		      struct moore_err *err);
int moored_conf_read(struct moored_conf *c, const char *path, struct moore_err *err);
/* Take from a new reading what a running daemon can; names of the keys that
 * differ and take a restart go to *stale. */
void moored_conf_take_live(struct moored_conf *c, const struct moored_conf *from,
			   struct moore_buf *stale);
/* A file with every key, its help and its default. */
void moored_conf_template(struct moore_buf *out);

#endif
