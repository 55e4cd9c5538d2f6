/* A member of a tar archive as a stage. */
#ifndef FURROW_IO_UNTAR_H
#define FURROW_IO_UNTAR_H

#include "member.h"
#include "stage.h"

/* What an archive consists of, and so what is to be looked at to recognise one. */
#define FUR_TAR_BLOCK 512

bool fur_tar_is(const char *head, size_t size);

/* Looks through the archive of the stage below for the member. If it is there, member->found is
 * set and *out is a stage with its bytes, on top of the one below; else neither changes.
 * FUR_MALFORMED if the archive is broken or the member is not a plain file. */
fur_status fur_untar(fur_stage *below, fur_member *member, fur_failure *failure, fur_stage **out);

#endif
