! exchange: Fortran's three ways to MPI, every kind of call with its own power of two of bytes.
!
!     exchange
!
! Compiled with -DF08 it uses mpi_f08, with -DMODULE the module mpi, and else mpif.h. Everything
! goes to the next rank, partly by its number in a communicator of reversed order. Every rank
! prints what it sent as lines "sent SOURCE DESTINATION BYTES MESSAGES".
#ifdef F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define WINDOW integer
#endif
program exchange
#ifdef F08
    use mpi_f08
#elif defined(MODULE)
    use mpi
#endif
    implicit none
#if !defined(F08) && !defined(MODULE)
    include 'mpif.h'
#endif
    integer, parameter :: largest = 65536
    integer(kind=1), asynchronous, save :: outgoing(2 * largest), incoming(2 * largest), attached(4 * largest)
    integer :: rank, ranks, next, previous, messages, bytes, error

    messages = 0
    bytes = 0
    outgoing = 1
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    next = mod(rank + 1, ranks)
    previous = mod(rank + ranks - 1, ranks)
    call blocking()
    call nonblocking()
    call persistent()
    call both_ways()
    call reversed()
    call strided()
    call one_sided()
    call grid()
    call collective()
    print '(a,4(1x,i0))', 'sent', rank, next, bytes, messages
    call MPI_Finalize(error)

contains

    subroutine tally(size)
        integer, intent(in) :: size
        bytes = bytes + size
        messages = messages + 1
    end subroutine

    subroutine receive(size, request_in)
        integer, intent(in) :: size
        REQUEST, intent(out) :: request_in
        call MPI_Irecv(incoming, size, MPI_BYTE, previous, 0, MPI_COMM_WORLD, request_in, error)
    end subroutine

    subroutine finish(request_in)
        REQUEST, intent(inout) :: request_in
        call MPI_Wait(request_in, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine blocking()
        REQUEST :: pending
        call receive(1, pending)
        call MPI_Send(outgoing, 1, MPI_BYTE, next, 0, MPI_COMM_WORLD, error)
        call finish(pending)
        call tally(1)
        call MPI_Buffer_attach(attached, 4 * largest, error)
        call receive(2, pending)
        call MPI_Bsend(outgoing, 2, MPI_BYTE, next, 0, MPI_COMM_WORLD, error)
        call finish(pending)
        call tally(2)
        call receive(4, pending)
        call MPI_Ssend(outgoing, 4, MPI_BYTE, next, 0, MPI_COMM_WORLD, error)
        call finish(pending)
        call tally(4)
        call MPI_Send(outgoing, 100, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)
    end subroutine

    subroutine nonblocking()
        REQUEST :: pending(2)
        call receive(8, pending(1))
        call MPI_Isend(outgoing, 8, MPI_BYTE, next, 0, MPI_COMM_WORLD, pending(2), error)
        call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, error)
        call tally(8)
        call receive(16, pending(1))
        call MPI_Issend(outgoing, 16, MPI_BYTE, next, 0, MPI_COMM_WORLD, pending(2), error)
        call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, error)
        call tally(16)
    end subroutine

    ! Started twice.
    subroutine persistent()
        REQUEST :: pending(2)
        integer :: round
        call MPI_Recv_init(incoming, 32, MPI_BYTE, previous, 0, MPI_COMM_WORLD, pending(1), error)
        call MPI_Send_init(outgoing, 32, MPI_BYTE, next, 0, MPI_COMM_WORLD, pending(2), error)
        do round = 1, 2
            call MPI_Startall(2, pending, error)
            call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE, error)
            call tally(32)
        end do
        call MPI_Request_free(pending(1), error)
        call MPI_Request_free(pending(2), error)
    end subroutine

    subroutine both_ways()
        call MPI_Sendrecv(outgoing, 128, MPI_BYTE, next, 0, incoming, 128, MPI_BYTE, previous, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call tally(128)
        call MPI_Sendrecv_replace(outgoing, 256, MPI_BYTE, next, 0, previous, 0, &
                                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call tally(256)
    end subroutine

    ! The next rank of the world is the previous one there.
    subroutine reversed()
        COMM :: reverse
        integer :: mine
        call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reverse, error)
        call MPI_Comm_rank(reverse, mine, error)
        call MPI_Sendrecv(outgoing, 512, MPI_BYTE, mod(mine + ranks - 1, ranks), 0, incoming, 512, MPI_BYTE, &
                          mod(mine + 1, ranks), 0, reverse, MPI_STATUS_IGNORE, error)
        call tally(512)
        call MPI_Comm_free(reverse, error)
    end subroutine

    subroutine strided()
        DATATYPE :: alternate
        call MPI_Type_vector(1024, 1, 2, MPI_BYTE, alternate, error)
        call MPI_Type_commit(alternate, error)
        call MPI_Sendrecv(outgoing, 1, alternate, next, 0, incoming, 1024, MPI_BYTE, previous, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Type_free(alternate, error)
        call tally(1024)
    end subroutine

    subroutine one_sided()
        WINDOW :: memory
        integer(kind=MPI_ADDRESS_KIND) :: place, room
        room = largest
        place = 0
        call MPI_Win_create(incoming, room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory, error)
        call MPI_Win_fence(0, memory, error)
        call MPI_Put(outgoing, 2048, MPI_BYTE, next, place, 2048, MPI_BYTE, memory, error)
        call MPI_Win_fence(0, memory, error)
        call tally(2048)
        call MPI_Win_free(memory, error)
    end subroutine

    ! Along a ring the previous rank and the next one are neighbours: told apart by a second line.
    subroutine grid()
        COMM :: ring
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, error)
        call MPI_Neighbor_alltoall(outgoing, 4096, MPI_BYTE, incoming, 4096, MPI_BYTE, ring, error)
        call tally(4096)
        print '(a,4(1x,i0))', 'sent', rank, previous, 4096, 1
        call MPI_Comm_free(ring, error)
    end subroutine

    ! Addresses that stand for something: what they stand for must arrive.
    subroutine collective()
        integer :: total
        total = rank
        call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        if (total /= ranks * (ranks - 1) / 2) then
            print '(a)', 'MPI_IN_PLACE was not understood'
            call MPI_Abort(MPI_COMM_WORLD, 6, error)
        end if
    end subroutine
end program
