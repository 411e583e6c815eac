"""Kernels get arrays by their addresses: what Numba generates for it.

Where kernels check their indices (`KGREASON_KERNELS=bounds`), the functions here check theirs, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import cgutils
from numba.core import types as numba_types
from numba.extending import intrinsic
from numba.np import arrayobj

types: Any = numba_types  # Numba's stubs lack some of its types


def array_at(element: str, dimensions: int) -> Any:
    """Make a Numba intrinsic `array(m, at)`. In a kernel, it returns the array whose address is the word m[at].

    The words after the address are the sizes of the dimensions. `element` is the name of the array's dtype. The array
    is C-contiguous.
    """
    result = types.Array(getattr(types, element), dimensions, "C")

    @intrinsic  # type: ignore[untyped-decorator]
    def array(_typing: Any, m: Any, at: Any) -> Any:  # noqa: ARG001 - Numba counts the arguments
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            block = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            _check(context, builder, block, arguments[1], builder.add(arguments[1], cgutils.intp_t(dimensions)))
            return _array(context, builder, builder.gep(block.data, [arguments[1]]), result)

        return result(m, types.int64), generate

    return array


@intrinsic  # type: ignore[untyped-decorator]
def fetch_add(_typing: Any, array: Any, at: Any, more: Any) -> Any:  # noqa: ARG001 - Numba counts the arguments
    """Add `more` to word `at` of a C-contiguous array, in one step that no thread can divide. Returns the word before.

    `at` counts words from the start of the array, whatever its dimensions. `more` is cast to the dtype of the array.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        _check(context, builder, words, arguments[1])
        return builder.atomic_rmw("add", builder.gep(words.data, [arguments[1]]), arguments[2], "seq_cst")

    return array.dtype(array, types.int64, array.dtype), generate


@intrinsic  # type: ignore[untyped-decorator]
def fill_free(_typing: Any, array: Any, at: Any, value: Any) -> Any:  # noqa: ARG001 - Numba counts the arguments
    """Write `value` to word `at` of a vector if the word is 0, in one step that no thread can divide.

    Returns whether the word was 0. `value` is cast to the dtype of the vector.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        _check(context, builder, words, arguments[1])
        word = builder.gep(words.data, [arguments[1]])
        pair = builder.cmpxchg(word, arguments[2].type(0), arguments[2], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(array, types.int64, array.dtype), generate


@intrinsic  # type: ignore[untyped-decorator]
def copy(_typing: Any, source: Any, start: Any, end: Any, target: Any, at: Any) -> Any:  # noqa: ARG001 - as above
    """Copy `source[start:end]` to the vector `target`, from position `at` on. The vectors must not overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        read = arrayobj.make_array(kinds[0])(context, builder, arguments[0])
        write = arrayobj.make_array(kinds[3])(context, builder, arguments[3])
        start, at, length = arguments[1], arguments[4], builder.sub(arguments[2], arguments[1])
        with cgutils.if_likely(builder, builder.icmp_signed(">", length, length.type(0))):
            for array, low in ((read, start), (write, at)):
                _check(context, builder, array, low, builder.sub(builder.add(low, length), cgutils.intp_t(1)))
            size = context.get_abi_sizeof(write.data.type.pointee)
            to, of = builder.gep(write.data, [at]), builder.gep(read.data, [start])
            cgutils.raw_memcpy(builder, to, of, length, size)
        return context.get_dummy_value()

    return types.none(source, types.int64, types.int64, target, types.int64), generate


def _check(context: Any, builder: Any, array: Any, *places: Any) -> None:
    """Where kernels check their indices: raise IndexError unless all `places` are positions in an array."""
    if context.enable_boundscheck:
        for place in places:
            cgutils.do_boundscheck(context, builder, place, array.nitems)


def arguments_at(kinds: Sequence[Any]) -> Any:
    """Make a Numba intrinsic `arguments(m)`. It returns the arguments of a kernel, read from the words of `m`.

    `kinds` are Numba's types of the arguments: arrays, integers, and named tuples of arrays. An array takes a word for
    its address and one for each dimension; an integer takes one word.
    """
    result = types.Tuple(tuple(kinds))

    @intrinsic  # type: ignore[untyped-decorator]
    def arguments(_typing: Any, m: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            block = arrayobj.make_array(signature.args[0])(context, builder, given[0])
            values, _ = _values(context, builder, block.data, 0, kinds)
            return context.make_tuple(builder, result, values)

        return result(m), generate

    return arguments


def _values(context: Any, builder: Any, words: Any, at: int, kinds: Sequence[Any]) -> tuple[list[Any], int]:
    """Read values of the types `kinds` from position `at` on. Returns them, and the position after them."""
    values = []
    for kind in kinds:
        place = builder.gep(words, [cgutils.intp_t(at)])
        if isinstance(kind, types.Array):
            values.append(_array(context, builder, place, kind))
            at += 1 + kind.ndim
        elif isinstance(kind, types.BaseTuple):
            parts, at = _values(context, builder, words, at, kind.types)
            values.append(context.make_tuple(builder, kind, parts))
        else:
            values.append(builder.load(place))
            at += 1
    return values, at


def _array(context: Any, builder: Any, place: Any, kind: Any) -> Any:
    """Make an array of the type `kind` from its address and the sizes of its dimensions, the words from `place` on."""
    address, *shape = (builder.load(builder.gep(place, [cgutils.intp_t(i)])) for i in range(1 + kind.ndim))
    itemsize = cgutils.intp_t(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize] if kind.ndim == 1 else [builder.mul(shape[1], itemsize), itemsize]
    array = arrayobj.make_array(kind)(context, builder)
    data = builder.inttoptr(address, array.data.type)
    arrayobj.populate_array(array, data, shape, strides, itemsize, meminfo=None)
    return array._getvalue()
