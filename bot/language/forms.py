"""Recognises what is pasted - a command, a manifest, an event, an error, a table of types.

A form is no sentence: what stands in its known places is said, the rest of it is taken. So a key
that occurs twice contradicts nothing, and no number in it is a wish.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bot.language.draft import Draft
from bot.language.names.instances import instance_type
from bot.language.text.phrases import hits
from bot.language.text.tables import sections_of
from bot.language.text.vocabulary import Vocabulary
from engine.pick.reasons import counted_words

_SECTIONS: Final = sections_of(Path(__file__).with_name("forms.txt"))


def _words_listed(section: str) -> frozenset[str]:
    return frozenset(word for _, _, words in _SECTIONS[section] for word in words.split())


IGNORED_FLAGS: Final = _words_listed("flags")
IGNORED_KEYS: Final = _words_listed("keys")
SPEC_WORDS: Final = _words_listed("specs")

PLACES_OF_FLAGS: Final = tuple(
    (field, program, frozenset(names.split())) for field, program, names in _SECTIONS["places"]
)
# A name and its value on two lines, as pods list their environment.
PAIR: Final = re.compile(
    r"(?:- )?\bname: [\"']?(?P<key>[a-z][a-z0-9]*_[a-z0-9_]+)[\"']?\s+value:[ \t]+"
    r"[\"']?(?P<value>[\w./:-]+)[\"']?"
)
# A command's words as a list of JSON: `["--model", "x", "--quantization", "awq"]`.
_WORD: Final = r"(?:\"[^\"\n]*\"|'[^'\n]*')"
LISTED: Final = re.compile(rf"\[\s*{_WORD}(?:\s*,\s*{_WORD})+,?\s*\]")
BETWEEN_LISTED: Final = re.compile(r"\A\[\s*[\"']|[\"']\s*,\s*[\"']|[\"']\s*,?\s*\]\Z")
# The runtime of KServe, which is no model.
SERVER_NAME: Final = re.compile(r"(?:\bmodel:\s*)?\bmodelformat:\s*\{?\s*name:[ \t]*[\w-]+")
SAGEMAKER: Final = re.compile(r"(?<![\w.])ml\.(?=[a-z][a-z0-9-]*\.\w)")
COMMAND: Final = re.compile(
    r"\b(?:docker|podman|nerdctl) run\b|\bvllm serve\b|\bpython3? -m\b|\btrtllm-serve\b"
    r"|\btext-generation-launcher\b|\blaunch_server\b|\bllama-server\b"
    rf"|\b(?:{'|'.join(sorted(_words_listed('programs')))}) \S*server\b"
)
FLAG: Final = re.compile(
    r"(?<!\S)--?(?P<name>[a-z][a-z0-9-]*)(?:(?:=|\s+)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\0-]\S*))?"
)
FLAG_VALUE: Final = re.compile(r".*[\d:/=\"'].*|host|nvidia|none|auto|always|unless-stopped")
IMAGE: Final = re.compile(r"(?<!\S)(?:[\w.-]+/)+(?P<name>[\w.-]+:[\w.-]+)(?!\S)")
MANIFEST: Final = re.compile(
    r"\b(?:apiversion|containers|limits|requests|nodeselector):|\bnvidia\.com/gpu\b"
)
EVENT: Final = re.compile(
    r"\bfailedscheduling\b|\bcannot be scheduled\b|\bnodes? (?:is|are) available\b"
    r"|\bno instance type (?:satisf|which|met)\w*|\bincompatible with (?:nodepool|provisioner)"
)
NODES_FREE: Final = re.compile(
    r"\b\d+/\d+ nodes? (?:is|are) available:?|\b\d+ insufficient [\w./-]+\w|\bpods?\b"
)
RESOURCE: Final = re.compile(
    r"(?<![\w/])(?P<what>nvidia\.com/gpu|aws\.amazon\.com/neuron\w{0,8}|cpu|memory"
    r"|vpc\.amazonaws\.com/efa)[\"']?\s?[:= ]\s?[\"']?"
    r"(?P<n>\d+(?:\.\d+)?)(?P<unit>m|[kmgt]i?)?(?![\w.])"
)
DETAIL_OF: Final = {"cpu": "vcpus", "memory": "host_ram"}
# A key and its value up to the next key: chats fold the lines of a manifest into one.
KEY_LINE: Final = re.compile(
    r"(?m)(?:^|(?<=\s))[ \t{-]*[\"']?(?P<key>[a-z][\w./-]*)[\"']?:(?=\s|$)"
    r"(?P<value>(?:(?![ \t][\w./-]+:(?:\s|$))[^\n])*)"
)
READ_ELSEWHERE: Final = frozenset({"args", "command", "env", "- name"})
BLOCK: Final = re.compile(r"\b(?:resource|module|data) \"[\w-]+\"(?: \"[\w-]+\")? ?\{")
PLACES: Final = {
    "instance": re.compile(r"\binstance_types?\s*=\s*\[?\s*\"(?P<value>[\w.-]+)\""),
    "nodes": re.compile(r"\b(?:count|desired_(?:size|capacity))\s*=\s*(?P<value>\d{1,4})\b"),
    "region": re.compile(r"\bregion\s*=\s*\"(?P<value>[\w-]+)\""),
}
CONFIG: Final = re.compile(r"\{(?=[^{}]*\"(?:hidden_size|num_hidden_layers|model_type|n_layer)\")")
CONFIG_NAME: Final = re.compile(r"\"_?name_or_path\"\s*:\s*\"(?P<value>[^\"\n]+)\"")
ERRORS: Final = tuple(
    map(
        re.compile,
        (
            r"\b(?:torch\.)?(?:cuda\.)?(?:outofmemory|value|runtime|assertion)error\b:?",
            r"\bcuda (?:error: )?out of memory\b(?:, [\d.]+ ?[kmg]ib\b)?",
            r"\btried to allocate [\d.]+ ?[kmg]ib\b",
            r"\bgpu \d+ has a total capacity of [\d.]+ ?[kmg]ib\b",
            r"\bof which [\d.]+ ?[kmg]ib is free\b",
            r"\bgpu \d+; [\d.]+ ?[kmg]ib total capacity\b",
            r"\bprocess \d+ has [\d.]+ ?[kmg]ib memory in use\b",
            r"[\d.]+ ?[kmg]ib (?:total capacity|already allocated|free|(?:is )?reserved)\b",
            r"[\d.]+ ?[kmg]ib (?:is allocated|memory in use|allowed)\b(?: by pytorch)?",
            r"\bthe model's max seq len \((?P<context>\d+)\) is larger than the maximum number\b",
            r"\bof tokens that can be stored in kv cache \(\d+\)",
            r"\boomkilled\b|\bexit code \d+\b|\bno space left on device\b",
        ),
    )
)
MEMORY_SHORT: Final = re.compile("out of memory|oomkilled|max seq len")
TABLE_ROW: Final = re.compile(r"(?m)^[^|\n]*(?:\|[^|\n]*){2,}$")
CELL: Final = re.compile(r"[^|\n]+")
CELL_END: Final = re.compile(r" - |\?|[.;] ")  # a question may stand behind the last cell
TYPE_IN: Final = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")


def read_forms(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say what stands in the known places of every form, and take the rest of it."""
    for pair in reversed(list(PAIR.finditer(draft.reader.work))):
        draft.reader.put(*pair.span(), f"{pair['key']}={pair['value']}")
    _unquote_lists(draft)
    for pattern, read in FORMS:
        for match in draft.reader.matches(pattern):
            read(draft, match, vocabulary)


