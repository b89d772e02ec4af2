import { AudienceCommand, type CommandSetting } from './command.ts'
import { integerOption } from './options.ts'

/** `audience files …`: what happened to the files of watched folders. */
export function filesCommand(setting: CommandSetting): AudienceCommand {
  const files = new AudienceCommand('files', setting)
    .description('Shows what happened to the files of watched folders, and drops a failed file again.')
    .examples(`
  audience files list
  audience files list nightly/drop -n 100 --json
  audience files drop-again x7f3kq
  audience files drop-again nightly/drop list.csv --comment "the partner is known now"
`)
  files
    .command('list [trigger]')
    .description('Lists the newest files of all watched folders, or of PIPELINE or PIPELINE/TRIGGER.')
    .option('-n, --count <count>', 'how many', integerOption, 20)
    .option('--json', 'one JSON object per file, with pipeline, trigger, key, at, name, state, outcome, runId, sameAs')
    .calls(async () => (await import('./files/list.ts')).listFiles)
  files
    .command('drop-again <run-or-trigger> [file]')
    .description(
      'Moves a file from `failed` back into its watched folder, or into its folder at the source, so that it gets another run.',
    )
    .signed()
    .addHelpText(
      'after',
      `
Name the file by its run, or by PIPELINE/TRIGGER and its name; then the newest failed file of that name is taken. A retry
of its run would look for the file where it was taken, so it cannot help. The new run begins with its first step. If a file of a source
stayed where it is (keep, a tag, an account that may not move files), it is simply taken again.
`,
    )
    .calls(async () => (await import('./files/drop-again.ts')).dropFileAgain)
  return files
}
