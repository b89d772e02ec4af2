import type { CommandEntry, OptionEntry, Values } from './command-tree.ts'
import { shellCases } from './shell-cases.ts'

/** The completion script for fish. */
export function fishScript(tree: readonly CommandEntry[]): string {
  const inner = tree.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`)))
  return `# Completion of audience for fish: audience completion fish > ~/.config/fish/completions/audience.fish
set -g __audience_paths ${inner.join(' ')}

# Whether the words so far lead to this command.
function __audience_at
    set -l at audience
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" $__audience_paths
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end

function __audience_list
    audience completion --list $argv[1] 2>/dev/null
end

complete -c audience -f
${tree.flatMap(lines).join('\n')}
`
}

function lines({ path, commands, options, args }: CommandEntry): string[] {
  const at = `complete -c audience -n ${quoted(`__audience_at ${quoted(path)}`)}`
  return [
    ...commands.map(({ name, summary }) => `${at} -a ${name} -d ${quoted(summary)}`),
    ...options.map((option) => `${at} ${optionText(option)}`),
    ...new Set(args.flatMap(({ values }) => (values === 'any' ? [] : [`${at} ${valuesText(values)}`]))),
  ]
}

function optionText({ flags, summary, values }: OptionEntry): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const takes = values === undefined ? '' : ` -x${values === 'any' ? '' : ` ${valuesText(values)}`}`
  return `${names.join(' ')} -d ${quoted(summary)}${values === 'file' ? ' -r -F' : takes}`
}

function valuesText(values: Values): string {
  if (values === 'file') return '-F'
  return `-a ${quoted(typeof values === 'string' ? `(__audience_list ${values})` : values.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** The completion script for bash. */
export function bashScript(tree: readonly CommandEntry[]): string {
  return `# Completion of audience for bash: eval "$(audience completion bash)"
${shellCases(tree)}
__audience_offer() {
  local kind=$1 word=$2
  case "$kind" in
    words\\ *) COMPREPLY=($(compgen -W "\${kind#words }" -- "$word")) ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    any|'') COMPREPLY=() ;;
    *) COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion --list "$kind" 2>/dev/null | cut -f1)" -- "$word")) ;;
  esac
}

_audience() {
  local word=\${COMP_WORDS[COMP_CWORD]} at=audience takes='' count=0 i one
  for ((i = 1; i < COMP_CWORD; i++)); do
    one=\${COMP_WORDS[i]}
    if [[ -n $takes ]]; then takes=''; continue; fi
    if [[ $one == -* ]]; then takes=$(__audience_takes "$at" "$one"); continue; fi
    if [[ " $(__audience_commands "$at") " == *" $one "* ]]; then at="$at $one"; else count=$((count + 1)); fi
  done
  if [[ -n $takes ]]; then __audience_offer "$takes" "$word"
  elif [[ $word == -* ]]; then __audience_offer "words $(__audience_options "$at")" "$word"
  elif [[ -n $(__audience_commands "$at") ]]; then __audience_offer "words $(__audience_commands "$at")" "$word"
  else __audience_offer "$(__audience_argument "$at" "$count")" "$word"
  fi
}
complete -F _audience audience
`
}

/** The completion script for zsh. */
export function zshScript(tree: readonly CommandEntry[]): string {
  return `#compdef audience
# Completion of audience for zsh: eval "$(audience completion zsh)"
${shellCases(tree)}
__audience_offer() {
  local kind=$1
  case "$kind" in
    words\\ *) compadd -- \${=kind#words } ;;
    file) _files ;;
    any|'') ;;
    *) compadd -- \${(f)"$("\${words[1]}" completion --list "$kind" 2>/dev/null | cut -f1)"} ;;
  esac
}

_audience() {
  local at=audience takes='' one
  local -i count=0 i
  for ((i = 2; i < CURRENT; i++)); do
    one=\${words[i]}
    if [[ -n $takes ]]; then takes=''; continue; fi
    if [[ $one == -* ]]; then takes=$(__audience_takes "$at" "$one"); continue; fi
    if [[ " $(__audience_commands "$at") " == *" $one "* ]]; then at="$at $one"; else count=$((count + 1)); fi
  done
  if [[ -n $takes ]]; then __audience_offer "$takes"
  elif [[ \${words[CURRENT]} == -* ]]; then __audience_offer "words $(__audience_options "$at")"
  elif [[ -n $(__audience_commands "$at") ]]; then __audience_offer "words $(__audience_commands "$at")"
  else __audience_offer "$(__audience_argument "$at" "$count")"
  fi
}

if [[ \${funcstack[1]} == _audience ]]; then _audience "$@"; else compdef _audience audience; fi
`
}
