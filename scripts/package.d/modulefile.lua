-- Lmod: beside bin and lib of an unpacked tarball, as share/rankfold/@VERSION@.lua. Copy or link it into your MODULEPATH as
-- rankfold/@VERSION@.lua and set `prefix`, or link it: a link is followed.
help([[rankfold @VERSION@: fold the ranks of an MPI program onto the machine it runs on. rankfold help

Zsh completes it with: fpath+=PREFIX/share/zsh/site-functions]])
whatis("Name: rankfold")
whatis("Version: @VERSION@")
local file = subprocess("readlink -f '" .. myFileName() .. "'"):gsub("%s+$", "")
local prefix = file:match("(.*)/share/rankfold/[^/]*$")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
-- What both mean while they are not set, which setting them would take away. FPATH is left alone, as it has no such word.
append_path("MANPATH", "")
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
append_path("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
