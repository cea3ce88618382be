// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp.c - the switches of an Ethernet fabric, and their documents in a directory. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ethernet/lldp.h"

int
cli_lldp_add(struct cli_lldp *x, const char *name)
{
	struct moore_lldp_switch **list = moore_grow(x->sw, x->n, &x->cap, sizeof(*list));
	struct moore_err err;

	if (!list)
		return cli_error("out of memory");
	x->sw = list;
	if (moore_lldp_new(&list[x->n], name, &err) < 0)
		return cli_error("%s", err.text);
	x->n++;
	return CLI_OK;
}

int
cli_lldp_silence(struct cli_lldp *x, uint32_t i, const char *why)
{
	struct moore_lldp_switch *s;
	struct moore_err err;

	if (moore_lldp_new(&s, x->sw[i]->asked, &err) < 0)
		return cli_error("%s", err.text);
	moore_lldp_free(x->sw[i]);
	x->sw[i] = s;
	s->silent = strdup(why);
	return s->silent ? CLI_OK : cli_error("out of memory");
}

void
cli_lldp_free(struct cli_lldp *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		moore_lldp_free(x->sw[i]);
	free(x->sw);
	*x = (struct cli_lldp){ NULL };
}

/* ---- a directory -------------------------------------------------------------------- */

/* Reads one document; *is_there tells whether there is one. */
static int
read_doc(const char *dir, struct moore_lldp_switch *s, enum moore_lldp_doc doc, bool *is_there)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	struct stat st;
	char *path;
	int rc = CLI_OK;

	if (asprintf(&path, "%s/%s/%s.json", dir, s->asked, moore_lldp_doc_name(doc)) < 0)
		return cli_error("out of memory");
	*is_there = stat(path, &st) == 0 || errno != ENOENT;
	if (*is_there &&
	    (rc = cli_read_at_most(path, MOORE_LLDP_BYTES_MAX, "answer of a switch", &text)) == CLI_OK &&
	    moore_lldp_read(s, doc, text.data, text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	free(path);
	return rc;
}

static int
read_switch(const char *dir, struct cli_lldp *x, uint32_t i)
{
	bool is_there;
	char why[32];
	int rc;

	for (enum moore_lldp_doc doc = 0; doc < MOORE_LLDP_DOCS; doc++) {
		if ((rc = read_doc(dir, x->sw[i], doc, &is_there)) != CLI_OK)
			return rc;
		if (is_there || doc == MOORE_LLDP_LINKS)
			continue;
		snprintf(why, sizeof(why), "%s.json is missing", moore_lldp_doc_name(doc));
		return cli_lldp_silence(x, i, why);
	}
	return CLI_OK;
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
is_dir(const char *dir, const char *name, bool *out)
{
	char *path = cli_path_join(dir, name);
	struct stat st;

	if (!path)
		return cli_error("out of memory");
	*out = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	free(path);
	return CLI_OK;
}

int
cli_lldp_read_dir(const char *dir, struct cli_lldp *out)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_visible, by_name), rc = CLI_OK;
	bool is_switch = false;

	*out = (struct cli_lldp){ NULL };
	if (n < 0)
		return cli_error("%s: cannot read: %s: name a directory that has one for each switch, as "
				 "in %s/SWITCH/neighbors.json, or ask the switches with --command", dir,
				 strerror(errno), dir);
	for (int i = 0; i < n; i++) {
		if (rc == CLI_OK && (rc = is_dir(dir, entry[i]->d_name, &is_switch)) == CLI_OK &&
		    is_switch && (rc = cli_lldp_add(out, entry[i]->d_name)) == CLI_OK)
			rc = read_switch(dir, out, out->n - 1);
		free(entry[i]);
	}
	free(entry);
	if (rc == CLI_OK && !out->n)
		rc = cli_error("%s: holds no directory of a switch, such as %s/SWITCH/neighbors.json", dir,
			       dir);
	return rc;
}
