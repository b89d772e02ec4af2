import type { CommandEntry, Values } from './command-tree.ts'

/**
 * Functions for a command path such as `audience runs`, in a form that both bash and zsh understand: its commands and
 * options, what an option takes (fails for a switch), and what the argument at a position is.
 */
export function shellCases(tree: readonly CommandEntry[]): string {
  const commands = tree.filter(({ commands: inner }) => inner.length > 0)
  return [
    cases(
      'commands',
      '$1',
      commands.map(({ path, commands: inner }) => [[path], inner.map(({ name }) => name).join(' ')]),
    ),
    cases(
      'options',
      '$1',
      tree.map(({ path, options }) => [[path], options.flatMap(({ flags }) => flags).join(' ')]),
    ),
    cases(
      'takes',
      '$1|$2',
      tree.flatMap(({ path, options }) =>
        options.flatMap(({ flags, values }) =>
          values === undefined ? [] : [[flags.map((flag) => `${path}|${flag}`), text(values)] as const],
        ),
      ),
    ),
    cases(
      'argument',
      '$1|$2',
      tree.flatMap(({ path, args }) =>
        args.map(({ values, repeats }, at) => [[`${path}|${repeats ? '*' : at}`], text(values)] as const),
      ),
    ),
  ].join('\n')
}

/** A list of words begins with `words`, so that it cannot be mistaken for a kind of value. */
function text(values: Values): string {
  return typeof values === 'string' ? values : `words ${values.join(' ')}`
}

function cases(name: string, subject: string, all: readonly (readonly [readonly string[], string])[]): string {
  const lines = all.map(([patterns, result]) => `    ${patterns.map(pattern).join('|')}) echo '${result}' ;;`)
  return `__audience_${name}() {\n  case "${subject}" in\n${lines.join('\n')}\n    *) return 1 ;;\n  esac\n}\n`
}

/** Quoted, except for a `*` at the end. */
function pattern(value: string): string {
  return value.endsWith('*') ? `'${value.slice(0, -1)}'*` : `'${value}'`
}
