import type { CommandEntry, OptionEntry, Values } from './command-tree.ts'

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
