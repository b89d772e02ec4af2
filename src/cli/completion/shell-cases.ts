import type { CommandEntry, Values } from './command-tree.ts'

/**
 * Shell functions that both bash and zsh understand. For a command path such as `audience runs`, they print its
 * commands, its options, the kind of an option's value (they fail for a switch), and the kind of the argument at a
 * position.
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
