/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/counted.h - the counters of all switch ports as they stood at one time, their file, and
 * what they say of the links between switches.
 *
 * Arrays over ports have the index of fabric.port[]. */
#ifndef MOORE_COUNTED_H
#define MOORE_COUNTED_H

#include "counters.h"
#include "fabric.h"

MOORE_BEGIN

struct moore_counted {
	uint64_t at_ms;			/* wall clock of the reading; 0: not known */
	uint32_t n_ports;
	struct moore_reading *port;	/* at_us 0: the port did not answer */
};

/* Makes one in which no port has answered. */
MOORE_API int moore_counted_new(struct moore_counted **out, const struct moore_fabric *f,
				struct moore_err *err);
MOORE_API void moore_counted_free(struct moore_counted *c);	/* NULL is fine */

/* moore-counters.dump, a file of moore's own:
 *	read 1764097000123
 *	columns transmit_data receive_data ...
 *	Switch 0xGUID, "NAME"
 *	1 123 456 ...
 * `read` is at_ms, `columns` has the name of every counter (moore_counter_name()), and a line of
 * a port its number and one value for each column, `-` where the port has none.  The file ends in
 * a line `#--`.  Of what is read, at_us of each port is at_ms in microseconds, and 1 at least.
 * -MOORE_ESYNTAX with the line, -MOORE_EPLAN: a switch is not of f; -MOORE_ENOMEM.  O(size). */
MOORE_API int moore_dump_parse_counters(struct moore_counted **out, const struct moore_fabric *f,
					const char *text, size_t len, struct moore_err *err);
MOORE_API void moore_dump_write_counters(const struct moore_fabric *f,
					 const struct moore_counted *c, struct moore_buf *out);

#define MOORE_BUSIEST 5
struct moore_measured {		/* of the ports that lead to a switch, */
	uint32_t n_links, n_read;	/* and those of them whose sent data is known */
	double max, mean;		/* bytes sent since the counters were reset */
	struct moore_busy {		/* the ports that sent most, the first one max */
		moore_swid sw;
		moore_portnum port;
		double sent;		/* more than 0 */
	} busiest[MOORE_BUSIEST];
	unsigned n_busiest;
	uint32_t n_ports, n_errors;	/* all ports that answered, and those with errors */
};
/* O(ports). */
MOORE_API void moore_measured_of(struct moore_measured *out, const struct moore_fabric *f,
				 const struct moore_counted *c);

MOORE_END

#endif
