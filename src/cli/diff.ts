import { Command } from 'commander'
import type { DiffFlags } from './diff-runs.ts'
import { RUN_HELP } from './run-help.ts'
import type { Terminal } from './terminal.ts'

/** `audience diff RUN RUN`. */
export function diffCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  return new Command('diff')
    .description(
      'Shows how the lists that two runs prepared differ: how many keys were added, removed and kept. It prints figures, and never people.',
    )
    .argument('<run>', 'the earlier run')
    .argument('<run>', 'the later run')
    .option('--json', 'one JSON object with before, after and steps')
    .addHelpText(
      'after',
      `
Examples:
  audience diff x7f3kq latest
  audience diff 20261120t020003-x7f3kq2mzp 20261121t020003-b9w4rt8cvn --json | jq '.steps[].removed'

${RUN_HELP}
`,
    )
    .action(async (before: string, after: string, flags: DiffFlags) =>
      finish(await (await import('./diff-runs.ts')).diffRuns(before, after, flags, terminal)),
    )
}
