! SPDX-License-Identifier: Apache-2.0
! The module onefold_mpi: the sum of all ranks' elements, to the bit, and ranks that disagree.
program ranks
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi
  use onefold
  use onefold_mpi
  implicit none
  integer, parameter :: n = 1000
  real(real64) :: x(n)
  type(exact_state) :: total, products, wrong, several(3), nothing
  integer :: rank, size_of_all, first, last, i, status, code, half, inter

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size_of_all, code)
  do i = 1, n
    x(i) = (mod(i * 7919, 1009) - 504) * 2.0_real64**mod(i * 31, 97)
  end do
  first = n * rank / size_of_all + 1
  last = n * (rank + 1) / size_of_all

  call total%add(x(first:last))
  call exact_all_reduce(total, MPI_COMM_WORLD)
  if (total%value() /= exact_sum(x)) error stop 'the sum is wrong'
  call products%add(x(first:last), x(last:first:-1))
  call exact_all_reduce(products, MPI_COMM_WORLD, status)
  if (status /= 0) error stop 'the products failed'

  if (size_of_all > 1) then
    if (rank == 0) call wrong%add(x(:2))
    if (rank /= 0) call wrong%add([1.0_real32])
    call exact_all_reduce(wrong, MPI_COMM_WORLD, status)
    if (status == 0) error stop 'ranks of two kinds got an answer'
  end if
  do i = 1, 3
    call several(i)%add(x(first:last) * i)
  end do
  call exact_all_reduce(several, MPI_COMM_WORLD)
  do i = 1, 3
    if (several(i)%value() /= exact_sum(x * i)) error stop 'a sum of several is wrong'
  end do
  call exact_all_reduce(several(:0), MPI_COMM_WORLD)

  if (size_of_all > 1) then
    call exact_all_reduce(several(:merge(2, 3, rank == 0)), MPI_COMM_WORLD, status)
    if (status == 0) error stop 'ranks of several numbers got an answer'
    if (rank == 0) then
      call exact_all_reduce(several(1), MPI_COMM_WORLD, status)
    else
      call exact_all_reduce(several, MPI_COMM_WORLD, status)
    end if
    if (status == 0) error stop 'a state and several got an answer'
    if (rank == 0) several(2) = products
    call exact_all_reduce(several, MPI_COMM_WORLD, status)
    if (status == 0) error stop 'a sum and products got an answer'
    if (rank == 0) several(2) = nothing
    call exact_all_reduce(several, MPI_COMM_WORLD, status)
    if (status == 0) error stop 'a rank without a state got an answer'
    if (several(1)%value() /= exact_sum(x)) error stop 'what failed changed a state'

    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, code)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 7, inter, code)
    call exact_all_reduce(total, inter, status)
    if (status == 0) error stop 'an intercommunicator got an answer'
  end if
  if (rank == 0) print '(z16.16, 1x, z16.16)', total%value(), exact_sum(x)
  call MPI_Finalize(code)

end program
