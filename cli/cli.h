/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cli.h - what the verbs of moorectl share.
 *
 * One table (commands.c) holds every verb with its arguments, options and help; dispatch,
 * --help and shell completion read only this table. A verb gets its words as arguments and
 * options (opt.c), reads files with cli_read(), prints its answer with cli_print_text() or
 * cli_print_json(), writes files with cli_write() and returns an exit code. A function of
 * this header that fails has printed the reason. */
#ifndef MOORE_CLI_H
#define MOORE_CLI_H

#include <jansson.h>

#include "moore/answer.h"
#include "moore/moore.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_FOUND = 1,		/* a check found something */
	CLI_FAIL = 2,		/* misuse or failure */
};

/* ---- verbs and their words (commands.c, opt.c) ---------------------------- */

struct cli_opt {
	const char *name;	/* "output", without dashes; NULL ends a table */
	char letter;		/* 'o'; 0 when there is none */
	const char *arg;	/* "FILE"; NULL for a flag */
	const char *help;
};

struct cli_call;

struct cli_cmd {
	unsigned group;		/* index in cli_groups; its verbs are consecutive rows */
	const char *words;	/* "plan new"; NULL ends the table */
	const char *args;	/* "FAMILY KEY=VALUE..." */
	size_t min_args, max_args;
	const char *help;	/* one line */
	const struct cli_opt *opts;	/* besides cli_common_opts */
	const char *more;	/* paragraphs for --help; NULL when there are none */
	int (*run)(const struct cli_call *c);
};
/* Lines in cli_cmd.more that are replaced by lists: the families, the formats of plans
 * that can be written, those that can be read, the files of an Ethernet switch. */
#define CLI_FAMILIES "@families\n"
#define CLI_WRITTEN "@written\n"
#define CLI_READ "@read\n"
#define CLI_ETHER_FORMATS "@ethernet\n"
/* Appends "--OPTION=WORD|WORD " if the option has certain words as values (words.c). */
void cli_put_values(struct moore_buf *b, const struct cli_cmd *cmd, const struct cli_opt *opt);
extern const char *const cli_groups[];
extern const struct cli_cmd cli_cmds[];
extern const struct cli_opt cli_common_opts[];

struct cli_given {
	const struct cli_opt *opt;
	const char *value;
	unsigned line;		/* of cli_call.file */
};

struct cli_call {
	const struct cli_cmd *cmd;
	const char **arg;	/* words that are no options */
	size_t n_args;
	struct cli_given *given;
	size_t n_given;
	bool json, help;
	const char *file;	/* that names arguments and options; NULL: the command line does */
	unsigned line;		/* of the arguments */
};

/* Separates n words into arguments and options.  c->arg and c->given have room for n. */
int cli_parse(struct cli_call *c, char *const *words, size_t n);
/* Returns the last value given for an option; NULL when there is none. */
const char *cli_opt(const struct cli_call *c, const char *name);
/* The same as a number within min..max; *out is unchanged when the option is absent. */
int cli_opt_u64(const struct cli_call *c, const char *name, uint64_t min, uint64_t max,
		uint64_t *out);
/* Reads option name as a point in time (when.c): *ms since 1970 if it was given. */
int cli_opt_when(const struct cli_call *c, const char *name, long long *ms);
/* Appends ms since 1970 in local time, in a form of strftime(3) that makes at most 31 characters. */
void cli_put_when(struct moore_buf *b, const char *form, long long ms);
/* True when the option was given; a flag has no value. */
bool cli_has(const struct cli_call *c, const char *name);
void cli_help_cmd(const struct cli_cmd *cmd, struct moore_buf *out);

/* Returns the name most like word if it may be a typing error of it; else NULL.  name_at(arg,
 * i) gives the names, NULL past the end. */
const char *cli_nearest(const char *word, const char *(*name_at)(const void *arg, size_t i),
			const void *arg);

/* ---- messages (error.c) --------------------------------------- */

/* "-" is standard input, and reads as "standard input" in messages. */
const char *cli_file_name(const char *path);
/* Prints "moorectl: ..." on standard error and returns CLI_FAIL. */
int cli_error(const char *fmt, ...) MOORE_PRINTF(1, 2);
/* If a file names the options, the message begins with it and the line, which is that of the option if the
 * text begins with "--OPTION". */
