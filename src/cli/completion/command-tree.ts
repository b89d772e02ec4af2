import type { Command, Option } from 'commander'
import { RUN_STATUSES } from '../../core/format/statuses.ts'
import { LISTS, type List } from './shells.ts'

/** The facts about a command that completion needs. */
export interface CommandEntry {
  /** For example, `audience runs list`. */
  readonly path: string
  readonly summary: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly OptionEntry[]
  /** The kinds of its arguments; the last one may repeat. */
  readonly args: readonly { readonly values: Values; readonly repeats: boolean }[]
}

export interface OptionEntry {
  /** For example, `-p` and `--profile`. */
  readonly flags: readonly string[]
  readonly summary: string
  /** The kind of its value; undefined for a switch. */
  readonly values: Values | undefined
}

/** What a value can be: one of these words, an item of a list that the command prints, a file, or anything. */
export type Values = readonly string[] | List | 'file' | 'any'

/** Options with a few values that commander does not check. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  '--status': RUN_STATUSES,
  '--trigger': ['schedule', 'watch', 'after', 'manual', 'run'],
  '--log-level': ['debug', 'info', 'warn', 'error', 'silent'],
}

/** Every command of a program, each after its parent. */
export function commandTree(command: Command, above = ''): readonly CommandEntry[] {
  const path = `${above}${command.name()}`
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = [...help.visibleOptions(command), ...(above === '' ? [] : help.visibleGlobalOptions(command))]
  return [
    {
      path,
      summary: firstLine(command.summary() || command.description()),
      commands: commands.map((one) => ({ name: one.name(), summary: firstLine(one.summary() || one.description()) })),
      options: options.map(optionEntry),
      args: command.registeredArguments.map((argument) => ({
        values: argument.argChoices ?? namedValues(argument.name()),
        repeats: argument.variadic,
      })),
    },
    ...commands.filter((one) => one.name() !== 'help').flatMap((one) => commandTree(one, `${path} `)),
  ]
}

function optionEntry(option: Option): OptionEntry {
  const { short, long, argChoices, required, optional, flags, description } = option
  const placeholder = /<([^>]*)>/.exec(flags)?.[1] ?? ''
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    summary: firstLine(description),
    values: required || optional ? (argChoices ?? WORDS[long ?? ''] ?? optionValues(long, placeholder)) : undefined,
  }
}

function optionValues(long: string | undefined, placeholder: string): Values {
  return long === '--pipeline' ? 'pipeline' : namedValues(placeholder)
}

/** The kind of value that a placeholder such as `<run>` stands for. */
function namedValues(name: string): Values {
  const list = LISTS.find((candidate) => candidate === name)
  if (list) return list
  return /^(file|folder|path|paths|database)/.test(name) ? 'file' : 'any'
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.replace(/\.$/, '') ?? ''
}
