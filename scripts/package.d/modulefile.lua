-- Lmod: beside bin and lib of an unpacked tarball, as share/rankfold/@VERSION@.lua. Copy or link it into your MODULEPATH as
-- rankfold/@VERSION@.lua and set `prefix`, or link it: a link is followed.
help("rankfold @VERSION@: fold the ranks of an MPI program onto the machine it runs on. rankfold help")
whatis("Name: rankfold")
whatis("Version: @VERSION@")
local file = subprocess("readlink -f '" .. myFileName() .. "'"):gsub("%s+$", "")
local prefix = pathJoin(file:match("(.*)/"), "../..")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("FPATH", pathJoin(prefix, "share/zsh/site-functions"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
