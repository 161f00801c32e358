// System calls that Swift's Glibc module leaves out: they are extensions of Linux.
#ifndef CFILESYSTEM_H
#define CFILESYSTEM_H

#include <sys/statfs.h>

extern int renameat2(int oldFolder, const char *oldName, int newFolder, const char *newName, unsigned int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int fsetxattr(int descriptor, const char *name, const void *value, unsigned long size, int flags);
extern long fgetxattr(int descriptor, const char *name, void *value, unsigned long size);
extern int sync_file_range(int descriptor, long offset, long count, unsigned int flags);
extern int fremovexattr(int descriptor, const char *name);
extern long copy_file_range(
  int from, long *fromOffset, int to, long *toOffset, unsigned long count, unsigned int flags);

enum { CFS_RENAME_NOREPLACE = 1, CFS_MEMFD_CLOEXEC = 1, CFS_MEMFD_ALLOW_SEALING = 2 };
// F_ADD_SEALS; the seals against sealing, shrinking, growing and writing.
enum { CFS_ADD_SEALS = 1033, CFS_SEAL_ALL = 15 };
// O_PATH: a descriptor of a place and not of what is in it.
enum { CFS_PATH = 010000000 };
// SYNC_FILE_RANGE_WRITE
enum { CFS_BEGIN_WRITING = 2 };
// F_SETSIG and F_SETLEASE.
enum { CFS_SETSIG = 10, CFS_SETLEASE = 1024 };

#endif
