// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* main.c - options, signals, start and stop.
 *
 * moored never forks; systemd or a shell runs it.  It exits when the configuration is wrong
 * at the start, but keeps running when there is no fabric. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/http.h"
#include "rpc/registry.h"
#include "rpc/server.h"
#include "conf.h"
#include "log.h"
#include "notify.h"
#include "scan/ether.h"
#include "scan/scanner.h"
#include "state.h"
#include "watch/expected.h"

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2 };

#define DEFAULT_CONF MOORE_SYSCONFDIR "/moore/moored.conf"

/* ---- options ----------------------------------------------------------------------- */

enum { OPT_CONFIG = 1, OPT_PLAN, OPT_SOCKET, OPT_FOREGROUND, OPT_CHECK, OPT_PRINT_CONFIG,
	OPT_PRINT_METHODS, OPT_HELP, OPT_VERSION };

static const struct {
	const char *name;
	int value;
	const char *arg, *help;
} options[] = {
	{ "config", OPT_CONFIG, "FILE", "configuration (" DEFAULT_CONF ")" },
	{ "plan", OPT_PLAN, "PLAN", "the intended fabric; overrides the configuration" },
	{ "socket", OPT_SOCKET, "PATH", "path of the socket; overrides the configuration" },
	{ "foreground", OPT_FOREGROUND, NULL, "log to standard error even under systemd" },
	{ "check-config", OPT_CHECK, NULL, "read all files that are configured, report faults" },
	{ "print-config", OPT_PRINT_CONFIG, NULL, "print moored.conf with every key and its default" },
	{ "print-methods", OPT_PRINT_METHODS, NULL, "print the reference of the methods" },
	{ "help", OPT_HELP, NULL, "print this help" },
	{ "version", OPT_VERSION, NULL, "print the version" },
};

static int
print(struct moore_buf *b)
{
	bool good = !b->oom && fwrite(b->data, 1, b->len, stdout) == b->len && !fflush(stdout);

	moore_buf_free(b);
	if (!good)
		fprintf(stderr, "moored: standard output: cannot write\n");
	return good ? EXIT_FINE : EXIT_FAILED;
}

static int
print_help(void)
{
	struct moore_buf b = MOORE_BUF_INIT;

	moore_buf_fmt(&b, "usage: moored [options]\n\nDiscovers the fabric, compares it with its plan, "
		      "and answers moorectl on a\nsocket.\n\noptions:\n");
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		char left[40];

		snprintf(left, sizeof(left), "--%s %s", options[i].name,
			 options[i].arg ? options[i].arg : "");
		moore_buf_fmt(&b, "  %-20s %s\n", left, options[i].help);
	}
	moore_buf_fmt(&b, "\nOn SIGHUP it reads configuration and plan again; on SIGTERM it stops.\n"
		      "Exit codes: 0 stopped by a signal, 1 failure, 2 misuse or a wrong configuration.\n"
		      "It does not fork.\n");
	return print(&b);
}

static int
print_one(int what)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (what == OPT_HELP)
		return print_help();
	if (what == OPT_VERSION)
		moore_buf_fmt(&b, "moored " MOORE_VERSION "\n");
	else if (what == OPT_PRINT_CONFIG)
		moored_conf_template(&b);
	else if (methods_init())
		methods_print(&b);
	methods_fini();
	return print(&b);
}

struct given {
	const char *config;
	bool foreground, check;
};

static int
misuse(const char *word, const char *why)
{
	fprintf(stderr, "moored: %s: %s: try: moored --help\n", word, why);
	return EXIT_MISUSE;
}

