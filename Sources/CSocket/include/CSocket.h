// What Swift cannot import by itself: the macros of control messages, what hides behind _GNU_SOURCE, epoll.
#ifndef CSOCKET_H
#define CSOCKET_H

#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>

// Bytes of control buffer that carry `count` descriptors.
static inline size_t csocket_control_space(size_t count) { return CMSG_SPACE(count * sizeof(int)); }

// Puts `count` descriptors into the control buffer of `message`, which must be zeroed and have that much space.
static inline void csocket_put_descriptors(struct msghdr *message, const int *descriptors, size_t count) {
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
}

// Copies the descriptors that came with `message`; returns how many there were, at most `capacity`.
static inline size_t csocket_get_descriptors(struct msghdr *message, int *descriptors, size_t capacity) {
  size_t total = 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (count > capacity - total) count = capacity - total;
    memcpy(descriptors + total, CMSG_DATA(header), count * sizeof(int));
    total += count;
  }
  return total;
}

// Who is at the other end of a Unix socket; 0, or -1 with errno.
int csocket_peer(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

// Takes a waiting connection, non-blocking and closed on exec; -1 with errno where there is none.
int csocket_accept(int socket);

#endif
