import type { Command, OutputConfiguration } from 'commander'
import { fence, page } from './markdown.ts'

/** The page with the help texts of all commands. */
export function commandsPage(commands: readonly { name: string; text: string }[]): string {
  return page(
    '# Commands',
    [
      'This page shows what `audience help` and `audience help COMMAND` print. [Exit codes](exit-codes.md) explains the exit codes;',
      '[operations](operations.md) has the operations that `audience api` calls.',
    ].join('\n'),
    ...commands.flatMap(({ name, text }) => [`## ${name}`, fence('text', text)]),
  )
}

/** What `audience help …` prints, for one command. */
export interface CommandHelp {
  /** For example, `audience runs list`. */
  readonly name: string
  readonly text: string
}

const WIDTH = 110

/** The help of every command, each after its parent command; for `api`, without its operations. */
export async function commandHelp(
  makeProgram: (output: OutputConfiguration) => Promise<Command>,
): Promise<CommandHelp[]> {
  let written = ''
  const program = await makeProgram({
    writeOut: (text) => {
      written += text
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  })
  const helpOf = (command: Command, parents: string): CommandHelp[] => {
    const name = `${parents}${command.name()}`
    written = ''
    command.outputHelp()
    const text = written.trim()
    const inner = command.name() === 'api' ? [] : command.commands.flatMap((one) => helpOf(one, `${name} `))
    return [{ name, text }, ...inner]
  }
  return helpOf(program, '')
}
