import type { CommandEntry } from './command-tree.ts'
import { shellCases } from './shell-cases.ts'

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
