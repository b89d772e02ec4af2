import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Terminal } from './terminal.ts'
import { count, formatBytes } from './views/figures.ts'

/** `audience backup FILE`. */
export function backupCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('backup')
    .summary('copy the state to a file, also while audience start runs')
    .description(
      'Copies the state (runs, what triggers have done, notifications) to a new file, as it is at one moment, also while audience start runs. ' +
        'It does not contain the data of the embedded service.',
    )
    .argument('<file>', 'the file to write; it must not exist yet')
    .addHelpText(
      'after',
      `
Examples:
  audience backup state-2026-11-21.db
  mkdir restored && cp state-2026-11-21.db restored/runs.db && AUDIENCE_STATE=restored audience runs list
`,
    )
    .action(async (file: string) => {
      const { backupState } = await import('../app/state-files.ts')
      const { settingsOf } = await import('./settings-of.ts')
      const target = resolve(terminal.cwd, file)
      const { runs, bytes } = await backupState(settingsOf(terminal).state, target)
      terminal.out.write(`copied ${count(runs, 'run')} (${formatBytes(bytes)}) to ${target}\n`)
      finish(0)
    })
}
