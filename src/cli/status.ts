import { AudienceCommand } from './command.ts'
import type { StatusFlags } from './show-status.ts'
import type { Terminal } from './terminal.ts'

/** `audience status`. */
export function statusCommand(terminal: Terminal, finish: (exitCode: number) => void): AudienceCommand {
  return new AudienceCommand('status')
    .description(
      'Shows on one screen the daemon, the runs, what needs a person, the next slots and the watched folders. ' +
        'It reads the state and the pipelines folder, changes nothing, and works without a daemon.',
    )
    .option('--json', 'one JSON object; docs/production.md describes it')
    .option('--watch', 'show it again every two seconds, until Ctrl-C')
    .examples(`
  audience status
  audience status --watch
  audience status --json | jq .needsYou
`)
    .action(async (flags: StatusFlags) => {
      const { showStatus } = await import('./show-status.ts')
      finish(await showStatus(flags, terminal))
    })
}
