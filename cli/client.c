// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* client.c - a connection to moored: JSON-RPC 2.0, one object per line.
 *
 * One request is outstanding at a time. Notifications that arrive before its answer are
 * kept for cli_next_event(). */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"

/* Bytes and values of one answer.  As a tree of jansson a value takes up to 240 bytes, and
 * an empty list only three bytes of text, so a limit in bytes does not bound memory.  The
 * longest answers, which list every cable of a full subnet, have three million values. */
enum { ANSWER_MAX = 512 << 20, VALUES_MAX = 16 << 20 };

/* A method may take minutes, but moored answers system.ping meanwhile, unless it is frozen.  It is
 * asked each time that an answer lets wait so long, and has as long to answer. */
enum { PATIENCE_MS = 5000 };

static const char *socket_path = CLI_SOCKET;

void
cli_set_socket(const char *path)
{
	socket_path = path;
}

static int
unreached(const char *why, const char *off_line)
{
	return cli_error("cannot reach moored at %s: %s%s%s", cli_file_name(socket_path), why,
			 off_line ? "; without it: " : "", off_line ? off_line : "");
}

static bool
is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static int
no_daemon(int error, const char *off_line)
{
	switch (error) {
	case ENOENT:
		return unreached("no such socket: start it with systemctl start moored, or name "
				 "its socket with --socket PATH", off_line);
	case ECONNREFUSED:
		if (!is_socket(socket_path))
			return unreached("is no socket: name it with --socket PATH", off_line);
		return unreached("nobody listens: moored was killed; start it again with systemctl "
				 "start moored", off_line);
	case EACCES:
		return unreached("permission denied: ask as root, or as a member of the group of "
				 "moored.conf(5)", off_line);
	case EAGAIN:
		return unreached("it takes no connections now: ask again in a moment", off_line);
	default:
		return unreached(strerror(error), off_line);
	}
}

