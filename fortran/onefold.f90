! SPDX-License-Identifier: Apache-2.0
! Exact sums and dot products for Fortran, over the C interface (onefold.h). Compile this file with
! your own compiler and link the library:
!
!   gfortran -c onefold.f90; gfortran program.f90 onefold.o -lonefold -lstdc++ …
!
! Results are correctly rounded, with the same bits for every order of the elements, number of
! threads and machine. Arrays of any rank and strides; those that are not contiguous are copied by
! the compiler.
module onefold
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, &
      c_funptr, c_int, c_int32_t, c_int64_t, c_loc, c_null_funptr, c_null_ptr, c_ptr, c_size_t, &
      c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  implicit none
  private
  public :: exact_sum, exact_dot, exact_state, onefold_message

  ! The numbers of onefold_op and onefold_dtype that are used here; test.f90 compares the results.
  integer(c_int), parameter :: op_sum = 0, op_dot = 6
  integer(c_int), parameter :: type_f32 = 11, type_f64 = 12
  integer(c_int), parameter :: ok = 0

  !> exact_sum(x): the sum of the elements, rounded once to their kind. NaN, and a message, if
  !> memory is short.
  !> exact_sum(x, dim): sums along one dimension, as sum(x, dim), of arrays of up to three. NaN, and
  !> a message, also if there is no such dimension.
  interface exact_sum
    module procedure sum_real32, sum_real64
    module procedure sum_of_1_real32, sum_of_2_real32, sum_of_3_real32
    module procedure sum_of_1_real64, sum_of_2_real64, sum_of_3_real64
  end interface

  !> exact_dot(x, y): the dot product, rounded once. NaN, and a message, if the sizes differ.
  interface exact_dot
    module procedure dot_real32, dot_real64
  end interface

  !> A sum in parts: of elements, or of products of two arrays of one size. Parts are added in any
  !> order, on any rank; value() rounds once, to real64.
  type :: exact_state
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int32_t) :: word_count = 0
  contains
    procedure, private :: add_real32, add_real64, add_products_real32, add_products_real64
    generic :: add => add_real32, add_real64, add_products_real32, add_products_real64
    procedure :: words       !< 64-bit integers that add word by word, over ranks
    procedure :: set_words   !< the state of words that were added
    procedure :: value
    procedure, private :: copy
    generic :: assignment(=) => copy
    final :: release
  end type

  type, bind(c) :: c_array
    type(c_ptr) :: data
    integer(c_int) :: dtype
    integer(c_int32_t) :: rank
    type(c_ptr) :: extents, strides_bytes
  end type

  type, bind(c) :: c_options
    integer(c_size_t) :: size
    integer(c_int) :: accuracy = 0, nan_policy = 0
    type(c_ptr) :: axes = c_null_ptr
    integer(c_int32_t) :: axis_count = 0, keepdims = 0
    type(c_ptr) :: where = c_null_ptr, initial = c_null_ptr
    real(c_double) :: correction = 0
    integer(c_int64_t) :: first_index = 0
    integer(c_int32_t) :: threads = 0
    type(c_funptr) :: stop = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type

  interface
    function onefold_reduce(op, views, view_count, output, options) bind(c) result(status)
      import :: c_array, c_options, c_int, c_int32_t
      integer(c_int), value :: op
      type(c_array), intent(in) :: views
      integer(c_int32_t), value :: view_count
      type(c_array), intent(in) :: output
      type(c_options), intent(in) :: options
      integer(c_int) :: status
    end function
    function onefold_sum_f64(x, n, answer) bind(c) result(status)
      import :: c_ptr, c_int64_t, c_double, c_int
      type(c_ptr), value :: x
      integer(c_int64_t), value :: n
      real(c_double) :: answer
      integer(c_int) :: status
    end function
    function onefold_sum_f32(x, n, answer) bind(c) result(status)
      import :: c_ptr, c_int64_t, c_float, c_int
      type(c_ptr), value :: x
      integer(c_int64_t), value :: n
      real(c_float) :: answer
      integer(c_int) :: status
    end function
    function onefold_dot_f64(x, y, n, answer) bind(c) result(status)
      import :: c_ptr, c_int64_t, c_double, c_int
      type(c_ptr), value :: x, y
      integer(c_int64_t), value :: n
      real(c_double) :: answer
      integer(c_int) :: status
    end function
    function onefold_dot_f32(x, y, n, answer) bind(c) result(status)
      import :: c_ptr, c_int64_t, c_float, c_int
      type(c_ptr), value :: x, y
      integer(c_int64_t), value :: n
      real(c_float) :: answer
      integer(c_int) :: status
    end function
    function onefold_state_new(op, input) bind(c) result(state)
      import :: c_ptr, c_int
      integer(c_int), value :: op, input
      type(c_ptr) :: state
    end function
    subroutine onefold_state_free(state) bind(c)
      import :: c_ptr
      type(c_ptr), value :: state
    end subroutine
    function onefold_state_add(state, x) bind(c) result(status)
      import :: c_ptr, c_array, c_int
      type(c_ptr), value :: state
      type(c_array) :: x
      integer(c_int) :: status
    end function
    function onefold_state_add_dot(state, x, y) bind(c) result(status)
      import :: c_ptr, c_array, c_int
      type(c_ptr), value :: state
      type(c_array) :: x, y
      integer(c_int) :: status
    end function
    function onefold_state_write(state, output, dtype) bind(c) result(status)
      import :: c_ptr, c_double, c_int
      type(c_ptr), value :: state
      real(c_double) :: output
      integer(c_int), value :: dtype
      integer(c_int) :: status
    end function
    function onefold_additive_words(op, input) bind(c) result(count)
      import :: c_int, c_int32_t
      integer(c_int), value :: op, input
      integer(c_int32_t) :: count
    end function
    function onefold_state_to_additive(state, words, capacity) bind(c) result(status)
      import :: c_ptr, c_int64_t, c_int32_t, c_int
      type(c_ptr), value :: state
      integer(c_int64_t) :: words(*)
      integer(c_int32_t), value :: capacity
      integer(c_int) :: status
    end function
    function onefold_state_from_additive(words, count) bind(c) result(state)
      import :: c_ptr, c_int64_t, c_int32_t
      integer(c_int64_t), intent(in) :: words(*)
      integer(c_int32_t), value :: count
      type(c_ptr) :: state
    end function
    function onefold_last_message() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
  end interface

