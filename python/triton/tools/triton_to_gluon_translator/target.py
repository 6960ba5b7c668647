"""What translated kernels are to run on."""

import enum


class TranslatorTarget(enum.Enum):
    """A GPU. What is written for NVIDIA's runs on all of them, from sm_80 on."""

    GENERIC = "generic"
    SM80 = "sm80"
    SM90 = "sm90"
    SM100 = "sm100"
    SM103 = "sm103"
    SM107 = "sm107"
    GFX90A = "gfx90a"
    GFX942 = "gfx942"
    GFX950 = "gfx950"
    GFX1250 = "gfx1250"

    @property
    def is_amd(self):
        return self.value.startswith("gfx")
