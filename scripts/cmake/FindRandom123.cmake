include(quartet_find)
quartet_find(Random123 HEADER Random123/philox.h TARGET Random123::Random123)