int cli_misuse(const struct cli_call *c, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* "moorectl: FILE:LINE: ..." */
int cli_error_at(const char *file, const struct moore_err *err);
/* Returns the first message as JSON, for the caller to free, and forgets it; or NULL. */
json_t *cli_first_error(void);

/* ---- progress (progress.c) ------------------------------------ */

/* Shows on a terminal, after one second, what is being done and for how long. */
void cli_busy(const char *what);
void cli_busy_share(void *unused, double share);	/* 0..1 */
void cli_busy_left(double seconds);			/* how long the rest will take */
void cli_idle(void);

/* ---- long lines (wrap.c) -------------------------------------- */

/* Appends the words of text and an end of line.  The line has `at` columns already, and the lines
 * after it begin at column `indent`. */
void cli_put_words(struct moore_buf *b, size_t at, size_t indent, const char *text, size_t len);
/* Appends left, and beside it from column `at` on the text, wrapped at words.  The text begins on a
 * line of its own if left is too long. */
void cli_put_help(struct moore_buf *b, const char *left, size_t at, const char *text);

/* ---- output (out.c) ------------------------------------------- */

/* Colour marks inside text: escape codes on a terminal, nothing elsewhere.  Control
 * characters and those that change the direction of text, which names from the fabric may
 * hold, are printed as ?, in JSON as \uXXXX. */
#define CLI_RED "\x01"
#define CLI_GREEN "\x02"
#define CLI_YELLOW "\x03"
#define CLI_PLAIN "\x04"

void cli_putf(struct moore_buf *b, const char *fmt, ...) MOORE_PRINTF(2, 3);
/* Prints text, with its long lines wrapped, and frees it; CLI_OK or CLI_FAIL. */
int cli_print_text(struct moore_buf *text);
/* The same for text that a program reads, such as a shell: no line is wrapped. */
int cli_print_data(struct moore_buf *text);
int cli_print_screen(struct moore_buf *text);	/* clears the terminal first */
/* Prints j and frees it.  NULL: out of memory while it was made. */
int cli_print_json(json_t *j);
int cli_print_json_line(json_t *j);	/* on one line, for answers that follow one another */
/* For --json, before exit: when rc is not CLI_OK and no answer was printed, prints the first
 * message of error.c as JSON in its place.  Returns rc. */
int cli_print_failure(int rc);

/* ---- files (io.c) --------------------------------------------------------- */

#define CLI_READ_MAX ((size_t)1 << 30)
#define CLI_CONF_MAX ((size_t)1 << 20)

/* Reads a whole file of at most CLI_READ_MAX bytes into *out (the caller's), and adds a NUL.
 * Standard input and pipes are read to their end; a pipe must get a writer within two
 * seconds.  Directories are refused, and devices other than terminals and /dev/null. */
int cli_read(const char *path, struct moore_buf *out);
/* The same with a smaller limit; what names the kind of file in the message. */
int cli_read_at_most(const char *path, size_t max, const char *what, struct moore_buf *out);

/* A regular file that is read in pieces: give &l->source to a reader of the library.
 * cli_lines_close() then returns CLI_FAIL when it could not be read to its end. */
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
	const struct moore_buf *data;	/* its contents, or NULL: then write() */
	int (*write)(const void *arg, struct moore_buf *out, struct moore_err *err);
	const void *arg;	/* makes them, in a buffer with a drain */
	bool program;		/* a new file can be run */
	char *tmp, *real;	/* these and fd are cli_write_all()'s own */
	int fd;
};
/* Writes each file whole, or none of them when one cannot be written: each is written and
 * synced beside its target, then all are renamed.  Symbolic links are followed, also to a
 * file that does not exist yet; pipes and devices are written directly. */
int cli_write_all(struct cli_file *files, size_t n);
int cli_write(const char *path, const struct moore_buf *data);
char *cli_path_join(const char *dir, const char *name);

/* ---- plans, configurations, names (load.c) --------------------------------------- */

/* CLI_FOUND, with *err and no message, when the contents are wrong; CLI_FAIL, with a message,
 * when the file could not be read. */
