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

contains

  !> Makes of each rank's state that of all ranks' elements. Collective. A rank without elements has
  !> added an empty array. status: 0; else what the ranks added differs, and the states are as they
  !> were.
  subroutine exact_all_reduce(state, comm, status)
    type(exact_state), intent(inout) :: state
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    integer(int64), allocatable :: words(:)
    integer :: sizes(2), code
    allocate (words, source=state%words())
    sizes = [size(words), -size(words)]
    call MPI_Allreduce(MPI_IN_PLACE, sizes, 2, MPI_INTEGER, MPI_MAX, comm, code)
    if (sizes(1) /= -sizes(2) .or. sizes(1) == 0) then
      if (.not. present(status)) error stop 'exact_all_reduce: the ranks added different things'
      status = 1
      return
    end if
    call MPI_Allreduce(MPI_IN_PLACE, words, size(words), MPI_INTEGER8, MPI_SUM, comm, code)
    call state%set_words(words, status)
  end subroutine

end module
