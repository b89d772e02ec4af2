import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience status`. */
export function statusCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('status', setting)
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
    .calls(async () => (await import('./show-status.ts')).showStatus)
}
