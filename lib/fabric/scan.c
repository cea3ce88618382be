// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* scan.c - lines and tokens of a text that is not NUL-terminated. */
#include <string.h>

#include "scan.h"

static const char *
find_newline(const struct moore_scan *s)
{
	return s->rest == s->text_end ? NULL :
	       memchr(s->rest, '\n', (size_t)(s->text_end - s->rest));
}

bool
moore_scan_line(struct moore_scan *s)
{
	const char *nl;

	while (!(nl = find_newline(s)) && s->from.more &&
	       s->from.more(s->from.arg, &s->rest, &s->text_end))
		;
	if (s->rest == s->text_end)
		return false;
	s->cut = !nl;
	s->at = s->rest;
	s->end = nl ? nl : s->text_end;
	s->rest = nl ? nl + 1 : s->text_end;
	if (s->end > s->at && s->end[-1] == '\r')
		s->end--;
	s->line++;
	return true;
}

bool
moore_scan_skip(struct moore_scan *s, const char *word)
{
	const char *p = s->at;

	while (*word && p < s->end && *p == *word) {
		p++;
		word++;
	}
	if (*word)
		return false;
	s->at = p;
	return true;
}

void
moore_scan_spaces(struct moore_scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

bool
moore_scan_note(struct moore_scan *s)
{
	if (moore_scan_done(s))
		return true;
	if (!moore_scan_skip(s, "#"))
		return false;
	s->ended |= moore_scan_skip(s, "--");
	return true;
}

int
moore_scan_end(const struct moore_scan *s, const char *file, struct moore_err *err)
{
	return s->ended ? 0 : moore_fail(err, MOORE_ESYNTAX, s->line, "%s: the file does not end in "
					 "'#--'; copy it whole", file);
}

bool
moore_scan_num(struct moore_scan *s, unsigned base, uint64_t max, uint64_t *out)
{
	return moore_text_u64(&s->at, s->end, base, max, out);
}

int
moore_scan_switch(const struct moore_scan *s, const struct moore_guid_map *switches,
		  uint64_t guid, const char *file, uint32_t *sw, struct moore_err *err)
{
	*sw = moore_guid_map_get(switches, guid);
	if (*sw == MOORE_NONE)
		return moore_fail(err, MOORE_EPLAN, s->line, "%s: switch 0x%016llx is not in the "
				  "fabric; use dumps of the same sweep", file,
				  (unsigned long long)guid);
	return 0;
}

int
moore_scan_header(struct moore_scan *s, const struct moore_guid_map *switches,
		  const char *file, uint32_t *sw, struct moore_err *err)
{
	uint64_t guid;

	if (!moore_scan_num(s, 16, UINT64_MAX, &guid))
		return moore_fail(err, MOORE_ESYNTAX, s->line, "%s: expected 'Switch 0xGUID'", file);
	return moore_scan_switch(s, switches, guid, file, sw, err);
}

int
moore_scan_switches(struct moore_guid_map *out, const struct moore_fabric *f, bool by_port,
		    struct moore_arena *tmp, struct moore_err *err)
{
	if (!moore_guid_map_init(out, f->n_switches, tmp))
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < f->n_switches; s++)
		moore_guid_map_put(out, by_port ? f->sw[s].port_guid : f->sw[s].guid, s);
	return 0;
}
