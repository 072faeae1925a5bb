//! An exported function's way to the one it stands before.

/// Defines `forward`, which calls the next library's function `$symbol` with these arguments. The
/// function is looked for on the first call; where there is none, `forward` evaluates `$absent`,
/// which may name the arguments.
#[macro_export]
macro_rules! next {
    ($symbol:expr, ($($arg:ident: $type:ty),*), $absent:expr) => {
        /// The next library's function of this name; `find` until that was looked for, and `absent`
        /// if there is none.
        static NEXT: ::std::sync::atomic::AtomicPtr<::libc::c_void> =
            ::std::sync::atomic::AtomicPtr::new(find as *mut ::libc::c_void);

        /// Looks for the next library's function, and forwards the first call to it.
        #[cold]
        unsafe extern "C-unwind" fn find($($arg: $type),*) -> ::libc::c_int {
            let next = $crate::function($crate::c_name!($symbol));
            let next = next.map_or(absent as *mut ::libc::c_void, ::std::ptr::NonNull::as_ptr);
            NEXT.store(next, ::std::sync::atomic::Ordering::Relaxed);
            // SAFETY: `find` stands in for the function, so its caller passes what the function
            // asks for.
            unsafe { forward($($arg),*) }
        }

        #[allow(unused_variables, reason = "not every missing function has a substitute")]
        unsafe extern "C-unwind" fn absent($($arg: $type),*) -> ::libc::c_int {
            $absent
        }

        /// # Safety
        /// The arguments are what the MPI function of this name asks for.
        #[inline(always)]
        unsafe fn forward($($arg: $type),*) -> ::libc::c_int {
            let next = NEXT.load(::std::sync::atomic::Ordering::Relaxed);
            // SAFETY: `next` is the MPI function of this name, or `find` or `absent`, which have
            // its signature.
            unsafe { $crate::call!(next, ($($type),*), ($($arg),*)) }
        }
    };
}
