/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cli.h - what the verbs of moorectl share.
 *
 * One table (commands.c) holds every verb with its arguments, options and help;
 * dispatch, --help and shell completion read it and nothing else.  A verb gets
 * its words already sorted (opt.c), reads with cli_read(), answers with
 * cli_print_text() or cli_print_json(), writes files with cli_write() and
 * returns an exit code.  A function here that fails has told the user why. */
#ifndef MOORE_CLI_H
#define MOORE_CLI_H

#include <jansson.h>

#include "moore/answer.h"
#include "moore/moore.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_FOUND = 1,		/* the check found something */
	CLI_FAIL = 2,		/* misuse or failure */
};

/* ---- verbs and their words (commands.c, opt.c) ---------------------------- */

struct cli_opt {
	const char *name;	/* "output", without dashes; NULL ends a table */
	char letter;		/* 'o', or 0 */
	const char *arg;	/* "FILE", or NULL for a flag */
	const char *help;
};

struct cli_call;

struct cli_cmd {
	unsigned group;		/* of --help: index in cli_groups; verbs of one stand together */
	const char *words;	/* "plan new"; NULL ends the table */
	const char *args;	/* "FAMILY KEY=VALUE..." */
	size_t min_args, max_args;
	const char *help;	/* one line */
	const struct cli_opt *opts;	/* besides those that all have */
	const char *more;	/* paragraphs for --help, or NULL */
	int (*run)(const struct cli_call *c);
};
/* Lines in cli_cmd.more that stand for lists: the families, the formats that can be
 * written, those that can be read. */
#define CLI_FAMILIES "@families\n"
#define CLI_WRITTEN "@written\n"
#define CLI_READ "@read\n"
extern const char *const cli_groups[];
extern const struct cli_cmd cli_cmds[];
extern const struct cli_opt cli_common_opts[];

struct cli_given {
	const struct cli_opt *opt;
	const char *value;
};

struct cli_call {
	const struct cli_cmd *cmd;
	const char **arg;	/* what is no option */
	size_t n_args;
	struct cli_given *given;
	size_t n_given;
	bool json, help;
};

/* Sort words (n of them) into arguments and options.  c->arg and c->given have
 * room for n. */
int cli_parse(struct cli_call *c, char *const *words, size_t n);
/* The last value given for an option; NULL when there is none. */
const char *cli_opt(const struct cli_call *c, const char *name);
/* The same as a number within min..max; *out stays when the option is absent. */
int cli_opt_u64(const struct cli_call *c, const char *name, uint64_t min, uint64_t max,
		uint64_t *out);
/* Is it there?  A flag has no value. */
bool cli_has(const struct cli_call *c, const char *name);
void cli_help_cmd(const struct cli_cmd *cmd, struct moore_buf *out);

/* The nearest of names to word, if it could be a slip of the hand; or NULL.
 * name_at(arg, i) gives the names, NULL past the end. */
const char *cli_nearest(const char *word, const char *(*name_at)(const void *arg, size_t i),
			const void *arg);

/* ---- what the user sees (out.c) ------------------------------------------- */

/* Colours inside text; they become escape codes on a terminal and nothing
 * elsewhere.  Other control characters, and those that turn the direction of text (names
 * come from the fabric), print as ?, in JSON as \uXXXX. */
#define CLI_RED "\x01"
#define CLI_GREEN "\x02"
#define CLI_YELLOW "\x03"
#define CLI_PLAIN "\x04"

