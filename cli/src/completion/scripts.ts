import { assertNever } from "@consilium/core/result";
import type { ValueKind } from "./values.js";
import { completeWord } from "./word.js";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The completions after one command. */
export interface CompletionEntry {
  /** The command's words without `consilium`: `study plan`; empty for the command itself. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly {
    readonly name: string;
    readonly summary: string;
    readonly takesValue: boolean;
    /** Its possible values, if few and known. */
    readonly choices: readonly string[];
    /** The kind of ids it takes, which the program lists. */
    readonly values: ValueKind | null;
  }[];
  /** Its argument's possible values, if few and known. */
  readonly choices: readonly string[];
  /** The kind of ids its argument takes. */
  readonly values: ValueKind | null;
}

export function completionScript(shell: Shell, entries: readonly CompletionEntry[]): string {
  switch (shell) {
    case "bash":
      return bashScript(entries);
    case "zsh":
      return zshScript(entries);
    case "fish":
      return fishScript(entries);
    default:
      return assertNever(shell);
  }
}

/** The options with a value, over all commands: the word after one is not a command. */
function valueOptions(entries: readonly CompletionEntry[]): string[] {
  const all = entries.flatMap((entry) => entry.options.filter((option) => option.takesValue));
  return [...new Set(all.map((option) => option.name))].sort();
}

function wordsOf(entry: CompletionEntry): string {
  return [...entry.subcommands.map((sub) => sub.name), ...entry.choices].join(" ");
}

/** For each command, the options with known values: `<command> <option>` and the values. */
function knownOptionValues(entries: readonly CompletionEntry[]) {
  return entries.flatMap(({ path, options }) =>
    options
      .filter(({ choices, values }) => choices.length > 0 || values !== null)
      .map(({ name, choices, values }) => ({ at: `${path} ${name}`, choices, values })),
  );
}

function bashScript(entries: readonly CompletionEntry[]): string {
  const cases = entries
    .map((entry) => {
      const options = entry.options.map((option) => option.name).join(" ");
      return `    "${entry.path}") words="${wordsOf(entry)}"; options="${options}"; values="${entry.values ?? ""}" ;;`;
    })
    .join("\n");
  const optionCases = knownOptionValues(entries)
    .map(
      ({ at, choices, values }) => `      "${at}") words="${choices.join(" ")}"; values="${values ?? ""}" ;;`,
    )
    .join("\n");
  const paths = entries.map((entry) => entry.path).filter((path) => path !== "");
  return `# bash completion for consilium
_consilium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" word words="" options="" values="" skip="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${valueOptions(entries).join("|")}) skip=1 ;;
      -*) ;;
      *) case "\${path:+$path }$word" in
        ${paths.map((path) => `"${path}"`).join("|")}) path="\${path:+$path }$word" ;;
      esac ;;
    esac
  done
  case "$path" in
${cases}
  esac
  if [[ -n $skip ]]; then
    words=""; values=""
    case "$path $previous" in
${optionCases}
    esac
  elif [[ $current == -* ]]; then
    words="$options"; values=""
  fi
  if [[ -z $words && -n $values ]]; then
    words="$("\${COMP_WORDS[0]}" ${completeWord} "$values" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)"
  elif [[ -z $words ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _consilium consilium
`;
}

/** For single quotes in zsh and fish; colons and brackets mean something to zsh's _describe and are escaped too. */
function quoted(text: string, shell: "zsh" | "fish"): string {
  const line = text.replace(/\s+/g, " ");
  return shell === "zsh"
    ? line.replace(/'/g, "'\\''").replace(/:/g, "\\:")
    : line.replace(/\\/g, "\\\\").replace(/'/g, "\\'");
}

function zshScript(entries: readonly CompletionEntry[]): string {
  const cases = entries
    .map((entry) => {
      const describe = (all: readonly { name: string; summary: string }[]) =>
        all.map(({ name, summary }) => `'${name}:${quoted(summary, "zsh")}'`).join(" ");
      const choices = entry.choices.map((name) => ({ name, summary: name }));
      const candidates = describe([...entry.subcommands, ...choices]);
      const values = entry.values === null ? "" : ` values=${entry.values};`;
      return `    "${entry.path}")${values} candidates=(${candidates}); options=(${describe(entry.options)}) ;;`;
    })
    .join("\n");
  const optionCases = knownOptionValues(entries)
    .map(
      ({ at, choices, values }) =>
        `      "${at}") candidates=(${choices.map((one) => `'${one}'`).join(" ")}); values=${values ?? '""'} ;;`,
    )
    .join("\n");
  const paths = entries.map((entry) => entry.path).filter((path) => path !== "");
  return `#compdef consilium
_consilium() {
  local at="" word skip="" values="" i
  local -a candidates options found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${valueOptions(entries).join("|")}) skip=1 ;;
      -*) ;;
      *) case "\${at:+$at }$word" in
        ${paths.map((path) => `"${path}"`).join("|")}) at="\${at:+$at }$word" ;;
      esac ;;
    esac
  done
  case "$at" in
${cases}
  esac
  if [[ -n $skip ]]; then
    candidates=(); values=""
    case "$at \${words[CURRENT-1]}" in
${optionCases}
    esac
  elif [[ "$PREFIX" == -* ]]; then
    _describe -o option options
    return
  fi
  if (( \${#candidates} )); then
    _describe value candidates
  elif [[ -n $values ]]; then
    found=(\${(f)"$("\${words[1]}" ${completeWord} $values "\${words[@]:1:$((CURRENT-2))}" 2>/dev/null)"})
    compadd -a found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _consilium ]]; then
  _consilium "$@"
else
  compdef _consilium consilium
fi
`;
}

function fishScript(entries: readonly CompletionEntry[]): string {
  const paths = entries.map((entry) => entry.path).filter((path) => path !== "");
  const lines = entries.flatMap((entry) => {
    const when = `-n '__consilium_at "${entry.path}"'`;
    return [
      ...entry.subcommands.map(
        (sub) => `complete -c consilium -f ${when} -a ${sub.name} -d '${quoted(sub.summary, "fish")}'`,
      ),
      ...entry.choices.map((choice) => `complete -c consilium -f ${when} -a ${choice}`),
      ...(entry.values === null
        ? []
        : [`complete -c consilium -f ${when} -a '(__consilium_ids ${entry.values})'`]),
      ...entry.options.map((option) => {
        const known =
          option.values === null ? option.choices.join(" ") : `(__consilium_ids ${option.values})`;
        const value = option.takesValue ? ` -r${known === "" ? "" : ` -f -a '${known}'`}` : "";
        return `complete -c consilium ${when} -l ${option.name.replace(/^--/, "")}${value} -d '${quoted(option.summary, "fish")}'`;
      }),
    ];
  });
  return `# fish completion for consilium
function __consilium_at
  set -l path
  set -l skip
  for word in (commandline -opc)[2..-1]
    if test -n "$skip"
      set skip
      continue
    end
    switch $word
      case ${valueOptions(entries).join(" ")}
        set skip 1
      case '-*'
      case '*'
        switch (string join ' ' $path $word)
          case ${paths.map((path) => `'${path}'`).join(" ")}
            set path $path $word
        end
    end
  end
  test "$argv[1]" = (string join ' ' $path)
end
function __consilium_ids
  set -l words (commandline -opc)
  $words[1] ${completeWord} $argv[1] $words[2..-1] 2>/dev/null
end
${lines.join("\n")}
`;
}
