"""`python -m triton.tools.triton_to_gluon_translator package.module:kernel --output-path F` writes a kernel as Gluon."""

from argparse import ArgumentParser

from .target import TranslatorTarget
from .translator import main


def _run():
    parser = ArgumentParser(
        prog="python -m triton.tools.triton_to_gluon_translator", description="Writes Triton kernels as Gluon."
    )
    parser.add_argument("kernels", nargs="+", metavar="KERNEL", help="as module.path:kernel")
    parser.add_argument("--output-path", required=True, help="the file to write")
    parser.add_argument(
        "--target", default="generic", choices=[target.value for target in TranslatorTarget], help="the GPU"
    )
    options = parser.parse_args()
    try:
        main(options.kernels, options.output_path, TranslatorTarget(options.target))
    except (ImportError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    _run()
