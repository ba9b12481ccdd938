"""`ec2-pick catalog refresh`: rebuilds the instance data from DescribeInstanceTypes."""

import argparse
import sys
from collections.abc import Sequence


def refresh_catalog(argv: Sequence[str]) -> int:
    """Rebuild the embedded instance data from any endpoint boto3 can be pointed at."""
    parser = argparse.ArgumentParser(prog="ec2-pick catalog")
    parser.add_argument("action", choices=("refresh",))
    parser.add_argument("--region", action="append", help="only these regions (repeatable)")
    parser.add_argument("--force", action="store_true", help="publish even a much shorter list")
    options = parser.parse_args(argv)
    from catalog.collect.refresh import refresh
    from catalog.compile import compile_catalog
    from catalog.facts.errors import CatalogError
    from catalog.load import DATA_DIR

    try:
        report = refresh(DATA_DIR, regions=options.region, force=options.force)
        if report.published:
            compile_catalog(DATA_DIR)
    except CatalogError as error:
        sys.stderr.write(f"ec2-pick: {error}\n")
        return 2
    sys.stdout.write(f"{report}\n")
    return 0 if report.published else 1