def _unquote_lists(draft: Draft) -> None:
    """Blank the quotes and commas of a command in a list: they belong to none of its words."""
    for listed in LISTED.finditer(draft.reader.work):
        for mark in BETWEEN_LISTED.finditer(listed[0]) if "--" in listed[0] else ():
            start, end = (listed.start() + place for place in mark.span())
            draft.reader.put(start, end, " " * (end - start))


def _read_sagemaker(draft: Draft, match: re.Match[str], _vocabulary: Vocabulary) -> None:
    draft.note(
        "sagemaker_type",
        "`ml.` types are sold by SageMaker at its own price: read as the EC2 type they run on.",
    )
    draft.reader.take(*match.span())


def _read_server_name(draft: Draft, match: re.Match[str], _vocabulary: Vocabulary) -> None:
    draft.reader.take(*match.span())  # it names what serves, no model


def _read_error(draft: Draft, match: re.Match[str], _vocabulary: Vocabulary) -> None:
    context = match.groupdict().get("context")
    if context:
        draft.say("context", float(context), *match.span())
    draft.mark("detail:error", *match.span())
    if MEMORY_SHORT.search(match[0]):
        draft.mark("topic:fit", *match.span())


def _read_command(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    """Take the flags of a container or server that say nothing of the load, and the image's tag."""
    _say_framework(draft, *match.span(), vocabulary)
    draft.reader.take(*match.span())
    for image in IMAGE.finditer(draft.reader.work, match.end()):
        _say_framework(draft, *image.span("name"), vocabulary)
        draft.reader.take(*image.span())
    for flag in FLAG.finditer(draft.reader.work, match.end()):
        if flag["name"].startswith("enable-"):
            draft.reader.take(flag.start(), flag.start("name") + len("enable"))
        if _say_place(draft, flag, match[0]) or flag["name"] not in IGNORED_FLAGS:
            continue
        has_value = flag["value"] is not None and FLAG_VALUE.fullmatch(flag["value"])
        end = flag.end() if has_value and not _names_type(flag["value"], vocabulary) else None
        draft.reader.take(flag.start(), end or flag.end("name"))


def _say_place(draft: Draft, flag: re.Match[str], command: str) -> bool:
    """Say the field that a short flag of this command is; return whether it is one."""
    for field, program, names in PLACES_OF_FLAGS:
        value = (flag["value"] or "").strip("\"'")
        if flag["name"] in names and program in command and value.isdigit():
            draft.say(field, float(value), *flag.span())
            return True
    return False


def _names_type(word: str, vocabulary: Vocabulary) -> bool:
    return word.strip(",;?.") in vocabulary.catalog.instances


def _read_manifest(draft: Draft, _match: re.Match[str], vocabulary: Vocabulary) -> None:
    """Read what pods ask for and run; a key's first line counts, others repeat it elsewhere."""
    _read_resources(draft)
    seen: set[str] = set()
    for line in KEY_LINE.finditer(draft.reader.work):
        key = line["key"]
        if key == "image":
            _say_framework(draft, *line.span("value"), vocabulary)
        opens = not line["value"].strip() and key not in READ_ELSEWHERE  # a block: says nothing
        if opens or key in IGNORED_KEYS or (key in seen and key not in READ_ELSEWHERE):
            draft.reader.take(*line.span())
        seen.add(key)


def _say_framework(draft: Draft, start: int, end: int, vocabulary: Vocabulary) -> None:
    """Record the server that a command or an image is."""
    for hit in hits(draft.reader.work[start:end], vocabulary.phrases):
        for meaning in hit.meanings:
            if meaning.name == "framework" and "framework" not in draft.said:
                draft.say("framework", meaning.value, start, end)


def _read_event(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    """Read what a pod asked for in vain; of the types that were tried the family is meant."""
    _read_resources(draft)
    for free in NODES_FREE.finditer(draft.reader.work):
        draft.reader.take(*free.span())
    for tried in TYPE_IN.finditer(draft.reader.work, match.start()):
        if (name := instance_type(tried[0], vocabulary)) is not None:
            _say_too_few(draft, name, vocabulary)
            draft.say("allow", name.partition(".")[0], *tried.span())
    draft.mark("detail:event", *match.span())


def _say_too_few(draft: Draft, name: str, vocabulary: Vocabulary) -> None:
    """Say of a type that was tried in vain that it has fewer GPUs than the pod asks for."""
    asked = next((int(str(one.value)) for one in draft.said.get("gpu_count", ())), 0)
    has = vocabulary.catalog.instances[name].accelerators
    if has < asked:
        few = "no GPU" if has == 0 else f"{counted_words(has)} GPU{'s' * (has > 1)}"
        draft.note(f"too_few:{name}", f"{name} has {few}, the pod asks for {counted_words(asked)}.")


def _read_resources(draft: Draft) -> None:
    """Say the GPUs that a pod asks for; its processors and memory are kept as facts."""
    for match in RESOURCE.finditer(draft.reader.work):
        what, count = match["what"], float(match["n"])
        if what in DETAIL_OF:
            draft.details.setdefault(DETAIL_OF[what], f"{match['n']}{match['unit'] or ''}")
        elif what.endswith("gpu"):
            draft.details.setdefault("resource_name", match[0])
            _say_gpus(draft, count, match)
        draft.reader.take(*match.span())


def _say_gpus(draft: Draft, count: float, match: re.Match[str]) -> None:
    """Record the GPUs of one pod; several split the model."""
    if "gpu_count" not in draft.said and count >= 1:
        draft.say("gpu_count", count, *match.span())
    if count > 1 and "tensor_parallel" not in draft.said:
        draft.say("tensor_parallel", count, *match.span())


def _read_terraform(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    end = _closing(draft.reader.work, match.end() - 1)
    for name, pattern in PLACES.items():
        place = pattern.search(draft.reader.work, match.start(), end)
        if place is None or name in draft.said:
            continue
        value = instance_type(place["value"], vocabulary) if name == "instance" else place["value"]
        if value is not None:
            draft.say(name, float(value) if name == "nodes" else value, *place.span())
    draft.reader.take(match.start(), end)


def _read_pasted_config(draft: Draft, match: re.Match[str], _vocabulary: Vocabulary) -> None:
    """Leave the name of a pasted config.json open, to be read as any other; take its numbers."""
    end = _closing(draft.reader.work, match.start())
    name = CONFIG_NAME.search(draft.reader.work, match.start(), end)
    if name is None:
        draft.note(
            "config_pasted",
            "A pasted config.json is not sized from here: give the file with `--model-config`, or"
            " say the model's name or size.",
        )
        draft.mark("detail:config", match.start(), end)
        return
    draft.reader.take(match.start(), name.start("value"))
    draft.reader.take(name.end("value"), end)


def _closing(text: str, start: int) -> int:
    """Return where the brace that opens at `start` closes, or the text ends."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def _read_row(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    """Take the cells that describe a type in a row of a table: facts of it, no wishes."""
    types = TYPE_IN.findall(match[0])
    if not any(one in vocabulary.catalog.instances for one in types):
        return
    for cell in CELL.finditer(draft.reader.work, *match.span()):
        words = set(re.findall(r"[a-z][\w-]*", cell[0]))
        if words & SPEC_WORDS or "$" in cell[0]:
            stop = CELL_END.search(draft.reader.work, *cell.span())
            has_type = any(one in vocabulary.catalog.instances for one in TYPE_IN.findall(cell[0]))
            if not has_type:
                draft.mark("detail:spec", cell.start(), stop.start() if stop else cell.end())


Read = Callable[[Draft, re.Match[str], Vocabulary], None]
FORMS: Final[tuple[tuple[re.Pattern[str], Read], ...]] = (
    (SAGEMAKER, _read_sagemaker),
    (SERVER_NAME, _read_server_name),
    (CONFIG, _read_pasted_config),
    (BLOCK, _read_terraform),
    (TABLE_ROW, _read_row),
    *((pattern, _read_error) for pattern in ERRORS),
    (COMMAND, _read_command),
    (EVENT, _read_event),
    (MANIFEST, _read_manifest),
)
