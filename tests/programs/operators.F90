! operators: allreduces of 8 doubles by operators of the program, whose handles MPI may use again,
! and by one of MPI.
!
!     operators
!
! An operator that does not commute is freed before one that does is made. The last call is
! nonblocking.
program operators
    use mpi
    implicit none
    external left
    real(kind=8), asynchronous, save :: outgoing(8), incoming(8)
    integer :: operator, request, error

    outgoing = 1
    call MPI_Init(error)
    call MPI_Op_create(left, .false., operator, error)
    call MPI_Allreduce(outgoing, incoming, 8, MPI_DOUBLE_PRECISION, operator, MPI_COMM_WORLD, error)
    call MPI_Op_free(operator, error)
    call MPI_Op_create(left, .true., operator, error)
    call MPI_Allreduce(outgoing, incoming, 8, MPI_DOUBLE_PRECISION, operator, MPI_COMM_WORLD, error)
    call MPI_Op_free(operator, error)
    call MPI_Allreduce(outgoing, incoming, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Iallreduce(outgoing, incoming, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Finalize(error)
end program

! The left operand.
subroutine left(a, b, number, datatype)
    implicit none
    integer :: number, datatype
    real(kind=8) :: a(number), b(number)
    b = a
end subroutine