contains

  !> What this thread's last failed call says: what failed, where, and the remedy.
  function onefold_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(onefold_last_message(), letters, [512])
    text = ''
    do i = 1, size(letters)
      if (letters(i) == char(0)) exit
      text = text // letters(i)
    end do
  end function

  function sum_real64(x) result(answer)
    real(real64), intent(in), target, contiguous :: x(..)
    real(real64) :: answer
    answer = 0
    if (onefold_sum_f64(c_loc(x), size(x, kind=int64), answer) /= ok) &
        answer = ieee_value(answer, ieee_quiet_nan)
  end function

  function sum_real32(x) result(answer)
    real(real32), intent(in), target, contiguous :: x(..)
    real(real32) :: answer
    answer = 0
    if (onefold_sum_f32(c_loc(x), size(x, kind=int64), answer) /= ok) &
        answer = ieee_value(answer, ieee_quiet_nan)
  end function

  function sum_of_1_real64(x, dim) result(answer)
    real(real64), intent(in), target, contiguous :: x(:)
    integer, intent(in) :: dim
    real(real64), target :: answer
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f64, dim, c_loc(answer))) &
        answer = ieee_value(answer, ieee_quiet_nan)
  end function

  function sum_of_2_real64(x, dim) result(answer)
    real(real64), intent(in), target, contiguous :: x(:, :)
    integer, intent(in) :: dim
    real(real64), target :: answer(merge(size(x, 2), size(x, 1), dim == 1))
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f64, dim, c_loc(answer))) &
        answer = ieee_value(1.0_real64, ieee_quiet_nan)
  end function

  function sum_of_3_real64(x, dim) result(answer)
    real(real64), intent(in), target, contiguous :: x(:, :, :)
    integer, intent(in) :: dim
    real(real64), target :: answer(merge(size(x, 2), size(x, 1), dim == 1), &
        merge(size(x, 2), size(x, 3), dim == 3))
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f64, dim, c_loc(answer))) &
        answer = ieee_value(1.0_real64, ieee_quiet_nan)
  end function

  function sum_of_1_real32(x, dim) result(answer)
    real(real32), intent(in), target, contiguous :: x(:)
    integer, intent(in) :: dim
    real(real32), target :: answer
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f32, dim, c_loc(answer))) &
        answer = ieee_value(answer, ieee_quiet_nan)
  end function

  function sum_of_2_real32(x, dim) result(answer)
    real(real32), intent(in), target, contiguous :: x(:, :)
    integer, intent(in) :: dim
    real(real32), target :: answer(merge(size(x, 2), size(x, 1), dim == 1))
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f32, dim, c_loc(answer))) &
        answer = ieee_value(1.0_real32, ieee_quiet_nan)
  end function

  function sum_of_3_real32(x, dim) result(answer)
    real(real32), intent(in), target, contiguous :: x(:, :, :)
    integer, intent(in) :: dim
    real(real32), target :: answer(merge(size(x, 2), size(x, 1), dim == 1), &
        merge(size(x, 2), size(x, 3), dim == 3))
    if (.not. sum_along(c_loc(x), shape(x, kind=int64), type_f32, dim, c_loc(answer))) &
        answer = ieee_value(1.0_real32, ieee_quiet_nan)
  end function

  ! Whether it succeeds. The first dimension of Fortran is the last axis of C.
  function sum_along(x, shape_of_x, input, dim, answer) result(fine)
    type(c_ptr), intent(in) :: x, answer
    integer(int64), intent(in) :: shape_of_x(:)
    integer(c_int), intent(in) :: input
    integer, intent(in) :: dim
    logical :: fine
    integer(c_int64_t), target :: extents(size(shape_of_x)), kept(size(shape_of_x))
    integer(c_int32_t), target :: axis
    integer(c_int) :: axes, i
    type(c_options) :: options
    axes = size(shape_of_x)
    extents = shape_of_x(axes:1:-1)
    ! Of a dimension that is not there C's axis is none, either: one below zero would be.
    axis = merge(axes - dim, axes, dim >= 1 .and. dim <= axes)
    kept = pack(extents, [(i /= axis, i = 0, axes - 1)], vector=extents)
    options%size = c_sizeof(options)
    options%axes = c_loc(axis)
    options%axis_count = 1
    fine = onefold_reduce(op_sum, c_array(x, input, axes, c_loc(extents), c_null_ptr), 1, &
        c_array(answer, input, axes - 1, c_loc(kept), c_null_ptr), options) == ok
  end function

  function dot_real64(x, y) result(answer)
    real(real64), intent(in), target, contiguous :: x(..), y(..)
    real(real64) :: answer
    type(exact_state) :: both
    integer :: status
    answer = 0
    if (size(x, kind=int64) /= size(y, kind=int64)) then
      call both%add(x, y, status)  ! for its message
      answer = ieee_value(answer, ieee_quiet_nan)
    else if (onefold_dot_f64(c_loc(x), c_loc(y), size(x, kind=int64), answer) /= ok) then
      answer = ieee_value(answer, ieee_quiet_nan)
    end if
  end function

  function dot_real32(x, y) result(answer)
    real(real32), intent(in), target, contiguous :: x(..), y(..)
    real(real32) :: answer
    type(exact_state) :: both
    integer :: status
    answer = 0
    if (size(x, kind=int64) /= size(y, kind=int64)) then
      call both%add(x, y, status)
      answer = ieee_value(answer, ieee_quiet_nan)
    else if (onefold_dot_f32(c_loc(x), c_loc(y), size(x, kind=int64), answer) /= ok) then
      answer = ieee_value(answer, ieee_quiet_nan)
    end if
  end function

  !> Adds the elements of x. status: 0, or an onefold_status; then nothing was added.
  subroutine add_real64(self, x, status)
    class(exact_state), intent(inout) :: self
    real(real64), intent(in), target, contiguous :: x(..)
    integer, intent(out), optional :: status
    call add_elements(self, c_loc(x), size(x, kind=int64), type_f64, status)
  end subroutine

  subroutine add_real32(self, x, status)
    class(exact_state), intent(inout) :: self
    real(real32), intent(in), target, contiguous :: x(..)
    integer, intent(out), optional :: status
    call add_elements(self, c_loc(x), size(x, kind=int64), type_f32, status)
  end subroutine

  !> Adds the products of the elements of x and y.
  subroutine add_products_real64(self, x, y, status)
    class(exact_state), intent(inout) :: self
    real(real64), intent(in), target, contiguous :: x(..), y(..)
    integer, intent(out), optional :: status
    call add_products(self, c_loc(x), size(x, kind=int64), c_loc(y), size(y, kind=int64), &
        type_f64, status)
  end subroutine

  subroutine add_products_real32(self, x, y, status)
    class(exact_state), intent(inout) :: self
    real(real32), intent(in), target, contiguous :: x(..), y(..)
    integer, intent(out), optional :: status
    call add_products(self, c_loc(x), size(x, kind=int64), c_loc(y), size(y, kind=int64), &
        type_f32, status)
  end subroutine

  subroutine add_elements(self, x, n, input, status)
    class(exact_state), intent(inout) :: self
    type(c_ptr), intent(in) :: x
    integer(int64), intent(in), target :: n
    integer(c_int), intent(in) :: input
    integer, intent(out), optional :: status
    call begin(self, op_sum, input)
    call report(onefold_state_add(self%handle, vector(x, n, input)), status)
  end subroutine

  subroutine add_products(self, x, n, y, m, input, status)
    class(exact_state), intent(inout) :: self
    type(c_ptr), intent(in) :: x, y
    integer(int64), intent(in), target :: n, m
    integer(c_int), intent(in) :: input
    integer, intent(out), optional :: status
    call begin(self, op_dot, input)
    call report(onefold_state_add_dot(self%handle, vector(x, n, input), vector(y, m, input)), &
        status)
  end subroutine

  ! n adjacent elements.
  function vector(x, n, input)
    type(c_ptr), intent(in) :: x
    integer(int64), intent(in), target :: n
    integer(c_int), intent(in) :: input
    type(c_array) :: vector
    vector = c_array(x, input, 1, c_loc(n), c_null_ptr)
  end function

  ! The first elements decide what a state is of; others of another kind make the call fail.
  subroutine begin(self, op, input)
    class(exact_state), intent(inout) :: self
    integer(c_int), intent(in) :: op, input
    if (c_associated(self%handle)) return
    self%handle = onefold_state_new(op, input)
    self%word_count = onefold_additive_words(op, input)
  end subroutine

  subroutine report(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= ok) then
      error stop 'onefold: elements were not added to a state; ask for status'
    end if
  end subroutine

  !> Empty for a state without elements.
  function words(self) result(these)
    class(exact_state), intent(in) :: self
    integer(int64), allocatable :: these(:)
    allocate (these(self%word_count))
    if (size(these) == 0) return
    if (onefold_state_to_additive(self%handle, these, int(size(these), c_int32_t)) /= ok) &
        deallocate (these)
  end function

  subroutine set_words(self, these, status)
    class(exact_state), intent(inout) :: self
    integer(int64), intent(in) :: these(:)
    integer, intent(out), optional :: status
    type(c_ptr) :: read
    read = onefold_state_from_additive(these, int(size(these), c_int32_t))
    call report(merge(ok, 1, c_associated(read)), status)
    if (.not. c_associated(read)) return
    call onefold_state_free(self%handle)
    self%handle = read
    self%word_count = int(size(these), c_int32_t)
  end subroutine

  !> 0 of a state without elements; NaN, and a message, if it failed.
  function value(self) result(answer)
    class(exact_state), intent(in) :: self
    real(real64) :: answer
    answer = 0
    if (.not. c_associated(self%handle)) return
    if (onefold_state_write(self%handle, answer, type_f64) /= ok) &
        answer = ieee_value(answer, ieee_quiet_nan)
  end function

  ! Elemental, so that arrays of states are copied and released as states are.
  impure elemental subroutine copy(self, from)
    class(exact_state), intent(inout) :: self
    class(exact_state), intent(in) :: from
    integer(int64), allocatable :: these(:)
    allocate (these, source=from%words())  ! first: `from` may be `self`
    call onefold_state_free(self%handle)
    self%handle = c_null_ptr
    self%word_count = 0
    if (size(these) > 0) call self%set_words(these)
  end subroutine

  impure elemental subroutine release(self)
    type(exact_state), intent(inout) :: self
    call onefold_state_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

end module
