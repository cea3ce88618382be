// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_dumps.c - any bytes as OpenSM's four dumps, moore-op-vls.dump,
 * opensm-lid-matrix.dump, moore-hardware.dump and moore-counters.dump; what the readers accept
 * goes through the writers and the checker.  An input is the eight texts, separated by lines of
 * %%. */
#include "driver.h"
#include "moore/check.h"
#include "moore/counted.h"
#include "moore/dumps.h"
#include "moore/hardware.h"
#include "opensm_dumps.h"

static const char fuzz_name[] = "dumps";

#define CUT "%%\n"
static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		SUBNET_LST CUT LFTS_DUMP CUT SL2VL_DUMP CUT MCFDBS,
		SUBNET_LST CUT LFTS_DUMP CUT SL2VL_DUMP CUT MCFDBS CUT
			"Switch 0x200000\n1 2\n2 1\n3 8\nSwitch 0x200001\n1 4\n2 2\n3 4\n"
			"Switch 0x200002\n1 2\n2 4\n3 15\n#--\n" CUT
			"Switch: guid 0x200000\n0x0004: 00\n0x0005: 01 ff 01\n0x0006: 02 ff 02\n"
			"Switch: guid 0x200001\n0x0006: 01 ff ff 01 # portguid 0x200002\n" CUT
			"Switch 0x200000\nhas vendor 713 device 53000 revision 160 lft_cap 49152 lft_top 11 "
			"mft_cap 4096 mft_top 49155 maps_sl 1 sl_mapping 2\nport 1 state 4 width 4 speed 7 mtu_cap 5 "
			"mtu 5 vl_cap 8 vls 2 high_limit 0 high_cap 8 low_cap 8\nhigh 0:64 1:64 0:0\nlow\n#--\n" CUT
			"read 1764097000123\ncolumns transmit_data receive_data transmit_packets "
			"receive_packets transmit_wait symbol_error link_error_recovery link_downed "
			"receive_errors receive_remote_physical_errors transmit_discards "
			"local_link_integrity_errors excessive_buffer_overrun_errors vl15_dropped\n"
			"Switch 0x200000\n1 96 72 1 1 - 3 0 0 0 0 0 0 0 0\n"
			"2 - - - - - - - - - - - - - 18446744073709551615\nSwitch 0x200001\n#--\n",
		S0(NEAR, "03") S2(FAR, "02") ACT S0(NEAR, "04") S0(FAR, "04") ACT S1(NEAR, "01") H1(FAR) ACT
			CUT LFTS_DUMP CUT SL2VL_SW("2", "6") CUT MCFDBS,
		CUT LFT("4", "200000", "S0", "1", "0", "2", "3", "2", "3") CUT SL2VL_SW("0", "4") CUT MCFDBS,
		SUBNET_LST CUT CUT CUT,
		NULL
	};

	return seeds;
}

struct piece {
	const char *text;
	size_t len;
};

/* The text up to the next CUT, in a block of exactly its size. */
static struct piece
next_piece(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *cut = memmem(*at, (size_t)(end - *at), CUT, strlen(CUT));
	size_t len = (size_t)((cut ? cut : end) - *at);
	char *text = malloc(len ? len : 1);

	if (!text)
		abort();
	memcpy(text, *at, len);
	*at = cut ? cut + strlen(CUT) : end;
	return (struct piece){ text, len };
}

static void
judge(const struct moore_fabric *f, const struct moore_lft *lft, const struct moore_sl2vl *sl2vl,
      const struct moore_mft *mft)
{
	static const struct moore_check_opts opts;
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_verdict *v = NULL;

	if (moore_check(&v, f, lft, sl2vl, mft, &opts, NULL) < 0)
		abort();
	if (v->acyclic ? !v->order : !v->cycle_len)
		abort();
	moore_verdict_free(v);
	moore_dump_write_subnet(f, &b);
	moore_dump_write_sl2vl(f, sl2vl, &b);
	moore_dump_write_mft(f, mft, &b);
	moore_dump_write_op_vls(f, &b);
	if (moore_dump_write_lfts(f, lft, &b, NULL) < 0 || moore_dump_write_fdbs(f, lft, &b, NULL) < 0)
		abort();
	moore_buf_free(&b);
}