int
cli_connect(struct cli_client *cl, const char *off_line)
{
	const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	*cl = (struct cli_client){ .fd = -1, .events = json_array() };
	signal(SIGPIPE, SIG_IGN);	/* the end of moored is reported as an error */
	if (strlen(socket_path) >= sizeof(a.sun_path))
		return cli_error("%s: longer than 107 bytes, the limit for the path of a socket",
				 socket_path);
	strcpy(a.sun_path, socket_path);
	cl->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* A frozen moored takes no connections once their queue is full, nor long requests. */
	if (cl->fd >= 0)
		setsockopt(cl->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (cl->fd < 0 || connect(cl->fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return no_daemon(errno, off_line);
	return CLI_OK;
}

void
cli_disconnect(struct cli_client *cl)
{
	if (cl->fd >= 0)
		close(cl->fd);
	cl->fd = -1;
	json_decref(cl->events);
	cl->events = NULL;
	moore_buf_free(&cl->in);
}

/* ---- lines -------------------------------------------------------------------------- */

static int
gone(void)
{
	return cli_error("%s: moored ended the connection: it was stopped, or restarted (journalctl "
			 "-u moored)", socket_path);
}

static int
frozen(void)
{
	return cli_error("%s: moored does not answer: it is stopped by a signal, or hangs: see "
			 "systemctl status moored, and end it with systemctl restart moored", socket_path);
}

static int
send_all(const struct cli_client *cl, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(cl->fd, s, len);

		if (n < 0 && errno == EAGAIN)
			return frozen();
		if (n < 0 && errno != EINTR)
			return errno == EPIPE || errno == ECONNRESET ? CLI_FOUND :
			       cli_error("%s: cannot write: %s", socket_path, strerror(errno));
		if (n > 0) {
			s += n;
			len -= (size_t)n;
		}
	}
	return CLI_OK;
}

/* Reads more bytes into cl->in; CLI_FOUND when none came within ms milliseconds. */
static int
receive(struct cli_client *cl, int ms)
{
	struct pollfd p = { .fd = cl->fd, .events = POLLIN };
	char chunk[65536];
	ssize_t n;
	int ready;

	while ((ready = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	if (ready == 0)
		return CLI_FOUND;
	while ((n = read(cl->fd, chunk, sizeof(chunk))) < 0 && errno == EINTR)
		;
	if (n <= 0)
		return gone();
	moore_buf_add(&cl->in, chunk, (size_t)n);
	if (cl->in.oom || cl->in.len > ANSWER_MAX)
		return cli_error("%s: an answer is too large for memory", socket_path);
	return CLI_OK;
}

/* Counts the values of a JSON text: after its start, a comma or an opening bracket. */
static size_t
count_values(const char *s, size_t len)
{
	bool string = false;
	size_t n = 1;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			string = !string;
		else if (string)
			i += s[i] == '\\';
		else
			n += s[i] == ',' || s[i] == '[' || s[i] == '{';
	}
	return n;
}

/* Reads one line as JSON; CLI_FOUND, and NULL, when none came within ms milliseconds. */
static int
read_line(struct cli_client *cl, int ms, json_t **out)
{
	size_t seen = 0, len;
	json_error_t e;
	char *nl;
	int rc;

	*out = NULL;
	while (!(nl = cl->in.len > seen ? memchr(cl->in.data + seen, '\n', cl->in.len - seen) :
		 NULL)) {
		seen = cl->in.len;
		if ((rc = receive(cl, ms)) != CLI_OK)
			return rc;
	}
	len = (size_t)(nl - cl->in.data);
	if (count_values(cl->in.data, len) > VALUES_MAX)
		return cli_error("%s: an answer of more than %d values: is it moored?", socket_path,
				 VALUES_MAX);
	*out = json_loadb(cl->in.data, len, 0, &e);
	memmove(cl->in.data, nl + 1, cl->in.len - len - 1);
	cl->in.len -= len + 1;
	if (!json_is_object(*out)) {
		json_decref(*out);
		*out = NULL;
		return cli_error("%s: the answers on this socket are not JSON-RPC: is it moored?",
				 socket_path);
	}
	return CLI_OK;
}

/* ---- calls ---------------------------------------------------------------------------- */

static int
take_answer(json_t *answer, const char *method, json_t **result, int *code)
{
	json_t *e = json_object_get(answer, "error");
	const char *text = json_string_value(json_object_get(e, "message"));

	if (!e) {
		*result = json_incref(json_object_get(answer, "result"));
		return *result ? CLI_OK : cli_error("%s: an answer without a result", method);
	}
	if (code) {
		*code = (int)json_integer_value(json_object_get(e, "code"));
		return CLI_FAIL;
	}
	return cli_error("moored: %s", text ? text : "no reason is given");
}

/* Asks moored on another connection whether it is there: CLI_OK, or CLI_FAIL and a message. */
static int
ping(void)
{
	static const char ask[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"system.ping\"}\n";
	struct cli_client cl;
	json_t *line = NULL;
	int rc = cli_connect(&cl, NULL);

	/* A refusal, such as that of too many connections, is an answer, too. */
	if (rc == CLI_OK && (rc = send_all(&cl, ask, sizeof(ask) - 1)) != CLI_FAIL &&
	    (rc = read_line(&cl, PATIENCE_MS, &line)) == CLI_FOUND)
		rc = frozen();
	json_decref(line);
	cli_disconnect(&cl);
	return rc;
}

/* Waits for the answer with this id, or for the error with which moored refuses a
 * connection. */
static int
wait_answer(struct cli_client *cl, const char *method, int id, json_t **result, int *code)
{
	json_t *line, *got;
	int rc;

	for (;;) {
		if ((rc = read_line(cl, PATIENCE_MS, &line)) == CLI_FAIL)
			return rc;
		if (!line && (rc = ping()) != CLI_OK)
			return rc;
		got = json_object_get(line, "id");
		if (got && (json_is_null(got) || json_integer_value(got) == id)) {
			rc = take_answer(line, method, result, code);
			json_decref(line);
			return rc;
		}
		if (json_object_get(line, "method"))
			json_array_append(cl->events, line);
		json_decref(line);
	}
}

int
cli_call(struct cli_client *cl, const char *method, json_t *params, json_t **result, int *code)
{
	json_t *ask = json_pack("{s:s, s:i, s:s}", "jsonrpc", "2.0", "id", ++cl->next_id,
				"method", method);
	char *s = NULL;
	int rc;

	*result = NULL;
	if (code)
		*code = 0;
	if (ask && params)
		json_object_set(ask, "params", params);
	json_decref(params);
	if (ask)
		s = json_dumps(ask, JSON_COMPACT);
	json_decref(ask);
	if (!s)
		return cli_error("out of memory");
	rc = send_all(cl, s, strlen(s));
	if (rc == CLI_OK)
		rc = send_all(cl, "\n", 1);
	free(s);
	if (rc == CLI_FAIL)
		return rc;
	/* If the request could not be sent, moored may have sent a reason before it hung up. */
	return wait_answer(cl, method, cl->next_id, result, code);
}

int
cli_next_event(struct cli_client *cl, int ms, json_t **event)
{
	int rc;

	if (json_array_size(cl->events)) {
		*event = json_incref(json_array_get(cl->events, 0));
		json_array_remove(cl->events, 0);
		return CLI_OK;
	}
	rc = read_line(cl, ms, event);
	return rc == CLI_FOUND ? CLI_OK : rc;
}

int
cli_subscribe(struct cli_client *cl, json_t *kinds)
{
	json_t *params = json_object(), *answer;
	int rc;

	if (kinds)
		json_object_set_new(params, "kinds", kinds);
	rc = cli_call(cl, "events.subscribe", params, &answer, NULL);
	json_decref(answer);
	return rc;
}

int
cli_ask(const char *method, json_t *params, json_t **result)
{
	struct cli_client cl;
	int rc = cli_connect(&cl, NULL);

	*result = NULL;
	if (rc == CLI_OK)
		rc = cli_call(&cl, method, params, result, NULL);
	else
		json_decref(params);
	cli_disconnect(&cl);
	return rc;
}
