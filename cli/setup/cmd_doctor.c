// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_doctor.c - `moorectl doctor`: will the plugin load into this OpenSM, and
 * will routes and lanes then be programmed?
 *
 * It searches and reads as OpenSM 3.3 does (osm_event_plugin.c, osm_subnet.c): the
 * library is found through the loader's path, its version must be equal, the last line
 * of a key counts, TRUE is in capitals.  OpenSM and the library run in a child process,
 * so that a crash of theirs does not end this program.
 *
 * --if-used is for OpenSM's unit, which starts OpenSM only after exit code 0.  Only what
 * leaves a fabric that is to be routed by moore unrouted or able to deadlock may stop it:
 * nothing is checked when opensm.conf does not name moore as a routing engine. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "setup/doctor.h"

/* ---- in a child ---------------------------------------------------------------------- */

enum { CHILD_SECONDS = 20 };

/* Runs f(arg) in a child process and stores what it prints in out, at most cap-1 bytes.
 * Returns the status of waitpid(), or -1. */
static int
in_child(int (*f)(const char *arg), const char *arg, char *out, size_t cap)
{
	size_t len = 0;
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	out[0] = '\0';
	if (pipe(fd) < 0)
		return -1;
	if ((pid = fork()) == 0) {
		alarm(CHILD_SECONDS);
		signal(SIGALRM, SIG_DFL);
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		_exit(f(arg));
	}
	close(fd[1]);
	while (pid > 0 && len + 1 < cap &&
	       ((n = read(fd[0], out + len, cap - 1 - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	close(fd[0]);
	out[len] = '\0';
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 ? status : -1;
}

static void
quietly(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
}

static int
child_opensm(const char *path)
{
	quietly();
	execlp(path, path, "--version", (char *)NULL);
	return 127;
}

static int
child_defaults(const char *path)
{
	quietly();
	execlp(path, path, "-F", "/dev/null", "-c", "/dev/stdout", (char *)NULL);
	return 127;
}

enum { PLUGIN_READ, PLUGIN_CLOSED, PLUGIN_OTHER, PLUGIN_OLD };

/* A plugin begins with a pointer to the version string of its OpenSM; in the oldest
 * interface the number 1 stood there. */
static int
child_plugin(const char *path)
{
	void *lib = dlopen(path, RTLD_LAZY);
	const char *const *impl = lib ? dlsym(lib, "osm_event_plugin") : NULL;
	int rc = impl ? (uintptr_t)*impl < 4096 ? PLUGIN_OLD : PLUGIN_READ :
		 lib ? PLUGIN_OTHER : PLUGIN_CLOSED;

	if (rc == PLUGIN_READ)
		printf("%s", *impl);
	else if (rc == PLUGIN_CLOSED)
		printf("%s", dlerror());
	fflush(stdout);
	return rc;
}

/* OpenSM's version string is the line that begins with "OpenSM ". */
static bool
find_version(char *text, char **version)
{
	for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
		if (!strncmp(line, "OpenSM ", 7)) {
			*version = line;
			return true;
		}
	return false;
}

static bool
opensm_version(struct exam *x, char *out, size_t cap, char **version)
{
	const char *given = cli_opt(x->c, "opensm");
	static const char *const usual[] = { "opensm", "/usr/sbin/opensm", NULL };
	const char *const one[] = { given, NULL };

	for (const char *const *p = given ? one : usual; *p; p++)
		if (in_child(child_opensm, *p, out, cap) >= 0 && find_version(out, version)) {
			note(x, GOOD, "opensm", *p, 0, "%s", *version);
			x->opensm = *p;
			return true;
		}
	/* OpenSM's unit starts a program that exists, although it was not found here. */
	note(x, cli_has(x->c, "if-used") ? WARN : BAD, "opensm", given ? given : "opensm", 0,
	     "`--version` names no version: install OpenSM, or give --opensm PATH");
	return false;
}

/* Loads the plugin in a child process, which prints its version.  Without --plugin, the
 * file that `make install` wrote is tried when the dynamic linker finds none: until
 * ldconfig has run, only OpenSM's unit finds it, which sets LD_LIBRARY_PATH. */
static int
load_plugin(struct exam *x, const char **path, char *text, size_t cap)
{
	static const char installed[] = MOORE_LIBDIR "/libosmmoore.so";
	const char *given = cli_opt(x->c, "plugin");
	int status = in_child(child_plugin, given ? given : "libosmmoore.so", text, cap);

	*path = given ? given : "libosmmoore.so";
	if (given || status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != PLUGIN_CLOSED ||
	    access(installed, R_OK) < 0)
		return status;
	*path = installed;
	note(x, WARN, "plugin", installed, 0, "only OpenSM's unit finds it, which sets "
	     "LD_LIBRARY_PATH: run ldconfig");
	return in_child(child_plugin, installed, text, cap);
}

static void
check_plugin(struct exam *x)
{
	char text[4096], theirs[4096], *version = NULL;
	bool have = opensm_version(x, theirs, sizeof(theirs), &version);
	const char *path;
	int status = load_plugin(x, &path, text, sizeof(text));

	if (status < 0 || !WIFEXITED(status))
		note(x, BAD, "plugin", path, 0, "a program that loads it crashes: it is "
		     "damaged; install it again");
	else if (WEXITSTATUS(status) == PLUGIN_OTHER)
		note(x, BAD, "plugin", path, 0, "is no OpenSM plugin: it has no symbol "
		     "osm_event_plugin; install moore's");
	else if (WEXITSTATUS(status) == PLUGIN_OLD)
		note(x, BAD, "plugin", path, 0, "uses OpenSM's oldest plugin interface: build it "
		     "against this OpenSM");
	else if (WEXITSTATUS(status) == PLUGIN_CLOSED && strstr(text, "undefined symbol"))
		note(x, WARN, "plugin", path, 0, "cannot be loaded outside OpenSM (%s), so its "
		     "version is unknown: build it without -z now", text);
	else if (WEXITSTATUS(status) == PLUGIN_CLOSED)
		note(x, BAD, "plugin", path, 0, "cannot be loaded: %s: put its directory into "
		     "/etc/ld.so.conf.d and run ldconfig, or set LD_LIBRARY_PATH for OpenSM",
		     text);
	else if (have && strcmp(text, version) != 0)
		note(x, BAD, "plugin", path, 0, "is made for \"%s\", but OpenSM is \"%s\", which "
		     "will skip it: build it with `make OPENSM=PREFIX`, where PREFIX is the one of "
		     "this OpenSM", text, version);
	else
		note(x, GOOD, "plugin", path, 0, "loads, made for %s", text);
}

/* ---- opensm.conf ------------------------------------------------------------------------ */

static void
judge_plugin_name(struct exam *x, const struct cli_setting *s)
{
	bool first;
	const char *comma = strchr(s->value, ',');

	if (!cli_has_word(s->value, "osmmoore", &first))
		note(x, BAD, "event_plugin_name", x->opensm_conf, s->line, "the plugin is not "
		     "loaded: write `event_plugin_name osmmoore`");
	else if (comma && strchr(comma + 1, ','))
		note(x, BAD, "event_plugin_name", x->opensm_conf, s->line, "OpenSM 3.3 splits "
		     "this list at its first comma only: separate the names by blanks");
	else
		note(x, GOOD, "event_plugin_name", x->opensm_conf, s->line, "%s", s->value);
}

static void
judge_engine(struct exam *x, const struct cli_setting *s)
{
	bool first = false, other;

	if (!cli_has_word(s->value, "moore", &first) || !first)
		note(x, BAD, "routing_engine", x->opensm_conf, s->line, "moore is not the first "
		     "engine: write `routing_engine moore,no_fallback`");
	else if (!cli_has_word(s->value, "no_fallback", &other))
		note(x, BAD, "routing_engine", x->opensm_conf, s->line, "without no_fallback "
		     "minhop takes over in silence when moore refuses: write "
		     "`routing_engine moore,no_fallback`");
	else
		note(x, GOOD, "routing_engine", x->opensm_conf, s->line, "%s", s->value);
}

/* Reads moore.conf once, as soon as its path is known.  Returns as cli_try_conf(). */
static int
try_moore_conf(struct exam *x)
{
	if (!x->is_tried)
		x->tried = cli_try_conf(x->moore_conf, &x->moore, &x->moore_err);
	x->is_tried = true;
	return x->tried;
}

/* Profile one-vl is safe on one lane and with any SL to VL tables; all others need lanes. */
static bool
needs_lanes(struct exam *x)
{
	return access(x->moore_conf, R_OK) < 0 || try_moore_conf(x) != CLI_OK ||
		moore_conf_lanes(&x->moore) > 1;
}

static void
judge_qos(struct exam *x, const struct cli_setting *s)
{
	if (!strcmp(s->value, "TRUE"))
		note(x, GOOD, "qos", x->opensm_conf, s->line, "TRUE");
	else if (needs_lanes(x))
		note(x, BAD, "qos", x->opensm_conf, s->line, "without QoS OpenSM programs no "
		     "SL to VL tables: write `qos TRUE`");
	else
		note(x, GOOD, "qos", x->opensm_conf, s->line, "not TRUE, as profile one-vl allows");
}

static void
judge_cache(struct exam *x, const struct cli_setting *s)
{
	if (!strcmp(s->value, "TRUE"))
		note(x, BAD, "use_ucast_cache", x->opensm_conf, s->line, "the cache bypasses the "
		     "routing engine: write `use_ucast_cache FALSE`");
	else
		note(x, GOOD, "use_ucast_cache", x->opensm_conf, s->line, "FALSE");
}

/* Stores the number that OpenSM would read: dflt when the key is absent. */
static bool
read_number(struct exam *x, const char *check, const struct cli_setting *s, uint64_t dflt,
	    uint64_t *out)
{
	const char *p = s->value;

	*out = dflt;
	if (!s->line || (moore_text_u64(&p, p + strlen(p), 0, 255, out) && !*p))
		return true;
	note(x, BAD, check, x->opensm_conf, s->line, "%s is not a number from 0 to 255",
	     s->value);
	return false;
}

static void
judge_vls(struct exam *x, const struct cli_setting *s)
{
	const unsigned least = needs_lanes(x) ? 2 : 1;
	uint64_t v;

	if (!read_number(x, "max_op_vls", s, 5, &v))
		return;
	if (v < least || v > 5)
		note(x, BAD, "max_op_vls", x->opensm_conf, s->line, "%u: %s needed: write `max_op_vls %u` or "
		     "more, to 5", (unsigned)v, least == 1 ? "one lane is" : "two lanes are", least);
	else
		note(x, GOOD, "max_op_vls", x->opensm_conf, s->line, "%u: %u lane%s", (unsigned)v,
		     moore_lanes_of_code(v), MOORE_S(moore_lanes_of_code(v)));
}

static void
judge_lmc(struct exam *x, const struct cli_setting *s)
{
	uint64_t v;

	if (!read_number(x, "lmc", s, 0, &v))
		return;
	if (v > 7)
		note(x, BAD, "lmc", x->opensm_conf, s->line, "%u: it must be 0 to 7", (unsigned)v);
	else
		note(x, GOOD, "lmc", x->opensm_conf, s->line, "%u: %u LID%s for each port",
		     (unsigned)v, 1u << v, MOORE_S(1u << v));
}

/* IBTA 14.2.5.6, HOQLife: above 19 packets are never dropped. */
static void
judge_life(struct exam *x, const struct cli_setting *s, const char *key, uint64_t dflt)
{
	uint64_t v;

	if (!read_number(x, key, s, dflt, &v))
		return;
	if (v >= 0x14)
		note(x, WARN, key, x->opensm_conf, s->line, "0x%02x: packets wait for ever, so an "
		     "endpoint that stops reading holds up all others: write `%s 0x%02x`",
		     (unsigned)v, key, (unsigned)dflt);
	else
		note(x, GOOD, key, x->opensm_conf, s->line, "0x%02x", (unsigned)v);
}

static void
judge_switch_life(struct exam *x, const struct cli_setting *s)
{
	judge_life(x, s, "head_of_queue_lifetime", 0x12);
}

static void
judge_leaf_life(struct exam *x, const struct cli_setting *s)
{
	judge_life(x, s, "leaf_head_of_queue_lifetime", 0x10);
}

/* The option moore_conf= tells the plugin, and unless --moore-conf is given this program,
 * where moore.conf is. */
static void
judge_options(struct exam *x, const struct cli_setting *s)
{
	size_t n = 0;
	const char *at = cli_opt(x->c, "moore-conf") ? NULL : cli_moore_conf_in(s->value, &n);

	if (!at)
		return;
	if (!n || n >= sizeof(x->moore_conf)) {
		note(x, BAD, "event_plugin_options", x->opensm_conf, s->line, "moore_conf= names "
		     "no file: write its path after the =");
		return;
	}
	snprintf(x->moore_conf, sizeof(x->moore_conf), "%.*s", (int)n, at);
	x->named = true;
	note(x, GOOD, "event_plugin_options", x->opensm_conf, s->line, "moore_conf=%s",
	     x->moore_conf);
}

static const struct {
	const char *key;
	void (*judge)(struct exam *x, const struct cli_setting *s);
} rule[] = {
	{ "event_plugin_name", judge_plugin_name },
	{ "event_plugin_options", judge_options },
	{ "routing_engine", judge_engine },
	{ "qos", judge_qos },
	{ "max_op_vls", judge_vls },
	{ "use_ucast_cache", judge_cache },
	{ "lmc", judge_lmc },
	{ "head_of_queue_lifetime", judge_switch_life },
	{ "leaf_head_of_queue_lifetime", judge_leaf_life },
};

/* True when rule[] judges this key of opensm.conf. */
static bool
has_rule(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(rule); i++)
		if (!strcmp(rule[i].key, key))
			return true;
	return false;
}

/* The configuration that OpenSM writes with -c: all keys with their defaults.  NULL when
 * it writes none; the caller frees it. */
static char *
read_defaults(const char *opensm)
{
	enum { CAP = 1 << 17 };
	struct cli_setting qos;
	char *text = opensm ? malloc(CAP) : NULL;

	if (!text)
		return NULL;
	in_child(child_defaults, opensm, text, CAP);
	cli_find_setting(text, "qos", &qos);
	if (qos.line)
		return text;
	free(text);
	return NULL;
}

/* Does opensm.conf name moore as a routing engine?  Without the file OpenSM runs with its
 * defaults, which do not. */
static bool
uses_moore(struct exam *x)
{
	static const char rest[] = "so moore is not used; nothing else was checked";
	struct moore_buf text = MOORE_BUF_INIT;
	struct cli_setting s;
	bool used = false, first;

	if (access(x->opensm_conf, F_OK) < 0 && errno == ENOENT) {
		note(x, GOOD, "opensm.conf", x->opensm_conf, 0, "does not exist, %s", rest);
	} else if (cli_read(x->opensm_conf, &text) != CLI_OK) {
		note(x, WARN, "opensm.conf", x->opensm_conf, 0, "cannot be read; nothing was "
		     "checked");
	} else {
		cli_find_setting(text.data, "routing_engine", &s);
		used = cli_has_word(s.value, "moore", &first);
		if (!used)
			note(x, GOOD, "routing_engine", x->opensm_conf, s.line, "%s, %s",
			     *s.value ? s.value : "OpenSM's default", rest);
	}
	moore_buf_free(&text);
	return used;
}

static void
check_opensm_conf(struct exam *x)
{
	struct cli_setting s;

	if (access(x->opensm_conf, R_OK) < 0) {
		if (errno == ENOENT)
			note(x, BAD, "opensm.conf", x->opensm_conf, 0, "%s: make it with `moorectl "
			     "opensm-conf --write %s`, or give --opensm-conf FILE", strerror(errno),
			     x->opensm_conf);
		else
			note(x, BAD, "opensm.conf", x->opensm_conf, 0, "%s: call doctor as a user who may "
			     "read it", strerror(errno));
		return;
	}
	if (cli_read(x->opensm_conf, &x->conf) != CLI_OK) {
		note(x, BAD, "opensm.conf", x->opensm_conf, 0, "cannot be read");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(rule); i++) {
		cli_find_setting(x->conf.data, rule[i].key, &s);
		rule[i].judge(x, &s);
	}
	x->defaults = read_defaults(x->opensm);
	doctor_lint(x, has_rule);
}

/* ---- moore.conf ------------------------------------------------------------------------- */

static void
check_plan(struct exam *x, const char *path)
{
	struct moore_plan *p = NULL;
	struct moore_err err;

	if (!*path) {
		note(x, WARN, "plan", x->moore_conf, 0, "names no plan: routes are computed for "
		     "what is seen, and a part that is missing at the first sweep counts as "
		     "never there: make one with `moorectl plan new`");
		return;
	}
	if (*path != '/')
		note(x, WARN, "plan", x->moore_conf, 0, "%s: is relative to the directory that "
		     "OpenSM runs in: write the whole path", path);
	switch (access(path, R_OK) < 0 ? CLI_FAIL : cli_try_plan(path, &p, &err)) {
	case CLI_OK:
		note(x, GOOD, "plan", path, 0, "%u switches, %u endpoints", p->n_switches,
		     p->n_endpoints);
		x->plan_hash = cli_plan_hash(p);
		doctor_check_lids(x, p, path);
		break;
	case CLI_FOUND:
		note(x, BAD, "plan", path, err.line, "%s", err.text);
		break;
	default:
		note(x, BAD, "plan", path, 0, "cannot be read: put the plan there, or change the "
		     "line `plan` of %s", x->moore_conf);
	}
	moore_plan_free(p);
}

static void
check_links(struct exam *x, const char *path)
{
	struct moore_links *l = NULL;
	struct moore_err err;

	if (!*path)
		return;
	switch (access(path, R_OK) < 0 ? CLI_FAIL : cli_try_links(path, &l, &err)) {
	case CLI_OK:
		note(x, GOOD, "links", path, 0, "%zu rule%s", l->n, MOORE_S(l->n));
		break;
	case CLI_FOUND:
		note(x, BAD, "links", path, err.line, "%s", err.text);
		break;
	default:
		note(x, BAD, "links", path, 0, "cannot be read: put the file there, or change the "
		     "line `links` of %s", x->moore_conf);
	}
	moore_links_free(l);
}

/* When there are fewer lanes than the classes need, classes share lanes: that is safe, but
 * seldom intended. */
static void
check_classes(struct exam *x, const struct moore_conf *conf)
{
	unsigned need = moore_conf_lanes(conf), code = moore_code_of_lanes(need), have;
	struct cli_setting s;
	const char *p;
	uint64_t v = 5;

	cli_find_setting(x->conf.data, "max_op_vls", &s);
	p = s.value;
	if (!x->conf.data || (s.line && !moore_text_u64(&p, p + strlen(p), 0, 5, &v)))
		return;		/* judge_vls() has reported it */
	have = moore_lanes_of_code(v);
	if (v < code)
		note(x, WARN, "classes", x->opensm_conf, s.line, "max_op_vls gives %u lane%s and "
		     "the classes of %s need %u: classes will share lanes: write "
		     "`max_op_vls %u`", have, MOORE_S(have), x->moore_conf, need, code);
}

static void
check_moore_conf(struct exam *x)
{
	if (access(x->moore_conf, R_OK) < 0) {
		if (errno == ENOENT && !x->named)
			note(x, WARN, "moore.conf", x->moore_conf, 0, "%s: the defaults apply; "
			     "`moorectl conf` prints them", strerror(errno));
		else
			note(x, BAD, "moore.conf", x->moore_conf, 0, "%s: put it there; `moorectl "
			     "conf` prints one to start from", strerror(errno));
		return;
	}
	switch (try_moore_conf(x)) {
	case CLI_OK:
		note(x, GOOD, "moore.conf", x->moore_conf, 0, "valid");
		doctor_check_profile(x);
		check_plan(x, x->moore.plan);
		check_links(x, x->moore.links);
		check_classes(x, &x->moore);
		break;
	case CLI_FOUND:
		note(x, BAD, "moore.conf", x->moore_conf, x->moore_err.line, "%s", x->moore_err.text);
		break;
	default:
		note(x, BAD, "moore.conf", x->moore_conf, 0, "cannot be read");
	}
}

int
cmd_doctor(const struct cli_call *c)
{
	const char *oc = cli_opt(c, "opensm-conf"), *mc = cli_opt(c, "moore-conf");
	struct exam x = {
		.c = c,
		.opensm_conf = oc ? oc : "/etc/opensm/opensm.conf",
		.named = mc != NULL,
		.list = c->json ? json_array() : NULL,
	};
	bool used;
	int rc;

	snprintf(x.moore_conf, sizeof(x.moore_conf), "%s",
		 mc ? mc : MOORE_SYSCONFDIR "/moore/moore.conf");
	moore_conf_defaults(&x.moore);
	used = !cli_has(c, "if-used") || uses_moore(&x);
	if (used) {
		check_plugin(&x);
		check_opensm_conf(&x);
		check_moore_conf(&x);
	}
	if (c->json) {
		rc = cli_print_json(json_pack("{s:b, s:o, s:o}", "ok", x.worst != BAD,
					      "checks", x.list, "equal_on_both",
					      used ? doctor_json_both(&x) : json_array()));
	} else {
		if (used)
			doctor_put_both(&x);
		rc = cli_print_text(&x.text);
	}
	moore_buf_free(&x.conf);
	free(x.defaults);
	return rc != CLI_OK ? rc : x.worst == BAD ? CLI_FOUND : CLI_OK;
}
