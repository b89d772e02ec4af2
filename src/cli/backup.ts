import { Command } from 'commander'
import type { BackupFlags } from './back-up.ts'
import type { Terminal } from './terminal.ts'

/** `audience backup FILE`. */
export function backupCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('backup')
    .summary('copy the state to a file, also while audience start runs')
    .description(
      'Copies the state (runs, what triggers have done, notifications) to a new file, as it is at one moment, also while audience start runs. ' +
        'Of a state in PostgreSQL it prints a command for the shell that does it with pg_dump. ' +
        'It does not contain the data of the embedded service, nor the fingerprints of lists.',
    )
    .argument('<file>', 'the file to write; it must not exist yet')
    .option('--with-membership', 'copy the fingerprints of lists too, with their key, to the folder FILE.membership')
    .addHelpText(
      'after',
      `
Examples:
  audience backup state-2026-11-21.db
  audience backup state-2026-11-21.db --with-membership
  audience backup state.dump | sh               a state in PostgreSQL: runs the command that it prints
  mkdir restored && cp state-2026-11-21.db restored/runs.db && AUDIENCE_STATE=restored audience runs list
`,
    )
    .action(async (file: string, flags: BackupFlags) =>
      finish(await (await import('./back-up.ts')).backUp(file, flags, terminal)),
    )
}