void cli_putf(struct moore_buf *b, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* Print and end text; CLI_OK or CLI_FAIL. */
int cli_print_text(struct moore_buf *text);
int cli_print_screen(struct moore_buf *text);	/* in place of what a terminal shows */
/* Print and drop j (NULL: memory ran out while it was made). */
int cli_print_json(json_t *j);
int cli_print_json_line(json_t *j);	/* on one line, of several that come over time */
/* A JSON string of a name that need not be UTF-8. */
json_t *cli_json_name(const char *name);
json_t *cli_json_guid(uint64_t guid);

/* "moorectl: ..." on standard error; always CLI_FAIL. */
int cli_error(const char *fmt, ...) MOORE_PRINTF(1, 2);
int cli_misuse(const struct cli_call *c, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* "moorectl: FILE:LINE: ..." */
int cli_error_at(const char *file, const struct moore_err *err);
/* For --json, before exit: when rc is CLI_FAIL and no answer was printed, prints the first of
 * these messages as JSON in its place.  Returns rc. */
int cli_print_failure(int rc);

/* From one second on, say on a terminal what is being done and for how long. */
void cli_busy(const char *what);
void cli_busy_share(void *unused, double share);	/* 0..1 */
void cli_idle(void);

/* ---- files (io.c) --------------------------------------------------------- */

#define CLI_READ_MAX ((size_t)1 << 30)
#define CLI_CONF_MAX ((size_t)1 << 20)

/* "-" is standard input, and reads as "standard input" in messages. */
const char *cli_file_name(const char *path);
/* A whole file, NUL-terminated, in *out (the caller's); at most CLI_READ_MAX bytes.
 * Standard input and pipes are read to their end, but a pipe must get a writer within
 * two seconds.  Refuses directories, and devices other than terminals and /dev/null. */
int cli_read(const char *path, struct moore_buf *out);
/* The same for what has a smaller limit; what names the kind of file in the message. */
int cli_read_at_most(const char *path, size_t max, const char *what, struct moore_buf *out);

/* A file read in pieces: give &l->source to a reader of the library, then
 * cli_lines_close() tells whether it was read to its end. */
struct cli_lines {
	struct moore_source source;
	const char *path;
	char *piece;
	size_t len, cap;
	int fd, error;
};
int cli_lines_open(const char *path, struct cli_lines *l);
int cli_lines_close(struct cli_lines *l);

struct cli_file {
	const char *path;	/* "-" is standard output */
	const struct moore_buf *data;	/* its contents; or */
	int (*write)(const void *arg, struct moore_buf *out, struct moore_err *err);
	const void *arg;		/* what puts them into a buffer that has a drain */
	char *tmp, *real;		/* cli_write_all()'s own, */
	int fd;				/* these three */
};
/* Each file whole or not at all, and none when one cannot be written: written
 * and synced beside its target, then all renamed. */
int cli_write_all(struct cli_file *files, size_t n);
int cli_write(const char *path, const struct moore_buf *data);
char *cli_path_join(const char *dir, const char *name);

/* ---- what is read from files (load.c) -------------------------------------- */

/* CLI_FOUND when the file was read and its contents are wrong, with *err (no
 * message yet); CLI_FAIL when it could not be read (message given). */
int cli_try_plan(const char *path, struct moore_plan **out, struct moore_err *err);
/* Every fault is CLI_FAIL with a message. */
int cli_load_plan(const char *path, struct moore_plan **out);
int cli_try_conf(const char *path, struct moore_conf *out, struct moore_err *err);
int cli_try_links(const char *path, struct moore_links **out, struct moore_err *err);
int cli_load_conf(const char *path, struct moore_conf *out);

struct cli_tables {		/* a directory of OpenSM's dumps */
	struct moore_fabric *f;
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;	/* VL 0 for all when there is no dump of it: */
	bool no_lanes;			/* without QoS OpenSM programs none, and a packet
					 * keeps its VL; which one does not matter */
	struct moore_mft *mft;		/* NULL when there is no dump of it */
	struct moore_sl_set *sl_set;	/* the SLs that sources use; NULL likewise */
	struct moore_lid_owner *owner;	/* of LIDs 0..f->lid_top */
};
int cli_load_tables(const char *dir, struct cli_tables *out);
void cli_tables_free(struct cli_tables *t);
/* The same tables, borrowed, for an answer about them. */
struct moore_answer_tables cli_answer_tables(const struct cli_tables *t);
/* Who is meant; suggests a near name when no one is. */
int cli_find(const struct moore_fabric *f, const char *what, moore_swid *sw, moore_epid *ep);
int cli_find_switch(const struct moore_fabric *f, const char *what, moore_swid *sw);

/* "S0001[3]" or "S0001-h2" : what is plugged into a port. */
void cli_put_peer(struct moore_buf *b, const struct moore_fabric *f, moore_swid s,
		  moore_portnum p);
json_t *cli_json_peer(const struct moore_fabric *f, moore_swid s, moore_portnum p);
/* Name of the owner of a LID; "" when there is none. */
const char *cli_lid_name(const struct cli_tables *t, unsigned lid);

/* ---- opensm.conf (opensm_conf.c) -------------------------------------------- */

struct cli_setting {
	char key[128];
	char value[1024];	/* "" when the key is absent or has none */
	unsigned line;		/* 0 when absent */
};
/* Read on to the next line with a key; s->line counts, from 0 before the first. */
bool cli_next_setting(const char **text, struct cli_setting *s);
/* The last line with the key, which is the one that counts. */
void cli_find_setting(const char *text, const char *key, struct cli_setting *out);

/* ---- graphs (cmd_plan.c, cmd_topo.c) --------------------------------------- */

/* diameter, mean_distance and girth of an answer. */
void cli_put_metrics(struct moore_buf *b, const json_t *metrics);
/* Parts of a verdict that both `route` and `verify` print: hops, VLs and load; and the line
 * for tables without a cycle. */
void cli_put_verdict(struct moore_buf *b, const json_t *verdict);
void cli_put_sound(struct moore_buf *b, const json_t *verdict);

/* --profile and --classes, in place of what conf holds. */
int cli_conf_options(const struct cli_call *c, struct moore_conf *conf);

struct cli_routing {		/* one run of the engine and all it stands on */
	struct moore_plan *plan;
	struct moore_fabric *seen;
	struct moore_conf conf;
	struct moore_links *links;
	struct moore_engine_result *result;
};
/* Route the plan of the first argument by --lmc, --conf, --profile, --layers and --fail
 * (cmd_route.c).  Ends with cli_routing_free() whatever is returned. */
int cli_route_plan(const struct cli_call *c, struct cli_routing *out);
void cli_routing_free(struct cli_routing *r);

/* Moves of cable ends, as `plan permute` and `plan steps` list them (cmd_permute.c). */
void cli_put_moves(struct moore_buf *b, const json_t *moves, const char *indent);

/* A report as a picture: SVG that needs nothing else (quality_svg.c). */
void cli_put_quality_svg(struct moore_buf *b, const struct moore_quality *q);

/* The fabric without what is named in --fail (failures.c): NAME of a switch, an
 * endpoint, or NAME:PORT.  Takes f away and gives the new one. */
int cli_fail_parts(const struct cli_call *c, struct moore_fabric **f);

/* ---- the verbs -------------------------------------------------------------- */

int cmd_topo_list(const struct cli_call *c);
int cmd_topo_show(const struct cli_call *c);
int cmd_plan_new(const struct cli_call *c);
int cmd_plan_show(const struct cli_call *c);
int cmd_plan_check(const struct cli_call *c);
int cmd_plan_export(const struct cli_call *c);
int cmd_plan_import(const struct cli_call *c);
int cmd_plan_place(const struct cli_call *c);
int cmd_plan_cables(const struct cli_call *c);
int cmd_plan_permute(const struct cli_call *c);
int cmd_plan_steps(const struct cli_call *c);
int cmd_route(const struct cli_call *c);
int cmd_verify(const struct cli_call *c);
int cmd_quality(const struct cli_call *c);
int cmd_env(const struct cli_call *c);
int cmd_change(const struct cli_call *c);
int cmd_path(const struct cli_call *c);
int cmd_table_lft(const struct cli_call *c);
int cmd_table_sl2vl(const struct cli_call *c);
int cmd_conf(const struct cli_call *c);
int cmd_conf_check(const struct cli_call *c);
int cmd_doctor(const struct cli_call *c);
int cmd_status(const struct cli_call *c);
int cmd_switches(const struct cli_call *c);
int cmd_links(const struct cli_call *c);
int cmd_watch(const struct cli_call *c);
int cmd_hotspots(const struct cli_call *c);
int cmd_explain(const struct cli_call *c);
int cmd_record(const struct cli_call *c);
int cmd_replay(const struct cli_call *c);
int cmd_events(const struct cli_call *c);
int cmd_call(const struct cli_call *c);
int cmd_check(const struct cli_call *c);
int cmd_repair(const struct cli_call *c);

/* Resolve FAMILY KEY=VALUE... to a graph (cmd_topo.c). */
int cli_build_topo(const struct cli_call *c, struct moore_topo **out);

#endif
