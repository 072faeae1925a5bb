"""Options that take a list of known names."""

import argparse


def some_of(known):
    """The type of an option whose value is a list, by commas, of names among `known`."""
    def chosen(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name}: choose from {', '.join(known)}")
        return names

    return chosen
