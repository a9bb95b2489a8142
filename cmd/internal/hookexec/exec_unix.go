//go:build cgo && (linux || darwin)

package hookexec

/*
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

extern char **environ;

static const char variable[] = "MANICULE_HOOK_COMPLETE"; // Environ

enum { max_args = 32, max_text = 4096 };

// An archive may unpack the two programs in either order, and a build takes a while.
enum { same_install = 120 }; // seconds

// args splits the command line into argv and returns the number of its words, or 0 if it
// is longer than that of a hook. Some C libraries pass a constructor no arguments.
#ifdef __linux__
static int args(char *text, char **argv) {
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0) return 0;
	ssize_t n = read(fd, text, max_text);
	close(fd);
	if (n <= 0 || n == max_text || text[n - 1] != 0) return 0;
	int argc = 0;
	for (char *at = text; at < text + n; at += strlen(at) + 1) {
		if (argc == max_args - 1) return 0;
		argv[argc++] = at;
	}
	argv[argc] = NULL;
	return argc;
}
#endif

// self writes the real path of this program.
static int self(char *path) {
#ifdef __linux__
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	if (n <= 0 || n == PATH_MAX) return 0;
	path[n] = 0;
	return 1;
#else
	char named[PATH_MAX];
	uint32_t size = sizeof named;
	return _NSGetExecutablePath(named, &size) == 0 && realpath(named, path) != NULL;
#endif
}

__attribute__((constructor)) static void become_hook(int argc, char **argv) {
	char path[PATH_MAX + 1];
#ifdef __linux__
	char text[max_text], *words[max_args];
	argc = args(text, words);
	argv = words;
#endif
	if (argc < 2 || strcmp(argv[1], "hook") != 0 || getenv(variable)) return;
	struct stat here, beside;
	if (!self(path) || stat(path, &here) != 0) return;
	char *name = strrchr(path, '/');
	if (!name || name - path + sizeof "/manicule-hook" > PATH_MAX) return;
	strcpy(name, "/manicule-hook");
	// One that an upgrade left behind may not know the files of today.
	if (stat(path, &beside) != 0 || !S_ISREG(beside.st_mode) || beside.st_mtime + same_install < here.st_mtime) return;
	if (setenv(variable, "1", 1) != 0) return;
	execve(path, argv, environ);
	unsetenv(variable);
}
*/
import "C"
