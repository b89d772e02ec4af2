import { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** `audience notify test`. */
export function notifyCommand(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const notify = new Command('notify').description('The channels that audience start sends messages through.')
  notify
    .command('test')
    .summary('send a test message now')
    .description('Sends a test message to one channel of audience.yaml, or to all, and prints what each answered.')
    .argument('[channel]', 'its name; default: all')
    .addHelpText('after', '\nExample:\n  audience notify test ops\n')
    .action(async (channel: string | undefined) => {
      const { testNotify } = await import('./notify-test.ts')
      finish(await testNotify(channel, terminal))
    })
  return notify
}
