import type { Command } from 'commander'
import { makeProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

/** What `audience help …` prints, for one command. */
export interface CommandHelp {
  /** Such as `audience runs list`. */
  readonly name: string
  readonly text: string
}

const WIDTH = 110

/** The help of every command, each after its parent command; for `api`, without its operations. */
export async function commandHelp(): Promise<CommandHelp[]> {
  let written = ''
  const program = await makeProgram({
    terminal: processTerminal(),
    finish: () => {},
    isNeeded: () => true,
    output: {
      writeOut: (text) => {
        written += text
      },
      getOutHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
    },
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
