// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_out.c - moorectl's output of names that would control the terminal or that are not
 * UTF-8, and its behaviour when memory runs out. */
#include "harness.h"

#include "../../cli/error.c"
#include "../../cli/out.c"
#include "../../cli/progress.c"
#include "../../cli/term.c"
#include "../../cli/wrap.c"

/* Collects what is printed; io.c is not linked into this test. */
static struct moore_buf printed;

int
cli_write(const char *path, const struct moore_buf *data)
{
	(void)path;
	printed.len = 0;
	moore_buf_add(&printed, data->data, data->len);
	return data->oom ? CLI_FAIL : CLI_OK;
}

#define RLO "\xe2\x80\xae"	/* U+202E, which reverses the text after it */

static void
test_names(void **state)
{
	static const struct {
		const char *why, *name, *text, *json, *message;	/* NULL: like text */
	} T[] = {
		{ "plain", "leaf 1", "leaf 1", "leaf 1", NULL },
		{ "letters of other scripts", "\xd7\xa9\xc3\xa9", "\xd7\xa9\xc3\xa9", "\xd7\xa9\xc3\xa9", NULL },
		{ "escape", "a\033[2J", "a?[2J", "a\\u001B[2J", NULL },
		{ "DEL", "a\177", "a?", "a\\u007f", NULL },
		{ "CSI as one character", "a\xc2\x9b" "2J", "a?2J", "a\\u009b2J", NULL },
		{ "text turned around", "a" RLO "b", "a?b", "a\\u202eb", NULL },
		{ "an isolate", "\xe2\x81\xa6", "?", "\\u2066", NULL },
		{ "a line separator", "\xe2\x80\xa8", "?", "\\u2028", NULL },
		{ "an Arabic mark", "\xd8\x9c", "?", "\\u061c", NULL },
		{ "a byte order mark", "\xef\xbb\xbf" "a", "?a", "\\ufeffa", NULL },
		{ "a character cut short", "\xe2\x80", "\xe2\x80", "??", "??" },
		{ "Latin-1", "\xe9t\xe9", "\xe9t\xe9", "?t?", "?t?" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf b = MOORE_BUF_INIT;
		char copy[64], want[64];

		cli_putf(&b, "%s\n", T[i].name);
		snprintf(want, sizeof(want), "%s\n", T[i].text);
		CHECK_EQ(T[i].why, cli_print_text(&b), CLI_OK);
		CHECK(T[i].why, !strcmp(printed.data, want));
		snprintf(want, sizeof(want), "[\"%s\"]\n", T[i].json);
		CHECK_EQ(T[i].why, cli_print_json_line(json_pack("[o]", moore_json_name(T[i].name))), CLI_OK);
		CHECK(T[i].why, !strcmp(printed.data, want));
		moore_text_hide(strcpy(copy, T[i].name));
		CHECK(T[i].why, !strcmp(copy, T[i].message ? T[i].message : T[i].text));
	}
	moore_buf_free(&printed);
}

static void *
no_memory(size_t n)
{
	(void)n;
	return NULL;
}

static void
test_no_memory(void **state)
{
	json_malloc_t take;
	json_free_t drop;
	(void)state;

	json_get_alloc_funcs(&take, &drop);
	json_set_alloc_funcs(no_memory, drop);
	assert_null(moore_json_name(NULL));	/* must not be copied */
	assert_null(moore_json_name("a"));
	json_set_alloc_funcs(take, drop);
	assert_int_equal(cli_print_json(NULL), CLI_FAIL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
