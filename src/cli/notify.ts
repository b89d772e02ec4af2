import { Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience notify …`: the messages to people. */
export function notifyCommand(setting: CommandSetting): AudienceCommand {
  const notify = new AudienceCommand('notify', setting).description('The messages that audience start sends to people.')
  notify
    .command('test')
    .summary('send a test message now')
    .description('Sends a test message to one channel of audience.yaml, or to all, and prints the answer of each.')
    .argument('[channel]', 'its name; default: all')
    .addHelpText('after', '\nExample:\n  audience notify test ops\n')
    .calls(async () => (await import('./notify-test.ts')).testNotify)
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
    .signed('why, for the audit log and `mutes`')
    .examples(`
  audience notify mute nightly --for 8h --comment "the partner moves"
  audience notify mute 'growth_*' --until 2026-11-29T06:00     * stands for any characters
  audience notify mute '*' --for 30m                           all pipelines
`)
    .calls(async () => (await import('./notify-mutes.ts')).muteNotify)
  notify
    .command('unmute <pipelines>')
    .description('Ends a mute early. Give the name that the mute was made with.')
    .signed('why, for the audit log and `mutes`')
    .calls(async () => (await import('./notify-mutes.ts')).unmuteNotify)
  notify
    .command('mutes')
    .description('Lists what is muted now.')
    .option('--json', 'one JSON object per mute, with pipelines, since, until, by, comment')
    .calls(async () => (await import('./notify-mutes.ts')).listMutes)
  return notify
}
