// Asks Open MPI which algorithm it chooses. The program defines the functions of Open MPI's algorithms, so the library
// calls them here. A line of the file named by the argument is
//   FUNCTION ALGORITHM SEGMENT K COUNT SIZE
// for COUNT elements of SIZE bytes; ALGORITHM is the number to demand, or -1. For each line rank 0 prints the number of
// the algorithm that runs at last, and its segment size.
// K = 0 stands for the ranks that there are. Other K are pretended: the number of ranks of a communicator of two is
// overwritten, and the algorithms return without messages.
#define _GNU_SOURCE
#include "calls.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

// The function, its algorithm, the algorithm's number, and which argument is the segment size.
#define ALGORITHMS(A) \
  A(Allgather, allgather_intra_basic_linear, 1, -1) A(Allgather, allgather_intra_bruck, 2, -1) \
  A(Allgather, allgather_intra_recursivedoubling, 3, -1) A(Allgather, allgather_intra_ring, 4, -1) \
  A(Allgather, allgather_intra_neighborexchange, 5, -1) A(Allgather, allgather_intra_two_procs, 6, -1) \
  A(Allgatherv, allgatherv_intra_basic_default, 1, -1) A(Allgatherv, allgatherv_intra_bruck, 2, -1) \
  A(Allgatherv, allgatherv_intra_ring, 3, -1) A(Allgatherv, allgatherv_intra_neighborexchange, 4, -1) \
  A(Allgatherv, allgatherv_intra_two_procs, 5, -1) A(Allgatherv, allgatherv_intra_sparbit, 6, -1) \
  A(Allreduce, allreduce_intra_basic_linear, 1, -1) A(Allreduce, allreduce_intra_nonoverlapping, 2, -1) \
  A(Allreduce, allreduce_intra_recursivedoubling, 3, -1) A(Allreduce, allreduce_intra_ring, 4, -1) \
  A(Allreduce, allreduce_intra_ring_segmented, 5, 7) A(Allreduce, allreduce_intra_redscat_allgather, 6, -1) \
  A(Alltoall, alltoall_intra_basic_linear, 1, -1) A(Alltoall, alltoall_intra_pairwise, 2, -1) \
  A(Alltoall, alltoall_intra_bruck, 3, -1) A(Alltoall, alltoall_intra_linear_sync, 4, -1) \
  A(Alltoall, alltoall_intra_two_procs, 5, -1) \
  A(Alltoallv, alltoallv_intra_basic_linear, 1, -1) A(Alltoallv, alltoallv_intra_pairwise, 2, -1) \
  A(Barrier, barrier_intra_basic_linear, 1, -1) A(Barrier, barrier_intra_doublering, 2, -1) \
  A(Barrier, barrier_intra_recursivedoubling, 3, -1) A(Barrier, barrier_intra_bruck, 4, -1) \
  A(Barrier, barrier_intra_two_procs, 5, -1) A(Barrier, barrier_intra_tree, 6, -1) \
  A(Bcast, bcast_intra_basic_linear, 1, -1) A(Bcast, bcast_intra_chain, 2, 6) A(Bcast, bcast_intra_pipeline, 3, 6) \
  A(Bcast, bcast_intra_split_bintree, 4, 6) A(Bcast, bcast_intra_bintree, 5, 6) A(Bcast, bcast_intra_binomial, 6, 6) \
  A(Bcast, bcast_intra_knomial, 7, 6) A(Bcast, bcast_intra_scatter_allgather, 8, 6) \
  A(Bcast, bcast_intra_scatter_allgather_ring, 9, 6) \
  A(Exscan, exscan_intra_linear, 1, -1) A(Exscan, exscan_intra_recursivedoubling, 2, -1) \
  A(Gather, gather_intra_basic_linear, 1, -1) A(Gather, gather_intra_binomial, 2, -1) \
  A(Gather, gather_intra_linear_sync, 3, 9) \
  A(Reduce, reduce_intra_basic_linear, 1, -1) A(Reduce, reduce_intra_chain, 2, 8) A(Reduce, reduce_intra_pipeline, 3, 8) \
  A(Reduce, reduce_intra_binary, 4, 8) A(Reduce, reduce_intra_binomial, 5, 8) \
  A(Reduce, reduce_intra_in_order_binary, 6, 8) A(Reduce, reduce_intra_redscat_gather, 7, -1) \
  A(Reduce_scatter, reduce_scatter_intra_nonoverlapping, 1, -1) \
  A(Reduce_scatter, reduce_scatter_intra_basic_recursivehalving, 2, -1) \
  A(Reduce_scatter, reduce_scatter_intra_ring, 3, -1) A(Reduce_scatter, reduce_scatter_intra_butterfly, 4, -1) \
  A(Reduce_scatter_block, reduce_scatter_block_basic_linear, 1, -1) \
  A(Reduce_scatter_block, reduce_scatter_block_intra_recursivedoubling, 2, -1) \
  A(Reduce_scatter_block, reduce_scatter_block_intra_recursivehalving, 3, -1) \
  A(Reduce_scatter_block, reduce_scatter_block_intra_butterfly, 4, -1) \
  A(Scan, scan_intra_linear, 1, -1) A(Scan, scan_intra_recursivedoubling, 2, -1) \
  A(Scatter, scatter_intra_basic_linear, 1, -1) A(Scatter, scatter_intra_binomial, 2, -1) \
  A(Scatter, scatter_intra_linear_nb, 3, -1)

