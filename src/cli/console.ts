import { AudienceCommand, type CommandSetting } from './command.ts'
import { BY_OPTION } from './options.ts'
import type { ConsoleLinkFlags } from './print-console-link.ts'
import type { Terminal } from './terminal.ts'

/** `audience console`. */
export function consoleCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('console', setting)
    .description(
      'Prints a link to the web console of audience start, and opens it on a desktop. The link works only once, and expires after ten minutes.',
    )
    .option('--no-open', 'only print it')
    .option('--world <folder>', 'the console of a world that `audience test --keep` kept: read-only, until Ctrl-C')
    .option(...BY_OPTION)
    .option('--json', 'print {"url": …}')
    .examples(`
  audience console                      opens the console, or prints its link
  audience console --json | jq -r .url  for scripts
  audience console --world /tmp/world   look at the failed test whose world was kept there

Anyone with the link can do everything. Programs use tokens instead: \`console.tokens\` in audience.yaml.
`)
    .calls(async () => async (flags: ConsoleLinkFlags, terminal: Terminal) => {
      if (flags.world === undefined) return (await import('./print-console-link.ts')).printConsoleLink(flags, terminal)
      return (await import('./show-world.ts')).showWorld(flags.world, flags, terminal)
    })
}
