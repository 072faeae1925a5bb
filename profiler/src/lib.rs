//! `librankfold.so`: preloaded into every rank of an unmodified MPI program, counts bytes per rank pair.
