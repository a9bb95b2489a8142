// Package plans owns the builds of a workspace: which one is worked on, how slices of work are added to it and
// change their state, and what git knows of that. Package builds knows the files. It must not know editors,
// agents or databases.
package plans
