"""A benchmark as a table, a plot and a CSV file: what to run, and what to make of it. Users find all of it in `triton.testing`."""

import os
from typing import Any


class Benchmark:
    """One plot: what stands on the x axis, which lines there are, and how the picture looks."""

    def __init__(
        self,
        x_names: list[str],
        x_vals: list[Any],
        line_arg: str,
        line_vals: list[Any],
        line_names: list[str],
        plot_name: str,
        args: dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles=None,
    ):
        """
        :param x_names: the arguments that vary along the x axis
        :param x_vals: their values: a number given to all of them, or a tuple with one for each
        :param line_arg: the argument that tells the lines apart
        :param line_vals: its value for each line
        :param line_names: the name of each line in the legend and the table
        :param plot_name: the title, and the name of the files; no picture is made when it is empty
        :param args: arguments that stay the same
        :param styles: a (color, linestyle) for each line
        """
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles

    def points(self):
        """The arguments along the x axis, one tuple per point."""
        for value in self.x_vals:
            point = tuple(value) if isinstance(value, (list, tuple)) else (value,) * len(self.x_names)
            if len(point) != len(self.x_names):
                raise ValueError(f"expected {len(self.x_names)} values for {self.x_names}, got {point}")
            yield point


class Mark:
    """A function to measure with the benchmarks that `perf_report` gave it."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Runs every benchmark. The function gives a number, or (value, low, high) for a band around the line.

        :param print_data: print a table
        :param save_path: write `<plot_name>.png`, `<plot_name>.csv` and `results.html` into this folder
        :param return_df: return the tables as pandas data frames (one, or a list as `perf_report` was given a list)
        :param kwargs: passed on to the function; except `diff_col` (add a column with the difference of two lines) and
            `save_precision` (digits in the CSV file)
        """
        single = isinstance(self.benchmarks, Benchmark)
        frames, pictures = [], []
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        try:
            for benchmark in [self.benchmarks] if single else self.benchmarks:
                frames.append(self._run(benchmark, save_path, show_plots, print_data, **kwargs))
                if benchmark.plot_name:
                    pictures.append(f"{benchmark.plot_name}.png")
        finally:
            if save_path:
                images = "".join(f'<image src="{name}"/>\n' for name in pictures)
                with open(os.path.join(save_path, "results.html"), "w") as file:
                    file.write(f"<html><body>\n{images}</body></html>\n")
        if return_df:
            return frames[0] if single else frames
        return None

    def _run(self, benchmark, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        import pandas

        unit = f" ({benchmark.ylabel})" if benchmark.ylabel else ""
        names = [name + unit for name in benchmark.line_names]
        rows, bands = [], []
        for point in benchmark.points():
            results = []
            for line in benchmark.line_vals:
                arguments = {**dict(zip(benchmark.x_names, point)), benchmark.line_arg: line, **benchmark.args}
                results.append(_with_band(self.fn(**arguments, **kwargs)))
            rows.append([*point, *(value for value, _, _ in results)])
            bands.append([(low, high) for _, low, high in results])
        frame = pandas.DataFrame(rows, columns=[*benchmark.x_names, *names])

        if benchmark.plot_name and (show_plots or save_path):
            _plot(benchmark, frame, names, bands, save_path, show_plots)
        if diff_col and len(names) == 2:
            frame["Diff"] = frame[names[1]] - frame[names[0]]
        if print_data:
            print(benchmark.plot_name + ":")
            print(frame.to_string())
        if save_path and benchmark.plot_name:
            path = os.path.join(save_path, f"{benchmark.plot_name}.csv")
            frame.to_csv(path, float_format=f"%.{save_precision}f", index=False)
        return frame


def _with_band(result):
    """(value, low, high) of what a measured function gives; without a band, the last two are None."""
    try:
        value, low, high = result
    except TypeError:
        return result, None, None
    return value, low, high


def _plot(benchmark, frame, names, bands, save_path, show_plots):
    import matplotlib

    if not show_plots:
        matplotlib.use("Agg")  # a picture in a file needs no display
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.8))
    x = frame[benchmark.x_names[0]]
    for index, name in enumerate(names):
        color, line_style = benchmark.styles[index] if benchmark.styles else (None, None)
        (line,) = axes.plot(x, frame[name], label=benchmark.line_names[index], color=color, linestyle=line_style)
        low, high = zip(*(band[index] for band in bands))
        if None not in low and None not in high:
            axes.fill_between(x, low, high, alpha=0.15, color=line.get_color())
    axes.set_title(benchmark.plot_name)
    axes.set_xlabel(benchmark.xlabel or ", ".join(benchmark.x_names))
    axes.set_ylabel(benchmark.ylabel)
    if benchmark.x_log:  # setting a linear scale would take the labels of texts away
        axes.set_xscale("log", base=2)
    if benchmark.y_log:
        axes.set_yscale("log")
    elif axes.dataLim.y0 >= 0:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    if save_path:
        figure.savefig(os.path.join(save_path, f"{benchmark.plot_name}.png"), dpi=120)
    if show_plots:
        pyplot.show()
    pyplot.close(figure)


def perf_report(benchmarks):
    """Decorates a function to measure with one Benchmark or a list of them; then call `.run()` on it."""
    return lambda fn: Mark(fn, benchmarks)
