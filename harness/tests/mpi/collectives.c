// Counts the messages that an MPI library sends in collectives. A line of the file named by the argument is
//   FUNCTION VARIABLE VALUE BYTES ROOT SEGMENT [RADIX NUMBER]
// where VALUE is a number or one of the names that the variable takes, SEGMENT is -1 for none, and VARIABLE is - where the
// library chooses. RADIX is another variable. With `:sizes` behind FUNCTION the block of rank i has BYTES times
// 1 + (3 i + 2) % 4. For each line rank 0 prints FROM TO MESSAGES BYTES for every pair of ranks with a message, then an
// empty line.
#define _GNU_SOURCE
#include "calls.h"
#include <stdlib.h>

#ifndef OPEN_MPI
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>
#endif

enum { MOST = 64 };
static int K, me;
static unsigned long long messages[MOST], bytes[MOST];

// The number of a value: MPICH describes each by its name and a dash, in their order.
static int number(int variable, const char *value) {
  char name[256], text[8192];
  int name_length = sizeof name, text_length = sizeof text, verbosity, binding, scope, number = 0;
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_get_info(variable, name, &name_length, &verbosity, &type, &values, text, &text_length, &binding, &scope);
  for (char *dash = text; (dash = strstr(dash, " - ")); dash++, number++) {
    char *end = dash;
    while (end > text && end[-1] == ' ') end--;
    char *start = end - strlen(value);
    if (start > text && !strncmp(start, value, strlen(value)) && start[-1] != '_') return number;
  }
  fail(value);
  return -1;
}

// A control variable of the library.
static void set(const char *name, const char *text) {
  int index, count;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) fail(name);
  char *end;
  int value = strtol(text, &end, 10);
  if (*end) value = number(index, text);
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) fail(name);
  if (MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) fail(name);
  MPI_T_cvar_handle_free(&handle);
}

#ifdef OPEN_MPI
// Open MPI's monitoring component calls this for every message that it sends.
void mca_common_monitoring_record_pml(int to, size_t size, int tag) {
  (void)tag;
  messages[to]++;
  bytes[to] += size;
}
#else
// MPICH sends every message by this function of UCX; of a contiguous buffer count is its size in bytes.
static void *ends[MOST];
static int learned = -1;

void *ucp_tag_send_nbx(void *end, const void *buffer, size_t count, uint64_t tag, const void *parameters) {
  static void *(*send)(void *, const void *, size_t, uint64_t, const void *);
  if (!send) *(void **)&send = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  if (learned >= 0) ends[learned] = end;
  for (int to = 0; to < K; to++)
    if (ends[to] == end) messages[to]++, bytes[to] += count;
  return send(end, buffer, count, tag, parameters);
}

// More ranks than cores: a rank that waits leaves its core to those that work.
unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *);
  if (!progress) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned events = progress(worker);
  if (!events) nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
  return events;
}

// Which rank is at which end.
static void learn(void) {
  char byte = 0;
  for (int from = 0; from < K; from++)
    for (int to = 0; to < K; to++) {
      if (from == to) continue;
      learned = to;
      if (me == from) MPI_Send(&byte, 1, MPI_CHAR, to, 0, MPI_COMM_WORLD);
      if (me == to) MPI_Recv(&byte, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  learned = -1;
}
#endif

static void run(char *name, int n, int root, MPI_Comm comm) {
  static char *a, *b;
  int counts[MOST];
  char *mark = strchr(name, ':');
  if (mark) *mark = 0;
  for (int i = 0; i < MOST; i++) counts[i] = mark ? n * (1 + (3 * i + 2) % 4) : n;
  free(a); free(b);
  a = calloc((size_t)n * 4 * K + 1, 1);
  b = calloc((size_t)n * 4 * K + 1, 1);
  call(name, a, b, n, counts, MPI_CHAR, root, comm);
}

int main(int argc, char **argv) {
  int provided;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &K);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
#ifndef OPEN_MPI
  learn();
#endif
  FILE *in = fopen(argv[1], "r");
  char line[512], name[64], variable[96], value[64], segment[16], radix[96], number[16];
  int n, root, words;
  while (fgets(line, sizeof line, in)) {
    words = sscanf(line, "%63s %95s %63s %d %d %15s %95s %15s", name, variable, value, &n, &root, segment, radix, number);
    if (words != 6 && words != 8) fail(line);
    if (words == 8) set(radix, number);
    if (strcmp(variable, "-")) set(variable, value);
    if (strcmp(segment, "-1")) {
      char other[128];
      snprintf(other, sizeof other, "%s_segmentsize", variable);
      set(other, segment);
    }
    // Open MPI reads its variables for each new communicator.
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    unsigned long long all[2 * MOST * MOST], mine[2 * MOST];
    memset(messages, 0, sizeof messages);
    memset(bytes, 0, sizeof bytes);
    run(name, n, root, comm);
    memcpy(mine, messages, K * sizeof *mine);
    memcpy(mine + K, bytes, K * sizeof *mine);
    MPI_Gather(mine, 2 * K, MPI_UNSIGNED_LONG_LONG, all, 2 * K, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (me == 0) {
      for (int from = 0; from < K; from++)
        for (int to = 0; to < K; to++)
          if (all[2 * K * from + to]) printf("%d %d %llu %llu\n", from, to, all[2 * K * from + to], all[2 * K * from + K + to]);
      printf("\n");
    }
  }
  MPI_Finalize();
}
