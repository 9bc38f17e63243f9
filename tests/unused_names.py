"""What vulture (`make lint`) finds no use of, although there is one. A name is here with the reason; what has none is deleted."""

# Named in a registry as "module:Name", and loaded when asked for.
check_kernel
is_instance
ControlBounds
CudaTarget
NV
NvCheckKernels
Poly
PTO
PtirCheckLegality
PtirCheckCuda
PtirToCuda
TransformInterpreter
PrintOpStats
PtirCanonicalize
PtirDecompose
PtirFormConvolutions
PtirInlineComposites
PtirPrepareParameters
PtirRecognize
PtoToNv
RegionToPto
StripDebuginfo
SymbolDce
TinyFastMath
TinyFoldEmpty
TinySplitReductions
SymbolPrivatize
TinyToPtir

# Fields that are read all at once: of JSON forms, answers and tables.
lhs_idx
rhs_idx
out_idx
reduce_idx
affine_offsets
deps
poly_view
compute_at
latency

# The specification's name for a type of isl.
AxisExpr

# Methods and attributes that override or set what xDSL's parser, printer and interpreter read.
_parse_tensor_literal_element
parse_dense_int_or_fp_elements_attr
_parse_external_resources
_get_op_by_name
_current_column
printing_location
ssa_values
_program

# Kept alive for as long as the object lives.
_keep

# Read by lit, pytest and importlib.
suffixes
excludes
maxIndividualTestTime
runtest
reportinfo
get_filename
get_data
path_stats

# Of tests and benchmarks: arguments that a stand-in must take, a pass option that is only printed.
registered
scale_a
scale_b
enable_timing
pdl_file
