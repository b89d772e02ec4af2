import { Command } from 'commander'
import { collect } from './options.ts'
import type { PurgeFlags } from './privacy/purge.ts'
import { BY_OPTION } from './signed.ts'
import type { Terminal } from './terminal.ts'

/** `audience privacy …`: what is kept of the people in the lists. */
export function privacyCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const privacy = new Command('privacy')
    .description(
      'What the state keeps of the people in the lists that files.prepare makes: fingerprints, and no people.',
    )
    .addHelpText(
      'after',
      `
Examples:
  audience privacy purge                                 remove all fingerprints
  audience privacy purge --older-than 7d
  audience privacy purge --run x7f3kq --run latest
`,
    )
  privacy
    .command('purge')
    .description(
      'Removes fingerprints of lists now: all of them, or those that the options name. Afterwards the next run of a pipeline cannot say who was added and removed, and privacy check cannot search its list. The lists at the service stay as they are.',
    )
    .option('--older-than <duration>', 'only fingerprints that are older, such as 7d')
    .option('--run <run>', 'only those of the lists of this run; may be given several times', collect, [])
    .option(...BY_OPTION)
    .action(async (flags: PurgeFlags) => finish(await (await import('./privacy/purge.ts')).purge(flags, terminal)))
  return privacy
}
