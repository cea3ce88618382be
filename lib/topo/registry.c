// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* registry.c - the topology families and the reading of their parameters.
 * A new family is one file, which defines `const struct moore_topo_family moore_topo_NAME`,
 * and one row ROW(NAME) here.  Help, man page, completion and tests follow. */
#include <stdlib.h>
#include <string.h>

#include "topo_build.h"

/* In the order of `moorectl topo list`. */
#define FAMILIES(ROW) \
	ROW(slimfly) \
	ROW(mlfm) \
	ROW(oft) \
	ROW(hypercube)	/* before the tori: it is also a torus of 2s and 4s */ \
	ROW(torus2d) \
	ROW(torus5d) \
	ROW(fhypercube) \
	ROW(myriclos) \
	ROW(dragonfly) \
	ROW(hyperx) \
	ROW(dln) \
	ROW(sspt)	/* after mlfm and oft, which are cases of it */ \
	ROW(lps) \
	ROW(bundlefly) \
	ROW(polarfly) \
	ROW(polarstar) \
	ROW(jellyfish) \
	ROW(xpander) \
	ROW(skywalk) \
	ROW(fattree2) \
	ROW(fattree3) \
	ROW(cascade) \
	ROW(dfplus) \
	ROW(torus)

#define DECLARE(name) extern const struct moore_topo_family moore_topo_##name;
#define ADDRESS(name) &moore_topo_##name,

FAMILIES(DECLARE)
static const struct moore_topo_family *const families[] = { FAMILIES(ADDRESS) };

static const struct { const char *word; int64_t value; } symbols[] = {
	{ "floor", MOORE_TOPO_FLOOR },
	{ "ceil", MOORE_TOPO_CEIL },
};

const struct moore_topo_family *
moore_topo_family_at(size_t i)
{
	return i < ARRAY_LEN(families) ? families[i] : NULL;
}

const struct moore_topo_family *
moore_topo_family_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (!strcmp(families[i]->name, name))
			return families[i];
	return NULL;
}

static size_t
n_params(const struct moore_topo_family *f)
{
	size_t n = 0;

	while (n < MOORE_TOPO_MAX_PARAMS && f->param[n].key)
		n++;
	return n;
}

/* The index of the parameter that "KEY=..." names; n_params() if there is none. */
static size_t
find_param(const struct moore_topo_family *f, const char *word)
{
	const size_t len = strcspn(word, "=");
	size_t i;

	for (i = 0; i < n_params(f); i++)
		if (strlen(f->param[i].key) == len && !memcmp(f->param[i].key, word, len))
			break;
	return i;
}

static int
fail_unknown(const struct moore_topo_family *f, const char *word, struct moore_err *err)
{
	struct moore_buf known = MOORE_BUF_INIT;
	int rc;

	for (size_t i = 0; i < n_params(f); i++)
		moore_buf_fmt(&known, "%s%s=", i ? ", " : "", f->param[i].key);
	rc = known.oom ? moore_fail_nomem(err) :
	     moore_fail(err, MOORE_EINVAL, 0, "%.40s: %s has no such parameter, it takes %s",
			word, f->name, known.data);
	moore_buf_free(&known);
	return rc;
}

static int
read_value(const struct moore_topo_param *p, const char *word, int64_t *value,
	   struct moore_err *err)
{
	const char *text = word + strcspn(word, "="), *end = text + strlen(text);
	uint64_t v;

	if (*text == '=')
		text++;
	for (size_t i = 0; p->symbolic && i < ARRAY_LEN(symbols); i++) {
		if (!strcmp(text, symbols[i].word)) {
			*value = symbols[i].value;
			return 0;
		}
	}
	if (!moore_text_u64(&text, end, 10, INT64_MAX, &v) || text != end)
		return moore_fail(err, MOORE_EINVAL, 0, "%.40s: not a whole number, give %s=%lld..%lld%s",
				  word, p->key, (long long)p->min, (long long)p->max,
				  p->symbolic ? ", floor or ceil" : "");
	*value = (int64_t)v;
	return 0;
}

