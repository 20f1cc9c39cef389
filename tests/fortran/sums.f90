! SPDX-License-Identifier: Apache-2.0
! The module onefold: exact results, any rank and strides, states, and its errors.
program sums
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use onefold
  implicit none
  integer :: failures = 0

  call arrays()
  call dimensions()
  call states()
  call arrays_of_states()
  call errors()
  if (failures > 0) error stop 1
  print '(a)', 'all right'

contains

  subroutine expect(fine, what)
    logical, intent(in) :: fine
    character(*), intent(in) :: what
    if (fine) return
    failures = failures + 1
    print '(3a)', what, ': ', onefold_message()
  end subroutine

  subroutine arrays()
    real(real64) :: x(4), grid(2, 3), none(0)
    real(real32) :: y(3)
    x = [1e308_real64, 1e308_real64, -1e308_real64, 0.5_real64]
    call expect(exact_sum(x) == 1e308_real64, 'no overflow on the way')
    y = [16777216.0, 1.0, -16777216.0]
    call expect(exact_sum(y) == 1.0, 'real32')
    call expect(exact_dot(y, [1.0, 1.0, 1.0]) == 1.0, 'dot of real32')
    x = [1e30_real64, 1.0_real64, 1e30_real64, 0.0_real64]
    call expect(exact_dot(x, [1e8_real64, 1.0_real64, -1e8_real64, 7.0_real64]) == 1, 'dot')
    grid = reshape([1e30_real64, 1.0_real64, 2.0_real64, 3.0_real64, -1e30_real64, 4.0_real64], &
        [2, 3])
    call expect(exact_sum(grid) == 10, 'two dimensions')
    call expect(exact_sum(grid(1, :)) == 2, 'a row, which is not contiguous')
    call expect(exact_sum(x(4:1:-3)) == 1e30_real64, 'backwards')
    call expect(exact_sum(2.0_real64) == 2, 'a scalar')
    call expect(exact_sum(none) == 0, 'nothing')
  end subroutine

  subroutine dimensions()
    real(real64) :: x(3), grid(2, 3), cube(2, 3, 4), none(0, 2)
    integer :: i
    x = [1e30_real64, 1.0_real64, -1e30_real64]
    call expect(exact_sum(x, dim=1) == 1, 'the dimension of a vector')
    call expect(exact_sum([1e30, 3.0, -1e30], 1) == 3, 'the same of real32')
    call expect(exact_sum(x(3:1:-2), 1) == 0, 'elements apart')
    grid = reshape([1e30_real64, 1.0_real64, 2.0_real64, 3.0_real64, -1e30_real64, 4.0_real64], &
        [2, 3])
    call expect(all(exact_sum(grid, 1) == [1e30_real64, 5.0_real64, -1e30_real64]), 'columns')
    call expect(all(exact_sum(grid, 2) == [2, 8]), 'rows')
    call expect(all(exact_sum(grid(2:1:-1, :), dim=2) == [8, 2]), 'rows apart')
    call expect(all(exact_sum(real(grid, real32), 2) == [2, 8]), 'rows of real32')
    cube = reshape([(real(i * i, real64), i = 1, 24)], [2, 3, 4])
    do i = 1, 3
      call expect(all(shape(exact_sum(cube, i)) == shape(sum(cube, i))), 'shapes of a cube')
      call expect(all(exact_sum(cube, i) == sum(cube, i)), 'a cube')
      call expect(all(exact_sum(real(cube, real32), i) == sum(cube, i)), 'a cube of real32')
    end do
    call expect(all(exact_sum(none, 1) == [0, 0]), 'columns of nothing')
    call expect(size(exact_sum(none, 2)) == 0, 'no rows')
    do i = 0, 3, 3
      call expect(all(exact_sum(grid, i) /= exact_sum(grid, i)), 'no such dimension gives NaN')
      call expect(index(onefold_message(), 'axis') > 0, 'the message of no such dimension')
    end do
  end subroutine

  subroutine arrays_of_states()
    type(exact_state) :: parts(3), kept(3)
    integer :: i
    do i = 1, 3
      call parts(i)%add([real(i, real64), 0.5_real64])
    end do
    kept = parts
    do i = 1, 3
      call parts(i)%add([10.0_real64])
      call expect(kept(i)%value() == i + 0.5_real64, 'copies of an array are their own')
      call expect(parts(i)%value() == i + 10.5_real64, 'the array that was copied')
    end do
    kept = kept
    call expect(kept(2)%value() == 2.5_real64, 'an array copied to itself')
    kept(1) = kept(1)
    call expect(kept(1)%value() == 1.5_real64, 'a state copied to itself')
    kept = parts(3)
    call expect(all([(kept(i)%value(), i = 1, 3)] == 13.5_real64), 'one state for all')
  end subroutine

  subroutine states()
    type(exact_state) :: total, part, products, kept, fresh
    integer(int64), allocatable :: words(:)
    integer :: status
    call expect(total%value() == 0, 'a state of nothing')
    call total%add([1e30_real64, 0.1_real64])
    kept = total
    call part%add([-1e30_real64])
    words = total%words() + part%words()
    call total%set_words(words)
    call expect(total%value() == 0.1_real64, 'words add')
    call expect(kept%value() == 1e30_real64, 'a copy is its own')
    call fresh%set_words(words)
    call expect(all(fresh%words() == total%words()), 'a state made of words has words')
    call fresh%add([1.0_real64])
    call expect(fresh%value() == 0.1_real64 + 1, 'and elements can be added')
    call products%add([1e30, 3.0], [1e8, 2.0])
    call products%add([1e30], [-1e8])
    call expect(products%value() == 6, 'products in parts')
    call part%add([1.0_real32], status)
    call expect(status /= 0, 'another kind')
    call expect(index(onefold_message(), 'f32') > 0, 'the message of another kind')
    call part%set_words(words(:3), status)
    call expect(status /= 0, 'too few words')
    call expect(part%value() == -1e30_real64, 'what failed changed nothing')
  end subroutine

  subroutine errors()
    real(real64) :: x(2) = 1, y(3) = 1
    type(exact_state) :: state
    integer :: status
    call expect(exact_dot(x, y) /= exact_dot(x, y), 'sizes that differ give NaN')
    call expect(index(onefold_message(), 'shape') > 0, 'the message of sizes that differ')
    call state%add(x, y, status)
    call expect(status /= 0, 'products of sizes that differ')
  end subroutine

end program
