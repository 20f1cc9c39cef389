! SPDX-License-Identifier: Apache-2.0
! The module onefold: exact results, any rank and strides, states, and its errors.
program sums
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use onefold
  implicit none
  integer :: failures = 0

  call arrays()
  call states()
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

  subroutine states()
    type(exact_state) :: total, part, products, kept
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
