// Package branches owns what was written on the branches of a workspace: which personal memories belong to one, and
// what becomes of them, of threads and of units of work once it has reached the default branch or is deleted. Package
// branch knows git's side. It must not know editors, agents or SQL.
package branches
