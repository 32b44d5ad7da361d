#include "testing/check.h"

int main(int argc, char** argv) { return sidra::testing::run_all(argc, argv); }
