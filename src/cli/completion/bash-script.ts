import type { CommandEntry } from './command-tree.ts'
import { shellCases } from './shell-cases.ts'

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
