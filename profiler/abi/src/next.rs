//! How an exported function calls the function of the same name in the next library.

/// Defines `forward`, which calls the function `$symbol` of the next library with these arguments.
/// The first call looks the function up. If no library behind this one has it, `forward` evaluates
/// `$absent`, which may use the arguments.
#[macro_export]
macro_rules! next {
    ($symbol:expr, ($($arg:ident: $type:ty),*), $absent:expr) => {
        /// The function of this name in the next library. It is `find` until the function was
        /// looked up, and `absent` if there is none.
        static NEXT: ::std::sync::atomic::AtomicPtr<::libc::c_void> =
            ::std::sync::atomic::AtomicPtr::new(find as *mut ::libc::c_void);

        /// Looks up the function in the next library, and forwards the first call to it.
        #[cold]
        unsafe extern "C-unwind" fn find($($arg: $type),*) -> ::libc::c_int {
            let next = $crate::function($crate::c_name!($symbol));
            let next = next.map_or(absent as *mut ::libc::c_void, ::std::ptr::NonNull::as_ptr);
            NEXT.store(next, ::std::sync::atomic::Ordering::Relaxed);
            // SAFETY: `find` is called in place of the function, so its caller passes what the
            // function asks for.
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
