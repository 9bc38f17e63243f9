// A stand-in for the header of the PTO tile library, for tests on a CPU.
//
// It declares the templates that kernels use, computes what they mean, and checks what a core does not: locations, element types,
// shapes, layouts, alignment, addresses, valid extents, and the order of pipes. Instructions take effect in the order of the program, and
// each access is compared with the last ones of other pipes by vector clocks: two accesses of the same bytes, of which one is a write,
// must be ordered by flags. What a check finds is thrown as a `pto::Fault`.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#define AICORE
#define __gm__

using half = _Float16;
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  bfloat16_t(float x) {
    uint32_t u;
    std::memcpy(&u, &x, 4);
    bits = x != x ? 0x7fc0 : (u + 0x7fff + (u >> 16 & 1)) >> 16;
  }
  operator float() const {
    uint32_t u = uint32_t(bits) << 16;
    float x;
    std::memcpy(&x, &u, 4);
    return x;
  }
};

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace pto {
struct Fault {
  char text[240];
};
[[noreturn]] inline void fail(const char *format, ...) {
  Fault fault;
  va_list args;
  va_start(args, format);
  std::vsnprintf(fault.text, sizeof fault.text, format, args);
  va_end(args);
  throw fault;
}
inline void require(bool holds, const char *name, const char *what) {
  if (!holds) fail("%s: %s", name, what);
}

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class PadValue { Null, Zero, Max, Min };
enum class Layout { ND, DN, NZ };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC };
enum class CmpMode { EQ, NE, LT, GT, GE, LE };
enum class MaskPattern { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
enum class Op { TADD, TSUB, TMUL, TDIV, TEXP, TROWSUM, TROWMAX, TLOAD, TSTORE_VEC, TSTORE_ACC, TMATMUL, TMOV_M2L, TMOV_A2V };

// --- the core: memories, clocks and flags ---------------------------------------------------------

#ifdef PTO_A5
constexpr size_t MEMORY[] = {256 << 10, 512 << 10, 64 << 10, 64 << 10, 256 << 10, 1 << 10, 2 << 10};
#else
constexpr size_t MEMORY[] = {192 << 10, 512 << 10, 64 << 10, 64 << 10, 128 << 10, 1 << 10, 2 << 10};
#endif
constexpr int PIPES = PIPE_ALL, MEMORIES = 5, GRANULE = 32;
// The memory of a location. Like the library's simulator, it keeps the tables of biases and scales in the vector memory.
constexpr int memory_of(TileType location) { return location < TileType::Bias ? int(location) : int(TileType::Vec); }
inline const char *const PIPE_NAMES[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

struct Cell {  // the last write of some bytes, and the last read by each pipe
  uint32_t written = 0, read[PIPES] = {};
  int writer = 0;
};

struct Core {
  alignas(64) uint8_t memory[MEMORIES][512 << 10];
  Cell cells[MEMORIES][(512 << 10) / GRANULE];
  std::unordered_map<uintptr_t, Cell> global;
  uint32_t clock[PIPES][PIPES] = {};
  struct { bool set; uint32_t clock[PIPES]; } flags[PIPES][PIPES][8] = {};

  void touch(Cell &cell, pipe_t pipe, bool write, const char *name) {
    const uint32_t *seen = clock[pipe];
    if (cell.written > seen[cell.writer]) fail("%s on pipe %s: no flag orders it after a write by pipe %s", name, PIPE_NAMES[pipe], PIPE_NAMES[cell.writer]);
    for (int other = 0; write && other < PIPES; ++other)
      if (cell.read[other] > seen[other]) fail("%s on pipe %s: no flag orders it after a read by pipe %s", name, PIPE_NAMES[pipe], PIPE_NAMES[other]);
    if (write) cell.written = seen[pipe], cell.writer = pipe;
    else cell.read[pipe] = seen[pipe];
  }
};
inline Core &core() {
  static Core *one = new Core;
  return *one;
}
// Starts a kernel: memories hold NaN, and no flag is set.
inline void begin() {
  Core &c = core();
  std::memset(c.memory, 0xff, sizeof c.memory);
  std::memset(static_cast<void *>(c.cells), 0, sizeof c.cells);
  std::memset(c.clock, 0, sizeof c.clock);
  std::memset(static_cast<void *>(c.flags), 0, sizeof c.flags);
  c.global.clear();
}
// Ends a kernel: a flag that is still set would confuse the next one.
inline void end() {
  for (int p = 0; p < PIPES; ++p)
    for (int q = 0; q < PIPES; ++q)
      for (int id = 0; id < 8; ++id)
        if (core().flags[p][q][id].set) fail("flag %d from %s to %s is still set at the end", id, PIPE_NAMES[p], PIPE_NAMES[q]);
}

struct RecordEvent {
  pipe_t pipe;
};
template <Op, Op>
struct Event {
  uint32_t clock[PIPES] = {};
  Event &operator=(RecordEvent r) { std::memcpy(clock, core().clock[r.pipe], sizeof clock); return *this; }
};

struct Run {  // one instruction
  const char *name;
  pipe_t pipe;
  template <typename... Events>
  Run(const char *name, pipe_t pipe, Events &...events) : name(name), pipe(pipe) {
    uint32_t *own = core().clock[pipe];
    ((void)[&] { for (int p = 0; p < PIPES; ++p) own[p] = own[p] > events.clock[p] ? own[p] : events.clock[p]; }(), ...);
    ++own[pipe];
  }
  template <typename T> void on(T &tile, bool write) {
    require(tile.address >= 0, name, "a tile has no address");
    Cell *cells = core().cells[memory_of(T::Loc)];
    for (size_t g = tile.address / GRANULE; g * GRANULE < tile.address + sizeof(typename T::DType) * T::Rows * T::Cols; ++g)
      core().touch(cells[g], pipe, write, name);
  }
  template <typename... T> Run &reads(T &...tiles) { (on(tiles, false), ...); return *this; }
  template <typename... T> Run &writes(T &...tiles) { (on(tiles, true), ...); return *this; }
  operator RecordEvent() const { return {pipe}; }
};

// --- tiles ----------------------------------------------------------------------------------------

constexpr int DYNAMIC = -1;

template <TileType Loc_, typename T, int Rows_, int Cols_, BLayout B = BLayout::RowMajor, int RowValid = Rows_, int ColValid = Cols_,
          SLayout S = SLayout::NoneBox, int Fractal = 512, PadValue = PadValue::Null>
struct Tile {
  using DType = T;
  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_, Cols = Cols_;
  static constexpr bool boxed = S != SLayout::NoneBox, isRowMajor = B == BLayout::RowMajor, innerRowMajor = S == SLayout::RowMajor;
  static constexpr int along = 32 / sizeof(T);
  static constexpr int InnerRows = !boxed ? 1 : Fractal == 1024 || innerRowMajor ? 16 : along;
  static constexpr int InnerCols = !boxed ? 1 : Fractal == 1024 || !innerRowMajor ? 16 : along;
  static_assert(RowValid <= Rows && ColValid <= Cols && (RowValid > 0 || RowValid == DYNAMIC) && (ColValid > 0 || ColValid == DYNAMIC));
  static_assert(boxed || (isRowMajor ? Cols : Rows) * sizeof(T) % 32 == 0, "rows of 32 bytes");
  static_assert(Rows % InnerRows == 0 && Cols % InnerCols == 0, "whole blocks");
  static_assert(Fractal != 1024 || sizeof(T) == 4);
  static_assert(sizeof(T) * Rows * Cols <= MEMORY[int(Loc_)], "larger than its memory");
  long address = -1;
  int rows = RowValid, cols = ColValid;
  Tile() = default;
  explicit Tile(size_t n) { (RowValid == DYNAMIC ? rows : cols) = int(n); check(); }
  Tile(size_t r, size_t c) : rows(int(r)), cols(int(c)) { check(); }
  void check() const {
    require(0 < rows && rows <= Rows && 0 < cols && cols <= Cols, "Tile", "a valid extent is not within the tile");
  }
  int GetValidRow() const { return rows; }
  int GetValidCol() const { return cols; }
  T &at(int i, int j) {
    size_t place = isRowMajor ? size_t(i) * Cols + j : size_t(j) * Rows + i;
    if constexpr (boxed) {
      size_t bi = i / InnerRows, bj = j / InnerCols, ii = i % InnerRows, jj = j % InnerCols;
      size_t block = isRowMajor ? bi * (Cols / InnerCols) + bj : bj * (Rows / InnerRows) + bi;
      place = block * InnerRows * InnerCols + (innerRowMajor ? ii * InnerCols + jj : jj * InnerRows + ii);
    }
    return reinterpret_cast<T *>(core().memory[memory_of(Loc)] + address)[place];
  }
};
#ifdef PTO_A5
constexpr BLayout LEFT = BLayout::ColMajor;
#else
constexpr BLayout LEFT = BLayout::RowMajor;
#endif
template <typename T, int M, int K, int VM = M, int VK = K>
using TileLeft = Tile<TileType::Left, T, M, K, LEFT, VM, VK, SLayout::RowMajor, 512>;
template <typename T, int K, int N, int VK = K, int VN = N>
using TileRight = Tile<TileType::Right, T, K, N, BLayout::RowMajor, VK, VN, SLayout::ColMajor, 512>;
template <typename T, int M, int N, int VM = M, int VN = N>
using TileAcc = Tile<TileType::Acc, T, M, N, BLayout::ColMajor, VM, VN, SLayout::RowMajor, 1024>;

template <typename T> void TASSIGN(T &tile, uint64_t address) {
  require(address % 32 == 0, "TASSIGN", "an address is a multiple of 32");
  require(address + sizeof(typename T::DType) * T::Rows * T::Cols <= MEMORY[int(T::Loc)], "TASSIGN", "a tile ends beyond its memory");
  tile.address = long(address);
}

template <int... N> struct Five {
  static constexpr int known[5] = {N...};
  int values[5] = {N...};
  static_assert(sizeof...(N) == 5);
  template <typename... I> explicit Five(I... given) {
    static_assert(sizeof...(I) == 5 || sizeof...(I) == ((N == DYNAMIC) + ...), "a number for each dynamic dimension");
    int all[] = {int(given)..., 0}, next = 0;
    for (int k = 0; k < 5; ++k)
      if (known[k] == DYNAMIC) values[k] = sizeof...(I) == 5 ? all[k] : all[next++];
  }
};
template <int... N> struct Shape : Five<N...> { using Five<N...>::Five; };
template <int... N> struct Stride : Five<N...> { using Five<N...>::Five; };

template <typename T, typename S, typename D, Layout L = Layout::ND>
struct GlobalTensor {
  using DType = T;
  static constexpr Layout layout = L;
  T *data;
  S shape;
  D stride;
  explicit GlobalTensor(T *data, S shape = S(1, 1, 1, 1, 1), D stride = D(1, 1, 1, 1, 1)) : data(data), shape(shape), stride(stride) {
    require(shape.values[0] * shape.values[1] * shape.values[2] == 1, "GlobalTensor", "only matrices are implemented here");
  }
  T &at(Run &run, int i, int j, bool write) {
    T &element = data[long(i) * stride.values[3] + long(j) * stride.values[4]];
    core().touch(core().global[reinterpret_cast<uintptr_t>(&element)], run.pipe, write, run.name);
    return element;
  }
  template <typename Tile> void fits(Run &run, Tile &tile) const {
    static_assert(std::is_same_v<T, typename Tile::DType>, "equal element types");
    static_assert(Tile::boxed || Tile::Cols == 1 || Tile::isRowMajor == (L == Layout::ND), "equal orders");
    require(stride.values[L == Layout::ND ? 4 : 3] == 1, run.name, "the contiguous axis has another stride than 1");
    require(shape.values[3] == tile.rows && shape.values[4] == tile.cols, run.name, "the tensor has another shape than the valid region");
  }
};

// --- instructions ---------------------------------------------------------------------------------

template <typename T> constexpr bool is_vec = T::Loc == TileType::Vec;
template <typename T> constexpr bool is_float = !std::is_integral_v<T>;
// The type in which elements are computed before they are rounded.
template <typename T> using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <typename T> Wide<T> wide(T x) {
  if constexpr (std::is_integral_v<T>) return x;
  else return double(float(x));
}
template <typename T> T narrow(Wide<T> x) {
  if constexpr (std::is_integral_v<T>) return T(x);
  else return T(float(x));
}
template <typename A, typename B> void same_extents(const Run &run, A &a, B &b) {
  require(a.rows == b.rows && a.cols == b.cols, run.name, "valid extents differ");
}
template <typename D, typename F> void each(D &d, F f) {
  for (int i = 0; i < d.rows; ++i)
    for (int j = 0; j < d.cols; ++j) f(i, j);
}

template <typename T, typename G, typename... E> RecordEvent TLOAD(T &dst, G &src, E &...e) {
  static_assert(is_vec<T> || T::Loc == TileType::Mat, "TLOAD fills Vec and Mat tiles");
  Run run("TLOAD", PIPE_MTE2, e...);
  src.fits(run, dst), run.writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = src.at(run, i, j, false); });
  return run;
}
template <typename G, typename T, typename... E> RecordEvent TSTORE(G &dst, T &src, E &...e) {
  static_assert(is_vec<T> || T::Loc == TileType::Acc, "TSTORE stores Vec and Acc tiles");
  Run run("TSTORE", is_vec<T> ? PIPE_MTE3 : PIPE_FIX, e...);
  dst.fits(run, src), run.reads(src);
  each(src, [&](int i, int j) { dst.at(run, i, j, true) = src.at(i, j); });
  return run;
}
template <typename D, typename S, typename... E> RecordEvent TMOV(D &dst, S &src, E &...e) {
  constexpr TileType from = S::Loc, to = D::Loc;
  static_assert(std::is_same_v<typename D::DType, typename S::DType> && D::Rows == S::Rows && D::Cols == S::Cols);
  constexpr bool operand = from == TileType::Mat && (to == TileType::Left || to == TileType::Right || to == TileType::Bias || to == TileType::Scaling);
  static_assert(operand || (is_vec<D> && (is_vec<S> || from == TileType::Acc)), "no such move");
  Run run("TMOV", operand ? PIPE_MTE1 : is_vec<S> ? PIPE_V : PIPE_FIX, e...);
  same_extents(run, dst, src), run.reads(src).writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = src.at(i, j); });
  return run;
}
template <typename D, typename S, typename... E> RecordEvent TEXTRACT(D &dst, S &src, uint16_t row, uint16_t col, E &...e) {
  static_assert((S::Loc == TileType::Mat && (D::Loc == TileType::Left || D::Loc == TileType::Right)) || (is_vec<S> && is_vec<D>));
  static_assert(std::is_same_v<typename D::DType, typename S::DType>);
  Run run("TEXTRACT", is_vec<S> ? PIPE_V : PIPE_MTE1, e...);
  require(row + D::Rows <= S::Rows && col + D::Cols <= S::Cols, run.name, "the part ends beyond the tile");
  run.reads(src).writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = src.at(row + i, col + j); });
  return run;
}

