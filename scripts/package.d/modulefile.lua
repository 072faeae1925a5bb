-- Lmod: this file is share/rankfold/@VERSION@.lua beside bin and lib of an unpacked tarball. Link
-- it into your MODULEPATH as rankfold/@VERSION@.lua: the link is followed. A copy needs `prefix`
-- set.
help([[rankfold @VERSION@: fold the ranks of an MPI program onto the machine it runs on. rankfold help

Zsh completes it with: fpath+=PREFIX/share/zsh/site-functions]])
whatis("Name: rankfold")
whatis("Version: @VERSION@")
local file = subprocess("readlink -f '" .. myFileName() .. "'"):gsub("%s+$", "")
local prefix = file:match("(.*)/share/rankfold/[^/]*$")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
-- An empty or default entry keeps what the variable means while it is not set. FPATH has no such
-- entry, and is left alone.
append_path("MANPATH", "")
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
append_path("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
