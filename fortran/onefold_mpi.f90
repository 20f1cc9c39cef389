! SPDX-License-Identifier: Apache-2.0
! Exact sums and dot products over the ranks of an MPI communicator: the words of states are added by
! MPI's own sum of integers, so every rank gets the bits of one process. Compiled with the caller's
! MPI, after onefold.f90.
module onefold_mpi
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use onefold, only: exact_state
  implicit none
  private
  public :: exact_all_reduce

  !> exact_all_reduce(state, comm, status): makes of each rank's state, or array of states, that of
  !> all ranks' elements, place by place. Collective. A rank without elements has added an empty
  !> array. status: 0; else what the ranks added or the numbers of their states differ, or comm is
  !> an intercommunicator, and the states are as they were.
  interface exact_all_reduce
    module procedure reduce_one, reduce_array
  end interface

contains

  subroutine reduce_one(state, comm, status)
    type(exact_state), intent(inout) :: state
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    integer(int64), allocatable :: words(:)
    logical :: fine
    allocate (words, source=state%words())
    call add_words(words, 1, size(words) > 0, comm, fine, status)
    if (fine) call state%set_words(words, status)
  end subroutine

  subroutine reduce_array(states, comm, status)
    type(exact_state), intent(inout) :: states(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    type(exact_state) :: whole(size(states))
    integer(int64), allocatable :: words(:)
    integer :: ends(0:size(states)), i, code
    logical :: fine
    ends(0) = 0
    do i = 1, size(states)
      ends(i) = ends(i - 1) + size(states(i)%words())
    end do
    allocate (words(ends(size(states))))
    do i = 1, size(states)
      words(ends(i - 1) + 1:ends(i)) = states(i)%words()
    end do
    call add_words(words, size(states), all(ends(1:) > ends(:size(states) - 1)), comm, fine, status)
    if (.not. fine) return
    do i = 1, size(states)
      call whole(i)%set_words(words(ends(i - 1) + 1:ends(i)), code)
      fine = fine .and. code == 0
    end do
    if (fine) states = whole
    if (.not. fine) call differ(status)
  end subroutine

  ! Adds the words of all ranks. The first message compares what they have, so that none waits.
  ! complete: every state has words.
  subroutine add_words(words, states, complete, comm, fine, status)
    integer(int64), intent(inout) :: words(:)
    integer, intent(in) :: states, comm
    logical, intent(in) :: complete
    logical, intent(out) :: fine
    integer, intent(out), optional :: status
    integer(int64) :: sizes(5)
    integer :: code
    if (present(status)) status = 0
    call MPI_Comm_test_inter(comm, fine, code)
    fine = .not. fine
    if (fine) then
      sizes = [size(words, kind=int64), -size(words, kind=int64), int(states, int64), &
          -int(states, int64), merge(0_int64, 1_int64, complete)]
      call MPI_Allreduce(MPI_IN_PLACE, sizes, 5, MPI_INTEGER8, MPI_MAX, comm, code)
      fine = sizes(1) == -sizes(2) .and. sizes(3) == -sizes(4) .and. sizes(5) == 0
    end if
    if (.not. fine) call differ(status)
    if (fine) call MPI_Allreduce(MPI_IN_PLACE, words, size(words), MPI_INTEGER8, MPI_SUM, comm, code)
  end subroutine

  subroutine differ(status)
    integer, intent(out), optional :: status
    if (.not. present(status)) error stop &
        'exact_all_reduce: the ranks added different things, or comm is an intercommunicator'
    status = 1
  end subroutine

end module