template <typename C, typename A, typename B> void multiply(Run &run, C &c, C *in, A &a, B &b) {
  using T = typename C::DType;
  using X = typename A::DType;
  static_assert(std::is_same_v<X, typename B::DType>);
  static_assert((std::is_same_v<T, float> && is_float<X>) || (std::is_same_v<T, int32_t> && std::is_same_v<X, int8_t>), "no such product");
  static_assert(A::Loc == TileType::Left && B::Loc == TileType::Right && C::Loc == TileType::Acc);
  static_assert(A::Rows == C::Rows && A::Cols == B::Rows && B::Cols == C::Cols && A::Cols <= 4095);
  require(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols, run.name, "valid extents differ");
  each(c, [&](int i, int j) {
    Wide<T> sum = in ? wide(in->at(i, j)) : Wide<T>(0);
    for (int k = 0; k < a.cols; ++k) sum += Wide<T>(wide(a.at(i, k))) * Wide<T>(wide(b.at(k, j)));
    c.at(i, j) = narrow<T>(sum);
  });
}
template <typename C, typename A, typename B, typename... E> RecordEvent TMATMUL(C &c, A &a, B &b, E &...e) {
  Run run("TMATMUL", PIPE_M, e...);
  multiply(run.reads(a, b).writes(c), c, static_cast<C *>(nullptr), a, b);
  return run;
}
template <typename C, typename A, typename B, typename... E> RecordEvent TMATMUL_ACC(C &out, C &in, A &a, B &b, E &...e) {
  Run run("TMATMUL_ACC", PIPE_M, e...);
  require(out.address == in.address, run.name, "the matrix unit accumulates in place");
  multiply(run.reads(a, b, in).writes(out), out, &in, a, b);
  return run;
}
template <typename C, typename A, typename B, typename S, typename... E> RecordEvent TMATMUL_BIAS(C &c, A &a, B &b, S &bias, E &...e) {
  static_assert(S::Loc == TileType::Bias && S::Rows == 1 && S::Cols == C::Cols && std::is_same_v<typename S::DType, typename C::DType>);
  Run run("TMATMUL_BIAS", PIPE_M, e...);
  multiply(run.reads(a, b, bias).writes(c), c, static_cast<C *>(nullptr), a, b);
  each(c, [&](int i, int j) { c.at(i, j) += bias.at(0, j); });
  return run;
}