/* What was read and written is read and written again as it is. */
static void
compare(struct moore_buf b[2])
{
	if (b[0].len != b[1].len || memcmp(b[0].data, b[1].data, b[0].len) != 0)
		abort();
	moore_buf_free(&b[0]);
	moore_buf_free(&b[1]);
}

static void
judge_hardware(const struct moore_fabric *f, const char *text, size_t len)
{
	struct moore_buf b[2] = { MOORE_BUF_INIT, MOORE_BUF_INIT };
	struct moore_hardware *h;
	struct moore_err err;

	for (int i = 0; i < 2; i++) {
		if (moore_dump_parse_hardware(&h, f, text, len, &err) < 0) {
			if (i)
				abort();
			return;
		}
		moore_dump_write_hardware(f, h, &b[i]);
		moore_hardware_free(h);
		text = b[i].data;
		len = b[i].len;
	}
	compare(b);
}

static void
judge_counters(const struct moore_fabric *f, const char *text, size_t len)
{
	struct moore_buf b[2] = { MOORE_BUF_INIT, MOORE_BUF_INIT };
	struct moore_measured m;
	struct moore_counted *c;
	struct moore_err err;

	for (int i = 0; i < 2; i++) {
		if (moore_dump_parse_counters(&c, f, text, len, &err) < 0) {
			if (i)
				abort();
			return;
		}
		moore_measured_of(&m, f, c);
		if (m.n_read > m.n_links || m.n_errors > m.n_ports || m.max < 0.999 * m.mean)
			abort();
		moore_dump_write_counters(f, c, &b[i]);
		moore_counted_free(c);
		text = b[i].data;
		len = b[i].len;
	}
	compare(b);
}

static void
judge_stock(const struct moore_fabric *f, const struct moore_lft *lft,
	    const struct moore_sl2vl *sl2vl, const struct moore_mft *mft,
	    const struct moore_stock_hop *hops)
{
	static const struct moore_check_opts opts;
	struct moore_stock_verdict *v;

	if (moore_check_stock(&v, f, lft, sl2vl, hops, mft, &opts, NULL) < 0)
		abort();
	if ((v->n_safe < v->n) != (v->cycle_len > 0))
		abort();
	moore_stock_verdict_free(v);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	const uint8_t *end = data + len;
	struct moore_sl2vl *sl2vl = NULL;
	struct moore_fabric *f = NULL;
	struct moore_lft *lft = NULL;
	struct moore_mft *mft = NULL;
	struct moore_err err;
	struct moore_stock_hop *hops = NULL;
	struct piece p[8];
	int rc[3];

	for (unsigned i = 0; i < ARRAY_LEN(p); i++)
		p[i] = next_piece(&data, end);
	if (moore_dump_parse_fabric(&f, p[0].text, p[0].len, p[1].text, p[1].len, &err) == 0) {
		rc[0] = moore_dump_parse_lfts(&lft, f, p[1].text, p[1].len, &err);
		rc[1] = moore_dump_parse_sl2vl(&sl2vl, f, p[2].text, p[2].len, &err);
		rc[2] = moore_dump_parse_mft(&mft, f, p[3].text, p[3].len, &err);
		if (!moore_dump_parse_op_vls(f, p[4].text, p[4].len, &err) &&
		    moore_fabric_seal(f, &err) < 0)
			abort();
		if (!rc[0] && !rc[1] && !rc[2])
			judge(f, lft, sl2vl, mft);
		if (!moore_dump_parse_lid_matrix(&hops, f, p[5].text, p[5].len, &err) &&
		    !rc[0] && !rc[1] && !rc[2])
			judge_stock(f, lft, sl2vl, mft, hops);
		judge_hardware(f, p[6].text, p[6].len);
		judge_counters(f, p[7].text, p[7].len);
	}
	free(hops);
	moore_mft_free(mft);
	moore_sl2vl_free(sl2vl);
	moore_lft_free(lft);
	moore_fabric_free(f);
	for (unsigned i = 0; i < ARRAY_LEN(p); i++)
		free((void *)p[i].text);
}
