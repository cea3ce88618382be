// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
// cplusplus.cc - the installed headers serve a C++ program: tests/purity compiles
// this file with g++ and links it with each form of the library.
#include <moore/moore.h>

int
main()
{
	moore_err err;
	moore_topo *topo = nullptr;
	moore_plan *plan = nullptr;
	const moore_topo_family *family = moore_topo_family_find("hypercube");
	const char *const words[] = { "n=3" };
	int64_t param[MOORE_TOPO_MAX_PARAMS];

	if (moore_topo_params_parse(family, param, words, 1, &err) < 0 ||
	    moore_topo_build(&topo, family, param, &err) < 0 ||
	    moore_plan_from_topo(&plan, topo, &err) < 0)
		return 1;
	const bool right = plan->n_switches == 8;
	moore_plan_free(plan);
	moore_topo_free(topo);
	return right ? 0 : 1;
}