int cli_try_plan(const char *path, struct moore_plan **out, struct moore_err *err);
/* The same, but every fault is CLI_FAIL with a message. */
int cli_load_plan(const char *path, struct moore_plan **out);
/* Hashes what the plan says, so blanks and the order of keys in its file do not matter. */
uint64_t cli_plan_hash(const struct moore_plan *p);
int cli_try_conf(const char *path, struct moore_conf *out, struct moore_err *err);
int cli_try_links(const char *path, struct moore_links **out, struct moore_err *err);
int cli_load_conf(const char *path, struct moore_conf *out);
/* Finds a switch or an endpoint by name; when there is none, the message suggests a similar
 * name. */
int cli_find(const struct moore_fabric *f, const char *what, moore_swid *sw, moore_epid *ep);
int cli_find_switch(const struct moore_fabric *f, const char *what, moore_swid *sw);

/* ---- dumps (load_tables.c) ------------------------------------------------------- */

struct cli_tables {		/* OpenSM's dumps, of a directory or a capture */
	struct moore_fabric *f;
	struct moore_lft *lft;
	struct moore_sl2vl *sl2vl;	/* VL 0 everywhere when there is no dump: */
	bool no_lanes;			/* without QoS a packet stays on one VL */
	struct moore_mft *mft;		/* NULL when there is no dump of it */
	struct moore_sl_set *sl_set;	/* SLs that sources use; NULL when there is no dump */
	struct moore_stock_hop *hops;	/* of cli_load_hops(); NULL when there is no dump */
	struct moore_lid_owner *owner;	/* owners of LIDs 0..f->lid_top */
	struct moore_hardware *hardware;	/* NULL: not in the dumps */
	struct moore_counted *counted;	/* NULL: not in the dumps */
	bool sl_maps;			/* of every switch it is known whether it maps SLs */
	const char *op_vls;		/* as in struct moore_answer_tables */
};
/* dir may also be a capture, which holds the same dumps. */
int cli_load_tables(const char *dir, struct cli_tables *out);
/* The same from the members of a capture; `from` names it in messages. */
int cli_parse_capture(const char *from, const struct moore_capture *c, struct cli_tables *out);
bool cli_is_capture(const char *path);
/* True if path can hold tables: it is a directory or a capture. */
bool cli_is_tables(const char *path);
/* Reads and checks a capture; its members lie in *file, which the caller frees after CLI_OK. */
int cli_open_capture(const char *path, struct moore_buf *file, struct moore_capture *out);
/* Adds the hops of opensm-lid-matrix.dump, if there is one. */
int cli_load_hops(const char *dir, struct cli_tables *t);
/* Sets the operational VLs of every link to those of --op-vls, if that is given. */
int cli_set_op_vls(const struct cli_call *c, struct cli_tables *t);
void cli_tables_free(struct cli_tables *t);
/* The same tables, borrowed, for an answer about them. */
struct moore_answer_tables cli_answer_tables(const struct cli_tables *t);

/* ---- from tables in force to new ones, in steps (table_steps.c) ------------------ */

struct cli_table_steps {
	struct moore_engine_steps *steps;
	struct moore_fabric *f;		/* the new one, with the fewer lanes of both */
	struct moore_lft *was, *now;	/* of f, in one stride */
	struct moore_sl2vl *old_sl2vl;
	struct moore_sl_set *sl_set;	/* SLs that sources use before or after; NULL: any */
	struct moore_mft *trees;	/* the old ones; NULL: none */
	uint32_t *old_of;		/* of cli_old_switches() */
};
/* Finds and judges the steps from `was`, the tables of directory dir, to now; both are only
 * borrowed until it returns.  CLI_FAIL, with a message, when a GUID has other LIDs or a LID
 * another GUID.  The caller calls cli_table_steps_free() whatever is returned. */
int cli_table_steps(struct cli_table_steps *out, const char *dir, const struct cli_tables *was,
		    const struct cli_tables *now);
/* The same, but CLI_FOUND, with *err and no message, when no steps exist: the new tables can
 * deadlock on the lanes of both. */
int cli_try_table_steps(struct cli_table_steps *out, const char *dir, const struct cli_tables *was,
			const struct cli_tables *now, struct moore_err *err);
void cli_table_steps_free(struct cli_table_steps *x);
/* The old number of each switch of `now`, by GUID, or MOORE_NONE, in an array to be freed with
 * free(); NULL, with a message, when out of memory. */
