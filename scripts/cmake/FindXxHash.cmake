include(quartet_find)
quartet_find(XxHash HEADER xxhash.h TARGET XxHash::xxhash)
