// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* log.c - the log.
 *
 * Under systemd a message goes to the journal with fields (MOORE_PLANE=, MOORE_SWEEP=,
 * ...), so that `journalctl MOORE_PLANE=0` finds what belongs together; elsewhere, or
 * with --foreground, it is a line on standard error.  Names come from the fabric and
 * from files, so every message is escaped.  A cause that may last (a full disk, a lack
 * of descriptors, a peer that misbehaves) logs through a gate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include <systemd/sd-journal.h>

#include "clock.h"
#include "log.h"

enum { FIELDS_MAX = 8, TEXT_MAX = 1024 };

#define SECOND_US ((uint64_t)1000000)
#define AGAIN_US (3600 * SECOND_US)

static bool to_journal;

/* Is standard error what systemd connected to the journal? */
static bool
stderr_is_journal(void)
{
	const char *s = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return s && sscanf(s, "%llu:%llu", &dev, &ino) == 2 && fstat(2, &st) == 0 &&
	       st.st_dev == dev && st.st_ino == ino;
}

void
log_open(bool foreground)
{
	to_journal = !foreground && stderr_is_journal();
}

/* ---- escaping ---------------------------------------------------------------------- */

/* Length of the printable UTF-8 character at s; 0 when there is none. */
static size_t
printable(const char *s)
{
	const size_t len = strnlen(s, 4);	/* no character is longer */

	return moore_text_hidden(s, len) ? 0 : moore_utf8_len(s, len);
}

void
log_escape(char *out, size_t size, const char *text)
{
	char *end = out + size;

	for (const char *s = text; *s;) {
		size_t n = printable(s), room = n ? n : 4;

		if (room >= (size_t)(end - out))
			break;
		if (n)
			memcpy(out, s, n);
		else
			snprintf(out, (size_t)(end - out), "\\x%02x", (unsigned char)*s);
		out += room;
		s += n ? n : 1;
	}
	*out = '\0';
}

/* ---- messages ---------------------------------------------------------------------- */

static void
log_stderr(int level, const char *text)
{
	static const char *const word[] = { "emergency", "alert", "critical", "error", "warning",
		"notice", "info", "debug" };
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &tm));
	fprintf(stderr, "%s moored: %s%s%s\n", stamp, level <= LOG_WARNING ? word[level] : "",
		level <= LOG_WARNING ? ": " : "", text);
}

static void
log_journal(int level, const struct log_field *field, const char *text)
{
	struct iovec v[FIELDS_MAX + 2];
	char *s[FIELDS_MAX + 2];
	int n = 0;

	n += asprintf(&s[n], "MESSAGE=%s", text) >= 0;
	n += asprintf(&s[n], "PRIORITY=%d", level) >= 0;
	for (; field && field->name && n < FIELDS_MAX + 2; field++)
		n += asprintf(&s[n], "MOORE_%s=%s", field->name, field->value) >= 0;
	for (int i = 0; i < n; i++)
		v[i] = (struct iovec){ s[i], strlen(s[i]) };
	sd_journal_sendv(v, n);
	while (n)
		free(s[--n]);
}

void
log_say(int level, const struct log_field *field, const char *fmt, ...)
{
	char text[TEXT_MAX], clean[2 * TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_escape(clean, sizeof(clean), text);
	if (to_journal)
		log_journal(level, field, clean);
	else
		log_stderr(level, clean);
}

/* ---- gates ------------------------------------------------------------------------- */

bool
log_gate_pass(struct log_gate *g, uint64_t now, const char *text, uint64_t *held)
{
	uint64_t hash = moore_hash(MOORE_HASH_INIT, text, strlen(text));

	if (g->at_us && now < g->at_us + (hash == g->hash ? AGAIN_US : SECOND_US)) {
		g->held++;
		return false;
	}
	*held = g->held;
	*g = (struct log_gate){ .hash = hash, .at_us = now };
	return true;
}

void
log_gated(struct log_gate *g, int level, const char *fmt, ...)
{
	char text[TEXT_MAX];
	uint64_t held;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!log_gate_pass(g, mono_us(), text, &held))
		return;
	if (held)
		log_say(level, NULL, "%s (after %llu more like the last that was logged)", text,
			(unsigned long long)held);
	else
		log_say(level, NULL, "%s", text);
}

void
log_gate_over(struct log_gate *g, int level, const char *what)
{
	if (g->at_us)
		log_say(level, NULL, "%s; the failure came %llu time%s", what,
			(unsigned long long)g->held + 1, MOORE_S(g->held + 1));
	*g = (struct log_gate){ 0 };
}