uint32_t *cli_old_switches(const struct moore_fabric *was, const struct moore_fabric *now);
/* While rows are replaced, a port may still run the VLs of before: gives each link of `now`
 * the fewer of both. */
void cli_fewer_lanes(struct moore_fabric *now, const struct moore_fabric *was,
		     const uint32_t *old_of);
/* Appends `steps` of an answer. */
enum cli_step_words { CLI_STEPS_OF_LIDS, CLI_STEPS_OF_PREFIXES };
void cli_put_table_steps(struct moore_buf *b, const json_t *steps, enum cli_step_words words);

/* ---- opensm.conf (opensm_conf.c) -------------------------------------------- */

struct cli_setting {
	char key[128];
	char value[1024];	/* "" when the key is absent or has no value */
	unsigned line;		/* 0 when the key is absent */
};
/* Moves on to the next line with a key. s->line counts lines and must start at 0. */
bool cli_next_setting(const char **text, struct cli_setting *s);
/* Finds the last line with the key, which is the one in force. */
void cli_find_setting(const char *text, const char *key, struct cli_setting *out);
/* Is word among the words of value?  Then *first says whether it is the first of them. */
bool cli_has_word(const char *value, const char *word, bool *first);
/* Returns the file name, of *len bytes, that moore_conf= gives in the value of
 * event_plugin_options; NULL when that option is absent. */
const char *cli_moore_conf_in(const char *value, size_t *len);
/* Fills path[] with the moore.conf that the text of an opensm.conf names, or else with that of the
 * installation; returns whether it is named. */
bool cli_moore_conf_of(const char *opensm_conf, char *path, size_t size);

/* ---- what one verb has for another ----------------------------------------------- */

/* Appends diameter, mean_distance and girth of an answer (cmd_topo.c). */
void cli_put_metrics(struct moore_buf *b, const json_t *metrics);
/* Appends moves of cable ends, as `plan permute` and `plan steps` list them
 * (cmd_permute.c). */
void cli_put_moves(struct moore_buf *b, const json_t *moves, const char *indent);

/* `moorectl quality PLAN --fail-share LIST` (quality_draws.c). */
int cli_quality_draws(const struct cli_call *c);

/* Appends a quality report as one SVG picture (quality_svg.c). */
void cli_put_quality_svg(struct moore_buf *b, const struct moore_quality *q);

/* ---- verdicts (cmd_verify.c) ----------------------------------------------------- */

/* Judges what endpoints send on the SLs of sl_mask (0: any), to base LIDs alone or to all: CLI_FOUND
 * when packets can wait for one another for ever, or map to VL 15 and are dropped. */
int cli_judge_tables(const char *dir, const struct cli_tables *t, uint16_t sl_mask, bool base_lids_only);
/* The operational VLs that the verdict counts with, and what told them. */
void cli_put_op_vls(struct moore_buf *b, const json_t *answer);
/* Append what `route` and `verify` both print of a verdict: hops, VLs and load; and the
 * line for tables without a cycle. */
void cli_put_verdict(struct moore_buf *b, const json_t *verdict);
void cli_put_sound(struct moore_buf *b, const json_t *verdict);

/* ---- routing a plan (route.c) ---------------------------------------------------- */

/* Applies --profile, --layers and --classes, which override what conf holds. */
int cli_conf_options(const struct cli_call *c, struct moore_conf *conf);
/* Loads the links file that conf names, if any; the caller frees *out, which is NULL without one. */
int cli_load_links(struct moore_conf *conf, struct moore_links **out);

struct cli_routing {		/* one run of the engine, with its inputs */
	struct moore_plan *plan;
	struct moore_fabric *seen;
	struct moore_conf conf;
	struct moore_jobs jobs;		/* conf.jobs */
	struct moore_links *links;
	struct moore_engine_result *result;
};
/* Routes the plan that the first argument names, with --lmc, --conf, --profile, --layers
 * and --fail. The caller calls cli_routing_free() whatever is returned. */
int cli_route_plan(const struct cli_call *c, struct cli_routing *out);
/* The same of this plan (taken; NULL: that of the first argument). */
int cli_route(const struct cli_call *c, struct moore_plan *plan, struct cli_routing *out);
void cli_routing_free(struct cli_routing *r);

