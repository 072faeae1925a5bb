/* The constants and sizes the profiler takes for granted, one "NAME VALUE" a line. Where a value is
 * the address of an object, as Open MPI's handles are, the object's symbol stands for it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static void tell(const char *name, intptr_t value)
{
    Dl_info object;
    if (dladdr((void *)value, &object) && object.dli_sname && object.dli_saddr == (void *)value)
        printf("%s %s\n", name, object.dli_sname);
    else
        printf("%s %jd\n", name, (intmax_t)value);
}

#define TELL(constant) tell(#constant, (intptr_t)(constant))

int main(void)
{
    TELL(MPI_COMM_WORLD);
    TELL(MPI_COMM_NULL);
    TELL(MPI_WIN_NULL);
    TELL(MPI_DATATYPE_NULL);
    TELL(MPI_BYTE);
    TELL(MPI_INT);
    TELL(MPI_SUM);
    TELL(MPI_INFO_NULL);
    TELL(MPI_NO_OP);
    TELL(MPI_IN_PLACE);
    TELL(MPI_STATUS_IGNORE);
    TELL(MPI_PROC_NULL);
    TELL(MPI_ROOT);
    TELL(MPI_UNDEFINED);
    TELL(MPI_COMM_TYPE_SHARED);
    TELL(MPI_ANY_SOURCE);
    TELL(MPI_ERR_TRUNCATE);
    TELL(MPI_CART);
    TELL(MPI_GRAPH);
    TELL(MPI_DIST_GRAPH);
    TELL(MPI_COMM_SELF);
    TELL(MPI_TAG_UB);
    TELL(MPI_HOST);
    TELL(MPI_IO);
    TELL(MPI_WTIME_IS_GLOBAL);
    TELL(MPI_APPNUM);
    TELL(MPI_UNIVERSE_SIZE);
    TELL(MPI_LASTUSEDCODE);
    TELL(MPI_T_BIND_MPI_COMM);
    TELL(MPI_MAX_LIBRARY_VERSION_STRING);
    TELL(MPI_SUCCESS);
    TELL(MPI_ERR_COUNT);
    TELL(sizeof(MPI_Comm));
    TELL(sizeof(MPI_Request));
    TELL(sizeof(MPI_Datatype));
    TELL(sizeof(MPI_Win));
    TELL(sizeof(MPI_Group));
    TELL(sizeof(MPI_Op));
    TELL(sizeof(MPI_Info));
    TELL(sizeof(MPI_File));
    TELL(sizeof(MPI_Aint));
    TELL(sizeof(MPI_Offset));
    TELL(sizeof(MPI_Count));
    return 0;
}
