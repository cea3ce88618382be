// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pseudonym.c - names and GUIDs by which a fabric can be studied elsewhere.
 *
 * Pseudonyms replace the fields of the structure before anything is written, so what is
 * written cannot hold a name that was overlooked.  A GUID is guessable (three bytes are the
 * vendor's, the rest counts up), hence a hash with a key: without the key, a list of likely
 * names reveals nothing in a capture. */
#include <stdlib.h>

#include "moore/capture.h"

/* ---- SipHash-2-4 ------------------------------------------------------------------ */

struct sip {
	uint64_t v[4];
};

static uint64_t
rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void
sip_round(struct sip *s)
{
	uint64_t *v = s->v;

	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void
sip_word(struct sip *s, uint64_t word)
{
	s->v[3] ^= word;
	sip_round(s);
	sip_round(s);
	s->v[0] ^= word;
}

/* Reads n <= 8 bytes, the least significant first. */
static uint64_t
little(const uint8_t *p, size_t n)
{
	uint64_t w = 0;

	while (n--)
		w = w << 8 | p[n];
	return w;
}

uint64_t
moore_keyed_hash(const uint8_t key[MOORE_KEY_BYTES], const void *data, size_t len)
{
	const uint64_t k0 = little(key, 8), k1 = little(key + 8, 8);
	const uint8_t *p = data;
	size_t left = len;
	struct sip s = { { k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull,
		k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull } };

	for (; left >= 8; left -= 8, p += 8)
		sip_word(&s, little(p, 8));
	sip_word(&s, (uint64_t)len << 56 | little(p, left));
	s.v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(&s);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

/* ---- a fabric ---------------------------------------------------------------------- */

static uint64_t
guid_for(const uint8_t *key, uint64_t guid)
{
	uint8_t bytes[8];

	if (!guid)
		return 0;
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(guid >> (56 - 8 * i));
	/* 0x02 marks an address that no vendor gave out (EUI-64, locally administered). */
	return 0x02ull << 56 | moore_keyed_hash(key, bytes, sizeof(bytes)) >> 8;
}

static int
rename_to(char **name, const char *kind, const uint8_t *key, struct moore_err *err)
{
	struct moore_buf b = MOORE_BUF_INIT;
	size_t len = 0;

	while (*name && (*name)[len])
		len++;
	if (!len)
		return 0;
	moore_buf_fmt(&b, "%s-%016llx", kind, (unsigned long long)moore_keyed_hash(key, *name, len));
	if (b.oom)
		return moore_fail_nomem(err);
	free(*name);
	*name = b.data;
	return 0;
}

struct pair {
	uint64_t was, now;
};

static int
cmp_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->now != y->now)
		return x->now < y->now ? -1 : 1;
	return (x->was > y->was) - (x->was < y->was);
}

/* Refuses two GUIDs with one pseudonym. */
static int
all_differ(struct pair *p, size_t n, struct moore_err *err)
{
	qsort(p, n, sizeof(*p), cmp_pair);
	for (size_t i = 1; i < n; i++)
		if (p[i].now == p[i - 1].now && p[i].was != p[i - 1].was)
			return moore_fail(err, MOORE_EINVAL, 0, "two GUIDs get one pseudonym under this "
					  "key: make another key");
	return 0;
}

static void
replace(uint64_t *guid, const uint8_t *key, struct pair *p, size_t *n)
{
	const uint64_t was = *guid;

	*guid = guid_for(key, was);
	p[(*n)++] = (struct pair){ was, *guid };
}

int
moore_fabric_pseudonyms(struct moore_fabric *f, const uint8_t key[MOORE_KEY_BYTES],
			struct moore_err *err)
{
	struct pair *p = malloc((2 * ((size_t)f->n_switches + f->n_endpoints) + 1) * sizeof(*p));
	size_t n = 0;
	int rc = p ? 0 : moore_fail_nomem(err);

	for (moore_swid s = 0; rc == 0 && s < f->n_switches; s++) {
		replace(&f->sw[s].guid, key, p, &n);
		replace(&f->sw[s].port_guid, key, p, &n);
		rc = rename_to(&f->sw[s].name, "sw", key, err);
	}
	for (moore_epid e = 0; rc == 0 && e < f->n_endpoints; e++) {
		replace(&f->ep[e].guid, key, p, &n);
		replace(&f->ep[e].node_guid, key, p, &n);
		rc = rename_to(&f->ep[e].name, f->ep[e].router ? "rt" : "ca", key, err);
	}
	if (rc == 0)
		rc = all_differ(p, n, err);
	free(p);
	return rc;
}
