static void
test_sspt(void **state)
{
	static const struct { uint32_t r1, r2, l; } T[] = {
		{ 2, 2, 2 }, { 5, 2, 5 }, { 9, 2, 1 }, { 3, 3, 2 }, { 4, 3, 2 }, { 6, 3, 4 }, { 7, 3, 4 },
		{ 9, 3, 6 }, { 10, 3, 2 }, { 12, 3, 1 }, { 13, 3, 1 }, { 15, 3, 1 }, { 16, 3, 1 },
		{ 4, 4, 2 }, { 5, 4, 2 }, { 13, 4, 1 }, { 21, 4, 1 }, { 6, 5, 2 }, { 5, 5, 2 }, { 21, 5, 1 },
		{ 31, 5, 1 }, { 8, 8, 2 }, { 9, 8, 2 }, { 10, 9, 1 }, { 31, 6, 1 }, { 40, 4, 1 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_topo *t;
		char spec[48];

		snprintf(spec, sizeof(spec), "sspt r1=%u r2=%u l=%u", T[i].r1, T[i].r2, T[i].l);
		CHECK_EQ(spec, build_spec(&t, spec, NULL), 0);
		check_contract(t);
		check_trees(spec, t, T[i].r1, T[i].r2, T[i].l);
		moore_topo_free(t);
	}
}

		cmocka_unit_test(test_sspt),