/* Checks the ranges of numbers, and of symbolic and derived values once they are known. */
static int
check_values(const struct moore_topo_family *f, const int64_t *param, struct moore_err *err)
{
	for (size_t i = 0; i < n_params(f); i++) {
		const struct moore_topo_param *p = &f->param[i];
		const int64_t v = param[i];

		if ((v >= p->min && v <= p->max) ||
		    (p->symbolic && (v == MOORE_TOPO_FLOOR || v == MOORE_TOPO_CEIL)) ||
		    (p->dflt == MOORE_TOPO_DERIVED && v == p->dflt))
			continue;
		return moore_fail(err, MOORE_EINVAL, 0, "%s=%lld: out of range, give %s=%lld..%lld: %s",
				  p->key, (long long)v, p->key,
				  (long long)p->min, (long long)p->max, p->help);
	}
	return 0;
}

static int
resolve(const struct moore_topo_family *f, int64_t *param, struct moore_err *err)
{
	int rc;

	if ((rc = check_values(f, param, err)) < 0 ||
	    (rc = f->resolve(param, err)) < 0)
		return rc;
	return check_values(f, param, err);
}

/* ---- the nearest parameters that are valid -------------------------------------------- */

#define NEAREST_DISTANCE 32	/* sum of the changes of all parameters */
#define NEAREST_ALONE 1000	/* change of one parameter, */
#define NEAREST_FAR 100000	/* and where lowering all in proportion has found none, too */
#define NEAREST_TRIES 100000
#define NEAREST_SHOWN 2
#define NEAREST_SHARES 65536	/* smaller ones are tried in steps of one part in so many, */
#define NEAREST_LEAST 256	/* as long as so many parts are left */

struct nearest {
	const struct moore_topo_family *f;
	int64_t v[MOORE_TOPO_MAX_PARAMS];	/* as given, or the bound beyond which it was given */
	unsigned given[MOORE_TOPO_MAX_PARAMS], n_given;	/* the parameters that may change */
	int64_t try[MOORE_TOPO_MAX_PARAMS];
	unsigned tries, found;
	struct moore_buf text;
};

/* Names what is tried, if there is a graph for it.  Numbers below the least stand for defaults, which
 * nobody can give. */
static void
put_choice(struct nearest *n)
{
	int64_t copy[MOORE_TOPO_MAX_PARAMS];

	n->tries++;
	for (unsigned i = 0; i < n->n_given; i++)
		if (n->try[n->given[i]] < n->f->param[n->given[i]].min)
			return;
	memcpy(copy, n->try, sizeof(copy));
	if (resolve(n->f, copy, NULL) < 0)
		return;
	moore_buf_fmt(&n->text, n->found++ ? ", or" : "; nearest that fit:");
	for (unsigned i = 0; i < n->n_given; i++)
		moore_buf_fmt(&n->text, " %s=%lld", n->f->param[n->given[i]].key,
			      (long long)n->try[n->given[i]]);
}

/* Tries all changes of the given parameters from the i-th on that add up to `left`. */
static void
try_changes(struct nearest *n, unsigned i, int64_t left)
{
	const bool last = i + 1 == n->n_given;
	const unsigned at = n->given[i];

	for (int64_t change = last ? left : 0; change <= left; change++)
		for (int sign = -1; sign <= (change ? 1 : -1); sign += 2) {
			n->try[at] = n->v[at] + sign * change;
			if (n->found == NEAREST_SHOWN || n->tries == NEAREST_TRIES)
				return;
			if (last)
				put_choice(n);
			else
				try_changes(n, i + 1, left - change);
		}
}

/* Changes each parameter alone by more than `from`, and by `to` at most. */
static void
try_alone(struct nearest *n, int64_t from, int64_t to)
{
	for (int64_t change = from + 1; change <= to && !n->found; change++)
		for (unsigned i = 0; i < n->n_given && !n->found; i++)
			for (int sign = -1; sign <= 1 && !n->found; sign += 2) {
				memcpy(n->try, n->v, sizeof(n->try));
				n->try[n->given[i]] += sign * change;
				put_choice(n);
			}
}

/* Far beyond the largest graph: lowers all given parameters in proportion. */
static void
try_shares(struct nearest *n)
{
	for (int64_t share = NEAREST_SHARES - 1; share >= NEAREST_LEAST && !n->found; share--) {
		for (unsigned i = 0; i < n->n_given; i++) {
			const unsigned at = n->given[i];
			const int64_t lower = n->v[at] / NEAREST_SHARES * share +
				n->v[at] % NEAREST_SHARES * share / NEAREST_SHARES;

			n->try[at] = lower < n->f->param[at].min ? n->f->param[at].min : lower;
		}
		put_choice(n);
	}
}

