import { Command } from 'commander'
import type { CheckFlags } from './state/check.ts'
import type { Terminal } from './terminal.ts'

/** `audience state …`: maintenance of the state's files. */
export function stateCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const state = new Command('state')
    .description('Looks after the files of the state: runs, what triggers have done, notifications.')
    .addHelpText(
      'after',
      `
Examples:
  audience state check                  is the state whole? Also while audience start runs
  audience state compact                give the space of removed runs back to the disk
`,
    )
  state
    .command('check')
    .description(
      'Reads the whole state and says what is damaged. It changes nothing and works while audience start runs. Exit code 1 where something is damaged.',
    )
    .option('--json', 'one JSON object with ok, version, runs, records and problems')
    .action(async (flags: CheckFlags) =>
      finish(await (await import('./state/check.ts')).checkStateCommand(flags, terminal)),
    )
  state
    .command('compact')
    .description(
      'Writes the database anew without the space that removed runs have left. Stop audience start before. It needs as much room on the disk as the database is large.',
    )
    .action(async () => finish(await (await import('./state/compact.ts')).compactStateCommand(terminal)))
  return state
}