/* Returns the exit code, or -1 if moored is to start. */
static int
read_options(int argc, char **argv, struct moored *d, struct given *g)
{
	struct option longs[ARRAY_LEN(options) + 1] = { { 0 } };
	int o;

	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		longs[i] = (struct option){ options[i].name, options[i].arg != NULL, NULL,
			options[i].value };
	opterr = 0;
	while ((o = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (o == '?' || o == ':')
			return misuse(argv[optind - 1], o == ':' ? "needs a value" : "unknown option");
		if (o == OPT_CONFIG)
			g->config = optarg;
		else if (o == OPT_PLAN)
			d->plan_option = optarg;
		else if (o == OPT_SOCKET)
			d->socket_option = optarg;
		else if (o == OPT_FOREGROUND)
			g->foreground = true;
		else if (o == OPT_CHECK)
			g->check = true;
		else
			return print_one(o);
	}
	if (optind < argc)
		return misuse(argv[optind], "moored takes options only");
	if (d->plan_option && strlen(d->plan_option) >= sizeof(d->conf.plan))
		return misuse("--plan", "the path is too long");
	if (d->socket_option && strlen(d->socket_option) >= sizeof(d->conf.socket))
		return misuse("--socket", "the path is longer than 107 bytes, which is all that a "
			      "socket can have");
	if (g->config && strlen(g->config) >= sizeof(d->conf_path))
		return misuse("--config", "the path is too long");
	return -1;
}

/* ---- signals ----------------------------------------------------------------------- */

static void
on_stop(evutil_socket_t sig, short what, void *arg)
{
	struct moored *d = arg;

	(void)what;
	log_say(LOG_NOTICE, NULL, "stopping: %s", strsignal((int)sig));
	event_base_loopbreak(loop_base(d->loop));
}

static void
on_reload(evutil_socket_t sig, short what, void *arg)
{
	(void)sig, (void)what;
	state_reload(arg);
}

static const struct {
	int signal;
	event_callback_fn fn;
} signals[] = { { SIGTERM, on_stop }, { SIGINT, on_stop }, { SIGHUP, on_reload } };

enum { N_SIGNALS = ARRAY_LEN(signals) };

static int
catch_signals(struct moored *d, struct event **e)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		signal(signals[i].signal, SIG_IGN);	/* the action after e[i] is freed */
		e[i] = evsignal_new(loop_base(d->loop), signals[i].signal, signals[i].fn, d);
		if (!e[i] || event_priority_set(e[i], LOOP_FIRST) < 0 || event_add(e[i], NULL) < 0)
			return -1;
	}
	return 0;
}

/* ---- start and stop ---------------------------------------------------------------- */

/* Stops all parts and frees them.  If a job or a MAD port is still running, what it uses cannot
 * be freed, so the process exits at once. */
static void
stop(struct moored *d, struct event **sig)
{
	bool ended = true;

	notify_stopping();
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (sig[i])
			event_free(sig[i]);
	for (size_t i = 0; i < N_WORK; i++) {
		ended &= worker_stop(d->worker[i], 2000);
		d->worker[i] = NULL;
	}
	server_stop(d->server, 500);	/* runs the loop, and so needs the parts */
	d->server = NULL;
	state_stop(d);
	if (!ended) {
		log_say(LOG_WARNING, NULL, "an answer is still being computed and is abandoned");
		_exit(d->exit_code);
	}
	if (d->stuck) {
		log_say(LOG_WARNING, NULL, "a MAD port still hangs and is abandoned");
		_exit(d->exit_code);
	}
	if (d->watchdog)
		event_free(d->watchdog);
	loop_free(d->loop);
	methods_fini();
}

static int
start(struct moored *d, struct event **sig)
{
	struct moore_err err;

	if (loop_new(&d->loop) < 0 || !methods_init() || catch_signals(d, sig) < 0) {
		log_say(LOG_ERR, NULL, "cannot start: out of memory or descriptors");
		return -1;
	}
	if (server_start(&d->server, d, &err) < 0) {
		log_say(LOG_ERR, NULL, "%s", err.text);
		return -1;
	}
	if (state_start(d) < 0)
		return -1;
	d->watchdog = notify_watchdog(loop_base(d->loop));
	log_say(LOG_NOTICE, NULL, "moored " MOORE_VERSION " serves %s; plan %s", d->conf.socket,
		d->plan ? d->plan->path : "none");
	notify_ready("serving");
	return 0;
}

