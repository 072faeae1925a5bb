//! The commands that need no launch, shared by `rankfold` and `rankfold-map`.