template <typename D, typename F, typename... S> RecordEvent vector(Run run, F f, D &dst, S &...src) {
  static_assert(is_vec<D> && (is_vec<S> && ...), "vector instructions work on Vec tiles");
  static_assert(D::isRowMajor, "pointwise instructions work on row-major tiles");
  (same_extents(run, dst, src), ...);
  run.reads(src...).writes(dst);
  using T = typename D::DType;
  each(dst, [&](int i, int j) { dst.at(i, j) = narrow<T>(f(wide(src.at(i, j))...)); });
  return run;
}
template <typename X> X remainder(X x, X y) {
  if constexpr (std::is_integral_v<X>) return x % y;
  else return std::fmod(x, y);
}
template <typename T, typename... U> constexpr bool one_of = (std::is_same_v<T, U> || ...);
#define PTO_UNARY(NAME, LEGAL, EXPRESSION)                                                  \
  template <typename T, typename... E> RecordEvent NAME(T &dst, T &src, E &...e) {          \
    using X = Wide<typename T::DType>;                                                      \
    using DType [[maybe_unused]] = typename T::DType;                                       \
    static_assert(LEGAL, #NAME " has no such element type");                                \
    return vector(Run(#NAME, PIPE_V, e...), [](X x) -> X { return EXPRESSION; }, dst, src); \
  }
#define PTO_BINARY(NAME, EXPRESSION)                                                                      \
  template <typename T, typename... E> RecordEvent NAME(T &dst, T &a, T &b, E &...e) {                    \
    using X = Wide<typename T::DType>;                                                                    \
    return vector(Run(#NAME, PIPE_V, e...), [](X x, X y) -> X { return EXPRESSION; }, dst, a, b);         \
  }
#define PTO_SCALAR(NAME, EXPRESSION)                                                                                 \
  template <typename T, typename... E> RecordEvent NAME(T &dst, T &a, typename T::DType scalar, E &...e) {           \
    using X = Wide<typename T::DType>;                                                                               \
    return vector(Run(#NAME, PIPE_V, e...), [y = wide(scalar)](X x) -> X { return EXPRESSION; }, dst, a);            \
  }
#define PTO_SCALAR_FIRST(NAME, EXPRESSION)                                                                           \
  template <typename T, typename... E> RecordEvent NAME(T &dst, typename T::DType scalar, T &a, E &...e) {           \
    using X = Wide<typename T::DType>;                                                                               \
    require(dst.address != a.address, #NAME, "does not work in place");                                              \
    return vector(Run(#NAME, PIPE_V, e...), [x = wide(scalar)](X y) -> X { return EXPRESSION; }, dst, a);            \
  }
PTO_UNARY(TEXP, is_float<DType>, std::exp(x))
PTO_UNARY(TLOG, is_float<DType>, std::log(x))
PTO_UNARY(TSQRT, (one_of<DType, half, float>), std::sqrt(x))
PTO_UNARY(TRSQRT, (one_of<DType, half, float>), 1 / std::sqrt(x))
PTO_UNARY(TNEG, true, -x)
PTO_UNARY(TABS, (one_of<DType, half, float, int32_t, int16_t>), x < 0 ? -x : x)
PTO_UNARY(TRELU, true, x > 0 || x != x ? x : X(0))
PTO_UNARY(TNOT, !is_float<DType>, X(~int64_t(x)))
template <typename T, typename... E> RecordEvent TRECIP(T &dst, T &src, E &...e) {
  return TDIVS(dst, 1, src, e...);
}
PTO_BINARY(TADD, x + y)
PTO_BINARY(TSUB, x - y)
PTO_BINARY(TMUL, x * y)
PTO_BINARY(TDIV, x / y)
PTO_BINARY(TMAX, x > y || x != x ? x : y)
PTO_BINARY(TMIN, x < y || x != x ? x : y)
PTO_BINARY(TAND, X(int64_t(x) & int64_t(y)))
PTO_BINARY(TOR, X(int64_t(x) | int64_t(y)))
PTO_BINARY(TFMOD, remainder(x, y))
PTO_BINARY(TSHL, X(uint64_t(x) << int64_t(y)))
PTO_BINARY(TSHR, X(int64_t(x) >> int64_t(y)))
PTO_SCALAR(TADDS, x + y)
PTO_SCALAR(TSUBS, x - y)
PTO_SCALAR(TMULS, x * y)
PTO_SCALAR(TDIVS, x / y)
PTO_SCALAR(TMAXS, x > y || x != x ? x : y)
PTO_SCALAR(TMINS, x < y || x != x ? x : y)
PTO_SCALAR_FIRST(TDIVS, x / y)

template <typename T, typename... E> RecordEvent TEXPANDS(T &dst, typename T::DType scalar, E &...e) {
  static_assert(is_vec<T> && T::isRowMajor);
  Run run("TEXPANDS", PIPE_V, e...);
  run.writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = scalar; });
  return run;
}

// The row of consecutive integers from `start` on, or down from it.
template <typename D, typename T, int DESCENDING, typename... E> RecordEvent TCI(D &dst, T start, E &...e) {
  static_assert(is_vec<D> && D::Rows == 1 && D::isRowMajor && std::is_same_v<typename D::DType, T> && std::is_integral_v<T> && sizeof(T) > 1);
  Run run("TCI", PIPE_V, e...);
  run.writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = T(DESCENDING ? start - j : start + j); });
  return run;
}

// Reductions take a temporary like their operand, and broadcasts one row or one column.
template <bool ROWS, typename D, typename S, typename F> RecordEvent reduce(Run run, D &dst, S &src, F f) {
  using T = typename S::DType;
  static_assert(is_vec<D> && is_vec<S> && std::is_same_v<typename D::DType, T>);
  require(ROWS ? dst.rows == src.rows && dst.cols == 1 : dst.cols == src.cols && dst.rows == 1, run.name, "valid extents differ");
  run.reads(src).writes(dst);
  for (int i = 0; i < (ROWS ? src.rows : src.cols); ++i) {
    auto total = wide(ROWS ? src.at(i, 0) : src.at(0, i));
    for (int j = 1; j < (ROWS ? src.cols : src.rows); ++j) total = f(total, wide(ROWS ? src.at(i, j) : src.at(j, i)));
    (ROWS ? dst.at(i, 0) : dst.at(0, i)) = narrow<T>(total);
  }
  return run;
}
inline constexpr auto ADD = [](auto x, auto y) { return x + y; };
inline constexpr auto MAX = [](auto x, auto y) { return x > y || x != x ? x : y; };
inline constexpr auto MIN = [](auto x, auto y) { return x < y || x != x ? x : y; };
template <typename T, typename S> Run with_temporary(const char *name, T &tmp, S &src, auto &...e) {
  static_assert(is_vec<T> && sizeof(typename T::DType) == sizeof(typename S::DType) && T::Rows >= S::Rows && T::Cols >= S::Cols);
  Run run(name, PIPE_V, e...);
  run.writes(tmp);
  return run;
}
template <typename T, typename X, typename... E> RecordEvent TXOR(T &dst, T &a, T &b, X &tmp, E &...e) {
  return vector(with_temporary("TXOR", tmp, a, e...), [](auto x, auto y) { return x ^ y; }, dst, a, b);
}
#define PTO_REDUCE(NAME, F)                                                                              \
  template <typename D, typename S, typename T, typename... E> RecordEvent NAME(D &dst, S &src, T &tmp, E &...e) { \
    static_assert(is_float<typename S::DType>, #NAME " is defined on floats");                           \
    return reduce<true>(with_temporary(#NAME, tmp, src, e...), dst, src, F);                             \
  }
PTO_REDUCE(TROWSUM, ADD)
PTO_REDUCE(TROWMAX, MAX)
PTO_REDUCE(TROWMIN, MIN)
template <typename D, typename S, typename T, typename... E> RecordEvent TCOLSUM(D &dst, S &src, T &tmp, bool, E &...e) {
  return reduce<false>(with_temporary("TCOLSUM", tmp, src, e...), dst, src, ADD);
}
template <typename D, typename S, typename... E> RecordEvent TCOLMAX(D &dst, S &src, E &...e) {
  return reduce<false>(Run("TCOLMAX", PIPE_V, e...), dst, src, MAX);
}
template <typename D, typename S, typename... E> RecordEvent TCOLMIN(D &dst, S &src, E &...e) {
  return reduce<false>(Run("TCOLMIN", PIPE_V, e...), dst, src, MIN);
}

template <bool ROWS, typename D, typename S, typename F> RecordEvent expand(Run run, D &dst, D *a, S &line, F f) {
  using T = typename D::DType;
  static_assert(is_vec<D> && is_vec<S> && std::is_same_v<typename S::DType, T> && D::isRowMajor);
  static_assert(ROWS ? S::Cols == 1 && S::Rows == D::Rows : S::Rows == 1 && S::Cols == D::Cols, "one element a row or a column");
  static_assert(ROWS || S::isRowMajor, "the row is row-major");
  require(ROWS ? line.rows == dst.rows : line.cols == dst.cols, run.name, "valid extents differ");
  run.reads(line);
  if (a) same_extents(run, dst, *a), run.reads(*a);
  run.writes(dst);
  each(dst, [&](int i, int j) {
    auto y = wide(ROWS ? line.at(i, 0) : line.at(0, j));
    dst.at(i, j) = narrow<T>(a ? f(wide(a->at(i, j)), y) : y);
  });
  return run;
}
#define PTO_EXPAND(KIND, ROWS)                                                                                                   \
  template <typename D, typename S, typename... E> RecordEvent T##KIND##EXPAND(D &dst, S &src, E &...e) {                          \
    return expand<ROWS>(Run("T" #KIND "EXPAND", PIPE_V, e...), dst, static_cast<D *>(nullptr), src, ADD);                          \
  }                                                                                                                              \
  PTO_EXPAND_BINARY(KIND, ROWS, ADD, x + y) PTO_EXPAND_BINARY(KIND, ROWS, SUB, x - y)                                              \
  PTO_EXPAND_BINARY(KIND, ROWS, MUL, x *y) PTO_EXPAND_BINARY(KIND, ROWS, DIV, x / y)
#define PTO_EXPAND_BINARY(KIND, ROWS, FN, EXPRESSION)                                                                            \
  template <typename D, typename S, typename... E> RecordEvent T##KIND##EXPAND##FN(D &dst, D &a, S &b, E &...e) {                  \
    return expand<ROWS>(Run("T" #KIND "EXPAND" #FN, PIPE_V, e...), dst, &a, b, [](auto x, auto y) { return EXPRESSION; });         \
  }
PTO_EXPAND(ROW, true)
PTO_EXPAND(COL, false)

template <typename D, typename S, typename T, typename... E> RecordEvent TTRANS(D &dst, S &src, T &tmp, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && D::Rows == S::Cols && D::Cols == S::Rows && std::is_same_v<typename D::DType, typename S::DType>);
  Run run = with_temporary("TTRANS", tmp, src, e...);
  require(dst.rows == src.cols && dst.cols == src.rows, run.name, "valid extents differ");
  run.reads(src).writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = src.at(j, i); });
  return run;
}
template <typename D, typename S, typename... E> RecordEvent TCVT(D &dst, S &src, RoundMode mode, E &...e) {
  using A = typename S::DType;
  using B = typename D::DType;
  static_assert(is_vec<D> && is_vec<S> && D::isRowMajor && S::isRowMajor);
  Run run("TCVT", PIPE_V, e...);
  same_extents(run, dst, src), run.reads(src).writes(dst);
  each(dst, [&](int i, int j) {
    if constexpr (std::is_integral_v<B>) {  // what an integer does not have becomes the least or the greatest one
      double x = double(wide(src.at(i, j)));
      if (is_float<A>) x = mode == RoundMode::CAST_FLOOR ? std::floor(x) : mode == RoundMode::CAST_CEIL ? std::ceil(x) : mode == RoundMode::CAST_ROUND ? std::round(x) : mode == RoundMode::CAST_TRUNC ? std::trunc(x) : std::nearbyint(x);
      double most = double((uint64_t(1) << (8 * sizeof(B) - std::is_signed_v<B>)) - 1), least = std::is_signed_v<B> ? -most - 1 : 0;
      dst.at(i, j) = x != x ? B(0) : x < least ? B(least) : x > most ? B(most) : B(x);
    } else {
      dst.at(i, j) = B(float(src.at(i, j)));
    }
  });
  return run;
}
// Where one operand is not valid, the other one is the result.
template <typename D, typename A, typename B, typename F> RecordEvent part(Run run, D &dst, A &a, B &b, F f) {
  static_assert(is_vec<D> && is_vec<A> && is_vec<B> && D::isRowMajor && std::is_same_v<typename D::DType, typename A::DType> && std::is_same_v<typename D::DType, typename B::DType>);
  run.reads(a, b).writes(dst);
  each(dst, [&](int i, int j) {
    bool in_a = i < a.rows && j < a.cols, in_b = i < b.rows && j < b.cols;
    if (in_a || in_b) dst.at(i, j) = in_a && in_b ? narrow<typename D::DType>(f(wide(a.at(i, j)), wide(b.at(i, j)))) : in_a ? a.at(i, j) : b.at(i, j);
  });
  return run;
}
#define PTO_PART(NAME, F)                                                                                          \
  template <typename D, typename A, typename B, typename... E> RecordEvent NAME(D &dst, A &a, B &b, E &...e) {     \
    return part(Run(#NAME, PIPE_V, e...), dst, a, b, F);                                                           \
  }
PTO_PART(TPARTADD, ADD)
PTO_PART(TPARTMAX, MAX)
PTO_PART(TPARTMIN, MIN)

// A reshape makes a tile an alias of another one. Elements keep their bits, whose meaning must be of the same kind.
template <typename D, typename S, typename... E> RecordEvent TRESHAPE(D &dst, S &src, E &...e) {
  static_assert(D::Loc == S::Loc && D::boxed == S::boxed && D::Rows * D::Cols * sizeof(typename D::DType) == S::Rows * S::Cols * sizeof(typename S::DType));
  static_assert(is_float<typename D::DType> == is_float<typename S::DType>, "element types of one kind");
  dst.address = src.address;
  return Run("TRESHAPE", PIPE_S, e...);
}
// Moves of elements. An index is a place in row-major order.
template <typename D, typename S, typename I, typename T, typename... E> RecordEvent TGATHER(D &dst, S &src, I &indices, T &tmp, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && is_vec<I> && std::is_integral_v<typename I::DType> && std::is_same_v<typename T::DType, typename I::DType>);
  static_assert(std::is_same_v<typename D::DType, typename S::DType> && sizeof(typename I::DType) == 4);
  Run run = with_temporary("TGATHER", tmp, indices, e...);
  run.reads(src, indices).writes(dst);
  each(dst, [&](int i, int j) {
    long k = indices.at(i, j);
    require(0 <= k && k < S::Rows * S::Cols, run.name, "an index is outside of the tile");
    dst.at(i, j) = src.at(k / S::Cols, k % S::Cols);
  });
  return run;
}
// An index is the offset of 32 bytes of the operand.
template <typename D, typename S, typename I, typename... E> RecordEvent TGATHERB(D &dst, S &src, I &offsets, E &...e) {
  using T = typename D::DType;
  constexpr int count = 32 / sizeof(T);
  static_assert(is_vec<D> && is_vec<S> && is_vec<I> && std::is_same_v<T, typename S::DType> && D::Cols == I::Cols * count);
  Run run("TGATHERB", PIPE_V, e...);
  run.reads(src, offsets).writes(dst);
  each(dst, [&](int i, int j) {
    long k = offsets.at(i, j / count) / sizeof(T) + j % count;
    require(offsets.at(i, j / count) % 32 == 0 && k < S::Rows * S::Cols, run.name, "an offset is outside of the tile");
    dst.at(i, j) = src.at(k / S::Cols, k % S::Cols);
  });
  return run;
}
template <typename D, typename S, typename I, typename... E> RecordEvent TSCATTER(D &dst, S &src, I &indices, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && is_vec<I> && std::is_integral_v<typename I::DType> && D::Cols == S::Cols);
  Run run("TSCATTER", PIPE_V, e...);
  run.reads(src, indices).writes(dst);
  each(src, [&](int i, int j) {
    require(0 <= long(indices.at(i, j)) && long(indices.at(i, j)) < D::Rows, run.name, "an index is outside of the tile");
    dst.at(indices.at(i, j), j) = src.at(i, j);
  });
  return run;
}
// The elements of each group of two or four columns that a pattern names, whose last digit is the first column. Bits are not changed.
template <typename D, typename S, MaskPattern P, typename... E> RecordEvent TGATHER(D &dst, S &src, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && D::isRowMajor && S::isRowMajor && sizeof(typename D::DType) == sizeof(typename S::DType));
  static_assert(P == MaskPattern::P0101 || P == MaskPattern::P1010, "other patterns are not implemented here");
  Run run("TGATHER", PIPE_V, e...);
  require(dst.cols == D::Cols && src.cols == 2 * dst.cols && src.rows == dst.rows, run.name, "valid extents differ");
  run.reads(src).writes(dst);
  each(dst, [&](int i, int j) { std::memcpy(&dst.at(i, j), &src.at(i, 2 * j + (P == MaskPattern::P1010)), sizeof(typename D::DType)); });
  return run;
}

// Lists of pairs of an f32 and an index, in 8 bytes, in descending order. NaN has no place in it.
struct Pair {
  float value;
  uint32_t index;
};
template <typename D, typename S, typename I> RecordEvent TSORT32(D &dst, S &src, I &indices) {
  static_assert(is_vec<D> && is_vec<S> && is_vec<I> && D::isRowMajor && S::isRowMajor && I::isRowMajor && D::Cols == 2 * S::Cols);
  static_assert(std::is_same_v<typename S::DType, float> && std::is_same_v<typename D::DType, float>, "pairs of f16 are not implemented here");
  static_assert(std::is_same_v<typename I::DType, uint32_t>);
  Run run("TSORT32", PIPE_V);
  require(src.cols % 32 == 0, run.name, "the last block is not whole");
  same_extents(run, src, indices), run.reads(src, indices).writes(dst);
  for (int i = 0; i < src.rows; ++i)
    for (int b = 0; b < src.cols; b += 32) {
      Pair pairs[32];
      for (int j = 0; j < 32; ++j) {
        pairs[j] = {src.at(i, b + j), indices.at(i, b + j)};
        require(pairs[j].value == pairs[j].value, run.name, "NaN has no order");
      }
      std::sort(pairs, pairs + 32, [](Pair x, Pair y) { return x.value != y.value ? x.value > y.value : x.index < y.index; });
      std::memcpy(&dst.at(i, 2 * b), pairs, sizeof pairs);
    }
  return run;
}
// Merges each four blocks of `length` elements of the tile, which are half as many pairs. Of equal values, that of the first block is first.
template <typename D, typename S, typename... E> RecordEvent TMRGSORT(D &dst, S &src, uint32_t length, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && D::isRowMajor && S::isRowMajor && D::Rows == 1 && S::Rows == 1 && D::Cols == S::Cols);
  static_assert(std::is_same_v<typename S::DType, float> && std::is_same_v<typename D::DType, float>, "pairs of f16 are not implemented here");
  Run run("TMRGSORT", PIPE_V, e...);
  require(length % 64 == 0 && src.cols % (4 * length) == 0 && src.cols / (4 * length) <= 255, run.name, "no whole number of four blocks");
  same_extents(run, dst, src), run.reads(src).writes(dst);
  require(dst.address != src.address, run.name, "works in place");
  auto before = [](Pair x, Pair y) { return x.value > y.value; };
  Pair *from = reinterpret_cast<Pair *>(&src.at(0, 0)), *to = reinterpret_cast<Pair *>(&dst.at(0, 0)), *end = from + src.cols / 2;
  std::copy(from, end, to);
  for (Pair *block = from; block < end; block += length / 2) require(std::is_sorted(block, block + length / 2, before), run.name, "a block is not sorted");
  for (int k = 0; k < src.cols / 2; k += 2 * length) std::stable_sort(to + k, to + k + 2 * length, before);
  return run;
}
template <typename D, typename S, typename... E> RecordEvent TINSERT(D &dst, S &src, uint16_t row, uint16_t col, E &...e) {
  static_assert(is_vec<D> && is_vec<S> && std::is_same_v<typename D::DType, typename S::DType>);
  Run run("TINSERT", PIPE_V, e...);
  require(row + src.rows <= D::Rows && col + src.cols <= D::Cols, run.name, "the part ends beyond the tile");
  run.reads(src).writes(dst);
  each(src, [&](int i, int j) { dst.at(row + i, col + j) = src.at(i, j); });
  return run;
}

template <typename T> bool compare(T x, T y, CmpMode mode) {
  return mode == CmpMode::EQ ? x == y : mode == CmpMode::NE ? x != y : mode == CmpMode::LT ? x < y : mode == CmpMode::LE ? x <= y : mode == CmpMode::GT ? x > y : x >= y;
}
// A byte of a mask has eight predicates, of which the first one is the lowest bit. Some versions of the library read the bits of a mask one
// after the other through all rows, so that the rows of what it selects must be whole.
template <typename D, typename S, typename F> RecordEvent mask_of(Run run, D &dst, S &a, CmpMode mode, F f) {
  static_assert(is_vec<D> && is_vec<S> && D::isRowMajor && S::isRowMajor && std::is_same_v<typename D::DType, uint8_t>);
  static_assert(one_of<typename S::DType, int32_t, half, float>, "no comparison of this element type");
#ifndef PTO_A5
  require(mode == CmpMode::EQ || !std::is_same_v<typename S::DType, int32_t>, run.name, "int32_t is compared for equality, whatever the mode");
#endif
  require(dst.rows == a.rows && 8 * dst.cols == S::Cols, run.name, "the mask has other lines than the operand");
  require(dst.address != a.address, run.name, "the mask is cleared before the operand is read");
  run.reads(a).writes(dst);
  each(dst, [&](int i, int j) {
    uint8_t byte = 0;
    for (int k = 0; k < 8 && 8 * j + k < a.cols; ++k) byte |= f(i, 8 * j + k) << k;
    dst.at(i, j) = byte;
  });
  return run;
}
template <typename D, typename S, typename... E> RecordEvent TCMP(D &dst, S &a, S &b, CmpMode mode, E &...e) {
  Run run("TCMP", PIPE_V, e...);
  require(dst.address != b.address, run.name, "the mask is cleared before the operand is read");
  same_extents(run, a, b), run.reads(b);
  return mask_of(run, dst, a, mode, [&](int i, int j) { return compare(wide(a.at(i, j)), wide(b.at(i, j)), mode); });
}
template <typename D, typename S, typename... E> RecordEvent TCMPS(D &dst, S &a, typename S::DType b, CmpMode mode, E &...e) {
  return mask_of(Run("TCMPS", PIPE_V, e...), dst, a, mode, [&](int i, int j) { return compare(wide(a.at(i, j)), wide(b), mode); });
}
template <typename D, typename M, typename S, typename F> RecordEvent select(Run run, D &dst, M &mask, S &a, F other) {
  static_assert(is_vec<D> && is_vec<M> && is_vec<S> && D::isRowMajor && M::isRowMajor && std::is_same_v<typename M::DType, uint8_t>);
  static_assert(std::is_same_v<typename D::DType, typename S::DType>);
  require(dst.rows == mask.rows && dst.cols <= 8 * mask.cols && (dst.rows == 1 || dst.cols == 8 * mask.cols), run.name, "the mask has other lines than the result");
  same_extents(run, dst, a), run.reads(mask, a).writes(dst);
  each(dst, [&](int i, int j) { dst.at(i, j) = mask.at(i, j / 8) >> j % 8 & 1 ? a.at(i, j) : other(i, j); });
  return run;
}
template <typename D, typename M, typename T, typename... E> RecordEvent TSEL(D &dst, M &mask, D &a, D &b, T &tmp, E &...e) {
  Run run = with_temporary("TSEL", tmp, a, e...);
  same_extents(run, a, b), run.reads(b);
  return select(run, dst, mask, a, [&](int i, int j) { return b.at(i, j); });
}
template <typename D, typename M, typename S, typename T, typename... E>
RecordEvent TSELS(D &dst, M &mask, S &a, T &tmp, typename S::DType scalar, E &...e) {
  return select(with_temporary("TSELS", tmp, a, e...), dst, mask, a, [&](int, int) { return scalar; });
}
}  // namespace pto

// --- flags ----------------------------------------------------------------------------------------

inline void set_flag(pipe_t from, pipe_t to, event_t id) {
  auto &flag = pto::core().flags[from][to][id];
  if (flag.set) pto::fail("set_flag: flag %d from %s to %s is set again before it is waited for", id, pto::PIPE_NAMES[from], pto::PIPE_NAMES[to]);
  flag.set = true;
  std::memcpy(flag.clock, pto::core().clock[from], sizeof flag.clock);
}
inline void wait_flag(pipe_t from, pipe_t to, event_t id) {
  auto &flag = pto::core().flags[from][to][id];
  if (!flag.set) pto::fail("wait_flag: flag %d from %s to %s is never set", id, pto::PIPE_NAMES[from], pto::PIPE_NAMES[to]);
  flag.set = false;
  for (int pipe = 0; pipe < pto::PIPES; ++pipe)  // what the scalar pipe waits for, instructions of all pipes that follow wait for
    for (int p = 0; p < pto::PIPES; ++p)
      if (pipe == to || to == PIPE_S) {
        uint32_t &own = pto::core().clock[pipe][p];
        own = own > flag.clock[p] ? own : flag.clock[p];
      }
}
inline void pipe_barrier(pipe_t) {
  auto &clock = pto::core().clock;
  for (int p = 0; p < pto::PIPES; ++p)
    for (int q = 0; q < pto::PIPES; ++q)
      clock[q][p] = clock[p][p];
}
