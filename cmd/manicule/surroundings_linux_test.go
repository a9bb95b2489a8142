package main

// surroundings are programs that run a command in surroundings that this system can make.
var surroundings = map[string]func() int{withoutLocksName: runWithoutLocks, sharedFolderName: runSharedFolder}
