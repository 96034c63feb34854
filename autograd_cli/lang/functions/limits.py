"""Arguments for which torch takes a limit of the dtype where they are left out, by rule key."""

FROM_DTYPE: dict[str, tuple[str, ...]] = {
    "rms_norm": ("eps",),
    "nan_to_num": ("posinf", "neginf"),
}
