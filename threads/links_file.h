/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* links_file.h - changes moore's part of a links file (moore/drain.h), which people edit, too. */
#ifndef MOORE_LINKS_FILE_H
#define MOORE_LINKS_FILE_H

#include "moore/drain.h"

#define LINKS_FILE_MAX ((size_t)1 << 20)	/* as the plugin reads it */

/* Removes the lines of drop[] from the part and adds those of add[]; the file is made if it does
 * not exist.  The new file takes the old one's place as a whole, and programs that call this
 * wait for one another.  The old file stays beside it as PATH.before-moore.  If a person has
 * changed the file meanwhile, the change is made in what the person wrote.
 *
 * -MOORE_EINVAL: a file cannot be read or written; -MOORE_ESYNTAX: a line of the file is wrong,
 * and err->line names it; -MOORE_ENOMEM.  Then the file is as it was.  Takes some 60 ms. */
int links_file_change(const char *path, const struct moore_drain_line *drop, size_t n_drop,
		      const struct moore_drain_line *add, size_t n_add, struct moore_err *err);

#endif
