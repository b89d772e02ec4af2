import { Option } from 'commander'
import { AudienceCommand } from './command.ts'
import type { MuteFlags } from './notify-mutes.ts'
import type { JsonFlag } from './options.ts'
import { BY_OPTION, type SignFlags } from './signed.ts'
import type { Terminal } from './terminal.ts'

/** `audience notify …`: the messages to people. */
export function notifyCommand(terminal: Terminal, finish: (exitCode: number) => void): AudienceCommand {
  const notify = new AudienceCommand('notify').description('The messages that audience start sends to people.')
  notify
    .command('test')
    .summary('send a test message now')
    .description('Sends a test message to one channel of audience.yaml, or to all, and prints the answer of each.')
    .argument('[channel]', 'its name; default: all')
    .addHelpText('after', '\nExample:\n  audience notify test ops\n')
    .action(async (channel: string | undefined) => {
      const { testNotify } = await import('./notify-test.ts')
      finish(await testNotify(channel, terminal))
    })
  notify
    .command('mute <pipelines>')
    .description(
      'Stops messages about a pipeline for some time, except about the recovery from a failure that was reported before. Failures and waits that last until the mute ends are reported then.',
    )
    .addOption(new Option('--for <duration>', 'how long: 8h').conflicts('until'))
    .option(
      '--until <time>',
      'until when: 2026-11-29T06:00, by the clock of this machine, or with a Z at the end for UTC',
    )
    .option(...BY_OPTION)
    .option('--comment <text>', 'why, for the audit log and `mutes`')
    .examples(`
  audience notify mute nightly --for 8h --comment "the partner moves"
  audience notify mute 'growth_*' --until 2026-11-29T06:00     * stands for any characters
  audience notify mute '*' --for 30m                           all pipelines
`)
    .action(async (pipelines: string, flags: MuteFlags) =>
      finish(await (await import('./notify-mutes.ts')).muteNotify(pipelines, flags, terminal)),
    )
  notify
    .command('unmute <pipelines>')
    .description('Ends a mute early. Give the same name as when it was made.')
    .option(...BY_OPTION)
    .option('--comment <text>', 'why, for the audit log and `mutes`')
    .action(async (pipelines: string, flags: SignFlags) =>
      finish(await (await import('./notify-mutes.ts')).unmuteNotify(pipelines, flags, terminal)),
    )
  notify
    .command('mutes')
    .description('Lists what is muted now.')
    .option('--json', 'one JSON object per mute, with pipelines, since, until, by, comment')
    .action(async (flags: JsonFlag) => finish(await (await import('./notify-mutes.ts')).listMutes(flags, terminal)))
  return notify
}
