/* plugin_host: a program without MPI that loads one with it, as scripting languages do.
 *
 *     plugin_host PLUGIN ARGUMENTS...
 *
 * PLUGIN is a test program compiled as a shared object; its symbols and those of its MPI stay
 * hidden (RTLD_LOCAL), and its main runs with ARGUMENTS.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*start)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "main") : NULL;
    if (!start) {
        fprintf(stderr, "plugin_host: %s\n", dlerror());
        return 1;
    }
    return start(argc - 1, argv + 1);
}
