/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* registry.h - all methods in one table, with their schemas read. */
#ifndef MOORED_REGISTRY_H
#define MOORED_REGISTRY_H

#include "rpc/rpc.h"

/* Read all schemas; false, with the reason in the log, is a defect of the table. */
bool methods_init(void);
void methods_fini(void);
const struct rpc_method *method_find(const char *name);
/* In order of the tables; NULL past the end. */
const struct rpc_method *method_at(size_t i);
/* Writes the reference of all methods, docs/rpc.md. */
void methods_print(struct moore_buf *out);

#endif
