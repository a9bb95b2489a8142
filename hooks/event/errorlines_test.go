package event

import "testing"

// TestErrorLineOfGradle: what went wrong is in the lines below Gradle's frame, which is the same for every failure.
func TestErrorLineOfGradle(t *testing.T) {
	frame := func(wrong string) string {
		return "FAILURE: Build failed with an exception.\n\n* What went wrong:\n" + wrong + "\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n> Get more help at https://help.gradle.org.\n\nBUILD FAILED in 3s"
	}
	for name, tt := range map[string]struct{ text, want string }{
		"an ambiguous task": {frame("Cannot locate tasks that match ':shop:test' as task 'test' is ambiguous in project ':shop'."), "Cannot locate tasks that match ':shop:test' as task 'test' is ambiguous in project ':shop'."},
		"a missing SDK":     {frame("Could not determine the dependencies of task ':shop:compileDebugKotlin'.\n> SDK location not found. Define a valid SDK location."), "SDK location not found. Define a valid SDK location."},
		"an API check":      {frame("Execution failed for task ':shop:apiCheck'.\n> API check failed for project shop."), "API check failed for project shop."},
		"a formatter":       {frame("Execution failed for task ':shop:spotlessKotlinCheck'.\n> The following files had format violations:\n      src/Shop.kt"), "The following files had format violations:"},
		"a test":            {"> Task :shop:jvmTest FAILED\n\nShopTest > sells FAILED\n    org.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n\n12 tests completed, 1 failed\n\n" + frame("Execution failed for task ':shop:jvmTest'.\n> There were failing tests. See the report at: file:///x"), "ShopTest > sells FAILED"},
		"Kotlin's compiler": {"> Task :shop:compileKotlin FAILED\ne: file:///r/src/Shop.kt:3:5 Unresolved reference 'sel'.\n\n" + frame("Execution failed for task ':shop:compileKotlin'.\n> Compilation error. See log for more details"), "e: file:///r/src/Shop.kt:3:5 Unresolved reference 'sel'."},
		"npm's echo":        {"\n> shop@1.0.0 test\n> vitest run\n\nError: REDIS_URL is not set", "Error: REDIS_URL is not set"},
		"a variable before": {"> TZ=UTC vitest run\nno tests", "no tests"},
	} {
		if got := ErrorLine(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
