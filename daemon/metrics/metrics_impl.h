/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* metrics_impl.h - what the files of metrics share. */
#ifndef MOORED_METRICS_IMPL_H
#define MOORED_METRICS_IMPL_H

#include "metrics/metrics.h"

/* Writes the two lines that precede the series of a metric. */
void metrics_head(struct moore_buf *b, const char *name, const char *type, const char *help);
/* Writes name="value", escaped; what is no UTF-8 becomes '?'. */
void metrics_label(struct moore_buf *b, const char *name, const char *value);
/* Writes a value that is no whole number, and ends the line. */
void metrics_real(struct moore_buf *b, double x);

void metrics_put_planes(const struct metrics *m, struct moore_buf *b);
void metrics_put_ports(const struct metrics *m, struct moore_buf *b);
void metrics_put_hosts(const struct metrics *m, struct moore_buf *b);
/* There is a plan. */
void metrics_put_plan(const struct metrics *m, struct moore_buf *b);

#endif