#define PARAMETERS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j
typedef long Algorithm(PARAMETERS);

static char asked[64];
static int pretends, answered, segment;

static long called(const char *function, int number, int at, Algorithm *real, PARAMETERS) {
  long arguments[] = {ARGUMENTS};
  if (!strcmp(asked, function)) answered = number, segment = at < 0 ? 0 : (int)arguments[at];
  return pretends ? MPI_SUCCESS : real(ARGUMENTS);
}

#define DEFINE(function, name, number, at) \
  long ompi_coll_base_##name(PARAMETERS) { \
    static Algorithm *real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "ompi_coll_base_" #name); \
    return called("MPI_" #function, number, at, real, ARGUMENTS); \
  }
ALGORITHMS(DEFINE)

// The number of ranks of a communicator of two, in a structure that it points to.
static int *ranks(MPI_Comm comm) {
  char *words[128], found[512];
  struct iovec there = {(void *)comm, sizeof words}, here = {words, sizeof words};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0) fail("cannot read the communicator");
  for (int word = 0; word < 128; word++) {
    there = (struct iovec){words[word], sizeof found}, here = (struct iovec){found, sizeof found};
    if ((size_t)words[word] % 8 || process_vm_readv(getpid(), &here, 1, &there, 1, 0) < (ssize_t)sizeof found) continue;
    for (size_t at = 0; at < sizeof found; at += sizeof(int)) {
      int *number = (int *)(words[word] + at), size = 0, other = 77;
      if (*number != 2) continue;
      // Some of this memory is read-only.
      there = (struct iovec){number, sizeof other}, here = (struct iovec){&other, sizeof other};
      if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) < 0) continue;
      MPI_Comm_size(comm, &size);
      *number = 2;
      if (size == 77) return number;
    }
  }
  fail("found no number of ranks in the communicator");
  return NULL;
}

static void set(const char *format, int value) {
  char name[128];
  int index, count, length = snprintf(name, sizeof name, format, asked + strlen("MPI_"));
  for (int at = 0; at < length; at++) if (name[at] >= 'A' && name[at] <= 'Z') name[at] += 'a' - 'A';
  MPI_T_cvar_handle handle;
  // Some functions have no segment size.
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) fail(name);
  if (MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) fail(name);
  MPI_T_cvar_handle_free(&handle);
}

static void ask(int n, MPI_Datatype type, MPI_Comm comm) {
  static char *a, *b;
  static int counts[1 << 16];
  int K;
  MPI_Comm_size(comm, &K);
  size_t size = pretends ? 1 : ((size_t)n * K + 1) * 8;
  free(a); free(b);
  a = calloc(size, 1);
  b = calloc(size, 1);
  // All elements of these are in one block: the sum counts.
  int is_sum = !strcmp(asked, "MPI_Reduce_scatter") || !strcmp(asked, "MPI_Allgatherv");
  for (int i = 0; i < K; i++) counts[i] = is_sum && i < K - 1 ? 0 : n;
  call(asked, a, b, n, counts, type, 0, comm);
}

int main(int argc, char **argv) {
  int provided, me, size;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_NULL;
  FILE *in = fopen(argv[1], "r");
  char name[64], last[64] = "";
  int demanded, cut, K, n, width, before = -2, before_cut = -2, *number = NULL;
  while (fscanf(in, "%63s %d %d %d %d %d", name, &demanded, &cut, &K, &n, &width) == 6) {
    // A communicator has the variables and the group of its creation.
    if (comm == MPI_COMM_NULL || strcmp(name, last) || demanded != before || cut != before_cut) {
      strcpy(last, name), before = demanded, before_cut = cut;
      *asked = 0;
      strcpy(asked, name);
      if (demanded >= 0) set("coll_tuned_%s_algorithm", demanded), set("coll_tuned_%s_algorithm_segmentsize", cut);
      *asked = 0;
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
      if (size == 2) number = ranks(comm);
      strcpy(asked, name);
      if (demanded >= 0) set("coll_tuned_%s_algorithm", 0);
    }
    strcpy(asked, name);
    answered = segment = 0;
    MPI_Datatype type = width == 1 ? MPI_SIGNED_CHAR : width == 4 ? MPI_INT : MPI_DOUBLE;
    if (K == 0) ask(n, type, comm);
    else if (me == 0) {
      pretends = 1, *number = K;
      ask(n, type, comm);
      pretends = 0, *number = 2;
    }
    *asked = 0;
    if (me == 0) printf("%d %d\n", answered, segment);
  }
  MPI_Finalize();
}
