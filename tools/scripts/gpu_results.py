#!/usr/bin/env python3
"""Collects the measurements of gpu-test.sh in a JSON file, and makes tables from it.

    gpu_results.py FILE machine           adds KEY=VALUE lines from standard input
    gpu_results.py FILE step NAME STATUS  adds the status of a step
    gpu_results.py FILE add KEY JSON      adds the output of a benchmark
    gpu_results.py FILE table             prints the tables, in Markdown
    gpu_results.py --large FURROW FOLDER... lists real matrices with over 100,000 entries
"""

import json
import math
import pathlib
import subprocess
import sys

ENTRIES = 100_000
FIELDS = ("real", "integer", "pattern")


def load(path):
    return json.loads(path.read_text()) if path.exists() else {"machine": {}, "steps": {}}


def save(path, results):
    path.write_text(json.dumps(results, indent=1) + "\n")


def info(furrow, path):
    done = subprocess.run([furrow, "info", path, "--json"], capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def large(furrow, folders):
    """Prints real matrices with over 100,000 entries. Only files of sufficient size are opened."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.mtx")):
            found = info(furrow, path) if path.stat().st_size > 2 * ENTRIES else None
            if found and found["entries"] > ENTRIES and found["field"] in FIELDS:
                print(path)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] * len(cells))


def case_name(case):
    return pathlib.Path(case["case"]).name.removesuffix(".mtx")


def contenders(case):
    return {line["name"]: line for line in case["contenders"]}


def microseconds(line, heat):
    return f"{1e6 * line[heat]['seconds']:.1f}"


def ratio(line, heat):
    return f"{line[heat]['ratio']:.2f}" if "ratio" in line[heat] else "-"


def percent(line, heat):
    return f"{100 * line[heat]['of_copy']:.0f} %"


def spmv_table(title, cases):
    print(f"\n{title}: auto beside the better of cuSPARSE's two algorithms, f64\n")
    head("matrix", "copy, GB/s", "cuSPARSE cold, us", "auto cold, us", "of copy", "ratio",
         "cuSPARSE warm, us", "auto warm, us", "of copy", "ratio", "plan, products", "auto chose")
    for case in cases:
        lines = contenders(case)
        peers = [line for name, line in lines.items() if name.startswith("cusparse")]
        cells = [case_name(case), f"{case['copy_gbps']:.0f}"]
        for heat in ("cold", "warm"):
            best = min(peers, key=lambda line: line[heat]["seconds"], default=None)
            cells += [microseconds(best, heat) if best else "-",
                      microseconds(lines["auto"], heat), percent(lines["auto"], heat),
                      ratio(lines["auto"], heat)]
        row(*cells, f"{lines['auto']['plan_products']:.1f}", lines["auto"]["kernel"])


def kernel_table(title, cases, heat):
    names = list(dict.fromkeys(line["name"] for case in cases for line in case["contenders"]))
    print(f"\n{title}: all kernels {heat}, ratio to the better of cuSPARSE's two algorithms\n")
    head("matrix", *names)
    for case in cases:
        lines = contenders(case)
        row(case_name(case), *(ratio(lines[n], heat) if n in lines else "-" for n in names))


def summary(cases):
    for name in ("auto", "auto, measured"):
        for heat in ("cold", "warm"):
            lines = [(contenders(case).get(name), case_name(case)) for case in cases]
            ratios = [(line[heat]["ratio"], case) for line, case in lines
                      if line and "ratio" in line[heat]]
            if ratios:
                mean = math.exp(sum(math.log(value) for value, _ in ratios) / len(ratios))
                least, case = min(ratios)
                print(f"- {name}, {heat}: {mean:.2f} times cuSPARSE in geometric mean over "
                      f"{len(ratios)} matrices, least {least:.2f} ({case})")


def duel_table(title, cases):
    """Prints a table with two contenders for each case, the peer first."""
    print(f"\n{title}\n")
    head("case", "peer", "cold, us", "warm, us", "furrow", "cold, us", "warm, us", "warm, GB/s",
         "ratio cold", "ratio warm")
    for case in cases:
        own = case["contenders"][-1]
        peer = case["contenders"][0] if len(case["contenders"]) > 1 else None
        cells = [case["case"]]
        for line in (peer, own):
            cells += [line["name"] if line else "-"]
            cells += [microseconds(line, heat) if line and heat in line else "-"
                      for heat in ("cold", "warm")]
        row(*cells, f"{own['warm']['gbps']:.1f}", ratio(own, "cold") if "cold" in own else "-",
            ratio(own, "warm"))


def ladder_table(cases):
    print("\nThe reduction ladder\n")
    head("values", "step", "us", "GB/s", "step speed-up", "in all")
    for case in cases:
        for line in case["rows"]:
            row(case["case"], line["name"], f"{1e6 * line['seconds']:.1f}", f"{line['gbps']:.1f}",
                f"{line['step_speedup']:.2f}", f"{line['total_speedup']:.2f}")


def dense_table(cases):
    print("\nThe dense ladder\n")
    head("case", "step", "ms", "TFLOP/s", "of cuBLAS", "step speed-up", "note")
    for case in cases:
        for line in case["rows"]:
            row(case["case"], line["name"], f"{1e3 * line['seconds']:.3f}", f"{line['tflops']:.2f}",
                f"{100 * line['of_cublas']:.1f} %", f"{line['step_speedup']:.2f}", line["note"])


def sampled_table(cases):
    print("\nSampled products, ratio to cuSPARSE\n")
    head("case", "contender", "cold, us", "of copy", "ratio", "warm, us", "ratio")
    for case in cases:
        for line in case["contenders"]:
            row(case_name(case), line["name"], microseconds(line, "cold"), percent(line, "cold"),
                ratio(line, "cold"), microseconds(line, "warm"), ratio(line, "warm"))


def stencil_table(cases):
    print("\nStencils, and the same as matrices, cold\n")
    head("case", "copy, GB/s", "form", "kernel", "ns a point", "bytes a point", "GB/s", "of copy",
         "over the stencil")
    for case in cases:
        for line in case["contenders"]:
            row(case["case"], f"{case['copy_gbps']:.0f}", line["name"], line["kernel"],
                f"{line['ns_per_point']:.4f}", f"{line['bytes_per_point']:.1f}",
                f"{line['gbps']:.0f}", f"{line['percent_of_copy']:.0f} %", f"{line['ratio']:.2f}")


def sweep_table(cases):
    print("\nRepeated sweeps, in ns a point and sweep\n")
    head("case", "kernel", "sweeps in a pass", "with b", "over single ones", "without b",
         "over single ones")
    for case in cases:
        for line in case.get("sweep_kernels", []):
            row(case["case"], line["kernel"], line["depth"], f"{line['ns_per_point']:.4f}",
                f"{line['ratio']:.2f}", f"{line['ns_per_point_without_b']:.4f}",
                f"{line['ratio_without_b']:.2f}")


def solve_table(cases):
    print("\nAn iteration of conjugate gradients, f64, with Jacobi's preconditioner\n")
    head("case", "contender", "us", "bytes a row", "GB/s", "of copy", "ratio", "")
    for case in cases:
        for line in case["contenders"]:
            row(case_name(case), line["name"], f"{1e6 * line['seconds']:.1f}",
                f"{line['bytes'] / case['rows']:.0f}", f"{line['gbps']:.0f}",
                f"{100 * line['of_copy']:.0f} %", f"{line['ratio']:.2f}", line["note"])


def multigrid_table(cases):
    print("\nMultigrid, Poisson's equation\n")
    head("case", "ms", "cycles", "factor", "ms a cycle", "of copy", "ms with CG", "iterations")
    for case in cases:
        row(case["case"], f"{1e3 * case['seconds']:.2f}", case["cycles"], f"{case['factor']:.3f}",
            f"{1e3 * case['cycle_seconds']:.2f}", percent({"all": case}, "all"),
            f"{1e3 * case['cg_seconds']:.1f}", case["cg_iterations"])


def recognition_table(cases):
    print("\nStencils in matrices\n")
    head("case", "rows that differ", "recognition, ms", "refusal, us", "product, us", "kernel",
         "recognised, us")
    for case in cases:
        row(case["case"], case["rows_differing"], f"{1e3 * case['seconds_recognise']:.2f}",
            f"{1e6 * case['seconds_refuse']:.0f}", f"{1e6 * case['seconds_csr']:.0f}",
            case["kernel"], f"{1e6 * case['seconds_recognised']:.0f}")


def table(results):
    machine = results["machine"]
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print("\nSteps: " + ", ".join(f"{name} {end}" for name, end in results["steps"].items()))
    cases = []
    for key, title in (("spmv", "Generated matrices"), ("matrices", "Real matrices")):
        if results.get(key, {}).get("results"):
            spmv_table(title, results[key]["results"])
            kernel_table(title, results[key]["results"], "cold")
            cases += results[key]["results"]
    if cases:
        print()
        summary(cases)
    for key in ("reduce", "transfer"):
        if results.get(key, {}).get("results"):
            duel_table(f"furrow bench {key}", results[key]["results"])
    for key, show in (("ladder", ladder_table), ("dense", dense_table),
                      ("sddmm", sampled_table), ("stencil", stencil_table),
                      ("stencil", sweep_table), ("solve", solve_table),
                      ("multigrid", multigrid_table),
                      ("recognise", recognition_table)):
        if results.get(key, {}).get("results"):
            show(results[key]["results"])


def main(arguments):
    if arguments[0] == "--large":
        large(arguments[1], arguments[2:])
        return
    path = pathlib.Path(arguments[0])
    results = load(path)
    verb, *rest = arguments[1:]
    if verb == "machine":
        results["machine"].update(line.rstrip("\n").split("=", 1) for line in sys.stdin)
    elif verb == "step":
        results["steps"][rest[0]] = "passed" if rest[1] == "0" else "failed"
    elif verb == "add":
        results[rest[0]] = json.loads(pathlib.Path(rest[1]).read_text())
    else:
        table(results)
        return
    save(path, results)


if __name__ == "__main__":
    main(sys.argv[1:])
