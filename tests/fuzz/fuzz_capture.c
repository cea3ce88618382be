// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_capture.c - any bytes as a capture.  Members that are accepted lie inside the archive.
 * The driver's texts are C strings and an archive is full of zeros, so a seed is a script: each
 * byte of 1..8 stands for a part of an archive, and every other byte for itself. */
#include "driver.h"
#include "moore/answer.h"
#include "moore/capture.h"

static const char fuzz_name[] = "capture";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"\1\2\3\4", "\1\2\5", "\1\2\3\3\4", "\2\1\6\4", "\1\7\2\3\4", "\3\4",
		"\1\2\10{\"moore_capture\": 1, \"members\": []}\4", NULL
	};

	return seeds;
}

static void
add(struct moore_buf *b, const char *name, const char *text, size_t len)
{
	moore_tar_head(b, name, len, 0);
	moore_buf_add(b, text, strlen(text));
	moore_tar_pad(b, len);
}

static void
put_manifest(struct moore_buf *b)
{
	struct moore_capture c = { .at = 1 };
	char *text;
	json_t *o;

	for (int i = MOORE_CAPTURED_SUBNET; i <= MOORE_CAPTURED_LFTS; i++) {
		c.member[i] = (struct moore_member){ moore_captured_name(i), "x", 1 };
		c.hash[i] = moore_hash(MOORE_HASH_INIT, "x", 1);
	}
	o = moore_answer_capture(&c);
	text = json_dumps(o, 0);
	add(b, MOORE_MANIFEST, text, strlen(text));
	free(text);
	json_decref(o);
}

static void
put_part(struct moore_buf *b, uint8_t c)
{
	switch (c) {
	case 1: add(b, moore_captured_name(MOORE_CAPTURED_SUBNET), "x", 1); break;
	case 2: add(b, moore_captured_name(MOORE_CAPTURED_LFTS), "x", 1); break;
	case 3: put_manifest(b); break;
	case 4: moore_tar_end(b); break;
	case 5: add(b, "opensm-sl2vl.dump", "x", UINT32_MAX); break;
	case 6: add(b, "../../x", "x", 1); break;
	case 7: moore_tar_pad(b, 1); break;
	case 8: moore_tar_head(b, MOORE_MANIFEST, 40, 0); break;
	default: moore_buf_add(b, &c, 1);
	}
}

static void
judge(const char *data, size_t len)
{
	struct moore_capture c;
	struct moore_err err;

	if (moore_capture_open(&c, data, len, &err) < 0)
		return;
	for (int i = 0; i < MOORE_N_CAPTURED; i++)
		if (c.member[i].name && (c.member[i].data < data || c.member[i].len > len ||
					 c.member[i].data + c.member[i].len > data + len))
			abort();
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;

	for (size_t i = 0; i < len; i++)
		put_part(&b, data[i]);
	judge((const char *)data, len);
	if (b.data)
		judge(b.data, b.len);
	/* Damage inside an archive, where len and the first byte say. */
	if (b.len && len) {
		b.data[(len * 97 + data[0] * 8) % b.len] ^= (char)data[len / 2];
		judge(b.data, b.len);
	}
	moore_buf_free(&b);
}
