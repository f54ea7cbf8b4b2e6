/* The functions of MPI that castbench calls, without types that differ between libraries.
 *
 * castbench compiles this file with the mpicc of the user, loads it, and calls it from one thread. A request or a
 * communicator fits an integer: Open MPI has pointers, MPICH has numbers. Errors end all ranks, which is MPI's default.
 */
#include <mpi.h>
#include <stdint.h>

#define TEXT_(value) #value
#define TEXT(value) TEXT_(value)

/* The library of mpi.h: a part of what MPI_Get_library_version says at run time. */
#if defined(OMPI_MAJOR_VERSION)
#define LIBRARY "Open MPI v" TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(I_MPI_VERSION)
#define LIBRARY "Intel(R) MPI Library"
#elif defined(MVAPICH_VERSION)
#define LIBRARY "MVAPICH"
#elif defined(MPICH_VERSION)
#define LIBRARY MPICH_VERSION
#else
#define LIBRARY ""
#endif

const char *castbench_compiled_with(void) { return LIBRARY; }

/* The bytes that either of the next two functions writes at most. */
int castbench_room(void) {
  return MPI_MAX_LIBRARY_VERSION_STRING > MPI_MAX_PROCESSOR_NAME ? MPI_MAX_LIBRARY_VERSION_STRING
                                                                 : MPI_MAX_PROCESSOR_NAME;
}

/* May be called before castbench_start. */
int castbench_version(char *text) {
  int length = 0;
  MPI_Get_library_version(text, &length);
  return length;
}

int castbench_host(char *text) {
  int length = 0;
  MPI_Get_processor_name(text, &length);
  return length;
}

/* 0, or 1 if MPI runs already, or 2 if it allows no second thread in the process. */
int castbench_start(void) {
  int flag = 0;
  MPI_Initialized(&flag);
  if (flag) return 1;
  MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &flag);
  return flag < MPI_THREAD_FUNNELED ? 2 : 0;
}

void castbench_finish(void) { MPI_Finalize(); }
void castbench_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

int castbench_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int castbench_size(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

intptr_t castbench_send(const void *from, int bytes, int to, int tag) {
  MPI_Request request;
  MPI_Isend(from, bytes, MPI_UINT8_T, to, tag, MPI_COMM_WORLD, &request);
  return (intptr_t)request;
}

intptr_t castbench_receive(void *into, int bytes, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(into, bytes, MPI_UINT8_T, from, tag, MPI_COMM_WORLD, &request);
  return (intptr_t)request;
}

intptr_t castbench_ibcast(intptr_t ranks, void *buffer, int bytes, int root) {
  MPI_Request request;
  MPI_Ibcast(buffer, bytes, MPI_UINT8_T, root, (MPI_Comm)ranks, &request);
  return (intptr_t)request;
}

/* Whether a request is complete; then it is gone. */
int castbench_test(intptr_t *handle) {
  int done = 0;
  MPI_Request request = (MPI_Request)*handle;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  *handle = (intptr_t)request;
  return done;
}

/* Whether a message has arrived, from any rank if from < 0; then its sender and its bytes. */
int castbench_probe(int from, int tag, int *sender, int *bytes) {
  int arrived = 0;
  MPI_Status status;
  MPI_Iprobe(from < 0 ? MPI_ANY_SOURCE : from, tag, MPI_COMM_WORLD, &arrived, &status);
  if (!arrived) return 0;
  *sender = status.MPI_SOURCE;
  MPI_Get_count(&status, MPI_UINT8_T, bytes);
  return 1;
}

/* Receives a message that has arrived. */
void castbench_take(void *into, int bytes, int from, int tag) {
  MPI_Recv(into, bytes, MPI_UINT8_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A communicator of the first ranks; all of them call this. */
intptr_t castbench_first(int ranks) {
  int range[1][3] = {{0, ranks - 1, 1}};
  MPI_Group all, some;
  MPI_Comm first;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &first);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  return (intptr_t)first;
}

/* The same number of bytes of each rank, on every rank. */
void castbench_gather_all(const void *from, int bytes, void *into) {
  MPI_Allgather(from, bytes, MPI_UINT8_T, into, bytes, MPI_UINT8_T, MPI_COMM_WORLD);
}

/* A blocking function by its number in Library::ALL, with the bytes of one block. */
void castbench_collective(int function, intptr_t ranks, int root, const void *from, void *into, int bytes) {
  const MPI_Comm comm = (MPI_Comm)ranks;
  const MPI_Datatype byte = MPI_UINT8_T;
  switch (function) {
    case 0: MPI_Bcast(into, bytes, byte, root, comm); break;
    case 2: MPI_Reduce(from, into, bytes, byte, MPI_BXOR, root, comm); break;
    case 3: MPI_Allreduce(from, into, bytes, byte, MPI_BXOR, comm); break;
    case 4: MPI_Reduce_scatter_block(from, into, bytes, byte, MPI_BXOR, comm); break;
    case 5: MPI_Allgather(from, bytes, byte, into, bytes, byte, comm); break;
    case 6: MPI_Alltoall(from, bytes, byte, into, bytes, byte, comm); break;
    case 7: MPI_Gather(from, bytes, byte, into, bytes, byte, root, comm); break;
    case 8: MPI_Scatter(from, bytes, byte, into, bytes, byte, root, comm); break;
    case 9: MPI_Scan(from, into, bytes, byte, MPI_BXOR, comm); break;
    case 10: MPI_Exscan(from, into, bytes, byte, MPI_BXOR, comm); break;
    case 11: MPI_Barrier(comm); break;
    default: MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
