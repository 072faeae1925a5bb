! Attributes and error handlers by Fortran's bindings, which go past the C functions of MPI: the
! world is MPI_COMM_WORLD to all of them.
program handles
#ifdef F08
    use mpi_f08
#else
    use mpi
#endif
    implicit none
#ifdef F08
#define COMM type(MPI_Comm)
#define HANDLER type(MPI_Errhandler)
#else
#define COMM integer
#define HANDLER integer
#endif
    integer :: error, key, rank, size, word, called, wanted
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    logical :: found
    COMM :: twin
    HANDLER :: set
    common /calls/ called, wanted
    called = 0
    state = 0
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, error)
    if (.not. found .or. value < 32767) call fail(1)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, state, error)
    value = 4711 + rank
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, error)
    value = 0
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, error)
    if (.not. found .or. value /= 4711 + rank) call fail(2)
    call MPI_Comm_dup(MPI_COMM_WORLD, twin, error)
    value = 0
    call MPI_Comm_get_attr(twin, key, value, found, error)
    if (.not. found .or. value /= 4711 + rank) call fail(3)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, error)
    if (found) call fail(4)
    call MPI_Comm_free(twin, error)
#ifdef F08
    wanted = MPI_COMM_WORLD%MPI_VAL
#else
    wanted = MPI_COMM_WORLD
#endif
    call MPI_Comm_create_errhandler(on_error, set, error)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, set, error)
    word = 0
    call MPI_Send(word, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, error)
    if (called /= 1) call fail(5)
    print '(a)', 'Fortran done'
    call MPI_Finalize(error)
contains
    subroutine on_error(comm, code)
        COMM :: comm
        integer :: code
        integer :: called, wanted
        common /calls/ called, wanted
#ifdef F08
        if (comm%MPI_VAL /= wanted) call fail(6)
#else
        if (comm /= wanted) call fail(6)
#endif
        called = called + 1
    end subroutine
    subroutine fail(where)
        integer, intent(in) :: where
        write (0, '(a,i0)') 'handles.F90: not so: ', where
        call abort()
    end subroutine
end program