/* Takes the parameters that may change: those that were given and shape the graph, other than seeds,
 * and numbers of endpoints that are out of range. */
static void
take_given(struct nearest *n, const int64_t *v, const bool *given)
{
	n->n_given = 0;
	for (unsigned i = 0; i < MOORE_TOPO_MAX_PARAMS; i++) {
		const struct moore_topo_param *p = &n->f->param[i];

		n->v[i] = v[i];
		if (!p->key || !given[i] || p->max == INT64_MAX || (p->endpoints && v[i] <= p->max))
			continue;
		n->v[i] = v[i] < p->min ? p->min : v[i] > p->max ? p->max : v[i];
		n->given[n->n_given++] = i;
	}
	memcpy(n->try, n->v, sizeof(n->try));
}

static void
search_nearest(struct nearest *n)
{
	if (!n->n_given)
		return;
	for (int64_t d = 0; d <= NEAREST_DISTANCE && !n->found; d++)
		try_changes(n, 0, d);
	try_alone(n, NEAREST_DISTANCE, NEAREST_ALONE);
	try_shares(n);
	try_alone(n, NEAREST_ALONE, NEAREST_FAR);
}

/* Appends to the error the nearest parameters for which there is a graph, where it does not name
 * valid ones already.  If what was given fits no graph, the first parameter changes, too. */
static void
name_nearest(const struct moore_topo_family *f, const int64_t *v, const bool *given,
	     struct moore_err *err)
{
	struct nearest n = { .f = f, .text = MOORE_BUF_INIT };
	bool with_first[MOORE_TOPO_MAX_PARAMS];
	size_t len;

	if (!err || strstr(err->text, "nearest"))
		return;
	take_given(&n, v, given);
	search_nearest(&n);
	if (n.n_given && !n.found) {
		memcpy(with_first, given, sizeof(with_first));
		with_first[0] = true;
		take_given(&n, v, with_first);
		search_nearest(&n);
	}
	len = strlen(err->text);
	if (n.found && !n.text.oom && len + n.text.len < sizeof(err->text))
		memcpy(err->text + len, n.text.data, n.text.len + 1);
	moore_buf_free(&n.text);
}

int
moore_topo_params_parse(const struct moore_topo_family *f, int64_t *param,
			const char *const *words, size_t n_words, struct moore_err *err)
{
	bool given[MOORE_TOPO_MAX_PARAMS] = { false };
	int64_t v[MOORE_TOPO_MAX_PARAMS] = { 0 };
	const size_t n = n_params(f);
	int rc;

	for (size_t i = 0; i < n; i++)
		v[i] = f->param[i].dflt;
	for (size_t w = 0; w < n_words; w++) {
		const size_t i = find_param(f, words[w]);

		if (i == n)
			return fail_unknown(f, words[w], err);
		if (given[i])
			return moore_fail(err, MOORE_EINVAL, 0, "%.40s: %s is given twice, drop one",
					  words[w], f->param[i].key);
		given[i] = true;
		if ((rc = read_value(&f->param[i], words[w], &v[i], err)) < 0)
			return rc;
	}
	for (size_t i = 0; i < n; i++)
		if (f->param[i].required && !given[i])
			return moore_fail(err, MOORE_EINVAL, 0, "%s needs %s=%lld..%lld: %s",
					  f->name, f->param[i].key, (long long)f->param[i].min,
					  (long long)f->param[i].max, f->param[i].help);
	memcpy(param, v, sizeof(v));
	if ((rc = resolve(f, param, err)) == -MOORE_EINVAL)
		name_nearest(f, v, given, err);
	return rc;
}

int
moore_topo_build(struct moore_topo **out, const struct moore_topo_family *f,
		 const int64_t *param, struct moore_err *err)
{
	struct moore_topo *t = calloc(1, sizeof(*t));
	int rc;

	*out = NULL;
	if (!t)
		return moore_fail_nomem(err);
	t->family = f;
	memcpy(t->param, param, sizeof(t->param));
	if ((rc = resolve(f, t->param, err)) < 0 ||
	    (rc = f->build(t, t->param, err)) < 0)
		goto out;
	*out = t;
	t = NULL;
out:
	moore_topo_free(t);
	return rc;
}
