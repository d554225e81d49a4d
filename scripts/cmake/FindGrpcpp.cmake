# Grpcpp::grpc++: gRPC's C++ library, without its encryption, which nothing here uses and every process would load.
include(quartet_find)
quartet_find(Grpcpp HEADER grpcpp/generic/generic_stub.h LIBRARY grpc++_unsecure TARGET Grpcpp::grpc++)
foreach(_called grpc_unsecure gpr absl_synchronization)  # by its headers
  find_library(Grpcpp_${_called}_LIBRARY NAMES ${_called})
  mark_as_advanced(Grpcpp_${_called}_LIBRARY)
  if(Grpcpp_FOUND AND Grpcpp_${_called}_LIBRARY)
    set_property(TARGET Grpcpp::grpc++ APPEND PROPERTY
                 INTERFACE_LINK_LIBRARIES "${Grpcpp_${_called}_LIBRARY}")
  endif()
endforeach()
