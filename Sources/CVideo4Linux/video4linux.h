// The controls of a V4L2 device, and whether it is busy. Swift imports neither the numbers of its requests, which are made by macros from the
// size of a structure, nor ioctl, nor the unions in its packed structures. All return 0 or an error number.
#ifndef CVIDEO4LINUX_H
#define CVIDEO4LINUX_H

#include <errno.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

// The most controls that are set at once.
#define CV4L_MAX_CONTROLS 64

static inline int cv4l_request(int device, unsigned long request, void *argument) {
  int result;
  do result = ioctl(device, request, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

// What is behind the control `query->id`; with the flag NEXT_CTRL the next one. EINVAL where there is none.
static inline int cv4l_query(int device, struct v4l2_query_ext_ctrl *query) {
  return cv4l_request(device, VIDIOC_QUERY_EXT_CTRL, query);
}

// The control's name; valid as long as the query is.
static inline const char *cv4l_name(const struct v4l2_query_ext_ctrl *query) { return query->name; }

// An entry of a menu: its name, which takes 32 bytes, or the number that an integer menu has in its place. EINVAL where
// there is none at that index.
static inline int cv4l_entry(int device, uint32_t id, uint32_t index, char *name, int64_t *number) {
  struct v4l2_querymenu entry;
  memset(&entry, 0, sizeof entry);
  entry.id = id;
  entry.index = index;
  int error = cv4l_request(device, VIDIOC_QUERYMENU, &entry);
  if (error != 0) return error;
  memcpy(name, entry.name, sizeof entry.name);
  name[sizeof entry.name - 1] = 0;
  *number = entry.value;
  return 0;
}

static inline int cv4l_is_wide(uint32_t type) { return type == V4L2_CTRL_TYPE_INTEGER64; }

// The value of a control of that type.
static inline int cv4l_get(int device, uint32_t id, uint32_t type, int64_t *value) {
  struct v4l2_ext_control control;
  struct v4l2_ext_controls controls;
  memset(&control, 0, sizeof control);
  memset(&controls, 0, sizeof controls);
  control.id = id;
  controls.count = 1;
  controls.controls = &control;
  int error = cv4l_request(device, VIDIOC_G_EXT_CTRLS, &controls);
  if (error == 0) *value = cv4l_is_wide(type) ? control.value64 : control.value;
  return error;
}

// Sets controls together, in that order.
static inline int cv4l_set(int device, const uint32_t *ids, const uint32_t *types, const int64_t *values, uint32_t count) {
  struct v4l2_ext_control list[CV4L_MAX_CONTROLS];
  struct v4l2_ext_controls controls;
  if (count > CV4L_MAX_CONTROLS) return E2BIG;
  memset(list, 0, sizeof list);
  memset(&controls, 0, sizeof controls);
  for (uint32_t i = 0; i < count; i++) {
    list[i].id = ids[i];
    if (cv4l_is_wide(types[i])) list[i].value64 = values[i];
    else list[i].value = (int32_t)values[i];
  }
  controls.count = count;
  controls.controls = list;
  return cv4l_request(device, VIDIOC_S_EXT_CTRLS, &controls);
}

// The region of interest of USB cameras, by the numbers of linux/uvcvideo.h and linux/videodev2.h since Linux 6.15, which
// older headers lack: what tracks it, as bits, and where it is.
#define CV4L_REGION_RECTANGLE 0x00981ae1
#define CV4L_REGION_AUTOMATICS 0x00981ae2
#define CV4L_AUTOMATIC_EXPOSURE 1
#define CV4L_AUTOMATIC_FOCUS 8
#define CV4L_WHICH_MAXIMUM 0x0f030000

// The largest region.
static inline int cv4l_largest_region(int device, struct v4l2_rect *region) {
  struct v4l2_ext_control control;
  struct v4l2_ext_controls controls;
  memset(&control, 0, sizeof control);
  memset(&controls, 0, sizeof controls);
  control.id = CV4L_REGION_RECTANGLE;
  control.size = sizeof *region;
  control.ptr = region;
  controls.which = CV4L_WHICH_MAXIMUM;
  controls.count = 1;
  controls.controls = &control;
  return cv4l_request(device, VIDIOC_G_EXT_CTRLS, &controls);
}

// Sets the region, and what tracks it.
static inline int cv4l_set_region(int device, struct v4l2_rect *region, uint32_t automatics) {
  struct v4l2_ext_control list[2];
  struct v4l2_ext_controls controls;
  memset(list, 0, sizeof list);
  memset(&controls, 0, sizeof controls);
  list[0].id = CV4L_REGION_RECTANGLE;
  list[0].size = sizeof *region;
  list[0].ptr = region;
  list[1].id = CV4L_REGION_AUTOMATICS;
  list[1].value = (int32_t)automatics;
  controls.count = 2;
  controls.controls = list;
  return cv4l_request(device, VIDIOC_S_EXT_CTRLS, &controls);
}

// EBUSY where another handle owns the buffers of the device, which it does as long as it streams. Asking for no buffers
// takes none away from the owner; see VIDIOC_REQBUFS in the kernel's media documentation.
static inline int cv4l_ask_owner(int device) {
  struct v4l2_capability capability;
  struct v4l2_requestbuffers buffers;
  memset(&capability, 0, sizeof capability);
  int error = cv4l_request(device, VIDIOC_QUERYCAP, &capability);
  if (error != 0) return error;
  memset(&buffers, 0, sizeof buffers);
  buffers.type = capability.device_caps & V4L2_CAP_VIDEO_CAPTURE_MPLANE ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
                                                                        : V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffers.memory = V4L2_MEMORY_MMAP;
  return cv4l_request(device, VIDIOC_REQBUFS, &buffers);
}

#endif
