/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ether.h - what the verbs `ethernet ...` share: a directory of configurations, read, judged
 * and written whole. */
#ifndef MOORE_CLI_ETHER_H
#define MOORE_CLI_ETHER_H

#include "online.h"

#define CLI_ETHER_PLAN "plan.json"
#define CLI_ETHER_ADDRESSES "addresses.json"
#define CLI_ETHER_HOSTS "hosts"

struct cli_ether {
	struct moore_ether *x;
	struct moore_fabric *racks;
	struct moore_ether_config *config;	/* of each switch; NULL until made or read */
};
void cli_ether_free(struct cli_ether *e);

/* Fails unless a name of a plan can stand as it is in paths and in the user's commands. */
int cli_ether_check_name(const char *plan, const char *name);

/* Reads plan.json and addresses.json of a directory that `ethernet emit` wrote. */
int cli_ether_load(const char *dir, struct cli_ether *out);
/* Reads the files of one format of every switch, and of class.nft where the format has no
 * classes of its own.  *has_classes tells whether classes were read. */
int cli_ether_read(const char *dir, const char *format, struct cli_ether *e, bool *has_classes);
/* Adds what one file of a switch holds to its configuration. */
int cli_ether_read_file(const char *dir, struct cli_ether *e, moore_swid s,
			const struct moore_ether_format *fmt);
bool cli_ether_has_file(const char *dir, const struct cli_ether *e, moore_swid s,
			const struct moore_ether_format *fmt);
/* True when the directory holds a file of that format for some switch. */
bool cli_ether_has(const char *dir, const struct cli_ether *e, const char *format);
/* Forgets the configurations. */
void cli_ether_drop_config(struct cli_ether *e);

/* Makes the tables of the judged racks from the configurations: the caller ends both, also
 * after a failure. */
int cli_ether_tables(struct cli_ether *e, struct moore_ether_tables *t, struct moore_sl2vl **lanes,
		     struct moore_ether_faults *faults);

/* The files of a host's port, in hosts/HOST; a row without a name ends them. */
struct cli_ether_host_file {
	const char *name;
	int (*write)(const struct moore_ether *x, moore_epid e, struct moore_buf *out, struct moore_err *err);
};
extern const struct cli_ether_host_file cli_ether_host_files[];
/* The name of the file of a port: a host with several ports has one directory, and the files of its further
 * ports begin with that of the port. */
#define CLI_ETHER_FILE_MAX sizeof(((struct moore_ether_fault *)NULL)->file)
void cli_ether_host_name(char out[CLI_ETHER_FILE_MAX], const struct moore_ether *x, moore_epid e,
			 const struct cli_ether_host_file *file);
/* Add a fault for each line that the files of the hosts, or the files of a format beside routes and classes, lack. */
int cli_ether_check_hosts(const char *dir, const struct cli_ether *e, struct moore_ether_faults *faults);
int cli_ether_check_switches(const char *dir, const char *format, const struct cli_ether *e,
			     struct moore_ether_faults *faults);

/* The formats that hold routes, in the order of the table; NULL past the end. */
const char *cli_ether_route_format(size_t i);

/* Judges every format and family of a directory: the answer of `ethernet verify`. */
int cli_ether_judge(const char *dir, json_t **answer);
void cli_ether_put_judged(struct moore_buf *b, const json_t *answer);

/* Judges the backups of a directory while any single link is down.  The caller ends out->bad. */
int cli_ether_judge_backups(const struct cli_ether *e, const struct moore_ether_tables *t,
			    const struct moore_sl2vl *lanes, struct moore_mix_cuts *out);

/* Marks the switches that --sample and --seed draw: all without them. */
int cli_ether_draw(const struct cli_call *c, uint32_t n_switches, uint8_t *drawn, uint32_t *n_drawn);
/* Tables that were computed and judged: of all switches, or in parts, of which the rows of the drawn
 * switches were kept. */
struct cli_ether_made {
	struct moore_verdict *verdict;
	struct moore_engine_result *whole;	/* owns verdict and lft; NULL: made in parts */
	const struct moore_lft *lft;
	struct moore_lft *kept;			/* in parts: it is lft */
	moore_swid *row_of;			/* in parts: by switch, its row */
	uint64_t n_routes;			/* to prefixes, of all switches; 0 if all were drawn */
};
/* Runs the engine on the racks, which may lack links.  The caller ends *out, also after a failure. */
int cli_ether_make(const struct cli_call *c, const struct cli_ether *e, const uint8_t *drawn,
		   uint32_t n_drawn, struct cli_ether_made *out);
void cli_ether_made_fini(struct cli_ether_made *m);
/* The row of a switch, by LID; in parts, of one that was drawn. */
const uint8_t *cli_ether_row(const struct cli_ether_made *m, moore_swid s);

/* Compares the files of the drawn switches with the computed tables, on which the answer of
 * `ethernet verify` then rests. */
int cli_ether_judge_sample(const char *dir, struct cli_ether *e, const struct cli_ether_made *m,
			   const uint8_t *drawn, json_t **answer);
/* Makes the configurations from computed tables, with up to n next hops for each route of layer 0,
 * of equally many hops, or, if n is 1, with backups.  cli_ether_free() ends them, also after a failure. */
int cli_ether_widen(struct cli_ether *e, const struct moore_lft *lft, unsigned n);
/* Cuts the parts named in --fail out of the racks; the switches keep their numbers. */
int cli_ether_fail_parts(const struct cli_call *c, struct cli_ether *e);

#endif
