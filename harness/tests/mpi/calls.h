// The collectives of MPI by name.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

enum { MOST_COUNTS = 1 << 13 };

static void call_of_sizes(const char *name, void *a, void *b, int *counts, MPI_Datatype type, int root, MPI_Comm comm) {
  static int starts[MOST_COUNTS], own[MOST_COUNTS], own_starts[MOST_COUNTS];
  int K, me;
  MPI_Comm_size(comm, &K);
  MPI_Comm_rank(comm, &me);
  if (K > MOST_COUNTS) fail(name);
  // Where only the choice of an algorithm is asked, positions are beyond an int, and unread.
  unsigned sum = 0;
  for (int i = 0; i < K; sum += counts[i++]) starts[i] = sum, own[i] = counts[me], own_starts[i] = (unsigned)i * counts[me];
  if (!strcmp(name, "MPI_Allgatherv")) MPI_Allgatherv(a, counts[me], type, b, counts, starts, type, comm);
  else if (!strcmp(name, "MPI_Alltoallv")) MPI_Alltoallv(a, counts, starts, type, b, own, own_starts, type, comm);
  else if (!strcmp(name, "MPI_Gatherv")) MPI_Gatherv(a, counts[me], type, b, counts, starts, type, root, comm);
  else if (!strcmp(name, "MPI_Scatterv")) MPI_Scatterv(a, counts, starts, type, b, counts[me], type, root, comm);
  else fail(name);
}

// Calls a function with n elements, or with counts: of the blocks of ranks, in an alltoall of those that each rank sends.
static void call(const char *name, void *a, void *b, int n, int *counts, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!strcmp(name, "MPI_Allreduce")) MPI_Allreduce(a, b, n, type, MPI_SUM, comm);
  else if (!strcmp(name, "MPI_Allgather")) MPI_Allgather(a, n, type, b, n, type, comm);
  else if (!strcmp(name, "MPI_Alltoall")) MPI_Alltoall(a, n, type, b, n, type, comm);
  else if (!strcmp(name, "MPI_Reduce_scatter")) MPI_Reduce_scatter(a, b, counts, type, MPI_SUM, comm);
  else if (!strcmp(name, "MPI_Reduce_scatter_block")) MPI_Reduce_scatter_block(a, b, n, type, MPI_SUM, comm);
  else if (!strcmp(name, "MPI_Bcast")) MPI_Bcast(a, n, type, root, comm);
  else if (!strcmp(name, "MPI_Reduce")) MPI_Reduce(a, b, n, type, MPI_SUM, root, comm);
  else if (!strcmp(name, "MPI_Gather")) MPI_Gather(a, n, type, b, n, type, root, comm);
  else if (!strcmp(name, "MPI_Scatter")) MPI_Scatter(a, n, type, b, n, type, root, comm);
  else if (!strcmp(name, "MPI_Scan")) MPI_Scan(a, b, n, type, MPI_SUM, comm);
  else if (!strcmp(name, "MPI_Exscan")) MPI_Exscan(a, b, n, type, MPI_SUM, comm);
  else if (!strcmp(name, "MPI_Barrier")) MPI_Barrier(comm);
  else call_of_sizes(name, a, b, counts, type, root, comm);
}
