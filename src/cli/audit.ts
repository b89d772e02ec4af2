import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption } from './options.ts'

/** `audience audit …`: who did what. */
export function auditCommand(setting: CommandSetting): AudienceCommand {
  const audit = new AudienceCommand('audit', setting).description(
    'Who did what, when, from where and why: commands, the console and programs, including refused acts.',
  )
  audit
    .command('list')
    .description('Lists the entries of the audit log, newest first.')
    .option('--subject <subject>', 'only what was done to this: the id of a run, or PIPELINE/TRIGGER')
    .option('--by <name>', 'only what this person or token did')
    .option('--since <time>', 'only entries since then: 2026-11-22, or 7d for the last seven days')
    .option('-n, --limit <count>', 'how many', integerOption, 50)
    .option(
      '--json',
      'one JSON object per entry, with id, at, by, role, address, act, subject, detail, comment, outcome',
    )
    .examples(`
  audience audit list
  audience audit list --by ana --since 7d
  audience audit list --subject 20261122t102203-xfbfedcduy
  audience audit list --subject auto-intenders-nightly/nightly
  audience audit list --since 2026-11-01 -n 100000 --json > november.jsonl
`)
    .calls(async () => (await import('./audit/list.ts')).listAudit)
  return audit
}
