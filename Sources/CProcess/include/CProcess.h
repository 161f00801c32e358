// What the Glibc module leaves out, of processes.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
extern long syscall(long number, ...);

enum { CPROCESS_SCHED_BATCH = 3 };

// The calling thread, and those that it starts, use the disk only when nobody else does.
static inline void cprocess_use_disk_when_idle(void) {
  enum { ofProcess = 1, idle = 3 << 13 };
  syscall(SYS_ioprio_set, ofProcess, 0, idle);
}

#endif
