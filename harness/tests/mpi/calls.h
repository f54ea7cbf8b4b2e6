// The collectives of MPI by name.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Calls a function with n elements; of MPI_Reduce_scatter with counts.
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
  else fail(name);
}
