#%Module1.0
## Environment Modules: this file is share/rankfold/@VERSION@ beside bin and lib of an unpacked
## tarball. Link it into your MODULEPATH as rankfold/@VERSION@: the link is followed.
proc ModulesHelp { } {
    puts stderr "rankfold @VERSION@: fold the ranks of an MPI program onto the machine it runs on. rankfold help"
    puts stderr "Zsh completes it with: fpath+=PREFIX/share/zsh/site-functions"
}
module-whatis "rankfold @VERSION@"
set file $ModulesCurrentModulefile
while { [file type $file] eq "link" } { set file [file normalize [file join [file dirname $file] [file readlink $file]]] }
set prefix [file dirname [file dirname [file dirname [file normalize $file]]]]
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
## An empty or default entry keeps what the variable means while it is not set. FPATH has no such
## entry, and is left alone.
append-path MANPATH {}
prepend-path XDG_DATA_DIRS $prefix/share
append-path XDG_DATA_DIRS /usr/local/share /usr/share