static void
log_fault(const struct moore_err *err)
{
	log_say(LOG_ERR, NULL, "%s", err->text);
}

static int
check_address(const char *key, const char *address)
{
	const char *why = address[0] ? http_address_fault(address) : NULL;

	if (why)
		log_say(LOG_ERR, NULL, "%s: \"%s\": %s: write one like 127.0.0.1:9684, or (null)", key,
			address, why);
	return why ? EXIT_MISUSE : EXIT_FINE;
}

/* NULL, or why moored will not watch the plane that it names as its n-th. */
static const char *
plane_fault(const struct plane_name *p, unsigned n, const char *command)
{
	if (n >= MOORED_PLANES_MAX)
		return "moored watches no more planes than those before it";
	if (!p->good)
		return "no DEVICE:PORT: write one like mlx5_0:1, or " PLANE_ETHERNET;
	if (!strcmp(p->text, PLANE_ETHERNET) && !(strstr(command, "{switch}") && strstr(command, "{what}")))
		return "the key ethernet has no command with {switch} and {what}";
	return NULL;
}

/* moored starts with a plane that it will never find, and then its state says so. */
static int
check_planes(const struct moored_conf *c)
{
	struct plane_name p;
	int rc = EXIT_FINE;
	unsigned n = 0;

	for (const char *s = c->planes; *s;) {
		const char *why;

		s = moored_conf_plane(&p, s);
		if ((why = plane_fault(&p, n++, c->ethernet))) {
			log_say(LOG_ERR, NULL, "planes: \"%s\": %s", p.text, why);
			rc = EXIT_MISUSE;
		}
	}
	return rc;
}

/* moored starts without the addresses of its Ethernet switches, and then reads no routes. */
static int
check_ethernet_dir(const struct moored_conf *c)
{
	struct ether_net net = { NULL };
	struct moore_err err;
	const int rc = c->ethernet_dir[0] ? ether_net_read(&net, c->ethernet_dir, &err) : 0;

	ether_net_free(&net);
	if (rc < 0)
		log_say(LOG_ERR, NULL, "ethernet_dir: %s: name the directory that moorectl ethernet emit "
			"wrote, or (null)", err.text);
	return rc < 0 ? EXIT_MISUSE : EXIT_FINE;
}

/* moored starts without its moore.conf and then cannot say what the plugin will do, so a check
 * names what is wrong with it. */
static int
check_moore_conf(const struct moored *d)
{
	struct moore_links *links;
	struct moore_conf conf;
	struct moore_err err;
	const int rc = conf_for_routes(d->conf.moore_conf, &conf, &links, &err);

	moore_links_free(links);
	if (rc < 0)
		log_say(LOG_ERR, NULL, "moore_conf: %s", err.text);
	return rc < 0 ? EXIT_MISUSE : EXIT_FINE;
}

int
main(int argc, char **argv)
{
	struct event *sig[N_SIGNALS] = { NULL };
	struct given g = { 0 };
	struct moored d = { 0 };
	struct moore_err err;
	int rc = read_options(argc, argv, &d, &g);

	if (rc >= 0)
		return rc;
	log_open(g.foreground);
	json_object_seed(1);		/* before threads start; fixes the order of keys */
	strcpy(d.conf_path, g.config ? g.config : DEFAULT_CONF);
	d.conf_named = g.config != NULL;
	if (g.check && moored_conf_faults(d.conf_path, log_fault) > 0)
		return EXIT_MISUSE;
	if (state_configure(&d, &err) < 0) {
		log_say(LOG_ERR, NULL, "%s", err.text);
		return EXIT_MISUSE;
	}
	if (g.check) {
		rc = check_moore_conf(&d) | check_planes(&d.conf) | check_ethernet_dir(&d.conf) |
			check_address("metrics", d.conf.metrics) | check_address("page", d.conf.page);
		state_stop(&d);
		return rc;
	}
	if (start(&d, sig) == 0)
		event_base_dispatch(loop_base(d.loop));
	else
		d.exit_code = EXIT_FAILED;
	stop(&d, sig);
	return d.exit_code;
}
