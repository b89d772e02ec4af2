import { AudienceCommand } from './command.ts'
import type { ConsoleLinkFlags } from './print-console-link.ts'
import { BY_OPTION } from './signed.ts'
import type { Terminal } from './terminal.ts'

/** `audience console`. */
export function consoleCommand(terminal: Terminal, finish: (exitCode: number) => void): AudienceCommand {
  return new AudienceCommand('console')
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
    .action(async (flags: ConsoleLinkFlags) => {
      const { printConsoleLink } = await import('./print-console-link.ts')
      if (flags.world === undefined) return finish(printConsoleLink(flags, terminal))
      const { showWorld } = await import('./show-world.ts')
      finish(await showWorld(flags.world, flags, terminal))
    })
}
