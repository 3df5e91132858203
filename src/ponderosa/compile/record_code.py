"""How machine code sees the bytes of a state as a record; record_view.py is for everybody else. Start at record_of."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import RecordModel
from numba.extending import intrinsic, register_model


class StateRecord(types.Record):  # type: ignore[misc]
    """A record that is a place in memory, wherever it is kept.

    Numba's own record is copied into every generator, and again at every `yield`: as one value, each byte
    of which LLVM moves by an instruction of its own. That took a minute for a state of 4 kB; and what a rule that
    yields wrote into the state was lost, other than in plain Python.
    """

    def __init__(self, record: types.Record) -> None:
        fields = [(name, field._asdict()) for name, field in record.fields.items()]
        super().__init__(fields, record.size, record.aligned)


@register_model(StateRecord)
class StateRecordModel(RecordModel):  # type: ignore[misc]
    """Its address, in structures too."""

    def get_data_type(self) -> Any:
        return self._be_ptr_type

    def as_data(self, builder: Any, value: Any) -> Any:
        return value

    def from_data(self, builder: Any, value: Any) -> Any:
        return value

    def load_from_data_pointer(self, builder: Any, ptr: Any, align: Any = None) -> Any:
        return builder.load(ptr, align=align)


@intrinsic  # type: ignore[untyped-decorator]
def record_of(context: Any, state: Any, dtype: Any) -> Any:
    """The record at the beginning of an array of bytes."""
    kind = StateRecord(dtype.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        return builder.bitcast(view.data, context.get_value_type(kind))

    return kind(state, dtype), generate
