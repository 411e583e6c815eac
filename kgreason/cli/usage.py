"""`plain_message`: says in plain words what is wrong with a command line. click's own messages are short and technical.

stats                   the option -l STORE is missing: the folder of the store
query -l s --querry x   there is no option --querry; did you mean --query or --query-file?
"""

from __future__ import annotations

import re

import click

_RANGE = re.compile(r"(.+) is not in the range x(>=?)(.+)\.")
_CHOICE = re.compile(r"'(.*)' is not one of (.+)\.")
_NUMBER = re.compile(r"'(.*)' is not a valid (integer|float).*")
_RULES = re.compile(r".+\.(dl|srl|rq)|owl2rl|rdfs|rhodf")
_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)")

_OPTION_OF_WORDS = {
    "query": "--query (a query in quotation marks) or --query-file (a file)",
    "update": "--update (an update in quotation marks) or --update-file (a file)",
    "diff": "-f (files to load), --remove (files to unload) or --update (an update in quotation marks)",
    "load": "-f (files to load)",
    "unload": "-f (files to unload)",
}
"""For commands that take no words but those of options: the options that a user may have forgotten before a word."""


def plain_message(error: click.UsageError) -> str:
    """Return the message of a wrong command line in plain words, without a full stop."""
    match error:
        case click.MissingParameter(param=click.Parameter() as parameter):
            text = _missing_message(parameter)
        case click.NoSuchOption():
            text = _no_option_message(error)
        case click.BadOptionUsage():
            text = f"the option {error.option_name} needs a value"
        case click.BadParameter(param=click.Parameter() as parameter):
            text = _wrong_value(_flag(parameter), error.message)
        case _:
            text = _words_message(error.format_message(), error.ctx)
    return text.rstrip(".")


def _missing_message(parameter: click.Parameter) -> str:
    name = parameter.make_metavar(click.Context(click.Command("")))
    if not isinstance(parameter, click.Option):
        return f"the argument {name} is missing"
    meaning = parameter.help or ""
    meaning = meaning[:1].lower() + meaning[1:] if meaning[1:2].islower() else meaning
    return f"the option {parameter.opts[0]} {name} is missing: {meaning}"


def _flag(parameter: click.Parameter) -> str:
    """Return the long name of an option, or the metavar of an argument."""
    return parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name


def _wrong_value(flag: str, message: str) -> str:
    if found := _RANGE.fullmatch(message):
        least = "at least" if found[2] == ">=" else "more than"
        return f"{flag} {found[1]}: it must be {least} {found[3]}"
    if found := _CHOICE.fullmatch(message):
        choices = found[2].replace("'", "")
        return f"{flag} {found[1]}: it must be one of {choices}"
    if found := _NUMBER.fullmatch(message):
        return f"{flag} {found[1]}: it must be {'a whole number' if found[2] == 'integer' else 'a number'}"
    return f"{flag}: {message}"


def _no_option_message(error: click.NoSuchOption) -> str:
    text = f"there is no option {error.option_name}{_suggestion(error.possibilities)}"
    if error.ctx is not None and isinstance(error.ctx.command, click.Group) and error.ctx.parent is not None:
        commands = error.ctx.command.list_commands(error.ctx)
        text = f"{error.option_name} belongs to a subcommand: write {' or '.join(commands)} before it"
    return text


def _words_message(message: str, context: click.Context | None) -> str:
    if found := _EXTRA.fullmatch(message.rstrip(".")):
        words = "the word" if " " not in found[1] else "the words"
        belong = "belongs" if " " not in found[1] else "belong"
        text = f"{words} {found[1]} {belong} to no option"
        takes_rules = context and any(each.name == "rules" for each in context.command.params)
        if takes_rules and _RULES.fullmatch(found[1].split()[0]):
            return f"{text}; write --rules before each file of rules"
        if options := _OPTION_OF_WORDS.get((context and context.info_name) or ""):
            return f"{text}; write {options} before it"
        return f"{text}; put text with spaces in quotation marks"
    if found := re.fullmatch(r"No such command '(.+?)'\.(?: Did you mean '(.+)'\?)?.*", message):
        return f"there is no command {found[1]}{_suggestion([found[2]] if found[2] else None)}"
    return message


def _suggestion(possibilities: object) -> str:
    names = sorted(possibilities) if isinstance(possibilities, (list, tuple)) else []
    return f"; did you mean {' or '.join(names)}?" if names else ""
