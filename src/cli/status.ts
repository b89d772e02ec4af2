import { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** `audience status`. */
export function statusCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('status')
    .summary('how it goes: daemon, runs, what needs you, next slots, folders')
    .description(
      'Shows on one screen how it goes: the daemon, the runs and those that need a person, the next slots, the watched folders. ' +
        'It looks at the state and the pipelines folder, changes nothing, and works without a daemon.',
    )
    .option('--json', 'one JSON object; docs/production.md describes it')
    .addHelpText('after', '\nExamples:\n  audience status\n  audience status --json | jq .needsYou\n')
    .action(async (flags: { readonly json?: true }) => {
      const { showStatus } = await import('./show-status.ts')
      finish(await showStatus(flags, terminal))
    })
}
