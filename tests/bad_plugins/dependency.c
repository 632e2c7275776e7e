/* A library that a plugin needs. */
int hob_test_dependency(void);
int hob_test_dependency(void) { return 1; }