/* ---- parts that fail (failures.c) ------------------------------------------------ */

/* Replaces *f by the fabric without the parts named in --fail: a switch, an endpoint, or
 * the link at NAME:PORT. */
int cli_fail_parts(const struct cli_call *c, struct moore_fabric **f);
/* Removes from the fabric of whole what the plan of --stage, a part of whole, does not have. */
int cli_keep_stage(const struct cli_call *c, const struct moore_plan *whole, struct moore_fabric **f);
/* Finds the port NAME:PORT, in which something is plugged in; opt is the option whose value it is.  Given a switch
 * alone, leaves *out as it is. */
int cli_find_port(const struct cli_call *c, const char *opt, const struct moore_fabric *f, const char *what,
		  moore_swid *sw, moore_portnum *out);

/* ---- the verbs -------------------------------------------------------------- */

/* Writes what was made of a plan to the file `to`, and prints what the plan has; NULL: standard output holds
 * what was made and nothing besides (cmd_plan.c). */
int cli_deliver(const struct cli_call *c, const char *to, const struct moore_plan *p,
		const struct moore_buf *data);

int cmd_topo_list(const struct cli_call *c);
int cmd_topo_show(const struct cli_call *c);
int cmd_topo_find(const struct cli_call *c);
int cmd_predict(const struct cli_call *c);
int cmd_place_job(const struct cli_call *c);
int cmd_simulate(const struct cli_call *c);
int cmd_campaign_run(const struct cli_call *c);
int cmd_campaign_slurm(const struct cli_call *c);
int cmd_whatif(const struct cli_call *c);
int cmd_topo_compare(const struct cli_call *c);
int cmd_plan_new(const struct cli_call *c);
int cmd_plan_show(const struct cli_call *c);
int cmd_plan_draw(const struct cli_call *c);
int cmd_plan_check(const struct cli_call *c);
int cmd_plan_export(const struct cli_call *c);
int cmd_plan_import(const struct cli_call *c);
int cmd_plan_grow(const struct cli_call *c);
int cmd_plan_place(const struct cli_call *c);
int cmd_plan_cables(const struct cli_call *c);
int cmd_plan_permute(const struct cli_call *c);
int cmd_plan_steps(const struct cli_call *c);
int cmd_route(const struct cli_call *c);
int cmd_verify(const struct cli_call *c);
int cmd_select(const struct cli_call *c);
int cmd_quality(const struct cli_call *c);
int cmd_env(const struct cli_call *c);
int cmd_accept(const struct cli_call *c);
int cmd_capture(const struct cli_call *c);
int cmd_shadow(const struct cli_call *c);
int cmd_change(const struct cli_call *c);
int cmd_path(const struct cli_call *c);
int cmd_find(const struct cli_call *c);
int cmd_table_lft(const struct cli_call *c);
int cmd_table_sl2vl(const struct cli_call *c);
int cmd_conf(const struct cli_call *c);
int cmd_conf_check(const struct cli_call *c);
int cmd_doctor(const struct cli_call *c);
int cmd_opensm_conf(const struct cli_call *c);
int cmd_status(const struct cli_call *c);
int cmd_switches(const struct cli_call *c);
int cmd_links(const struct cli_call *c);
int cmd_drain(const struct cli_call *c);
int cmd_history(const struct cli_call *c);
int cmd_watch(const struct cli_call *c);
int cmd_hotspots(const struct cli_call *c);
int cmd_errors(const struct cli_call *c);
int cmd_explain(const struct cli_call *c);
int cmd_record(const struct cli_call *c);
int cmd_replay(const struct cli_call *c);
int cmd_events(const struct cli_call *c);
int cmd_call(const struct cli_call *c);
int cmd_check(const struct cli_call *c);
int cmd_repair(const struct cli_call *c);
int cmd_ether_discover(const struct cli_call *c);
int cmd_ether_emit(const struct cli_call *c);
int cmd_ether_ports(const struct cli_call *c);
int cmd_ether_apply(const struct cli_call *c);
int cmd_ether_diff(const struct cli_call *c);
int cmd_ether_verify(const struct cli_call *c);

/* Builds the graph of the topology in the arguments FAMILY KEY=VALUE... (cmd_topo.c). */
int cli_build_topo(const struct cli_call *c, struct moore_topo **out);

#endif
